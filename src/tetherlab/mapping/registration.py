"""How two overlapping clouds lie to one another, and how surely (generalised ICP by small_gicp)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.extras import require

if TYPE_CHECKING:
    import small_gicp

Array = NDArray[np.float64]
STAGES = (3.0, 1.0)  # factors of the reach: far first, then near
INLIERS_MIN = 200
CHANCE = 3.0  # standard deviations of what noise of the normals may hold by chance
BIAS_ROTATION, BIAS_POSITION = 0.003, 0.005  # that more points do not remove: bent frames, sensor [rad], [m]


class Registration(NamedTuple):
    """A measured relative pose."""

    transform: Array  # T_target_source, (4, 4)
    covariance: Array  # of a rotation vector and a translation of the source, target's axes, (6, 6)
    residual: float  # RMS of point to plane where both overlap [m]
    overlap: float  # share of the source that found a neighbour


def register(
    target: small_gicp.PointCloud,
    tree: small_gicp.KdTree,
    source: small_gicp.PointCloud,
    guess: Array,
    reach: float,
) -> Registration | None:
    """Move the source onto the target, starting from a guess T_target_source, (4, 4).

    reach: farthest neighbours that belong together in the end [m]. None: too few of them.
    """
    require("mapping")
    import small_gicp

    transform = guess
    for stage in STAGES:
        result = small_gicp.align(
            target,
            source,
            target_tree=tree,
            init_T_target_source=transform,
            max_correspondence_distance=stage * reach,
            max_iterations=30,
        )
        if result.num_inliers < INLIERS_MIN:
            return None
        transform = result.T_target_source
    return _judge(target, tree, source, transform, reach)


def _judge(
    target: small_gicp.PointCloud,
    tree: small_gicp.KdTree,
    source: small_gicp.PointCloud,
    transform: Array,
    reach: float,
) -> Registration | None:
    """How well they fit, and which motions the shape of the surface holds."""
    moved = source.points()[:, :3] @ transform[:3, :3].T + transform[:3, 3]
    found = tree.batch_nearest_neighbor_search(np.column_stack([moved, np.ones(len(moved))]))
    nearest, squares = np.asarray(found[0], np.int64).ravel(), np.asarray(found[1]).ravel()
    near = squares < reach * reach
    if near.sum() < INLIERS_MIN:
        return None
    normals = target.normals()[nearest[near], :3]
    others = source.normals()[near, :3] @ transform[:3, :3].T
    others *= np.where(np.einsum("ij,ij->i", normals, others) < 0.0, -1.0, 1.0)[:, None]
    gaps = np.einsum("ij,ij->i", target.points()[nearest[near], :3] - moved[near], normals)
    middle = moved[near].mean(axis=0)
    variance = max(float(np.mean(gaps * gaps)), 1e-8)
    information = _information(moved[near] - middle, normals, others) / variance
    # About the middle of the overlap; what nothing holds there is open by a metre.
    spread = np.linalg.inv(information + np.diag([1.0] * 6))
    spread += np.diag([BIAS_ROTATION**2] * 3 + [BIAS_POSITION**2] * 3)
    lever = np.eye(6)
    # A turn about the middle moves the origin: t' = t − ω × (c − t)
    x, y, z = middle - transform[:3, 3]
    lever[3:, :3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    covariance = lever @ spread @ lever.T
    return Registration(transform, covariance, math.sqrt(variance), float(near.mean()))


def _information(arms: Array, normals: Array, others: Array) -> Array:
    """Of turns and shifts by points at arms from the middle, in units of one point's, (6, 6).

    A wall holds a shift along it by the slopes of its relief. Noise of normals looks like slopes, but is not
    the same in both clouds: the product of both normals is free of it but for chance, which is taken off.
    """
    reach = float(np.sqrt(np.mean(arms * arms)))
    scale = np.array([1.0 / reach] * 3 + [1.0] * 3)
    first, second = (np.hstack([np.cross(arms, n), n]) * scale for n in (normals, others))
    both = 0.5 * (first.T @ second + second.T @ first)
    noise = 0.5 * float(np.mean((normals - others) ** 2))
    values, vectors = np.linalg.eigh(both)
    values = np.maximum(values - CHANCE * noise * math.sqrt(len(arms)), 0.0)
    return (vectors * values) @ vectors.T / np.outer(scale, scale)
