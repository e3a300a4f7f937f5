"""Where keyframes lie, by odometry's chain and by all registrations, some of which may be wrong.

Unknown are a rotation vector θ and a place p of each keyframe, world axes. Odometry gives the chain of
`Track`; a registration of keyframes i, j gives, in the axes of i,

    log(R_iᵀ R_j R_ijᵀ) = 0,   R_iᵀ (p_j − p_i) − t_ij = 0.

Each is weighted by Geman and McClure's loss, which forgets what contradicts the rest. It is sharpened step by
step, so that the first guess does not decide who is wrong (graduated non-convexity).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve
from scipy.spatial.transform import Rotation

from tetherlab.contracts.track import Track
from tetherlab.mapping.registration import Registration

Array = NDArray[np.float64]
CHAIN = np.array([3, 4, 5, 2])  # places of x, y, z, yaw among the six unknowns θ, p of a keyframe
DOUBTFUL = 16.8  # squared standard deviations that one good registration in a hundred exceeds, 6 numbers
SHARPENINGS = (256.0, 64.0, 16.0, 4.0, 1.0, 1.0)
BELIEVED = 0.25  # least weight of a registration that counts as right; at DOUBTFUL itself


class Edge(NamedTuple):
    """A registration of the cloud of keyframe `second` onto that of keyframe `first`."""

    first: int
    second: int
    measured: Registration


class Solution(NamedTuple):
    """Poses of all keyframes."""

    position: Array  # p_W [m], (n, 3)
    rotation: Rotation  # R_W of n keyframes
    weights: Array  # of the registrations, 0 to 1, (m,)

    def between(self, first: int, second: int) -> Array:
        """T_first_second, (4, 4)."""
        R = self.rotation[first].as_matrix()
        transform = np.eye(4)
        transform[:3, :3] = R.T @ self.rotation[second].as_matrix()
        transform[:3, 3] = R.T @ (self.position[second] - self.position[first])
        return transform


def solve_graph(track: Track, edges: Sequence[Edge], tilt_deviation: float) -> Solution:
    """track: thinned to the keyframes. tilt_deviation: of the autopilot's roll and pitch [rad]."""
    start = Rotation.from_euler("z", track.yaw[:, None])
    position, rotation = track.position.copy(), start
    prior = _chain(track, tilt_deviation)
    if not edges:
        return Solution(position, rotation, np.empty(0))
    graph = _Graph(edges)
    weights = np.ones(len(edges))
    for sharpening in SHARPENINGS:
        for _ in range(2):
            error, J_first, J_second = graph.linearise(position, rotation)
            square = np.einsum("ij,ij->i", error, error)
            scale = sharpening * DOUBTFUL
            weights = (scale / (scale + square)) ** 2
            step = _step(prior, _away(track, start, position, rotation), graph, weights, error, J_first, J_second)
            rotation = Rotation.from_rotvec(step[:, :3]) * rotation
            position = position + step[:, 3:]
    return Solution(position, rotation, weights)


def _away(track: Track, start: Rotation, position: Array, rotation: Rotation) -> Array:
    """How far poses are from what odometry said: θ, p, (n, 6)."""
    return np.hstack([(rotation * start.inv()).as_rotvec(), position - track.position])


def _chain(track: Track, tilt_deviation: float) -> coo_matrix:
    """Whitened rows: (prior @ away) has unit covariance."""
    count = len(track.time)
    rows, columns, values = [], [], []

    def put(row: int, where: Array, block: Array) -> None:
        r, c = np.meshgrid(row + np.arange(len(block)), where, indexing="ij")
        rows.append(r.ravel())
        columns.append(c.ravel())
        values.append(block.ravel())

    tiny = 1e-8 * np.eye(4)  # steps so short that they know no error of their own
    for k in range(count):
        last = k == count - 1
        G = None if last else track.gain[k]
        spread = track.covariance[k] - (0.0 if G is None else G @ track.covariance[k + 1] @ G.T)
        white = np.linalg.inv(np.linalg.cholesky(0.5 * (spread + spread.T) + tiny))
        put(6 * k, 6 * k + CHAIN, white)
        if G is not None:
            put(6 * k, 6 * (k + 1) + CHAIN, -white @ G)
        put(6 * k + 4, 6 * k + np.array([0, 1]), np.eye(2) / tilt_deviation)
    parts = (np.concatenate(part) for part in (values, rows, columns))
    data, row, column = parts
    return coo_matrix((data, (row, column)), shape=(6 * count, 6 * count)).tocsr()


class _Graph:
    """All registrations as arrays."""

    def __init__(self, edges: Sequence[Edge]) -> None:
        self.first = np.array([edge.first for edge in edges])
        self.second = np.array([edge.second for edge in edges])
        transforms = np.stack([edge.measured.transform for edge in edges])
        self.turned = Rotation.from_matrix(transforms[:, :3, :3])
        self.moved = transforms[:, :3, 3]
        covariance = np.stack([edge.measured.covariance for edge in edges])
        self.white = np.linalg.inv(np.linalg.cholesky(covariance))

    def linearise(self, position: Array, rotation: Rotation) -> tuple[Array, Array, Array]:
        """Whitened errors, (m, 6), and their derivatives by both keyframes, (m, 6, 6) each."""
        back = rotation[self.first].inv()
        R = back.as_matrix()
        d = position[self.second] - position[self.first]
        error = np.hstack(
            [
                (back * rotation[self.second] * self.turned.inv()).as_rotvec(),
                back.apply(d) - self.moved,
            ]
        )
        by_first, by_second = np.zeros((2, len(d), 6, 6))
        by_first[:, :3, :3] = by_first[:, 3:, 3:] = -R
        by_second[:, :3, :3] = by_second[:, 3:, 3:] = R
        cross = np.zeros((len(d), 3, 3))
        cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -d[:, 2], d[:, 1], -d[:, 0]
        by_first[:, 3:, :3] = R @ (cross - cross.transpose(0, 2, 1))
        white = self.white
        return np.einsum("mij,mj->mi", white, error), white @ by_first, white @ by_second


def _step(
    prior: coo_matrix, away: Array, graph: _Graph, weights: Array, error: Array, J_first: Array, J_second: Array
) -> Array:
    """One step of Gauss and Newton, (n, 6)."""
    count, m = len(away), len(weights)
    root = np.sqrt(weights)[:, None, None]
    rows = (6 * np.arange(m)[:, None, None] + np.arange(6)[None, :, None]) + np.zeros((1, 1, 6), np.int64)
    places = [6 * side[:, None, None] + np.arange(6)[None, None, :] + 0 * rows for side in (graph.first, graph.second)]
    J = coo_matrix(
        (
            np.concatenate([(root * J_first).ravel(), (root * J_second).ravel()]),
            (np.concatenate([rows.ravel()] * 2), np.concatenate([place.ravel() for place in places])),
        ),
        shape=(6 * m, 6 * count),
    ).tocsr()
    misfit = (root[:, :, 0] * error).ravel()
    normal = (prior.T @ prior + J.T @ J).tocsc()
    slope = prior.T @ (prior @ away.ravel()) + J.T @ misfit
    return -spsolve(normal, slope).reshape(count, 6)
