"""Registration: a known motion is found, and what a flat wall cannot tell stays open."""

import numpy as np
import pytest
import small_gicp
from cosine_wall import cloud_of
from scipy.spatial.transform import Rotation

from tetherlab.mapping.registration import BIAS_POSITION, register


def prepared(points):
    return small_gicp.preprocess_points(points, downsampling_resolution=0.05, num_neighbors=12)


def moved(points, transform):
    return points @ transform[:3, :3].T + transform[:3, 3]


def motion(turn, shift):
    transform = np.eye(4)
    transform[:3, :3] = Rotation.from_rotvec(turn).as_matrix()
    transform[:3, 3] = shift
    return transform


@pytest.mark.parametrize(
    ("turn", "shift"),
    [
        ((0.0, 0.0, 0.05), (0.05, -0.1, 0.08)),
        ((0.02, -0.01, -0.03), (-0.03, 0.12, -0.1)),
        ((0, 0, 0), (0, 0, 0)),
    ],
)
def test_a_known_motion_is_found(turn, shift, random):
    true = motion(turn, shift)
    target, tree = prepared(cloud_of(random).points)
    source, _ = prepared(moved(cloud_of(random).points, np.linalg.inv(true)))
    found = register(target, tree, source, np.eye(4), 0.1)
    error = found.transform @ np.linalg.inv(true)
    assert (
        np.abs(error[:3, 3]).max() < 0.01
        and np.abs(Rotation.from_matrix(error[:3, :3]).as_rotvec()).max() < 0.004
    )
    assert found.overlap > 0.95 and found.residual < 0.01
    # what it claims: not less than what no number of points removes, and tight where the wall is bumpy
    deviation = np.sqrt(np.diagonal(found.covariance))[3:]
    assert (deviation >= BIAS_POSITION).all() and (deviation < 0.02).all()


def test_a_flat_wall_leaves_a_shift_along_it_open(random):
    flat, again = (cloud_of(random, surface=lambda y, z: np.zeros_like(y)) for _ in range(2))
    target, tree = prepared(flat.points)
    source, _ = prepared(again.points)
    found = register(target, tree, source, np.eye(4), 0.1)
    middle = np.eye(6)  # uncertainty about the middle of the wall, where turns and shifts do not mix
    x, y, z = found.transform[:3, 3] - flat.points.mean(axis=0)
    middle[3:, :3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    across, along, up = np.sqrt(np.diagonal(middle @ found.covariance @ middle.T))[3:]
    assert across < 0.01 and along > 0.1 and up > 0.1


def test_clouds_that_hardly_meet_have_no_answer(random):
    target, tree = prepared(cloud_of(random).points)
    source, _ = prepared(cloud_of(random).points + np.array([3.0, 0.0, 0.0]))
    assert register(target, tree, source, np.eye(4), 0.1) is None
