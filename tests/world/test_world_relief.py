"""Reliefs: closed forms, a dense surface, and the promises of the distance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from relief_scenes import COUNTS, SIZE, SPACING, TURN, dense_surface, rough, sine, spline
from scipy.spatial import cKDTree

from tetherlab.contracts.errors import InputError
from tetherlab.world import World
from tetherlab.world import shapes as S

RELIEF = rough(1)
STEEP = rough(2, rms=0.15, blur=3.0)


def points_round(random, n, below=-1.4, above=1.4):
    return random.uniform((-0.8, -0.8, below), (*(SIZE + 0.8), above), (n, 3))


def points_over(random, n, low, high):
    return random.uniform((0.0, 0.0, low), (*SIZE, high), (n, 3))


@pytest.mark.parametrize("height", [0.0, 0.25, -0.5])
def test_a_flat_relief_is_a_box(height, random):
    relief = World(
        [S.Relief(heights=np.full(COUNTS, height), origin=(0, 0, 0), spacing=SPACING, thickness=1.0)]
    )
    box = World([S.Box(lower=(0, 0, -1), upper=(*SIZE, height))])
    points = points_round(random, 20_000)
    np.testing.assert_allclose(relief.distance(points), box.distance(points), atol=1e-12)
    np.testing.assert_allclose(relief.gradient(points), box.gradient(points), atol=1e-12)


def test_an_even_slope_is_a_plane_up_to_the_edges(random):
    u, v = np.meshgrid(*(SPACING * np.arange(n) for n in COUNTS), indexing="ij")
    heights = 0.25 * u - 0.125 * v
    relief = World([S.Relief(heights=heights, origin=(0, 0, 0), spacing=SPACING, thickness=1.0)])
    plane = World([S.Plane(normal=(-0.25, 0.125, 1.0))])
    points = points_over(random, 5000, 0.0, 0.9)
    # Less than the distance to the steep side, so that the edges play no part.
    points = points[np.abs(plane.distance(points)) < 0.15]
    inner = ((points[:, :2] > 0.2) & (points[:, :2] < SIZE - 0.2)).all(axis=1)
    np.testing.assert_allclose(relief.gradient(points[inner]), plane.gradient(points[inner]), atol=1e-5)
    ratio = relief.distance(points[inner]) / plane.distance(points[inner])
    assert ratio.max() <= 1.0 + 1e-5 and ratio.min() > 0.95


def test_the_surface_is_the_spline_of_its_heights_and_fades_short_waves_as_it_should(random):
    u, v = random.uniform(0, SIZE[0], 200), random.uniform(0, SIZE[1], 200)
    np.testing.assert_allclose(RELIEF.surface(u, v), spline(RELIEF, u, v), atol=1e-8)
    waves = sine(0.1, 0.5)
    k = np.arange(5, 50)
    faded = (6.0 + 2.0 * np.cos(2 * np.pi * SPACING / 0.5)) / 8.0
    expected = faded * 0.1 * np.sin(2 * np.pi * SPACING * k / 0.5)
    np.testing.assert_allclose(waves.surface(SPACING * k, np.full(len(k), 1.0)), expected, atol=1e-7)


@pytest.mark.parametrize("relief", [RELIEF, STEEP, sine(0.1, 1.0)], ids=["rough", "steep", "sine"])
def test_the_distance_is_never_more_than_to_a_dense_sample_of_the_surface(relief, random):
    world, tree = World([relief]), cKDTree(dense_surface(relief))
    points = points_over(random, 4000, -0.3, 1.2)
    points[:, :2] = 0.35 + points[:, :2] * (SIZE - 0.7) / SIZE  # nearer to the face than to the sides
    true, _ = tree.query(points)
    above = points[:, 2] > spline(relief, points[:, 0], points[:, 1])
    distance = world.distance(points)
    np.testing.assert_array_equal(distance > 0.0, above)
    assert np.all(np.abs(distance) <= true + 1e-9)
    # And not much less: at least what the steepest slope anywhere allows.
    slope = np.abs(np.gradient(np.asarray(relief.heights, float), SPACING)).max()
    near = above & (true < 0.3)
    assert near.sum() > 100
    assert np.all(distance[near] >= (true[near] - 0.004) / np.sqrt(1.0 + 2.0 * slope**2) - 1e-9)


def test_near_a_gentle_surface_the_distance_is_that_to_the_nearest_point(random):
    """A wheel must not float: to a hundredth of its radius."""
    floor = rough(3, rms=0.02, blur=8.0)
    points = points_over(random, 3000, 0.0, 0.4)
    points[:, :2] = 0.35 + points[:, :2] * (SIZE - 0.7) / SIZE
    true, _ = cKDTree(dense_surface(floor, 0.002)).query(points)
    wheel = (true < 0.13) & (points[:, 2] > spline(floor, points[:, 0], points[:, 1])) & (true > 0.01)
    distance = World([floor]).distance(points)
    assert wheel.sum() > 300
    np.testing.assert_allclose(distance[wheel], true[wheel], atol=2e-3)


@pytest.mark.parametrize("relief", [RELIEF, STEEP], ids=["rough", "steep"])
def test_distance_changes_no_faster_than_the_point_moves(relief, random):
    """Up to the change of the limits from tile to tile."""
    world = World([relief])
    points = points_round(random, 20_000)
    others = points + random.normal(size=points.shape) * 10.0 ** random.uniform(-4, 0.0, (len(points), 1))
    change = np.abs(world.distance(points) - world.distance(others))
    assert np.all(change <= 1.05 * np.linalg.norm(points - others, axis=1) + 1e-9)


def test_the_distance_has_no_jumps(random):
    world = World([STEEP])
    points = points_round(random, 50_000)
    others = points + 1e-6 * random.normal(size=points.shape)
    assert np.abs(world.distance(points) - world.distance(others)).max() < 1e-5


def test_normal_is_unit_and_near_the_surface_that_of_a_finite_difference(random):
    world = World([RELIEF])
    points = points_round(random, 5000)
    np.testing.assert_allclose(np.linalg.norm(world.gradient(points), axis=1), 1.0, atol=1e-12)
    u, v = random.uniform(0.1, SIZE[0] - 0.1, 2000), random.uniform(0.1, SIZE[1] - 0.1, 2000)
    near = np.stack([u, v, RELIEF.surface(u, v) + random.uniform(-0.02, 0.02, 2000)], axis=1)
    step = 1e-6
    difference = [
        (world.distance(near + step * e) - world.distance(near - step * e)) / (2 * step) for e in np.eye(3)
    ]
    difference = np.stack(difference, axis=1)
    difference /= np.linalg.norm(difference, axis=1)[:, None]
    cosine = np.sum(world.gradient(near) * difference, axis=1)
    assert np.degrees(np.arccos(np.clip(cosine, -1, 1))).max() < 1.5
    on = np.stack([u, v, RELIEF.surface(u, v)], axis=1)
    slope = [
        (spline(RELIEF, u + a, v + b) - spline(RELIEF, u - a, v - b)) / 2e-5
        for a, b in ((1e-5, 0), (0, 1e-5))
    ]
    expected = np.stack([-slope[0], -slope[1], np.ones(2000)], axis=1)
    expected /= np.linalg.norm(expected, axis=1)[:, None]
    np.testing.assert_allclose(world.gradient(on), expected, atol=1e-5)


coordinates = st.floats(-1.0, 4.0)


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 40),
    point=st.tuples(coordinates, coordinates, st.floats(-1.5, 2.0)),
    toward=st.integers(0, 2**32),
)
def test_a_ball_of_the_distance_is_free(seed, point, toward):
    """The promise that sphere tracing lives on, wherever one stands."""
    relief = rough(seed % 5, rms=0.02 + 0.005 * seed)
    world = World([relief])
    distance = world.distance(point)
    random = np.random.default_rng(toward)
    ways = random.normal(size=(400, 3))
    ball = np.array(point) + abs(distance) * ways / np.linalg.norm(ways, axis=1)[:, None]
    over = (ball[:, :2] >= 0.0).all(axis=1) & (ball[:, :2] <= SIZE).all(axis=1) & (ball[:, 2] >= -1.0)
    height = spline(relief, np.clip(ball[:, 0], 0, SIZE[0]), np.clip(ball[:, 1], 0, SIZE[1]))
    if distance > 1e-9:  # else the ball is lost in rounding
        assert not np.any(over & (ball[:, 2] < height - 1e-6))
    elif distance < -1e-9:
        beside = (ball[:, :2] < -1e-6).any(axis=1) | (ball[:, :2] > SIZE + 1e-6).any(axis=1)
        assert not np.any(beside | (ball[:, 2] < -1.0 - 1e-6) | (ball[:, 2] > height + 1e-6))


def test_rays_meet_the_surface_where_a_fine_march_does(random):
    relief = rough(4, rms=0.05)
    world = World([relief])
    origins = random.uniform((0.5, 0.5, 0.8), (*(SIZE - 0.5), 1.5), (60, 3))
    targets = random.uniform((0.2, 0.2, 0.0), (*(SIZE - 0.2), 0.0), (60, 3))
    directions = (targets - origins) / np.linalg.norm(targets - origins, axis=1)[:, None]
    measured = world.raycast(origins, directions, 5.0)
    t = np.arange(0.0, 4.0, 5e-4)
    for origin, direction, length in zip(origins, directions, measured, strict=True):
        way = origin + t[:, None] * direction
        inside = (way[:, :2] >= 0).all(axis=1) & (way[:, :2] <= SIZE).all(axis=1)
        below = inside & (
            way[:, 2] < spline(relief, np.clip(way[:, 0], 0, SIZE[0]), np.clip(way[:, 1], 0, SIZE[1]))
        )
        assert below.any()
        assert length == pytest.approx(t[below.argmax()], abs=6e-4)


def test_a_turned_and_moved_relief_is_the_same_seen_from_elsewhere(random):
    shift = np.array([0.4, -1.0, 2.0])
    turned = World([rough(1, origin=shift, rotation=TURN.as_quat(scalar_first=True))])
    still = World([RELIEF])
    points = points_round(random, 2000)
    carried = TURN.apply(points) + shift
    np.testing.assert_allclose(turned.distance(carried), still.distance(points), atol=1e-9)
    near = np.abs(still.distance(points)) < 0.1
    np.testing.assert_allclose(
        turned.gradient(carried[near]), TURN.apply(still.gradient(points[near])), atol=1e-6
    )


def test_one_height_is_felt_next_to_it_only(random):
    heights = np.array(RELIEF.heights)
    heights[30, 20] += 0.01
    other = S.Relief(heights=heights, origin=(0, 0, 0), spacing=SPACING, thickness=1.0)
    u, v = random.uniform(0, SIZE[0], 5000), random.uniform(0, SIZE[1], 5000)
    far = np.maximum(np.abs(u - 1.5), np.abs(v - 1.0)) > 1.5 * SPACING
    np.testing.assert_array_equal(RELIEF.surface(u[far], v[far]), other.surface(u[far], v[far]))
    assert np.any(RELIEF.surface(u, v) != other.surface(u, v))


def test_an_intersection_is_what_all_have_in_common(random):
    parts = [S.Box(lower=(-1, -1, -1), upper=(1, 1, 1)), S.Sphere(center=(0.5, 0, 0), radius=1.0), S.Plane()]
    whole, alone = World([S.Intersection(shapes=parts)]), [World([part]) for part in parts]
    points = random.uniform(-2.0, 2.0, (5000, 3))
    distances = np.stack([world.distance(points) for world in alone])
    np.testing.assert_array_equal(whole.distance(points), distances.max(axis=0))
    decides = distances.argmax(axis=0)
    normals = np.stack([world.gradient(points) for world in alone])
    np.testing.assert_array_equal(whole.gradient(points), normals[decides, np.arange(len(points))])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"heights": np.zeros(5)}, "heights must have shape"),
        ({"heights": np.full((4, 4), np.nan)}, "heights must be finite"),
        ({"heights": np.full((4, 4), -2.0)}, "thickness must be more than the deepest"),
        ({"spacing": 0.0}, "spacing must be > 0"),
        ({"heigths": np.zeros((4, 4))}, "Did you mean 'heights'"),
    ],
)
def test_what_is_no_relief_is_refused_in_a_sentence(changes, words):
    with pytest.raises(InputError, match=words):
        S.Relief(
            **{"heights": np.zeros((4, 4)), "origin": (0, 0, 0), "spacing": 0.1, "thickness": 1.0, **changes}
        )
