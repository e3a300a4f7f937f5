"""Rays cast together against the same rays cast one by one."""

import numpy as np
import pytest
from inspection_scenes import bumpy_block, clutter, looking, pose_of
from scipy.ndimage import maximum_filter, minimum_filter

from tetherlab.sensors.ray_grid import TILE, cast_grid, make_grid
from tetherlab.world import World, batch
from tetherlab.world import shapes as S
from tetherlab.world.mine import Mine

FAR = 9.0
MINE = Mine(pillar=(6.0, 6.0), entry=8.0, spacing=0.1, finest=0.5)


def fan(rows, columns, width=1.2, height=0.9):
    """Rays of a camera, (rows, columns, 3)."""
    left, up = np.linspace(width / 2, -width / 2, columns), np.linspace(height / 2, -height / 2, rows)
    rays = np.ones((rows, columns, 3))
    rays[:, :, 1], rays[:, :, 2] = np.tan(left), np.tan(up)[:, None]
    return rays / np.linalg.norm(rays, axis=2, keepdims=True)


def cast(world, rays, poses, far=FAR):
    ranges, cosines = np.empty(rays.shape[:2]), np.empty(rays.shape[:2])
    objects = np.empty(rays.shape[:2], np.int64)
    cast_grid(world.field, make_grid(rays), poses, far, ranges, objects, cosines)
    return ranges, objects, cosines


def one_by_one(world, rays, pose, far=FAR):
    directions = np.ascontiguousarray(rays.reshape(-1, 3) @ pose[:9].reshape(3, 3).T)
    origins = np.tile(pose[9:], (len(directions), 1))
    return batch.ranges(world.field, origins, directions, far).reshape(rays.shape[:2])


def free_place(random, world):
    while True:
        place = random.uniform(-4, 4, 3)
        if world.distance(place) > 0.3:
            return place


@pytest.mark.parametrize("scene", range(12))
def test_rays_cast_together_end_where_each_alone_does(random, scene):
    """To a tenth of a millimetre, but for rays within a pixel of an edge, which may end on either side."""
    world, rays = clutter(random), fan(48, 64)
    place = free_place(random, world)
    pose = pose_of(place, looking(place, random.uniform(-2, 2, 3), random.uniform(-1, 1)))
    alone = one_by_one(world, rays, pose[0])
    together, objects, _ = cast(world, rays, pose)
    assert np.mean(np.abs(together - alone) < 1e-4) > 0.995
    pixel = 1e-4 + 0.02 * alone  # what a leap may pass unseen
    assert (together >= minimum_filter(alone, 3) - pixel).all()
    assert (together <= maximum_filter(alone, 3) + pixel).all()
    assert ((objects < 0) == (together == FAR)).all()


@pytest.mark.parametrize("view", range(6))
def test_in_a_mine_too(random, view):
    """Whose pillars are intersections of height maps, of which a tile asks but one."""
    world, rays = World(MINE.shapes), fan(48, 64)
    place = np.array([*random.uniform(-1.0, 3.5, 2), random.uniform(2.0, 5.0)])
    pose = pose_of(place, looking(place, (*random.uniform(6.0, 10.0, 2), 3.0)))
    alone = one_by_one(world, rays, pose[0])
    together, _, _ = cast(world, rays, pose)
    assert (alone < FAR).mean() > 0.3
    assert np.mean(np.abs(together - alone) < 1e-4) > 0.995


def test_of_parts_only_the_one_that_matters_is_asked_but_never_a_wrong_one():
    """Views along the edge where two parts meet, and through the gap between two others."""
    block = S.Intersection(
        shapes=[S.Plane(point=(3, 0, 0), normal=(-1, 0, 0)), S.Plane(point=(0, 0.2, 0), normal=(0, -1, 0))]
    )
    posts = S.Union(shapes=[S.Box(lower=(4, y, -9), upper=(5, y + 0.5, 9)) for y in (-0.6, -1.3)])
    world, rays = World([block, posts]), fan(32, 128)
    for y in (0.0, 0.3, -0.7):
        pose = pose_of((0.0, y, 0.0), np.eye(3))
        alone = one_by_one(world, rays, pose[0])
        assert len(np.unique(np.round(alone[16] * rays[16, :, 0], 3))) > 2
        assert np.mean(np.abs(cast(world, rays, pose)[0] - alone) < 1e-4) > 0.998


