"""Where pixels look."""

import numpy as np

from tetherlab.contracts.autonomy import DepthImage


def image(depth):
    return DepthImage(0.0, np.array(depth, np.float32), 0.8, 0.6, np.eye(3))


def test_middles_of_pixels_by_hand():
    """Two columns: their middles are half way to the sides; three rows: two thirds up, level, down."""
    rays = image(np.ones((3, 2))).rays
    assert np.allclose(rays[:, 0, 1], 0.4) and np.allclose(rays[:, 1, 1], -0.4)  # the left one looks left
    assert np.allclose(rays[:, :, 2].T, [0.4, 0.0, -0.4])  # the first row looks up
    assert np.all(rays[:, :, 0] == 1.0)


def test_times_the_depth_they_lie_on_a_plane_across_the_axis():
    seen = image(np.full((4, 6), 2.5))
    points = seen.rays * seen.depth[..., None]
    assert np.allclose(points[..., 0], 2.5)
    assert np.allclose(points[0, 0], [2.5, 2.5 * 0.8 * 5 / 6, 2.5 * 0.6 * 3 / 4])


def test_nobody_can_spoil_what_all_pictures_share():
    rays = image(np.ones((3, 2))).rays
    assert not rays.flags.writeable
