"""The self-levelling platform by itself: linkage both ways, what it takes for level, loops, limits."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vehicle_scenes import ground_spec

from analytical import GRAVITY
from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import plain
from tetherlab.vehicles.alone import LonePlatform
from tetherlab.vehicles.linkage import actuator_length
from tetherlab.vehicles.platform import attitude_from_acceleration

tilts = st.floats(-0.35, 0.35)


def turned(roll=0.0, pitch=0.0, yaw=0.0):
    """R_z(yaw) R_y(pitch) R_x(roll), (3, 3)."""
    cx, sx, cy, sy, cz, sz = (f(a) for a in (roll, pitch, yaw) for f in (math.cos, math.sin))
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    return np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]]) @ about_y @ about_x


def leveller(**changes):
    """That of the packaged rover."""
    return dataclasses.replace(ground_spec("rhino").leveller, **changes)


def quiet(**changes):
    """With a perfect accelerometer."""
    return leveller(**({"noise": 0.0, "bias": np.zeros(3), "dead_band": 0.0} | changes))


def lengths(spec, roll, pitch):
    """Of both actuators, by vectors."""
    tops = (spec.actuator_tops - spec.joint) @ turned(roll, pitch).T
    return np.linalg.norm(tops - (spec.actuator_feet - spec.joint), axis=1)


@settings(deadline=None, max_examples=50)
@given(tilts, tilts)
def test_strokes_and_angles_come_back_from_each_other(roll, pitch):
    spec = leveller(length_min=0.1, stroke_max=1.0)  # so that nothing is cut off
    tops, feet = spec.actuator_tops - spec.joint, spec.actuator_feet - spec.joint
    wanted = lengths(spec, roll, pitch)
    found = [plain(actuator_length)(tops[i], feet[i], roll, pitch) for i in range(2)]
    np.testing.assert_allclose([length for length, _, _ in found], wanted, rtol=1e-14)
    for k, h in enumerate(((1e-6, 0.0), (0.0, 1e-6))):
        ahead, back = lengths(spec, roll + h[0], pitch + h[1]), lengths(spec, roll - h[0], pitch - h[1])
        np.testing.assert_allclose([item[1 + k] for item in found], (ahead - back) / 2e-6, atol=1e-8)
    platform = LonePlatform(spec)
    _set(platform, wanted - spec.length_min)
    assert (platform.roll, platform.pitch) == pytest.approx((roll, pitch), abs=1e-9)
    np.testing.assert_allclose(platform.R_BP, turned(roll, pitch), atol=1e-9)


def _set(platform, stroke):
    """The deck to where two strokes have it."""
    platform.record["stroke"], platform.record["speed"] = stroke, 1e-9  # so that it looks where it is
    platform.step(1e-9)


def test_equal_strokes_pitch_the_deck_and_opposite_ones_roll_it():
    for grown, axis in (((0.01, 0.01), 1), ((0.01, -0.01), 0)):
        platform = LonePlatform(leveller())
        _set(platform, platform.stroke + grown)
        angles = np.array([platform.roll, platform.pitch])
        assert abs(angles[axis]) > 0.02
        assert abs(angles[1 - axis]) < 1e-3


@settings(deadline=None)
@given(st.floats(-1.2, 1.2), st.floats(-1.2, 1.2), st.floats(-3.0, 3.0))
def test_an_accelerometer_at_rest_tells_roll_and_pitch_whatever_the_heading(roll, pitch, yaw):
    felt = turned(roll, pitch, yaw).T @ (0.0, 0.0, GRAVITY)
    told = plain(attitude_from_acceleration)(*felt, GRAVITY)
    assert told == pytest.approx((roll, pitch), abs=1e-12)


SLOPES = {
    "uphill": turned(pitch=math.radians(-10.0)), "aside": turned(roll=math.radians(10.0)),
    "both": turned(math.radians(7.0), math.radians(7.0), 2.0), "steep": turned(pitch=math.radians(15.0)),
}  # fmt: skip


@pytest.mark.parametrize("slope", SLOPES)
def test_the_deck_is_level_within_half_a_degree_after_ten_seconds_and_stays_so(slope):
    platform = LonePlatform(leveller(), seed=2)
    platform.step(10.0, SLOPES[slope])
    for _ in range(200):
        platform.step(0.1)
        assert platform.tilt < math.radians(0.5)


def test_an_error_of_the_accelerometer_is_an_error_of_the_deck():
    platform = LonePlatform(quiet(bias=np.array([0.2, 0.0, 0.0])))
    platform.step(30.0)
    assert platform.pitch == pytest.approx(math.asin(0.2 / GRAVITY), abs=1e-3)
    assert platform.roll == pytest.approx(0.0, abs=1e-3)


def test_while_the_rover_accelerates_the_deck_follows_what_it_feels_and_comes_back():
    platform = LonePlatform(quiet())
    platform.step(20.0, acceleration=(0.5, 0.0, 0.0))
    assert platform.pitch == pytest.approx(math.atan(0.5 / GRAVITY), rel=0.02)
    platform.step(20.0)
    assert platform.tilt < 1e-3


def test_it_is_no_faster_than_its_actuators():
    spec = quiet(speed_max=0.01)
    platform = LonePlatform(spec)
    before = platform.stroke
    platform.step(2.0, turned(pitch=0.3))
    assert platform.limited == 1
    gone = np.abs(platform.stroke - before)
    assert np.all(gone < 0.01 * 2.0)
    assert gone.max() > 0.01 * (2.0 - 10.0 * spec.time_constant) * spec.speed_loaded


def test_at_the_end_of_the_strokes_it_stops_and_does_not_wind_up():
    platform = LonePlatform(quiet())
    platform.step(60.0, turned(pitch=0.6))
    assert platform.stroke == pytest.approx([0.0, 0.0], abs=1e-12)
    assert platform.limited == 1 and platform.tilt > 0.1
    gathered = np.abs(platform.integral).max() * platform.spec.integral_gain
    platform.step(60.0)
    assert np.abs(platform.integral).max() * platform.spec.integral_gain == pytest.approx(gathered)
    for _ in range(120):  # back on the level it does not overshoot
        platform.step(0.25, np.eye(3))
        assert platform.pitch < math.radians(0.3)
    assert platform.tilt < math.radians(0.1)


def test_actuators_carry_the_deck_by_the_law_of_the_lever():
    """Upright actuators, deck level: half the weight each, by the ratio of arms to the joint."""
    spec = quiet()
    platform = LonePlatform(spec)
    platform.step(0.02, np.eye(3))
    arm = spec.joint[0] - spec.actuator_tops[0, 0]
    wanted = 0.5 * spec.mass * GRAVITY * (spec.joint[0] - spec.center[0]) / arm
    assert platform.force == pytest.approx([wanted, wanted], rel=1e-6)


@pytest.mark.parametrize(("roll", "pitch"), [(0.1, -0.2), (-0.15, 0.12)])
def test_what_they_push_with_does_the_work_that_lifts_the_load(roll, pitch):
    """Twin: differences of the potential energy of deck and torque over those of the strokes."""
    spec, stand, torque = quiet(), turned(0.1, 0.05), np.array([4.0, -7.0, 2.0])
    platform = LonePlatform(spec)
    _set(platform, lengths(spec, roll, pitch) - spec.length_min)
    platform.step(1e-9, stand, torque=torque)

    def height(a, b):
        return (stand @ turned(a, b) @ (spec.center - spec.joint))[2]

    h = 1e-6
    by_angle = np.array([
        spec.mass * GRAVITY * (height(roll + h, pitch) - height(roll - h, pitch)) / (2 * h)
        - torque @ (turned(0.0, pitch) @ (1.0, 0.0, 0.0)),
        spec.mass * GRAVITY * (height(roll, pitch + h) - height(roll, pitch - h)) / (2 * h) - torque[1],
    ])  # fmt: skip
    by_stroke = np.column_stack([
        (lengths(spec, roll + h, pitch) - lengths(spec, roll - h, pitch)) / (2 * h),
        (lengths(spec, roll, pitch + h) - lengths(spec, roll, pitch - h)) / (2 * h),
    ])  # fmt: skip
    assert platform.force == pytest.approx(np.linalg.solve(by_stroke.T, by_angle), rel=1e-5)


def test_a_load_beyond_its_force_is_not_lifted_but_lowered_and_held():
    spec = quiet()
    arm = spec.joint[0] - spec.actuator_tops[0, 0]
    heavy = np.array([0.0, -2.5 * spec.force_max * arm, 0.0])  # a weight behind the joint
    lifting, lowering = LonePlatform(spec), LonePlatform(spec)
    lifting.step(5.0, turned(pitch=-0.1), torque=heavy)
    assert lifting.limited == 1 and lifting.stroke == pytest.approx(LonePlatform(spec).stroke)
    lowering.step(5.0, turned(pitch=0.1), torque=heavy)
    assert lowering.pitch < -0.05


def test_without_power_it_holds_its_angle():
    platform = LonePlatform(leveller())
    platform.step(10.0, turned(0.1, -0.1))
    held = platform.roll, platform.pitch
    platform.step(10.0, turned(-0.2, 0.1), powered=False, torque=(20.0, 30.0, 0.0))
    assert (platform.roll, platform.pitch) == held
    platform.step(15.0)
    assert platform.tilt < math.radians(0.5)


def test_a_dead_band_lets_it_rest_in_spite_of_noise():
    platform = LonePlatform(leveller())
    platform.step(20.0, turned(0.1, -0.1))
    still = sum(_stays(platform) for _ in range(50))
    restless = LonePlatform(leveller(dead_band=0.0))
    restless.step(20.0, turned(0.1, -0.1))
    assert still > 40 and sum(_stays(restless) for _ in range(50)) == 0


def _stays(platform):
    before = platform.stroke
    platform.step(0.1)
    return bool(np.abs(platform.stroke - before).max() < 1e-5)


def test_noise_has_the_deviation_that_is_specified_and_seeds_differ():
    """Mean and variance of 5000 samples within 5 of their deviations."""
    spec = leveller(noise=0.05, bias=np.zeros(3), filter_time=0.0, gain=0.0, integral_gain=0.0, rate_gain=0.0)
    platform, other = LonePlatform(spec, seed=1), LonePlatform(spec, seed=2)
    told = np.empty((5000, 3))
    for row in told:
        platform.step(1.0 / spec.rate_hz)
        other.step(1.0 / spec.rate_hz)
        row[:] = platform.felt_P - (0.0, 0.0, GRAVITY)
    assert np.abs(told.mean(axis=0)).max() < 5.0 * 0.05 / math.sqrt(5000)
    np.testing.assert_allclose(told.var(axis=0) / 0.05**2, 1.0, atol=5.0 * math.sqrt(2.0 / 5000))
    assert np.abs(np.corrcoef(told.T) - np.eye(3)).max() < 5.0 / math.sqrt(5000)
    assert np.abs(platform.felt_P - other.felt_P).max() > 1e-4


def test_actuators_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match=r"its ends are 0\.597 m apart"):
        LonePlatform(leveller(length_min=0.7))
