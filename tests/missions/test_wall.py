"""A wall in a depth image: distance, heading and ends against the geometry of the scene."""

import math

import numpy as np
import pytest

import tetherlab as tl
from point_drone import PointDrone
from tetherlab.contracts.autonomy import DepthImage
from tetherlab.missions.wall import WallSpec, image_points, view_wall

HEIGHT = 4.0


def room(*parts):
    ceiling = tl.shapes.Plane(point=(0.0, 0.0, HEIGHT), normal=(0.0, 0.0, -1.0))
    return tl.World(shapes=[tl.shapes.Plane(), ceiling, *parts])


def wall(y_from=-20.0, y_to=20.0):
    return tl.shapes.Box(lower=(0.0, y_from, -1.0), upper=(1.0, y_to, HEIGHT + 1.0))


def see(world, position, yaw=0.0, noise=0.0, spec=None):
    drone = PointDrone(world, position, yaw, pixels=(96, 128), noise=noise)
    spec = WallSpec() if spec is None else spec
    return view_wall(drone.look(), spec, height=position[2], headroom=HEIGHT - position[2])


@pytest.mark.parametrize("yaw", [-0.4, -0.1, 0.0, 0.25])
@pytest.mark.parametrize("away", [0.8, 1.5, 3.0])
def test_a_flat_wall_is_as_far_and_as_turned_as_it_is(away, yaw):
    seen = see(room(wall()), (-away, 0.0, 2.0), yaw)
    assert seen.bearing == pytest.approx(-yaw, abs=0.01)
    # The nearest two in a hundred are called noise.
    assert seen.distance == pytest.approx(away, rel=0.02)
    assert seen.void_left == seen.void_right == 0.0


def test_noise_of_two_centimetres_hardly_matters():
    seen = see(room(wall()), (-1.5, 0.0, 2.0), 0.2, noise=0.02)
    assert seen.bearing == pytest.approx(-0.2, abs=0.02)
    assert seen.distance == pytest.approx(1.5, abs=0.05)


@pytest.mark.parametrize("height", [0.5, 2.0, 3.5])
def test_floor_and_ceiling_are_no_wall(height):
    seen = see(room(wall()), (-1.5, 0.0, height))
    assert seen.distance == pytest.approx(1.5, rel=0.02)
    assert abs(seen.bearing) < 0.01


@pytest.mark.parametrize(("ends_at", "side"), [(0.3, "left"), (-0.3, "right")])
def test_where_a_wall_ends_its_side_of_the_picture_is_void(ends_at, side):
    part = wall(y_to=ends_at) if side == "left" else wall(y_from=ends_at)
    seen = see(room(part), (-1.5, 0.0, 2.0))
    half = 1.5 * math.tan(math.radians(35.0))
    void = {"left": seen.void_left, "right": seen.void_right}
    assert void.pop(side) == pytest.approx((half - 0.3) / (2 * half), abs=0.03)
    assert set(void.values()) == {0.0}
    assert abs(seen.bearing) < 0.02


def test_a_wall_far_behind_the_corner_is_not_this_wall():
    behind = tl.shapes.Box(lower=(2.0, -20.0, -1.0), upper=(3.0, 20.0, HEIGHT + 1.0))
    seen = see(room(wall(y_to=0.0), behind), (-1.5, 0.0, 2.0))
    assert seen.void_left == pytest.approx(0.5, abs=0.03)


def test_nothing_ahead_is_no_wall():
    seen = see(room(), (-1.5, 0.0, 2.0))
    assert not seen.seen


def test_pixels_that_are_lost_one_by_one_make_no_end_of_the_wall():
    drone = PointDrone(room(wall()), (-1.5, 0.0, 2.0), pixels=(96, 128))
    image = drone.look()
    lost = np.random.default_rng(3).random(image.depth.shape) < 0.2
    depth = np.where(lost, np.float32(np.nan), image.depth)
    seen = view_wall(image._replace(depth=depth), WallSpec(), height=2.0, headroom=2.0)
    assert seen.void_left == seen.void_right == 0.0
    assert seen.distance == pytest.approx(1.5, rel=0.02)


def test_points_are_where_the_pixels_look():
    R = np.array(((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))  # looks to the left
    image = DepthImage(0.0, np.array([[2.0, np.nan]], np.float32), 1.0, 0.5, R)
    points = image_points(image)
    assert np.allclose(points[0, 0], (-1.0, 2.0, 0.0))  # half way to the left of what is left
    assert np.isnan(points[0, 1]).all()


@pytest.mark.parametrize("away", [1.5, 3.0, 5.0, 7.0])
@pytest.mark.parametrize("height", [0.6, 1.2, 2.0, 3.4])
def test_floor_and_ceiling_are_no_wall_however_near(away, height):
    seen = see(room(wall()), (-away, 0.0, height), yaw=0.2)
    assert seen.distance == pytest.approx(away, rel=0.02)
    assert seen.bearing == pytest.approx(-0.2, abs=0.02)
