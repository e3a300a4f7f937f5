"""Length, tension, height: sensors of one number; and the drone's motion."""

import math

import numpy as np
import pytest
from sensor_scenes import heard, make_truth, sampled, turned

from tetherlab.contracts.errors import InputError
from tetherlab.sensors.altimeter import Altimeter, AltimeterSpec
from tetherlab.sensors.angle_sensor import AngleSensorSpec
from tetherlab.sensors.attitude import Attitude, AttitudeSpec
from tetherlab.sensors.encoder import Encoder, EncoderSpec
from tetherlab.sensors.imu import Imu, ImuSpec
from tetherlab.sensors.suite import SensorSuite, SuiteSpec
from tetherlab.sensors.tension_sensor import TensionSensor, TensionSpec

COUNT = 4000
BOUND = 5.0 * math.sqrt(2.0 / COUNT)  # of a ratio of variances over so many samples
SENSORS = {EncoderSpec: Encoder, TensionSpec: TensionSensor, AltimeterSpec: Altimeter}


def read(spec, field, truths, seed=1):
    """What a sensor alone says at all times."""
    if isinstance(spec, ImuSpec):
        sensor = Imu(spec, "imu", seed, lambda truth: truth.rotation)
    else:
        sensor = SENSORS[type(spec)](spec, field, seed)
    return np.array([getattr(m, field) for m in sampled(sensor, truths)])


def believed(spec, truths, seed=1):
    """The error of what the autopilot believes at all times, as a rotation vector [rad], (n, 3)."""
    attitude = Attitude(spec, "attitude", seed)
    errors = [attitude.estimate(truth) @ truth.rotation.T for truth in truths]
    return np.array([[R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]] for R in errors]) / 2.0


def at_rest(count=COUNT, rate_hz=100.0, **others):
    return (make_truth(k / rate_hz, **others) for k in range(count))


def lengths(spec, path):
    return read(spec, "length", (make_truth(k / 100.0, length=v) for k, v in enumerate(path)))


EXACT = {"noise": 0.0, "delay": 0.0}


def test_length_noise_is_as_specified():
    values = read(EncoderSpec(noise=0.002, counts_per_metre=1e6), "length", at_rest())
    assert np.var(values) / 0.002**2 == pytest.approx(1.0, abs=BOUND)
    assert np.mean(values) == pytest.approx(4.0, abs=5 * 0.002 / math.sqrt(COUNT))


def test_the_encoder_counts_whole_steps():
    values = lengths(EncoderSpec(counts_per_metre=100.0, **EXACT), np.linspace(4.0, 4.1, 201))
    np.testing.assert_allclose(np.round(values * 100.0) / 100.0, values, atol=1e-12)
    assert len(np.unique(np.round(values, 6))) == 11


def test_slip_is_lost_in_the_direction_of_motion():
    path = [4.0, 5.0, 6.0, 5.0, 4.0]
    fine = {"counts_per_metre": 1e6, **EXACT}
    out = lengths(EncoderSpec(slip_out=0.1, **fine), path)
    np.testing.assert_allclose(out, [4.0, 4.9, 5.8, 4.8, 3.8], atol=1e-6)
    back = lengths(EncoderSpec(slip_in=0.1, **fine), path)
    np.testing.assert_allclose(back, [4.0, 5.0, 6.0, 5.1, 4.2], atol=1e-6)
    scaled = lengths(EncoderSpec(scale_error=0.01, offset=0.1, **fine), path)
    np.testing.assert_allclose(scaled, 1.01 * np.array(path) + 0.1, atol=1e-6)


def test_tension_lags_by_the_time_constant():
    spec = TensionSpec(noise=0.0, delay=0.0, lag=0.2, adc_bits=24, rate_hz=1000.0)
    truths = [make_truth(k / 1000.0, tension=1.0 if k == 0 else 4.0) for k in range(500)]
    values = read(spec, "tension", truths)
    np.testing.assert_allclose(values, 4.0 - 3.0 * np.exp(-np.arange(500) / 200.0), atol=1e-5)


@pytest.mark.parametrize("curvature", [0.0, 0.5, 1.0])
def test_the_characteristic_of_the_arm_is_quadratic_and_goes_both_ways(curvature):
    spec = TensionSpec(curvature=curvature)
    arms = np.linspace(0.0, 1.0, 21)
    tensions = [spec.tension(arm) for arm in arms]
    np.testing.assert_allclose(np.diff(tensions, 3), 0.0, atol=1e-12)
    assert (tensions[0], tensions[-1]) == (0.0, 6.0)
    np.testing.assert_allclose([spec.arm(t) for t in tensions], arms, atol=1e-12)


