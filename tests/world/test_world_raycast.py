"""Sphere tracing against closed forms."""

import numpy as np
import pytest

from tetherlab.world import World
from tetherlab.world import shapes as S
from tetherlab.world.field import raycast


def _unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def test_rays_to_the_ground_have_the_length_of_similar_triangles(random):
    directions = _unit(random.normal(size=(500, 3)))
    measured = World.ground(height=-1.0).raycast((0, 0, 2.0), directions, 50.0)
    with np.errstate(divide="ignore"):
        expected = np.where(directions[:, 2] < 0, np.minimum(-3.0 / directions[:, 2], 50.0), 50.0)
    # A grazing ray counts as met within the tolerance of the tracing.
    np.testing.assert_allclose(measured, expected, rtol=2e-5, atol=1e-9)


def test_rays_to_a_sphere_solve_the_quadratic(random):
    center, radius = np.array([1.0, 2.0, -0.5]), 0.8
    origins = random.uniform(-4, 4, (2000, 3))
    origins = origins[np.linalg.norm(origins - center, axis=1) > radius]
    directions = _unit(center + random.normal(size=origins.shape) * 0.5 - origins)
    measured = World([S.Sphere(center=center, radius=radius)]).raycast(origins, directions, 20.0)
    b = np.sum((origins - center) * directions, axis=1)
    square = b**2 - np.sum((origins - center) ** 2, axis=1) + radius**2
    expected = np.where(square > 0, -b - np.sqrt(np.maximum(square, 0.0)), 20.0)
    clear = np.abs(square) > 1e-3  # neither nearly touching nor nearly missing
    assert (expected[clear] < 20.0).any() and (expected[clear] == 20.0).any()
    np.testing.assert_allclose(measured[clear], expected[clear], atol=1e-8)


def test_rays_to_a_box_agree_with_the_slab_test(random):
    lower, upper = np.array([-0.5, -1.0, 0.2]), np.array([0.7, 0.4, 1.5])
    origins = random.uniform(-4, 4, (3000, 3))
    origins = origins[((origins < lower - 0.01) | (origins > upper + 0.01)).any(axis=1)]
    directions = _unit(
        random.uniform(lower, upper, origins.shape) + 0.4 * random.normal(size=origins.shape) - origins
    )
    measured = World([S.Box(lower=lower, upper=upper)]).raycast(origins, directions, 30.0)
    near, far = (lower - origins) / directions, (upper - origins) / directions
    enter, leave = np.minimum(near, far).max(axis=1), np.maximum(near, far).min(axis=1)
    expected = np.where((enter < leave) & (enter > 0), enter, 30.0)
    clear = np.abs(leave - enter) > 1e-2
    assert (expected[clear] < 30.0).sum() > 100 and (expected[clear] == 30.0).sum() > 100
    np.testing.assert_allclose(measured[clear], expected[clear], atol=1e-7)


def test_a_ray_from_inside_has_range_zero_and_a_miss_has_the_largest():
    ball = World([S.Sphere(center=(0, 0, 0), radius=1.0)])
    assert ball.raycast((0.2, 0, 0), [(1, 0, 0), (-1, 0, 0)], 10.0).tolist() == [0.0, 0.0]
    assert ball.raycast((0, 0, 3), (0, 0, 1), 10.0) == 10.0
    assert ball.raycast((0, 0, 3), (0, 0, -1), 1.5) == 1.5


def test_one_origin_serves_many_directions_of_any_length():
    ground = World.ground()
    np.testing.assert_allclose(ground.raycast((0, 0, 2), [(0, 0, -1), (0, 0, -7), (0, 0, 3)], 9.0), [2, 2, 9])
    np.testing.assert_allclose(ground.raycast([(0, 0, 2), (5, 5, 3)], (0, 0, -1), 9.0), [2, 3])
    assert isinstance(ground.raycast((0, 0, 2), (0, 0, -1), 9.0), float)


def test_the_ray_names_the_object_it_meets():
    field = World([S.Plane(), S.Sphere(center=(0, 0, 3), radius=1)]).field
    reach, who = raycast(field, 0.0, 0.0, 9.0, 0.0, 0.0, -1.0, 20.0)
    assert (reach, who) == (pytest.approx(5.0, abs=1e-9), 1)
    reach, who = raycast(field, 2.0, 0.0, 9.0, 0.0, 0.0, -1.0, 20.0)
    assert (reach, who) == (pytest.approx(9.0, abs=1e-9), 0)
