"""A wall of a few cosine waves, whose height, slopes and pictures are known in closed form: x = h(y, z)."""

import math
from itertools import pairwise

import numpy as np

from tetherlab.contracts.autonomy import DepthImage
from tetherlab.contracts.cloud import Cloud
from tetherlab.contracts.track import Track

WAVES = np.array(
    [[2.0, 1.0, 0.06], [-1.0, 3.0, 0.05], [5.0, -2.0, 0.03], [3.0, 6.0, 0.025], [8.0, 4.0, 0.012]]
)


def height(y, z):
    return sum(a * np.cos(ky * y + kz * z + i) for i, (ky, kz, a) in enumerate(WAVES))


def slopes(y, z):
    waves = [(-a * np.sin(ky * y + kz * z + i), ky, kz) for i, (ky, kz, a) in enumerate(WAVES)]
    return sum(s * ky for s, ky, _ in waves), sum(s * kz for s, _, kz in waves)


def distance(points):
    """To first order, > 0 in front of the wall."""
    by_y, by_z = slopes(points[:, 1], points[:, 2])
    return (height(points[:, 1], points[:, 2]) - points[:, 0]) / np.sqrt(1.0 + by_y**2 + by_z**2)


def look(time, place, yaw, *, shape=(48, 64), halves=(0.7, 0.52), noise=0.0, random=None, surface=height):
    """A picture from a level camera; rays meet the wall where bisection says."""
    u = 1.0 - (2.0 * np.arange(shape[1]) + 1.0) / shape[1]
    v = 1.0 - (2.0 * np.arange(shape[0]) + 1.0) / shape[0]
    left, up = np.meshgrid(u * halves[0], v * halves[1])
    c, s = math.cos(yaw), math.sin(yaw)
    dx, dy, dz = c - s * left, s + c * left, up
    near, far = np.zeros(shape), np.full(shape, 6.0)
    for _ in range(40):
        t = 0.5 * (near + far)
        before = place[0] + t * dx < surface(place[1] + t * dy, place[2] + t * dz)
        near, far = np.where(before, t, near), np.where(before, far, t)
    depth = 0.5 * (near + far)
    if noise:
        depth = depth + noise * random.standard_normal(shape)
    return DepthImage(time, depth.astype(np.float32), *halves, np.eye(3))


def cloud_of(random, *, width=4.0, tall=3.0, density=5000.0, noise=0.003, surface=height, shift=None):
    """Points of the wall as a map has them; shift: of each point, a function of y and z [m], (n, 3)."""
    count = int(width * tall * density)
    y, z = random.uniform(0.0, width, count), random.uniform(0.0, tall, count)
    points = np.stack([surface(y, z), y, z], axis=1) + noise * random.standard_normal((count, 3))
    if shift is not None:
        points = points + shift(y, z)
    by_y, by_z = slopes(y, z)
    normals = np.stack([-np.ones(count), by_y, by_z], axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Cloud(points, normals, np.ones(count, np.int64))


def track_of(time, position, yaw, walk=0.02, yaw_walk=1e-3, start=1e-3):
    """A track whose errors are those of a walk from a known start: steps are independent."""
    elapsed = time - time[0]
    step = np.array([walk**2] * 3 + [yaw_walk**2])
    covariance = np.array([np.diag(start**2 + t * step) for t in elapsed])
    gain = np.array([P @ np.linalg.inv(Q) for P, Q in pairwise(covariance)])
    return Track(np.asarray(time, float), position, yaw, covariance, gain)
