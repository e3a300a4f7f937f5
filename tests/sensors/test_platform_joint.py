"""Joint angles of the platform's tether angle sensor: Eq. 1 and 2 of paper 003, there and back."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sensor_scenes import make_truth, sampled, turned

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.measurement import unit_vector
from tetherlab.sensors.angle_sensor import AngleSensorSpec, BaseAngles
from tetherlab.sensors.gimbal import tangent_from_angles
from tetherlab.sensors.platform_joint import (
    LYING,
    angles_from_joints,
    joints_by_tangent,
    joints_from_tangent,
    rotation_from_joints,
    tangent_by_joints,
    tangent_from_joints,
)
from tetherlab.sensors.suite import platform_angles

PERFECT = AngleSensorSpec(
    azimuth_noise=0.0, elevation_noise=0.0, friction=0.0, link_mass=0.0, adc_bits=32, supply_noise=0.0,
    delay=0.0, mounting="lying", elevation_range=(-1.75, 1.75),
)  # fmt: skip
joints = st.floats(-3.0, 3.0)
FORWARDS, BACKWARDS = np.array([1.0, 0.0, 0.0]), np.array([-1.0, 0.0, 0.0])


def sphere(count=400):
    """Directions spread evenly over the whole sphere (n, 3)."""
    k = np.arange(count) + 0.5
    z, turn = 1.0 - 2.0 * k / count, math.pi * (1.0 + math.sqrt(5.0)) * k
    flat = np.sqrt(1.0 - z**2)
    return np.column_stack([flat * np.cos(turn), flat * np.sin(turn), z])


@settings(deadline=None)
@given(joints, joints)
def test_the_chain_is_a_rotation_whose_first_column_is_the_tether(q1, q2):
    R = rotation_from_joints(q1, q2)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
    assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(R[:, 0], tangent_from_joints(q1, q2), atol=1e-15)


def test_every_direction_comes_back_from_its_joint_angles():
    for direction in (*sphere(), FORWARDS, BACKWARDS, np.array([0.0, 0.0, 1.0])):
        q1, q2 = joints_from_tangent(*(3.0 * direction), 0.2)
        np.testing.assert_allclose(tangent_from_joints(q1, q2), direction, atol=1e-14)
        assert abs(q1 - 0.2) <= 0.5 * math.pi + 1e-12
        np.testing.assert_allclose(tangent_from_joints(q1 + math.pi, math.pi - q2), direction, atol=1e-14)


@settings(deadline=None)
@given(joints, st.floats(-1.5, 1.5))
def test_joint_angles_come_back_from_their_direction(q1, q2):
    assert joints_from_tangent(*tangent_from_joints(q1, q2), q1) == pytest.approx((q1, q2), abs=1e-9)


def test_straight_up_is_ordinary_and_along_the_first_axis_the_first_angle_is_lost():
    assert joints_from_tangent(0.0, 0.0, 1.0, 0.0) == pytest.approx((0.0, 0.0))
    assert joints_from_tangent(*FORWARDS, 0.3) == pytest.approx((0.3, -0.5 * math.pi))
    assert joints_from_tangent(*BACKWARDS, 0.3) == pytest.approx((0.3, 0.5 * math.pi))
    assert np.linalg.cond(tangent_by_joints(0.0, 0.0)) == pytest.approx(1.0)
    assert np.linalg.cond(tangent_by_joints(0.3, 0.5 * math.pi)) > 1e15


def test_derivatives_are_those_of_differences_and_inverse_to_each_other():
    h = 1e-6
    for direction in sphere(60):
        q1, q2 = joints_from_tangent(*direction, 0.0)
        by = tangent_by_joints(q1, q2)
        ahead = [tangent_from_joints(q1 + h, q2), tangent_from_joints(q1, q2 + h)]
        back = [tangent_from_joints(q1 - h, q2), tangent_from_joints(q1, q2 - h)]
        np.testing.assert_allclose(by, (np.array(ahead) - back).T / (2.0 * h), atol=1e-9)
        np.testing.assert_allclose(joints_by_tangent(q1, q2) @ by, np.eye(2), atol=1e-9)


@pytest.mark.parametrize("azimuth", [-3.0, -1.2, 0.4, 2.0])  # in every quadrant
@pytest.mark.parametrize("elevation", [-0.3, 0.3, 1.2])
def test_azimuth_and_elevation_of_eq_2_know_their_quadrant_and_sign(azimuth, elevation):
    q = joints_from_tangent(*unit_vector(azimuth, elevation), 0.0)
    assert angles_from_joints(*q) == pytest.approx((azimuth, elevation))


def test_it_is_a_gimbal_that_lies_on_its_side():
    for q1, q2 in ((0.3, -0.7), (-1.2, 0.4), (2.0, 2.5)):
        np.testing.assert_allclose(LYING @ tangent_from_angles(-q1, q2), tangent_from_joints(q1, q2))


@pytest.mark.parametrize("azimuth", [-3.0, 0.0, 2.9])
@pytest.mark.parametrize("elevation", [0.2, 0.8, 1.5, 0.5 * math.pi])
def test_a_perfect_lying_sensor_tells_the_tangent_whatever_carries_it(azimuth, elevation):
    truth = make_truth(azimuth=azimuth, low=elevation, rotation_base=turned(0.1, -0.1, 1.0))
    (message,) = sampled(BaseAngles(PERFECT, "base_angles", 1), [truth])
    np.testing.assert_allclose(message.tangent_base_W, truth.tangent_base_W, atol=1e-8)
    assert message.saturated == ()


def test_straight_above_the_platform_noise_moves_the_tangent_alike_to_all_sides():
    """An upright gimbal errs along the plane of its azimuth only."""
    noisy = replace(PERFECT, azimuth_noise=0.01, elevation_noise=0.01)
    truths = [make_truth(k / 100.0, low=0.5 * math.pi) for k in range(2000)]
    lean = {}
    for mounting in ("lying", "upright"):
        reach = (-1.75, 1.75) if mounting == "lying" else (-0.5, 3.5)
        sensor = BaseAngles(replace(noisy, mounting=mounting, elevation_range=reach), "base_angles", 1)
        told = np.array([message.tangent_base[:2] for message in sampled(sensor, truths)])
        lean[mounting] = np.sqrt(np.linalg.eigvalsh(np.cov(told.T)))
    assert lean["lying"] == pytest.approx([0.01, 0.01], rel=0.1)
    assert lean["upright"][0] < 1e-3


def test_its_link_lags_behind_by_the_friction_of_each_axis():
    sensor = BaseAngles(replace(PERFECT, friction=0.029), "base_angles", 1)
    up, aside = unit_vector(0.0, 0.5 * math.pi), np.array([0.0, -math.sin(0.4), math.cos(0.4)])
    first, second = sampled(
        sensor, [make_truth(0.0, tangent_base_W=up), make_truth(0.01, tangent_base_W=aside)]
    )
    np.testing.assert_allclose(first.tangent_base, up, atol=1e-8)
    q1, q2 = joints_from_tangent(*second.tangent_base, 0.0)
    assert (q1, q2) == pytest.approx((0.4 - math.asin(0.029 / 3.5), 0.0), abs=1e-7)


@pytest.mark.parametrize("azimuth", [0.0, 0.5, math.pi])
def test_the_sensor_of_the_platform_reads_a_low_tether_all_round(azimuth):
    truth = make_truth(azimuth=azimuth, low=0.05)
    (message,) = sampled(
        BaseAngles(replace(platform_angles(), friction=0.0, link_mass=0.0), "base", 1), [truth]
    )
    assert message.saturated == ()
    np.testing.assert_allclose(message.tangent_base, truth.tangent_base_W, atol=0.03)


def test_a_lying_gimbal_must_reach_from_forwards_to_backwards():
    with pytest.raises(InputError, match="must hold -90 to 90 degrees"):
        AngleSensorSpec(mounting="lying")


def test_an_unknown_mounting_is_refused():
    with pytest.raises(InputError, match=r"mounting: 'lieing' is unknown\. Did you mean 'lying'"):
        AngleSensorSpec(mounting="lieing")


def test_after_a_slack_tether_the_sensor_of_the_platform_follows_again():
    """It hangs down beside the winch while the drone is docked, then the drone flies up and away."""
    sensor = BaseAngles(platform_angles(), "base_angles", 1)
    slack = [make_truth(0.01 * k, azimuth=0.3, low=-1.2, tension=0.3) for k in range(10)]
    flown = [make_truth(0.1 + 0.01 * k, azimuth=2.0, low=0.01 * k, tension=4.0) for k in range(100)]
    told = sampled(sensor, slack + flown)[-1]
    assert told.saturated == ()
    np.testing.assert_allclose(told.tangent_base, flown[-1].tangent_base_W, atol=0.03)