def test_the_converter_is_coarser_where_the_characteristic_is_steep():
    spec = TensionSpec(noise=0.0, delay=0.0, lag=0.0, adc_bits=6, curvature=1.0)
    truths = [make_truth(k / 100.0, tension=0.001 * k) for k in range(6000)]
    levels = np.unique(np.round(read(spec, "tension", truths), 9))
    np.testing.assert_allclose(levels, 6.0 * (np.arange(len(levels)) / 63.0) ** 2, atol=1e-8)


def test_tension_noise_is_as_specified_and_too_much_tension_is_named():
    spec = TensionSpec(noise=0.05, adc_bits=16, delay=0.0)
    values = read(spec, "tension", at_rest())
    assert np.var(values) / 0.05**2 == pytest.approx(1.0, abs=BOUND)
    measurements = heard(SensorSuite(SuiteSpec(tension=spec), 1), [make_truth(tension=7.0)])
    (m,) = [m for m in measurements if not math.isnan(m.tension)]
    assert m.tension == 6.0 and m.saturated == ("tension",)


def test_a_slack_tether_is_read_as_no_tension_not_as_the_end_of_the_range():
    spec = TensionSpec(noise=0.05, delay=0.0)
    measurements = heard(SensorSuite(SuiteSpec(tension=spec), 1), at_rest(50, tension=0.0))
    tensions = [m for m in measurements if not math.isnan(m.tension)]
    assert np.mean([m.tension == 0.0 for m in tensions]) == pytest.approx(0.5, abs=0.3)
    assert all(m.saturated == () for m in tensions)


def test_imu_noise_is_as_specified():
    spec = ImuSpec(force_bias=0.0, force_bias_walk=0.0, rate_bias=0.0, rate_bias_walk=0.0)
    truths = list(at_rest(COUNT, 200.0, angular_velocity=np.array([0.1, 0.2, 0.3])))
    for field, deviation, mean in (
        ("specific_force", 0.05, [0.0, 0.0, 9.80665]),
        ("angular_velocity", 0.005, [0.1, 0.2, 0.3]),
        ("thrust", 0.2, 18.0),
    ):
        values = read(spec, field, truths)
        np.testing.assert_allclose(np.var(values, axis=0) / deviation**2, 1.0, atol=BOUND)
        np.testing.assert_allclose(np.mean(values, axis=0), mean, atol=5 * deviation / math.sqrt(COUNT))


def test_imu_biases_walk_as_the_root_of_time():
    spec = ImuSpec(force_noise=0.0, force_bias=0.0, force_bias_walk=0.01, rate_noise=0.0, rate_bias=0.0,
                   rate_bias_walk=0.001, rate_hz=1.0)  # fmt: skip
    ends = []
    for seed in range(100):
        suite = SensorSuite(SuiteSpec(imu=spec), seed)
        for time in (0.0, 1.0, 9.0):
            measurements = suite.sense(make_truth(time))
        (m,) = [m for m in measurements if m.specific_force is not None]
        ends.append(np.concatenate([m.specific_force - [0, 0, 9.80665], m.angular_velocity]))
    ratio = np.mean(np.square(ends), axis=0) / (9.0 * np.array([0.01] * 3 + [0.001] * 3) ** 2)
    np.testing.assert_allclose(ratio, 1.0, atol=5.0 * math.sqrt(2.0 / 100))


def test_imu_biases_differ_from_run_to_run_with_the_specified_deviation():
    spec = ImuSpec(force_noise=0.0, force_bias=0.05, rate_noise=0.0, rate_bias=0.002)
    starts = np.array(
        [read(spec, "specific_force", [make_truth()], seed)[0] - [0, 0, 9.80665] for seed in range(200)]
    )
    assert np.mean(starts**2) / 0.05**2 == pytest.approx(1.0, abs=5.0 * math.sqrt(2.0 / 600))


def test_an_imu_beyond_its_range_says_so():
    spec = ImuSpec(force_max=20.0)
    truth = make_truth(specific_force=np.array([0.0, -50.0, 9.8]))
    (m,) = [m for m in SensorSuite(SuiteSpec(imu=spec), 1).sense(truth) if m.specific_force is not None]
    assert m.specific_force[1] == -20.0 and m.saturated == ("imu",)


def test_thrust_is_estimated_with_a_scale_error():
    spec = ImuSpec(thrust_noise=0.0, thrust_scale_error=0.1)
    assert read(spec, "thrust", [make_truth()]) == pytest.approx([19.8])