def test_thin_things_are_not_passed_unseen():
    poles = [S.Capsule(start=(x, y, -5), end=(x, y, 5), radius=0.003) for x, y in ((2.0, 0.1), (3.0, -0.2))]
    plates = [S.OrientedBox(center=(4, -1, 0), size=(1.0, 0.001, 2.0), rotation=(0.6, 0, 0, 0.8))]
    world = World([S.Box(lower=(6, -9, -9), upper=(7, 9, 9)), *poles, *plates])
    rays, pose = fan(64, 512), pose_of((0.0, 0.0, 0.0), np.eye(3))
    alone = one_by_one(world, rays, pose[0])
    assert (alone < 3.2).sum() > 100 and ((alone > 3.2) & (alone < 5.0)).sum() > 100
    together = cast(world, rays, pose)[0]
    assert np.mean(np.abs(together - alone) < 1e-4) > 0.9999


def test_a_wall_close_to_its_face_is_met_at_all_incidences():
    """Where leaps matter most: nearly along a wall."""
    world = World([S.Plane(point=(0, -0.3, 0), normal=(0, 1, 0))])
    rays = fan(24, 96)
    ranges, _, cosines = cast(world, rays, pose_of((0.0, 0.0, 0.0), np.eye(3)))
    closing = -rays[:, :, 1]
    with np.errstate(divide="ignore"):
        expected = np.where(closing > 0, np.minimum(0.3 / closing, FAR), FAR)
    clear = np.abs(expected - FAR) > 1e-3
    np.testing.assert_allclose(ranges[clear], expected[clear], rtol=1e-3)
    met = expected < 8.9
    np.testing.assert_allclose(cosines[met], closing[met], atol=1e-12)


def test_the_object_that_is_met_is_named():
    world = World([S.Plane(point=(0, 0, -1)), S.Sphere(center=(3, 0, 0), radius=0.5)])
    _, objects, cosines = cast(world, fan(33, 33), pose_of((0.0, 0.0, 0.0), np.eye(3)))
    assert objects[16, 16] == 1 and cosines[16, 16] == pytest.approx(1.0, abs=1e-6)
    assert (objects[-1] == 0).all() and (objects[0] == -1).all()


@pytest.mark.parametrize("shape", [(1, 1), (1, 50), (13, 21), (3, 2)])
def test_grids_of_any_size_are_filled(random, shape):
    world = World([bumpy_block(random, (4, 0, 0), (2, 6, 6))])
    rays, pose = fan(*shape), pose_of((0.0, 0.1, 0.2), np.eye(3))
    np.testing.assert_allclose(cast(world, rays, pose)[0], one_by_one(world, rays, pose[0]), atol=1e-4)


def test_rays_all_round_meet_what_is_behind(random):
    azimuth = np.linspace(-np.pi, np.pi, 90, endpoint=False)
    rays = np.stack([np.cos(azimuth), np.sin(azimuth), np.zeros(90)], axis=1)[None]
    ranges, _, _ = cast(World([S.Sphere(center=(-4, 0, 0), radius=1)]), rays, pose_of((0, 0, 0), np.eye(3)))
    assert ranges[0, 0] == pytest.approx(3.0) and ranges[0, 45] == FAR


def test_each_column_of_tiles_may_look_from_a_place_of_its_own(random):
    world, rays = clutter(random), fan(16, 3 * TILE)
    place = free_place(random, world)
    poses = np.concatenate([pose_of(place + 0.02 * k, looking(place, (0, 0, 0), 0.1 * k)) for k in range(3)])
    together = cast(world, rays, poses)[0]
    for k, pose in enumerate(poses):
        columns = slice(TILE * k, TILE * (k + 1))
        alone = one_by_one(world, rays[:, columns], pose)
        assert np.mean(np.abs(together[:, columns] - alone) < 1e-4) > 0.98


def test_an_empty_world_and_a_place_inside_something():
    assert (cast(World([]), fan(9, 9), pose_of((0, 0, 0), np.eye(3)))[0] == FAR).all()
    inside = World([S.Sphere(center=(0, 0, 0), radius=1)])
    assert (cast(inside, fan(9, 9), pose_of((0.1, 0, 0), np.eye(3)))[0] == 0.0).all()
