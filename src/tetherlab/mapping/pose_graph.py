"""Where keyframes lie, by odometry's chain and by all registrations, some of which may be wrong.

Unknown are a rotation vector θ and a place p of each keyframe, world axes, and the errors that the chain of
`Track` is made of, which hold them up to jitter and tilt. Odometry gives that chain; a registration of
keyframes i, j gives, in the axes of i,

    log(R_iᵀ R_j R_ijᵀ) = 0,   R_iᵀ (p_j − p_i) − t_ij = 0.

Each is weighted by Geman and McClure's loss, which forgets what contradicts the rest. It is sharpened step by
step, so that the first guess does not decide who is wrong (graduated non-convexity).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import spsolve
from scipy.spatial.transform import Rotation

from tetherlab.contracts.track import Track
from tetherlab.mapping.registration import Registration

Array = NDArray[np.float64]
POSE = 6  # unknowns of a keyframe: θ, p; then those of the chain: x, y, z, yaw, more
HELD = np.array([3, 4, 5, 2])  # places of x, y, z, yaw among the pose
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
    if not edges:
        return Solution(position, rotation, np.empty(0))
    prior = _chain(track, tilt_deviation)
    graph = _Graph(edges, len(position))
    weights = np.ones(len(edges))
    chain: Array = np.zeros(track.covariance.shape[:2])
    for sharpening in SHARPENINGS:
        for _ in range(2):
            error, J_first, J_second = graph.linearise(position, rotation)
            scale = sharpening * DOUBTFUL
            weights = (scale / (scale + np.einsum("ij,ij->i", error, error))) ** 2
            root = np.sqrt(weights)
            J = graph.sparse(
                root[:, None, None] * J_first, root[:, None, None] * J_second, POSE + chain.shape[1]
            )
            turned = (rotation * start.inv()).as_rotvec()
            away = np.hstack([turned, position - track.position, chain])
            normal = (prior.T @ prior + J.T @ J).tocsc()
            slope = prior.T @ (prior @ away.ravel()) + J.T @ (root[:, None] * error).ravel()
            step = -spsolve(normal, slope).reshape(away.shape)
            rotation = Rotation.from_rotvec(step[:, :3]) * rotation
            position, chain = position + step[:, 3:POSE], chain + step[:, POSE:]
    return Solution(position, rotation, weights)


def _chain(track: Track, tilt_deviation: float) -> csr_matrix:
    """Whitened rows: its product with how far keyframes are from what odometry said has unit covariance."""
    count, size = track.covariance.shape[:2]
    unknowns, chain = POSE + size, POSE + np.arange(size)
    rows, columns, values = [], [], []

    def put(row: int, where: Array, block: Array) -> None:
        r, c = np.meshgrid(row + np.arange(len(block)), where, indexing="ij")
        rows.append(r.ravel())
        columns.append(c.ravel())
        values.append(block.ravel())

    tiny = 1e-12 * np.eye(size)  # steps so short that they know no error of their own
    jitter = np.maximum([track.jitter[0]] * 3 + [track.jitter[1]], 1e-6)
    for k in range(count):
        spread, row = track.covariance[k], unknowns * k
        if k < count - 1:
            spread = spread - track.gain[k] @ track.covariance[k + 1] @ track.gain[k].T
        white = np.linalg.inv(np.linalg.cholesky(0.5 * (spread + spread.T) + tiny))
        put(row, row + chain, white)
        if k < count - 1:
            put(row, row + unknowns + chain, -white @ track.gain[k])
        put(row + size, row + HELD, np.diag(1.0 / jitter))
        put(row + size, row + chain[:4], -np.diag(1.0 / jitter))
        put(row + size + 4, row + np.array([0, 1]), np.eye(2) / tilt_deviation)
    place = np.concatenate(rows), np.concatenate(columns)
    return csr_matrix((np.concatenate(values), place), shape=(unknowns * count, unknowns * count))


class _Graph:
    """All registrations as arrays."""

    def __init__(self, edges: Sequence[Edge], count: int) -> None:
        self.count = count
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

    def sparse(self, J_first: Array, J_second: Array, unknowns: int) -> csr_matrix:
        """Derivatives of all errors by all unknowns, so many of each keyframe."""
        six = np.arange(6)
        shape = J_first.shape
        row = np.broadcast_to(6 * np.arange(len(J_first))[:, None, None] + six[:, None], shape).ravel()
        columns = [
            np.broadcast_to(unknowns * side[:, None, None] + six, shape).ravel()
            for side in (self.first, self.second)
        ]
        values = np.concatenate([J_first.ravel(), J_second.ravel()])
        place = np.concatenate([row, row]), np.concatenate(columns)
        return csr_matrix((values, place), shape=(6 * len(J_first), unknowns * self.count))