def test_the_attitude_errs_as_specified():
    """Tilt: noise and wander; over many times the wander's own, the mean square is the sum of both."""
    spec = AttitudeSpec(tilt_noise=0.004, tilt_wander=0.003, tilt_wander_time=0.01, heading_noise=0.01)
    about = believed(spec, at_rest(COUNT, 10.0, rotation=turned(0.1, 0.2, 0.3)))
    ratio = np.mean(about**2, axis=0) / [0.005**2, 0.005**2, 0.01**2]
    np.testing.assert_allclose(ratio, 1.0, atol=BOUND)


def test_the_wander_of_the_attitude_is_forgotten_with_its_time():
    spec = AttitudeSpec(tilt_noise=0.0, tilt_wander=0.01, tilt_wander_time=0.5, heading_noise=0.0)
    tilts = believed(spec, at_rest(COUNT, 10.0))[:, :2]
    # the sample correlation of a first-order process has the variance (1 - a²)/n
    a = math.exp(-0.2)
    found = np.mean(tilts[1:] * tilts[:-1], axis=0) / np.mean(tilts**2, axis=0)
    np.testing.assert_allclose(found, a, atol=5.0 * math.sqrt((1.0 - a * a) / COUNT))


STEADY = {"tilt_noise": 0.0, "tilt_wander": 0.0, "heading_noise": 0.0}


def test_a_heading_that_nobody_knows_is_constant_in_a_run_and_another_in_the_next():
    spec = AttitudeSpec(heading_offset_deviation=0.1, **STEADY)
    headings = []
    for seed in range(200):
        errors = believed(spec, at_rest(3), seed)
        assert np.ptp(errors[:, 2]) < 1e-12
        headings.append(math.asin(errors[0, 2]))
    assert np.mean(np.square(headings)) / 0.1**2 == pytest.approx(1.0, abs=5.0 * math.sqrt(2.0 / 200))


def test_a_heading_without_magnetometer_drifts_as_the_root_of_time():
    spec = AttitudeSpec(heading_walk=0.02, heading_offset=0.3, **STEADY)
    truths = [make_truth(0.0), make_truth(4.0)]
    headings = np.arcsin([believed(spec, truths, seed)[:, 2] for seed in range(200)])
    np.testing.assert_allclose(headings[:, 0], 0.3)
    ratio = np.mean((headings[:, 1] - 0.3) ** 2) / 0.04**2
    assert ratio == pytest.approx(1.0, abs=5.0 * math.sqrt(2.0 / 200))


def test_all_messages_of_one_time_have_the_same_attitude():
    measurements = SensorSuite(SuiteSpec(drone_angles=AngleSensorSpec(delay=0.0)), 1).sense(make_truth())
    one, other = (m.rotation for m in measurements if m.tangent_end is not None or m.thrust > 0.0)
    np.testing.assert_array_equal(one, other)
    assert not np.array_equal(one, np.eye(3))


def test_an_altimeter_reads_the_height_within_its_range():
    spec = AltimeterSpec(noise=0.01, rate_hz=100.0, delay=0.0, offset=0.1)
    values = read(spec, "altitude", at_rest())
    assert np.var(values) / 0.01**2 == pytest.approx(1.0, abs=BOUND)
    assert np.mean(values) == pytest.approx(3.1, abs=0.001)
    for altitude, end in ((0.0, 0.2), (9.0, 7.0)):
        measurements = SensorSuite(SuiteSpec(altimeter=spec), 1).sense(make_truth(altitude=altitude))
        (m,) = [m for m in measurements if not math.isnan(m.altitude)]
        assert m.altitude == end and m.saturated == ("altitude",)


@pytest.mark.parametrize(
    ("spec", "wrong", "sentence"),
    [
        (EncoderSpec, {"slip_in": 1.5}, "slip_in must be a share from 0 to 1, got 1.5"),
        (EncoderSpec, {"scale_error": -1.0}, "scale_error must be > -1"),
        (EncoderSpec, {"slip": 3.0}, "Did you mean 'slip_in'"),
        (TensionSpec, {"curvature": 2.0}, "curvature must be from 0 to 1"),
        (TensionSpec, {"adc_bits": 40}, "adc_bits must be from 1 to 32"),
        (ImuSpec, {"rate_max": 0.0}, "rate_max must be > 0"),
        (AttitudeSpec, {"tilt_wander_time": 0.0}, "tilt_wander_time must be > 0"),
        (AltimeterSpec, {"range": (2.0, 1.0)}, "range must be"),
    ],
)
def test_wrong_settings_of_a_sensor_are_explained(spec, wrong, sentence):
    with pytest.raises(InputError, match=sentence):
        spec(**wrong)
