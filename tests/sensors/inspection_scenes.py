"""An inspection drone in front of things, as its sensors find it, and worlds to look at."""

import math
from typing import Any

import numpy as np

from tetherlab.contracts.measurement import unit_vector
from tetherlab.sensors.inspection_truth import InspectionTruth
from tetherlab.world import World
from tetherlab.world import shapes as S

DECK = S.Box(lower=(-0.5, -0.5, 0.6), upper=(0.5, 0.5, 0.7), name="deck")


def room(*more: S.Shape) -> World:
    """Floor, a ceiling at 6 m, and a wall at x = 3 m."""
    floor = S.Plane(name="floor")
    ceiling = S.Plane(point=(0, 0, 6), normal=(0, 0, -1), name="ceiling")
    return World([floor, ceiling, S.Box(lower=(3, -20, 0), upper=(5, 20, 6), name="wall"), *more])


def inspected(time=0.0, *, world: World | None = None, **others: Any) -> InspectionTruth:
    """At rest, level, two metres up, looking along x, unless others say otherwise."""
    field = (room() if world is None else world).field
    values: dict[str, Any] = dict(
        time=time,
        length=4.0,
        tangent_base_W=unit_vector(0.6, 0.8),
        tangent_end_W=unit_vector(0.6, 1.0),
        tension_base=2.0,
        tension_end=2.0,
        rotation_base=np.eye(3),
        rotation=np.eye(3),
        base=np.zeros(3),
        base_velocity=np.zeros(3),
        attachment=np.array([0.0, 0.0, 2.0]),
        velocity=np.zeros(3),
        angular_velocity=np.zeros(3),
        field=field,
        pose=field.pose,
        ambient_light=100.0,
    )
    return InspectionTruth(**(values | others))


def true_attitude(truth):
    """An autopilot that errs in nothing."""
    return np.array(truth.rotation)


def pose_of(place, rotation):
    """As rays take it, (1, 12)."""
    return np.concatenate([np.asarray(rotation, float).ravel(), place])[None]


def looking(place, target, roll=0.0):
    """Rotation whose x axis points from a place to a target, rolled about it, (3, 3)."""
    x = np.subtract(target, place) / np.linalg.norm(np.subtract(target, place))
    y = np.cross((0.0, 0.0, 1.0) if abs(x[2]) < 0.9 else (0.0, 1.0, 0.0), x)
    y /= np.linalg.norm(y)
    z = np.cross(x, y)
    c, s = math.cos(roll), math.sin(roll)
    return np.stack([x, c * y + s * z, c * z - s * y], axis=1)


def bumpy_block(random, center, size, spacing=0.12):
    """A box with bumps, as a voxel grid."""
    center, half = np.asarray(center, float), np.asarray(size, float) / 2
    axes = [np.arange(-h - 0.5, h + 0.5, spacing) for h in half]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    outside = np.abs(points) - half
    box = np.linalg.norm(np.maximum(outside, 0.0), axis=-1) + np.minimum(outside.max(axis=-1), 0.0)
    bumps, steep = np.zeros(box.shape), 0.0
    for _ in range(5):
        wave = random.normal(size=3)
        bumps += 0.04 * np.sin(points @ wave + random.uniform(0, 6))
        steep += 0.04 * float(np.linalg.norm(wave))
    values = ((box + bumps) / (1.0 + steep)).astype(np.float32)
    return S.VoxelGrid(values=values, origin=tuple(center + [axis[0] for axis in axes]), spacing=spacing)


def clutter(random) -> World:
    """Some of every shape, one of them moved."""

    def at(low=-4.0, high=4.0):
        return tuple(random.uniform(low, high, 3))

    turn = random.normal(size=4)
    screen = S.Box(lower=(5, -4, -4), upper=(5.5, 4, 4))
    shapes = [
        S.Plane(point=(0, 0, -4)),
        S.Plane(point=(0, 0, 5), normal=(0, 0, -1)),
        *(S.Sphere(center=at(), radius=random.uniform(0.2, 1.0)) for _ in range(3)),
        S.OrientedBox(center=at(), size=(2.0, 0.3, 1.0), rotation=tuple(turn / np.linalg.norm(turn))),
        S.Cylinder(start=at(), end=at(), radius=0.3),
        S.Capsule(start=at(), end=at(), radius=0.02),
        bumpy_block(random, at(), (2.0, 2.0, 2.0)),
        S.Difference(shape=screen, minus=S.Sphere(center=(5, 0, 0), radius=1.5)),
        S.Union(shapes=(S.Box(lower=(-0.6, -0.4, 0), upper=(0.6, 0.4, 0.5)), DECK), name="rover"),
    ]  # fmt: skip
    world = World(shapes)
    half = random.uniform(0, 3)
    world.place("rover", position=at(), rotation_wxyz=(math.cos(half), 0, 0, math.sin(half)))
    return world
