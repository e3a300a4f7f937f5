"""Primitive shapes with independent twins: who is inside, and points all over the surface."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from tetherlab.world import shapes as S

AXIS = np.array([1.0, 2.0, 2.0]) / 3.0
SIDE = np.array([2.0, 1.0, -2.0]) / 3.0
UP = np.array([2.0, -2.0, 1.0]) / 3.0
TURN = Rotation.from_rotvec([0.3, -0.8, 0.5])
TURN_WXYZ = TURN.as_quat(scalar_first=True)


@dataclass(frozen=True)
class Twin:
    """A shape, a membership test and a dense sample of its surface, written without the code under test."""

    name: str
    shape: S.Shape
    inside: Callable[[NDArray], NDArray]
    surface: Callable[[np.random.Generator, int], NDArray]


def _sphere_points(random, n):
    v = random.normal(size=(n, 3))
    return v / np.linalg.norm(v, axis=1)[:, None]


def _box_surface(random, n, half):
    points = random.uniform(-1.0, 1.0, (n, 3)) * half
    axis = random.choice(3, size=n, p=np.prod(half) / half / np.sum(np.prod(half) / half))
    rows = np.arange(n)
    points[rows, axis] = np.where(random.uniform(size=n) < 0.5, -1.0, 1.0) * half[axis]
    return points


def _rod_side(random, n, length, radius):
    angle, t = random.uniform(0, 2 * np.pi, n), random.uniform(0, length, n)
    return np.outer(t, AXIS) + radius * (np.outer(np.cos(angle), SIDE) + np.outer(np.sin(angle), UP))


def _cylinder_surface(random, n, length, radius):
    angle, r = random.uniform(0, 2 * np.pi, n // 2), radius * np.sqrt(random.uniform(size=n // 2))
    disc = r[:, None] * (np.outer(np.cos(angle), SIDE) + np.outer(np.sin(angle), UP))
    caps = disc + np.outer(random.integers(0, 2, n // 2) * length, AXIS)
    return np.concatenate([_rod_side(random, n // 2, length, radius), caps])


def _capsule_surface(random, n, length, radius):
    ball = _sphere_points(random, n // 2)
    ends = radius * ball + np.where((ball @ AXIS > 0.0)[:, None], length * AXIS, 0.0)
    return np.concatenate([_rod_side(random, n // 2, length, radius), ends])


def _along(points, length):
    t = points @ AXIS
    return t, np.linalg.norm(points - np.outer(t, AXIS), axis=1)


HALF = np.array([0.5, 0.8, 0.3])
SHIFT = np.array([0.2, -0.4, 0.7])
LENGTH, RADIUS = 1.5, 0.4

TWINS = [
    Twin(
        "sphere",
        S.Sphere(center=SHIFT, radius=0.6),
        lambda p: np.linalg.norm(p - SHIFT, axis=1) < 0.6,
        lambda random, n: SHIFT + 0.6 * _sphere_points(random, n),
    ),
    Twin(
        "box",
        S.Box(lower=SHIFT - HALF, upper=SHIFT + HALF),
        lambda p: (np.abs(p - SHIFT) < HALF).all(axis=1),
        lambda random, n: SHIFT + _box_surface(random, n, HALF),
    ),
    Twin(
        "oriented box",
        S.OrientedBox(center=SHIFT, size=2 * HALF, rotation=TURN_WXYZ),
        lambda p: (np.abs(TURN.inv().apply(p - SHIFT)) < HALF).all(axis=1),
        lambda random, n: SHIFT + TURN.apply(_box_surface(random, n, HALF)),
    ),
    Twin(
        "cylinder",
        S.Cylinder(start=(0, 0, 0), end=LENGTH * AXIS, radius=RADIUS),
        lambda p: (
            (_along(p, LENGTH)[0] > 0) & (_along(p, LENGTH)[0] < LENGTH) & (_along(p, LENGTH)[1] < RADIUS)
        ),
        lambda random, n: _cylinder_surface(random, n, LENGTH, RADIUS),
    ),
    Twin(
        "capsule",
        S.Capsule(start=(0, 0, 0), end=LENGTH * AXIS, radius=RADIUS),
        lambda p: np.linalg.norm(p - np.outer(np.clip(p @ AXIS, 0, LENGTH), AXIS), axis=1) < RADIUS,
        lambda random, n: _capsule_surface(random, n, LENGTH, RADIUS),
    ),
]

PRIMITIVES = [S.Plane(point=(0.0, 0.0, -0.3), normal=(0.2, -0.1, 1.0)), *(twin.shape for twin in TWINS)]
PRIMITIVE_NAMES = ["plane", *(twin.name for twin in TWINS)]
