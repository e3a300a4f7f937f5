"""Rotations: group axioms and the exponential, against SciPy's Rotation and expm."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from analytical import cross_matrix, random_rotation
from tetherlab.math.rotation import (
    matrix_from_quaternion,
    orthonormalise,
    quaternion_from_matrix,
    rotate_in_place,
)

components = st.floats(-1.0, 1.0, allow_subnormal=False)
quaternions = (
    st.tuples(components, components, components, components)
    .map(np.array)
    .filter(lambda q: np.linalg.norm(q) > 1e-3)
    .map(lambda q: q / np.linalg.norm(q))
)


@settings(deadline=None)
@given(q=quaternions)
def test_a_quaternion_gives_a_rotation_matrix_as_scipy_does(q):
    R = matrix_from_quaternion(q)
    assert np.allclose(R, Rotation.from_quat(q, scalar_first=True).as_matrix(), rtol=0, atol=1e-14)


@settings(deadline=None)
@given(q=quaternions)
def test_there_and_back_gives_the_same_quaternion_with_positive_w(q):
    back = quaternion_from_matrix(matrix_from_quaternion(q))
    assert back[0] >= 0.0
    assert abs(back @ q) == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize("axis", np.eye(3), ids="xyz")
def test_half_turns_have_a_quaternion_too(axis):
    R = 2.0 * np.outer(axis, axis) - np.eye(3)
    assert np.allclose(np.abs(quaternion_from_matrix(R)), [0.0, *axis], atol=1e-15)


# Around 1e-4 the series takes over from the closed form.
@pytest.mark.parametrize("angle", [0.0, 1e-12, 0.99e-4, 1.01e-4, 0.3, math.pi, 5.0])
def test_rotate_in_place_is_the_exponential_map_in_the_world_frame(random, angle):
    start = random_rotation(random)
    axis = random.normal(size=3)
    w = angle * axis / np.linalg.norm(axis)
    R = start.copy()
    rotate_in_place(R, *w)
    assert np.allclose(R, expm(cross_matrix(w)) @ start, rtol=0, atol=1e-14)


def test_thousands_of_small_turns_leave_little_for_orthonormalise_to_mend(random):
    R = random_rotation(random)
    for _ in range(2000):
        rotate_in_place(R, *(0.01 * random.normal(size=3)))
    assert np.abs(R.T @ R - np.eye(3)).max() < 1e-12
    R += 1e-6 * random.normal(size=(3, 3))
    before = R.copy()
    orthonormalise(R)
    assert np.abs(R.T @ R - np.eye(3)).max() < 1e-15
    assert np.linalg.det(R) > 0.0
    assert np.abs(R - before).max() < 1e-5
