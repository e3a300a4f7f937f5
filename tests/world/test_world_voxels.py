"""Distance grids: interpolation, the bound outside, and distances from occupied voxels."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from tetherlab.contracts.errors import InputError
from tetherlab.world import World
from tetherlab.world import shapes as S
from tetherlab.world.distance_transform import signed_distance
from tetherlab.world.occupancy import grid_from_occupied


def _lattice(shape, origin, spacing):
    return np.asarray(origin) + spacing * np.stack(np.indices(shape), axis=-1)


def _sampled_sphere(spacing, radius=1.0, size=4.0):
    count = round(size / spacing) + 1
    origin = np.full(3, -size / 2)
    values = np.linalg.norm(_lattice((count,) * 3, origin, spacing), axis=-1) - radius
    return S.VoxelGrid(values=values, origin=origin, spacing=spacing)


def _cube_distances(keys, resolution, points):
    """Distance to a union of cubes, one by one."""
    centers = (keys + 0.5) * resolution
    away = np.maximum(np.abs(points[:, None, :] - centers) - resolution / 2, 0.0)
    return np.sqrt((away**2).sum(axis=2).min(axis=1))


def _terrain(random):
    """A floor with steps and a tower, as occupied voxels."""
    height = (3 + 2 * np.sin(np.arange(20) / 3.0)[:, None] + np.cos(np.arange(18) / 2.0)).astype(int)
    solid = np.arange(14) < height[..., None]
    solid[8:10, 8:10] = True
    return np.argwhere(solid)


def test_distance_between_samples_converges_with_the_square_of_the_spacing(random):
    points = random.normal(size=(4000, 3))
    points *= (random.uniform(0.6, 1.7, 4000) / np.linalg.norm(points, axis=1))[:, None]
    exact = np.linalg.norm(points, axis=1) - 1.0
    spacings = np.array([0.2, 0.1, 0.05])
    errors, gradient_errors = [], []
    for spacing in spacings:
        world = World([_sampled_sphere(spacing)])
        errors.append(np.sqrt(np.mean((world.distance(points) - exact) ** 2)))
        away = world.gradient(points) - points / np.linalg.norm(points, axis=1)[:, None]
        gradient_errors.append(np.sqrt(np.mean(away**2)))
    assert np.polyfit(np.log(spacings), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.1)
    assert np.polyfit(np.log(spacings), np.log(gradient_errors), 1)[0] == pytest.approx(1.0, abs=0.1)


def test_a_linear_field_is_met_exactly_with_axes_in_their_order(random):
    shape, origin, spacing = (4, 6, 9), np.array([1.0, -2.0, 0.5]), 0.3
    slope = np.array([0.2, -0.5, 0.7])
    grid = S.VoxelGrid(values=_lattice(shape, origin, spacing) @ slope, origin=origin, spacing=spacing)
    points = random.uniform(origin, grid.upper, (500, 3))
    np.testing.assert_allclose(World([grid]).distance(points), points @ slope, atol=1e-6)
    np.testing.assert_allclose(
        World([grid]).gradient(points), [slope / np.linalg.norm(slope)] * 500, atol=1e-5
    )


@pytest.mark.parametrize("solid_border", [False, True])
def test_gradient_equals_the_finite_difference_inside_and_outside_the_lattice(random, solid_border):
    grid = _sampled_sphere(0.25)
    if solid_border:  # ground and a ball: the ground reaches the border
        values = np.minimum(grid.values, _lattice(grid.values.shape, grid.origin, 0.25)[..., 2] + 1.6)
        grid = S.VoxelGrid(values=values, origin=grid.origin, spacing=0.25)
    world = World([grid])
    points = random.uniform(-4, 4, (4000, 3))
    step = 1e-6
    difference = np.stack(
        [
            (world.distance(points + step * e) - world.distance(points - step * e)) / (2 * step)
            for e in np.eye(3)
        ],
        axis=1,
    )
    length = np.linalg.norm(difference, axis=1)
    steep = length > 0.05
    assert steep.mean() > 0.6
    np.testing.assert_allclose(
        world.gradient(points)[steep], difference[steep] / length[steep, None], atol=2e-4
    )


def test_outside_the_lattice_the_distance_is_a_lower_bound_without_a_jump(random):
    world = World([_sampled_sphere(0.25)])
    outward = random.normal(size=(3000, 3))
    outward /= np.abs(outward).max(axis=1)[:, None]  # onto the faces of a cube
    outside = outward * random.uniform(2.0, 20.0, (3000, 1))
    exact = np.linalg.norm(outside, axis=1) - 1.0
    bound = world.distance(outside)
    # Interpolation of a convex function is too high by up to h^2/(4 d), about 0.01 m here.
    assert np.all(bound <= exact + 0.01)
    assert np.all(bound >= 0.7 * exact)
    np.testing.assert_allclose(
        world.distance(outward * (2 - 1e-7)), world.distance(outward * (2 + 1e-7)), atol=1e-6
    )


def test_a_solid_that_reaches_the_border_goes_on_beyond_it():
    ground = _lattice((3, 3, 5), (0, 0, -1), 0.5)[..., 2]
    world = World([S.VoxelGrid(values=ground, origin=(0, 0, -1), spacing=0.5)])
    assert world.distance((30.0, -40.0, 0.25)) == pytest.approx(0.25)
    assert world.distance((30.0, -40.0, -0.25)) == pytest.approx(-0.25)


def test_several_lattices_in_one_world_do_not_mix(random):
    first, second = _sampled_sphere(0.25), _sampled_sphere(0.5)
    moved = S.VoxelGrid(values=second.values, origin=np.add(second.origin, (3, 0, 0)), spacing=0.5)
    points = random.uniform(-3, 6, (1000, 3))
    each = [World([first]).distance(points), World([moved]).distance(points)]
    np.testing.assert_array_equal(World([first, moved]).distance(points), np.minimum(*each))
    np.testing.assert_array_equal(World([S.Union(shapes=[moved, first])]).distance(points), np.minimum(*each))


@pytest.mark.parametrize("share", [0.002, 0.05, 0.5, 0.95])
def test_samples_are_the_exact_signed_distance_to_the_faces_of_voxels(random, share):
    occupied = random.uniform(size=(13, 17, 11)) < share
    occupied[0, 0, 0], occupied[-1, -1, -1] = True, False
    values = signed_distance(occupied, occupied.shape, 0.25)
    centers = (np.argwhere(np.ones_like(occupied)) + 0.5) * 0.25
    outside = _cube_distances(np.argwhere(occupied), 0.25, centers)
    inside = _cube_distances(np.argwhere(~occupied), 0.25, centers)
    np.testing.assert_allclose(values.ravel(), outside - inside, atol=1e-6)


def test_a_wall_of_one_voxel_has_both_faces_and_an_inside():
    y, z = np.meshgrid(np.arange(40), np.arange(40))
    wall = np.stack([np.full(y.size, 7), y.ravel(), z.ravel()], axis=1)
    world = World([grid_from_occupied(wall, 0.1, margin=0.5)])
    x = np.linspace(0.3, 1.2, 19)
    points = np.stack([x, np.full(19, 2.03), np.full(19, 1.98)], axis=1)
    np.testing.assert_allclose(world.distance(points), np.abs(x - 0.75) - 0.05, atol=1e-6)
    np.testing.assert_allclose(world.gradient((0.71, 2.0, 2.0)), (-1, 0, 0), atol=1e-6)
    np.testing.assert_allclose(world.gradient((0.79, 2.0, 2.0)), (1, 0, 0), atol=1e-6)


def test_distance_to_voxels_is_right_to_a_fraction_of_a_voxel(random):
    keys, resolution = _terrain(random), 0.1
    grid = grid_from_occupied(keys, resolution, margin=0.5)
    points = random.uniform(grid.origin, grid.upper, (4000, 3))
    exact = _cube_distances(keys, resolution, points)
    measured = World([grid]).distance(points)
    free = exact > 0.0
    error = (measured - exact)[free] / resolution
    # Convex edges are cut and concave ones filled by up to half a voxel; farther out interpolation is smooth.
    assert np.abs(error).max() < 0.5
    assert np.abs(error[exact[free] > 1.5 * resolution]).max() < 0.3
    assert np.sqrt(np.mean(error**2)) < 0.06


def test_the_distance_never_leads_a_step_through_the_surface_of_a_voxel_map(random):
    """The promise behind every skipped query, in voxels: at most 0.15 near convex corners, 0.03 beyond."""
    grid = grid_from_occupied(_terrain(random), 1.0, margin=4.0)
    world = World([grid])
    points = random.uniform(np.add(grid.origin, 2), grid.upper - 2, (60_000, 3))
    distance = world.distance(points)
    skin = points[np.abs(distance) < 1.2]
    for _ in range(25):
        skin = skin - 0.5 * world.distance(skin)[:, None] * world.gradient(skin)
    skin = skin[np.abs(world.distance(skin)) < 1e-5]
    free = distance > 0.0
    to_skin, _ = cKDTree(skin).query(points[free])
    excess, distance = distance[free] - to_skin, distance[free]
    assert excess[distance < 1.0].max() < 0.15
    assert excess[distance >= 1.0].max() < 0.03


def test_cropping_leaves_out_voxels_and_says_when_none_is_left(random):
    keys = _terrain(random)
    grid = grid_from_occupied(
        keys, 0.1, margin=0.1, lower=np.array([0.0, 0, 0]), upper=np.array([0.55, 9, 9])
    )
    assert grid.upper[0] == pytest.approx(0.65)
    with pytest.raises(InputError, match="no occupied voxel between lower and upper"):
        grid_from_occupied(keys, 0.1, margin=0.1, lower=np.array([50.0, 0, 0]))


def test_a_map_too_large_for_memory_is_refused_before_it_is_tried():
    far = np.array([[0, 0, 0], [30_000, 30_000, 30_000]])
    with pytest.raises(
        InputError, match=r"needs 27008101 million samples at 0\.05 m, more than 400 million: crop"
    ):
        grid_from_occupied(far, 0.05, margin=0.0)
