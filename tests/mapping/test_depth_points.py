"""Points from depth images: pinhole geometry, frames, and pixels that are half here and half there."""

import math

import numpy as np
import pytest
from cosine_wall import height, look

from tetherlab.contracts.autonomy import DepthImage
from tetherlab.mapping.depth_points import depth_points


def image(depth, rotation=None):
    return DepthImage(
        0.0, np.asarray(depth, np.float32), 0.7, 0.5, np.eye(3) if rotation is None else rotation
    )


def test_a_flat_wall_ahead_is_a_plane_with_the_corners_where_the_picture_ends():
    points = depth_points(image(np.full((4, 8), 2.0)))
    assert np.allclose(points[:, 0], 2.0)
    # upper left pixel first: its middle is half a pixel inside
    assert np.allclose(points[0], [2.0, 2.0 * 0.7 * 7 / 8, 2.0 * 0.5 * 3 / 4])
    assert np.allclose(points[-1], -points[0] * [-1.0, 1.0, 1.0])


def test_points_are_turned_from_the_camera_to_the_level_frame_about_the_drone():
    c, s = math.cos(0.3), math.sin(0.3)
    nose_down = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    level = depth_points(image(np.full((4, 8), 2.0)), camera=(0.1, 0.0, 0.2))
    tilted = depth_points(image(np.full((4, 8), 2.0), nose_down), camera=(0.1, 0.0, 0.2))
    assert np.allclose(level[:, 0], 2.1)
    assert np.allclose(tilted, level @ nose_down.T)


def test_points_of_a_picture_lie_on_the_wall():
    place = np.array([-1.4, 2.0, 1.5])
    points = depth_points(look(0.0, place, 0.0)) + place
    assert len(points) == 48 * 64
    assert np.allclose(points[:, 0], height(points[:, 1], points[:, 2]), atol=1e-5)


def test_pixels_beside_a_step_are_left_out_and_those_beside_a_hole_are_not():
    depth = np.full((5, 6), 1.0)
    depth[:, 3:] = 2.0
    assert sorted(set(np.round(depth_points(image(depth))[:, 0], 6))) == [1.0, 2.0]
    assert len(depth_points(image(depth))) == 5 * 4  # two columns are gone
    depth = np.full((5, 6), 1.0)
    depth[2, 2] = np.nan
    assert len(depth_points(image(depth))) == 29


@pytest.mark.parametrize("limit", [1.5, 3.0])
def test_what_is_too_far_is_not_there(limit):
    depth = np.full((4, 4), 2.0)
    assert len(depth_points(image(depth), range_max=limit)) == (16 if limit > 2.0 else 0)
