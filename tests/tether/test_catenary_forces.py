"""Forces of a hanging tether on its ends, and how they follow the ends and the length."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tetherlab.tether.catenary import Catenary
from tetherlab.tether.catenary_elastic import ElasticCatenary

DENSITY = 0.022  # [kg/m]
WEIGHT = DENSITY * 9.80665

directions = st.tuples(st.floats(-math.pi, math.pi), st.floats(-1.5, 1.5)).map(
    lambda angles: np.array(
        (
            math.cos(angles[0]) * math.cos(angles[1]),
            math.sin(angles[0]) * math.cos(angles[1]),
            math.sin(angles[1]),
        )
    )
)
scales = st.floats(-3.0, 3.0).map(lambda exponent: 10.0**exponent)


def inextensible(base, end, length):
    return Catenary.between(base, end, length), (DENSITY,)


def elastic(base, end, length):
    return ElasticCatenary.between(base, end, length, DENSITY, 800.0), ()


def central_differences(make, base, end, length, step):
    """Both forces by the end's coordinates and the length, (4, 2, 3), with steps as they were rounded."""
    rows = []
    for axis in range(4):
        forces, places = [], []
        for sign in (1.0, -1.0):
            moved, changed = np.array(end), length
            if axis < 3:
                moved[axis] += sign * step
            else:
                changed += sign * step
            curve, density = make(base, moved, changed)
            forces.append(np.array(curve.end_forces(*density)))
            places.append(changed if axis == 3 else moved[axis])
        rows.append((forces[0] - forces[1]) / (places[0] - places[1]))
    return np.array(rows)


def assert_derivatives_match(make, end, length, step, tolerance):
    curve, density = make((0, 0, 0), end, length)
    exact = curve.end_force_derivatives(*density)
    measured = central_differences(make, (0, 0, 0), end, length, step)
    for axis in range(3):
        size = np.abs(exact.on_end_by_end).max()
        assert np.abs(exact.on_base_by_end[:, axis] - measured[axis, 0]).max() <= tolerance * size
        assert np.abs(exact.on_end_by_end[:, axis] - measured[axis, 1]).max() <= tolerance * size
    size = np.abs(exact.on_end_by_length).max()
    assert np.abs(exact.on_base_by_length - measured[3, 0]).max() <= tolerance * size
    assert np.abs(exact.on_end_by_length - measured[3, 1]).max() <= tolerance * size


@settings(deadline=None)
@given(directions, scales, st.floats(-9.0, 1.0))
def test_the_two_forces_carry_the_weight_and_pull_along_the_tether(direction, distance, slack_exponent):
    length = distance * (1 + 10.0**slack_exponent)
    curve = Catenary.between((0, 0, 0), distance * direction, length)
    forces = curve.end_forces(DENSITY)
    total = forces.on_base + forces.on_end
    size = curve.tension(0.0, DENSITY) + curve.tension(length, DENSITY)
    assert np.allclose(total, (0, 0, -WEIGHT * length), rtol=0, atol=1e-14 * size)
    pull = curve.tension(0.0, DENSITY) * curve.tangent(0.0)
    assert np.allclose(forces.on_base, pull, rtol=0, atol=1e-14 * size)
    pull = -curve.tension(length, DENSITY) * curve.tangent(length)
    assert np.allclose(forces.on_end, pull, rtol=0, atol=1e-14 * size)


@settings(deadline=None, max_examples=60)
@given(directions, scales, st.floats(-9.0, 1.0))
def test_derivatives_of_the_catenary_match_central_differences(direction, distance, slack_exponent):
    # The step is a small part of the slack: near taut the forces change over no other length.
    slack = 10.0**slack_exponent
    step = 1e-4 * distance * min(slack, 0.1) * max(math.hypot(*direction[:2]), 1e-3)
    tolerance = 1e-5 if slack > 1e-8 else 1e-4
    assert_derivatives_match(inextensible, distance * direction, distance * (1 + slack), step, tolerance)


@pytest.mark.parametrize("stretch", [0.2, 0.9, 0.999, 1.0, 1.001, 1.5, 3.0])
@pytest.mark.parametrize("end", [(3.0, 1.0, 2.0), (-0.3, 0.2, -4.0), (2.0, -1.0, 0.0)])
def test_derivatives_of_the_elastic_catenary_match_central_differences(end, stretch):
    length = math.hypot(*end) / stretch
    assert_derivatives_match(elastic, np.array(end), length, 2e-6 * length, 2e-6)


@pytest.mark.parametrize("make", [inextensible, elastic])
def test_moving_the_base_has_minus_the_effect_of_moving_the_end(make):
    base, end, length, step = np.array((0.3, -0.2, 1.0)), np.array((4.0, 2.0, 3.0)), 5.5, 1e-6
    curve, density = make(base, end, length)
    exact = curve.end_force_derivatives(*density)
    for axis in range(3):
        shift = step * np.eye(3)[axis]
        ahead = np.array(make(base + shift, end, length)[0].end_forces(*density))
        behind = np.array(make(base - shift, end, length)[0].end_forces(*density))
        measured = (ahead - behind) / (2 * step)
        assert np.allclose(measured[0], -exact.on_base_by_end[:, axis], rtol=0, atol=1e-8)
        assert np.allclose(measured[1], -exact.on_end_by_end[:, axis], rtol=0, atol=1e-8)


@settings(deadline=None)
@given(directions, st.floats(-12.0, 2.0))
def test_a_hanging_tether_pulls_back_wherever_its_end_moves(direction, slack_exponent):
    exact = Catenary.between((0, 0, 0), direction, 1 + 10.0**slack_exponent).end_force_derivatives(DENSITY)
    stiffness = -exact.on_end_by_end
    assert np.array_equal(stiffness, stiffness.T)
    assert np.linalg.eigvalsh(stiffness / np.abs(stiffness).max()).min() > -1e-14
    assert np.array_equal(exact.on_base_by_end, -exact.on_end_by_end)


@pytest.mark.parametrize("rise", [4.0, -4.0, 0.0])
def test_two_vertical_legs_share_a_change_equally(rise):
    exact = Catenary.between((0, 0, 0), (0, 0, rise), 10.0).end_force_derivatives(DENSITY)
    assert np.array_equal(exact.on_end_by_end, np.diag((0.0, 0.0, -0.5 * WEIGHT)))
    assert np.array_equal(exact.on_end_by_length, (0, 0, -0.5 * WEIGHT))
    assert np.array_equal(exact.on_base_by_length, (0, 0, -0.5 * WEIGHT))
    # The sideways stiffness fades like 1/log(1/span).
    faded = Catenary.between((0, 0, 0), (1e-90, 0, rise), 10.0).end_force_derivatives(DENSITY)
    assert np.allclose(faded.on_end_by_end, exact.on_end_by_end, rtol=0, atol=0.003 * WEIGHT)
    stiff = -faded.on_end_by_end[0, 0] / WEIGHT
    assert 1 / 500 < stiff < 1 / 300


def test_gravity_scales_the_derivatives():
    curve = Catenary.between((0, 0, 0), (4, 2, 3), 6.0)
    earth, moon = curve.end_force_derivatives(DENSITY), curve.end_force_derivatives(DENSITY, gravity=1.62)
    for on_earth, on_moon in zip(earth, moon, strict=True):
        assert np.allclose(on_moon, on_earth * (1.62 / 9.80665), rtol=1e-14)
