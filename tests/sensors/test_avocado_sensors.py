"""AVOCADO's sensors: they read the truth, with the errors, delays and faults of their specification."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sensor_scenes import sampled

from tetherlab.contracts.errors import InputError
from tetherlab.sensors.attitude import AttitudeSpec
from tetherlab.sensors.avocado_suite import AvocadoSensors, AvocadoSensorSpec
from tetherlab.sensors.avocado_truth import AXES, truth_of
from tetherlab.sensors.faults import Fault
from tetherlab.sensors.gyroscope import Gyroscope, GyroscopeSpec
from tetherlab.sensors.joint_encoder import JointEncoder, JointEncoderSpec
from tetherlab.sensors.tracking_camera import TrackingCamera, TrackingCameraSpec, outdoors
from tetherlab.sensors.wheel_encoder import WheelEncoder, WheelEncoderSpec
from tetherlab.vehicles.avocado import AvocadoSpec, AvocadoState, resting, simulate

COUNT = 4000
BOUND = 5.0 * math.sqrt(2.0 / COUNT)  # of a ratio of variances over so many samples
EXACT = AttitudeSpec(tilt_noise=0.0, tilt_wander=0.0, heading_noise=0.0)
STATE = AvocadoState(
    distance=1.2,
    tether_length=1.2,
    heading=0.5,
    theta=0.3,
    phi=0.2,
    psi=-0.4,
    heading_rate=0.7,
    theta_rate=-0.9,
    phi_rate=1.1,
    psi_rate=0.6,
)


def still(count=COUNT, rate_hz=200.0, state=STATE, tension=5.0):
    return (truth_of(k / rate_hz, state, tension=tension) for k in range(count))


def turn_between(R_old, R_new):
    """Rotation vector from one to another, small, world frame."""
    E = R_new @ R_old.T
    return 0.5 * np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]])


def test_at_rest_the_body_is_level_and_a_pitch_lets_its_nose_rise():
    rest = truth_of(0.0, resting(AvocadoSpec(), 1.0), tension=7.0)
    np.testing.assert_allclose(rest.rotation, np.eye(3), atol=1e-15)
    leaning = AvocadoState(distance=1.0, tether_length=1.0, theta=0.3, phi=0.1)
    R = truth_of(0.0, leaning, tension=7.0).rotation
    np.testing.assert_allclose(R @ [1, 0, 0], [math.cos(0.4), 0.0, math.sin(0.4)], atol=1e-12)  # thrust
    turned = truth_of(0.0, replace(leaning, heading=0.5), tension=7.0)
    assert math.atan2(*(turned.rotation @ [1, 0, 0])[[1, 0]]) == pytest.approx(-0.5)  # to the right
    np.testing.assert_allclose(turned.position[:2], math.sin(0.3) * np.array([math.cos(0.5), -math.sin(0.5)]))


def test_the_axes_are_a_rotation_and_their_own_inverse():
    np.testing.assert_array_equal(AXES @ AXES, np.eye(3))
    assert np.linalg.det(AXES) == pytest.approx(1.0)


def test_rates_are_those_at_which_the_orientation_turns():
    run = simulate(AvocadoSpec(), STATE, np.zeros((2, 3)), 2e-4, hold=1e-4, rtol=1e-10, atol=1e-12)
    before, now, after = (truth_of(run.time[k], run.state(k), tension=5.0) for k in range(3))
    rate_W = turn_between(before.rotation, after.rotation) / 2e-4
    # The tether, given without its stretch, settles within a tenth of a millisecond.
    np.testing.assert_allclose(now.rotation.T @ rate_W, now.angular_velocity, atol=1e-3)


def test_an_exact_camera_sees_the_truth():
    spec = TrackingCameraSpec(orientation=EXACT, position_noise=0.0, position_walk=0.0)
    seen = sampled(TrackingCamera(spec, "camera", 0), still(3))[-1]
    truth = truth_of(0.0, STATE, tension=5.0)
    np.testing.assert_allclose(seen.rotation, truth.rotation, atol=1e-12)
    np.testing.assert_allclose(seen.position, truth.position, atol=1e-12)


def test_camera_noise_is_as_specified():
    spec = TrackingCameraSpec(
        orientation=replace(EXACT, tilt_noise=0.002, heading_noise=0.004),
        position_noise=0.01,
        position_walk=0.0,
    )
    truth = truth_of(0.0, STATE, tension=5.0)
    seen = sampled(TrackingCamera(spec, "camera", 1), still())
    turns = np.array([turn_between(truth.rotation, reading.rotation) for reading in seen])
    np.testing.assert_allclose(np.var(turns, axis=0) / np.square([0.002, 0.002, 0.004]), 1.0, atol=BOUND)
    places = np.array([reading.position for reading in seen]) - truth.position
    np.testing.assert_allclose(np.var(places, axis=0) / 0.01**2, 1.0, atol=BOUND)


def test_heading_and_position_drift_with_the_root_of_time():
    spec = TrackingCameraSpec(
        rate_hz=10.0, orientation=replace(EXACT, heading_walk=0.01), position_noise=0.0, position_walk=0.02
    )
    truth, ends, places = truth_of(0.0, STATE, tension=5.0), [], []
    for seed in range(200):
        last = sampled(TrackingCamera(spec, "camera", seed), still(41, rate_hz=10.0))[-1]
        ends.append(turn_between(truth.rotation, last.rotation)[2])
        places.append(last.position - truth.position)
    assert np.std(ends) == pytest.approx(0.01 * 2.0, rel=0.25)  # after 4 s
    assert np.std(places) == pytest.approx(0.02 * 2.0, rel=0.15)


def test_tracking_is_lost_as_often_and_as_long_as_said():
    spec = replace(outdoors(), rate_hz=20.0, loss_rate=0.2, loss_time=1.0)
    seen = sampled(TrackingCamera(spec, "camera", 2), still(20000, rate_hz=20.0))
    lost = np.array([reading.position is None for reading in seen])
    # Lost for 1 s after 5 s on average: a sixth of the time, about 167 times in 1000 s.
    assert np.mean(lost) == pytest.approx(1.0 / 6.0, rel=0.3)
    assert np.sum(lost[1:] & ~lost[:-1]) == pytest.approx(167, rel=0.3)
    assert all(reading.rotation is not None for reading in seen)
    none = TrackingCameraSpec(position=False)
    assert sampled(TrackingCamera(none, "camera", 2), still(3))[-1].position is None


def test_gyroscope_noise_and_bias_are_as_specified():
    truth = truth_of(0.0, STATE, tension=5.0)
    spec = GyroscopeSpec(noise=0.01, bias=0.0, bias_walk=0.0)
    noise = np.array([r.angular_velocity for r in sampled(Gyroscope(spec, "g", 1), still())])
    np.testing.assert_allclose(np.var(noise, axis=0) / 0.01**2, 1.0, atol=BOUND)
    np.testing.assert_allclose(
        np.mean(noise, axis=0), truth.angular_velocity, atol=5 * 0.01 / math.sqrt(COUNT)
    )
    biased = GyroscopeSpec(noise=0.0, bias=0.02, bias_walk=0.0)
    biases = [sampled(Gyroscope(biased, "g", seed), still(1))[0].angular_velocity for seed in range(300)]
    assert np.std(np.array(biases) - truth.angular_velocity) == pytest.approx(0.02, rel=0.12)


def test_the_gyroscope_ends_at_its_range():
    fast = replace(STATE, psi_rate=50.0)
    reading = sampled(Gyroscope(GyroscopeSpec(), "gyroscope", 0), still(1, state=fast))[0]
    assert np.max(abs(reading.angular_velocity)) == pytest.approx(math.radians(2000.0))
    assert reading.saturated == ("gyroscope",)


def test_the_joint_counts_whole_steps_with_its_noise():
    spec = JointEncoderSpec(noise=0.01, play=0.0)
    values = np.array([r.phi for r in sampled(JointEncoder(spec, "joint", 1), still())])
    steps = values * 16384.0 / (2.0 * math.pi)
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-6)
    assert np.var(values) / 0.01**2 == pytest.approx(1.0, abs=BOUND)
    assert np.mean(values) == pytest.approx(0.2, abs=5 * 0.01 / math.sqrt(COUNT))


def test_the_joint_lags_by_its_play_in_either_direction():
    spec = JointEncoderSpec(noise=0.0, play=0.01, counts_per_turn=1e7)
    path = np.concatenate([np.linspace(0.0, 0.1, 50), np.linspace(0.1, 0.0, 50)])
    truths = [truth_of(k / 200.0, replace(STATE, phi=phi), tension=5.0) for k, phi in enumerate(path)]
    values = np.array([r.phi for r in sampled(JointEncoder(spec, "joint", 0), truths)])
    np.testing.assert_allclose(values[20:50], path[20:50] - 0.01, atol=1e-6)
    np.testing.assert_allclose(values[70:], path[70:] + 0.01, atol=1e-6)
    np.testing.assert_allclose(values[50:55], 0.09, atol=1e-6)  # still, within the play


@pytest.mark.parametrize("tension, slip", [(5.0, 0.01), (0.0, 0.4)])
def test_the_wheel_slips_and_more_so_on_a_slack_tether(tension, slip):
    spec = WheelEncoderSpec(noise=0.0, slip_out=0.01, slip_in=0.01, slip_slack=0.4)
    states = [replace(STATE, tether_length=1.0 + 0.01 * k) for k in range(101)]
    truths = [truth_of(k / 100.0, state, tension=tension) for k, state in enumerate(states)]
    read = sampled(WheelEncoder(spec, "wheel", 0), truths)
    assert read[0].length == pytest.approx(1.0, abs=1e-5)
    assert read[-1].length == pytest.approx(1.0 + (1.0 - slip), abs=1e-5)


def test_readings_arrive_after_their_delay():
    sensors = AvocadoSensors(AvocadoSensorSpec(), 0)
    arrivals = {}
    for truth in still(40, rate_hz=1000.0):
        for reading in sensors.sense(truth):
            kind = next(
                n
                for n in ("rotation", "angular_velocity", "phi", "length")
                if getattr(reading, n) is not None
            )
            arrivals.setdefault(kind, []).append(truth.time - reading.time)
    for kind, delay in (("rotation", 0.010), ("angular_velocity", 0.004), ("phi", 0.002), ("length", 0.002)):
        np.testing.assert_allclose(arrivals[kind], delay, atol=1e-9)
    assert len(arrivals["phi"]) == 8 and len(arrivals["length"]) == 4  # 200 and 100 a second


@pytest.mark.parametrize("name", ["camera", "gyroscope", "joint", "wheel"])
def test_faults_happen_to_each_sensor(name):
    field = {"camera": "rotation", "gyroscope": "angular_velocity", "joint": "phi", "wheel": "length"}[name]

    def heard(fault):
        sensors = AvocadoSensors(AvocadoSensorSpec(), 3)
        sensors.inject(name, fault)
        readings = [r for truth in still(400) for r in sensors.sense(truth)]
        return [r for r in readings if getattr(r, field) is not None]

    assert all(r.time < 1.0 for r in heard(Fault("drop_out", start=1.0)))
    stuck = [np.asarray(getattr(r, field)) for r in heard(Fault("stuck", start=1.0)) if r.time >= 1.0]
    assert all(np.array_equal(value, stuck[0]) for value in stuck) and len(stuck) > 50
    axis = "pitch" if name == "camera" else "both"
    off = [r for r in heard(Fault("offset", start=1.0, value=0.4, axis=axis)) if r.time >= 1.0]
    clean = [r for r in heard(Fault("offset", start=9.0, value=0.4, axis=axis)) if r.time >= 1.0]
    for a, b in zip(off, clean, strict=True):
        if name == "camera":
            assert np.linalg.norm(turn_between(b.rotation, a.rotation)) == pytest.approx(
                math.sin(0.4), abs=1e-6
            )
        else:
            np.testing.assert_allclose(np.asarray(getattr(a, field)) - getattr(b, field), 0.4, atol=1e-3)


def test_same_seed_same_readings():
    def drawn(seed):
        sensors = AvocadoSensors(AvocadoSensorSpec(camera=outdoors()), seed)
        return [reading for truth in still(200) for reading in sensors.sense(truth)]

    one, same, other = drawn(5), drawn(5), drawn(6)
    for a, b in zip(one, same, strict=True):
        assert a.time == b.time and a.phi == b.phi and a.length == b.length
        assert np.array_equal(a.rotation, b.rotation) if a.rotation is not None else b.rotation is None
    assert [r.phi for r in one if r.phi is not None] != [r.phi for r in other if r.phi is not None]


def test_bad_input_is_answered():
    sensors = AvocadoSensors(AvocadoSensorSpec(), 0)
    with pytest.raises(InputError, match="Did you mean 'gyroscope'"):
        sensors.inject("gyroscop", Fault("stuck", start=0.0))
    with pytest.raises(InputError, match="share from 0 to 1"):
        WheelEncoderSpec(slip_slack=1.5)
    with pytest.raises(InputError, match="play must be >= 0"):
        JointEncoderSpec(play=-0.1)
    with pytest.raises(InputError, match="whole number"):
        AvocadoSensors(AvocadoSensorSpec(), -1)
