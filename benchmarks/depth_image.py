"""Depth images by bundles of rays beside the same rays cast one by one.

    python benchmarks/depth_image.py

Pictures of 128 x 96 pixels in two worlds: six pillars, two of them rough (voxel grids), with plane floor and
ceiling, boulders and a rover that has moved; and a mine of four pillars whose faces, floor and ceiling are
height maps. CPU time, both in turns, median of seven rounds; errors are of the range, against the plain rays:
the median, the 99.9th percentile, and how many rays are more than a centimetre off, which pass an edge.
"""

import math
import statistics
import time

import numpy as np

from tetherlab.sensors.depth_camera import DepthCamera, DepthCameraSpec
from tetherlab.sensors.ray_grid import cast_grid
from tetherlab.world import World, batch
from tetherlab.world import shapes as S
from tetherlab.world.mine import Mine

ROUNDS, FAR = 7, 9.0
PILLARS = {  # place [m], yaw, pitch [rad]
    "a wall at 1.5 m": ((6.65, -9.0, 3.0), math.pi, 0.0),
    "a wall at 4 m, obliquely": ((9.0, -8.0, 3.0), math.pi - 0.6, 0.0),
    "the edge of a pillar": ((6.6, -4.2, 3.0), math.pi, 0.0),
    "along a corridor": ((0.0, 0.0, 2.5), 0.1, 0.15),
    "across a corridor": ((9.0, 0.0, 2.0), 0.0, 0.0),
    "down at the rover": ((6.0, 0.0, 4.0), 0.0, 1.0),
}
MINE = {
    "mine: a wall at 1.5 m": ((13.0, 4.0, 3.0), 0.5 * math.pi, 0.0),
    "mine: a wall, obliquely": ((13.0, 2.0, 3.0), 0.5 * math.pi - 0.6, 0.0),
    "mine: the edge of a pillar": ((6.5, 4.2, 3.0), 0.5 * math.pi, 0.0),
    "mine: along a corridor": ((0.0, 0.0, 2.5), 0.1, 0.1),
    "mine: down at the floor": ((0.0, 0.0, 4.0), 0.0, 1.0),
}


def rough_pillar(random, lower, upper, spacing=0.1):
    """A box with bumps of some centimetres."""
    lower, upper = np.asarray(lower, float), np.asarray(upper, float)
    axes = [np.arange(low - 0.5, high + 0.5, spacing) for low, high in zip(lower, upper, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    outside = np.abs(points - (lower + upper) / 2) - (upper - lower) / 2
    box = np.linalg.norm(np.maximum(outside, 0.0), axis=-1) + np.minimum(outside.max(axis=-1), 0.0)
    bumps, steep = np.zeros(box.shape), 0.0
    for _ in range(8):
        wave = 1.5 * random.normal(size=3)
        bumps += 0.04 * np.sin(points @ wave + random.uniform(0, 6))
        steep += 0.04 * float(np.linalg.norm(wave))
    values = ((box + bumps) / (1.0 + steep)).astype(np.float32)
    return S.VoxelGrid(values=values, origin=tuple(axis[0] for axis in axes), spacing=spacing)


def pillars():
    random = np.random.default_rng(0)
    shapes = [S.Plane(), S.Plane(point=(0, 0, 8), normal=(0, 0, -1))]
    for i, j in np.ndindex(3, 2):
        middle = np.array([18.0 * i, 18.0 * j - 9.0, 4.0])
        half = np.array([5.0, 5.0, 4.0])
        lower, upper = middle - half, middle + half
        rough = j == 0 and i < 2
        shapes.append(rough_pillar(random, lower, upper) if rough else S.Box(lower=lower, upper=upper))
    for x, y in random.uniform(-3, 3, (5, 2)):
        shapes.append(S.Sphere(center=(8 + x, y, 0.2), radius=0.5))
    hull = S.Box(lower=(-0.6, -0.4, 0.1), upper=(0.6, 0.4, 0.6))
    deck = S.Box(lower=(-0.4, -0.4, 0.7), upper=(0.4, 0.4, 0.75))
    world = World([*shapes, S.Union(shapes=(hull, deck), name="rover")])
    world.place("rover", position=(7.5, 0, 0), rotation_wxyz=(math.cos(0.2), 0, 0, math.sin(0.2)))
    return world


def rotation_of(yaw, pitch):
    cy, sy, cp, sp = math.cos(yaw), math.sin(yaw), math.cos(pitch), math.sin(pitch)
    return np.array([[cy * cp, -sy, cy * sp], [sy * cp, cy, sy * sp], [-sp, 0.0, cp]])


def taken(job):
    start = time.process_time()
    job()
    return 1e3 * (time.process_time() - start)


def main():
    grid = DepthCamera(DepthCameraSpec(), "depth_camera", 1, lambda truth: truth.rotation).grid
    print(f"{'':28s}{'bundles':>10s}{'one by one':>12s}{'ratio':>7s}{'median':>10s}{'99.9 %':>10s}  > 1 cm")
    for world, views in ((pillars(), PILLARS), (World(Mine(rows=2, columns=2).shapes), MINE)):
        measure(world.field, grid, views)


def measure(field, grid, views):
    shape = grid.directions.shape[:2]
    ranges, cosines, objects = np.empty(shape), np.empty(shape), np.empty(shape, np.int64)
    for name, (place, yaw, pitch) in views.items():
        R = rotation_of(yaw, pitch)
        pose = np.concatenate([R.ravel(), place])[None]
        rays = np.ascontiguousarray(grid.directions.reshape(-1, 3) @ R.T)
        origins = np.tile(np.array(place), (len(rays), 1))
        alone = batch.ranges(field, origins, rays, FAR)
        cast_grid(field, grid, pose, FAR, ranges, objects, cosines)
        pairs = [
            (
                taken(lambda: cast_grid(field, grid, pose, FAR, ranges, objects, cosines)),  # noqa: B023
                taken(lambda: batch.ranges(field, origins, rays, FAR)),  # noqa: B023
            )
            for _ in range(ROUNDS)
        ]
        bundles, plain = (statistics.median(times) for times in zip(*pairs, strict=True))
        ratio = statistics.median(b / a for a, b in pairs)
        errors = np.abs(ranges.ravel() - alone)
        print(
            f"{name:28s}{bundles:7.2f} ms{plain:9.2f} ms{ratio:7.1f}"
            f"{np.median(errors):10.1e}{np.quantile(errors, 0.999):10.1e}{(errors > 0.01).sum():8d}"
        )


if __name__ == "__main__":
    main()
