"""What the gimbals read, through potentiometers and converters."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sensor_scenes import heard, make_truth, sampled, turned

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.measurement import unit_vector
from tetherlab.sensors.adc import read_share
from tetherlab.sensors.angle_sensor import AngleSensorSpec, BaseAngles
from tetherlab.sensors.attitude import AttitudeSpec
from tetherlab.sensors.bias_field import bias_at, make_field
from tetherlab.sensors.gimbal import angles_from_tangent
from tetherlab.sensors.suite import SensorSuite, SuiteSpec

PERFECT = AngleSensorSpec(
    azimuth_noise=0.0, elevation_noise=0.0, friction=0.0, link_mass=0.0, adc_bits=32, supply_noise=0.0,
    delay=0.0,
)  # fmt: skip
SURE = AttitudeSpec(tilt_noise=0.0, tilt_wander=0.0, heading_noise=0.0)


def suite(base=PERFECT, drone=PERFECT, attitude=SURE, seed=1):
    return SensorSuite(SuiteSpec(base_angles=base, drone_angles=drone, attitude=attitude), seed)


def base_angles(measurements, near=0.6):
    """(azimuth, elevation) at the base of all that were measured, (n, 2)."""
    return np.array(
        [angles_from_tangent(*m.tangent_base, near) for m in measurements if m.tangent_base is not None]
    )


@pytest.mark.parametrize("azimuth", [-3.0, 0.0, 2.9, math.pi])
@pytest.mark.parametrize("elevation", [-0.5, 0.8, 1.5, 0.5 * math.pi])
def test_perfect_sensors_tell_the_tangents_whatever_carries_them(azimuth, elevation):
    truth = make_truth(
        azimuth=azimuth, low=elevation, high=elevation, rotation_base=turned(0.2, -0.3, 1.0),
        rotation=turned(-0.2, 0.15, -2.0),
    )  # fmt: skip
    for m in suite().sense(truth):
        if m.tangent_base is not None:
            np.testing.assert_allclose(m.tangent_base_W, truth.tangent_base_W, atol=1e-8)
            np.testing.assert_array_equal(m.rotation_base, truth.rotation_base)
            np.testing.assert_allclose(
                m.tangent_base, truth.rotation_base.T @ truth.tangent_base_W, atol=1e-8
            )
        if m.tangent_end is not None:
            np.testing.assert_allclose(m.tangent_end_W, truth.tangent_end_W, atol=1e-8)
        assert m.saturated == ()


def test_the_base_is_known_where_its_angles_are_and_nowhere_else():
    truth = make_truth(base=np.array([1.0, 2.0, 0.3]), base_velocity=np.array([0.1, 0.0, 0.0]))
    measurements = suite().sense(truth)
    (m,) = [m for m in measurements if m.tangent_base is not None]
    np.testing.assert_array_equal(m.base, truth.base)
    np.testing.assert_array_equal(m.base_velocity, truth.base_velocity)
    assert m.tangent_end is None and math.isnan(m.length) and m.specific_force is None


@pytest.mark.parametrize("low", [0.8, 0.5 * math.pi - 0.001])
def test_noise_has_the_deviation_that_is_specified(low):
    """Chi-square over 4000 samples: the ratio of variances is within 5 of its deviations, sqrt(2/n)."""
    spec = replace(PERFECT, azimuth_noise=0.002, elevation_noise=0.01)
    count = 4000
    truths = (make_truth(k / 100.0, low=low) for k in range(count))
    angles = base_angles(sampled(BaseAngles(spec, "base_angles", 1), truths))
    assert len(angles) == count
    ratio = np.var(angles - [0.6, low], axis=0) / np.array([0.002, 0.01]) ** 2
    np.testing.assert_allclose(ratio, 1.0, atol=5.0 * math.sqrt(2.0 / count))
    means = np.mean(angles - [0.6, low], axis=0) / np.array([0.002, 0.01])
    np.testing.assert_allclose(means, 0.0, atol=5.0 / math.sqrt(count))


def test_straight_above_the_base_noise_crosses_the_vertical_as_anywhere():
    """Both sides are visited, and the tangent errs by the elevation's noise, nothing more."""
    spec = replace(PERFECT, azimuth_noise=0.0, elevation_noise=0.01)
    truths = (make_truth(k / 100.0, azimuth=0.0, low=0.5 * math.pi) for k in range(500))
    measurements = [m for m in heard(suite(spec), truths) if m.tangent_base is not None]
    lean = np.array([m.tangent_base[0] for m in measurements])
    assert 150 < np.sum(lean > 0.0) < 350
    assert np.abs(lean).max() < 0.05
    assert all(m.saturated == () for m in measurements)
    assert min(m.tangent_base[2] for m in measurements) > 0.998


def test_offset_and_bias_field_shift_the_reading():
    spec = replace(PERFECT, azimuth_offset=0.01, elevation_offset=-0.02, bias_field=0.05, bias_seed=9)
    ((azimuth, elevation),) = base_angles(suite(spec).sense(make_truth()))
    field = make_field(9)
    assert azimuth == pytest.approx(0.61 + 0.05 * bias_at(field, 0, 0.6, 0.8), abs=1e-8)
    assert elevation == pytest.approx(0.78 + 0.05 * bias_at(field, 1, 0.6, 0.8), abs=1e-8)


def test_the_bias_field_is_that_of_the_hardware_not_of_the_run():
    spec = replace(PERFECT, bias_field=0.05)
    one, other = (base_angles(suite(spec, seed=seed).sense(make_truth())) for seed in (1, 2))
    np.testing.assert_array_equal(one, other)


def test_a_ratio_forgets_the_supply():
    for supply in (0.8, 0.93, 1.05):
        assert read_share(0.3, supply, 24, True) == pytest.approx(0.3, abs=1e-6)
        assert read_share(0.3, supply, 24, False) == pytest.approx(0.3 * supply, abs=1e-6)
    # to half a step of the converter, and half a step of what is read of the supply
    steps = (2**10 - 1) * 0.8
    assert abs(read_share(0.3, 0.8, 10, True) - 0.3) < 1.3 * 0.65 * 4.096 / 3.3 / steps


def test_a_sagging_supply_spoils_the_angles_unless_it_is_read():
    sagging = replace(PERFECT, supply_sag=0.05, supply_noise=0.02, adc_bits=24)
    truths = [make_truth(k / 100.0) for k in range(200)]
    clean = base_angles(heard(suite(sagging), truths))
    np.testing.assert_allclose(clean, [[0.6, 0.8]] * 200, atol=3e-6)
    spoilt = base_angles(heard(suite(replace(sagging, ratiometric=False)), truths))
    from_low = 0.8 + 0.25 * math.pi  # a share of the supply is an angle from the end of the range
    assert np.mean(spoilt[:, 1]) == pytest.approx(0.8 - 0.05 * from_low, abs=0.02 * from_low / 3.0)
    assert np.std(spoilt[:, 1]) == pytest.approx(0.02 * from_low, rel=0.2)


def test_the_converter_has_steps():
    coarse = replace(PERFECT, adc_bits=8)
    step = 1.5 * math.pi * 4.096 / 3.3 / 255.0
    truths = [make_truth(k / 100.0, low=0.5 + 0.001 * k) for k in range(400)]
    read = base_angles(heard(suite(coarse), truths))[:, 1]
    levels = np.unique(np.round(read, 9))
    # the supply too is read in steps, which scales them by up to 1/(2 * 205)
    np.testing.assert_allclose(np.diff(levels), step, rtol=0.003)
    by_supply = (0.9 + 0.25 * math.pi) / (2 * 205)
    assert np.abs(read - 0.5 - 0.001 * np.arange(400)).max() < 0.5 * step + by_supply


def test_readings_end_with_the_range_and_say_so():
    spec = replace(
        PERFECT, azimuth_range=(-1.0, 1.0), azimuth_endless=False, elevation_range=(0.0, 1.2)
    )  # fmt: skip
    (m,) = [m for m in suite(spec).sense(make_truth(azimuth=2.0, low=0.5)) if m.tangent_base is not None]
    assert m.saturated == ("base_azimuth",)
    np.testing.assert_allclose(m.tangent_base, unit_vector(1.0, 0.5), atol=1e-8)
    truth = make_truth(azimuth=-1.5, low=0.5, high=1.4)
    (m,) = [m for m in suite(drone=spec).sense(truth) if m.tangent_end is not None]
    assert m.saturated == ("drone_azimuth", "drone_elevation")
    np.testing.assert_allclose(m.tangent_end, unit_vector(-1.0, 1.2), atol=1e-8)


def test_an_endless_azimuth_goes_round_and_round():
    truths = [make_truth(k / 100.0, azimuth=0.05 * k) for k in range(400)]
    measurements = [m for m in heard(suite(), truths) if m.tangent_base is not None]
    assert all(m.saturated == () for m in measurements)
    for m, truth in zip(measurements, truths, strict=True):
        np.testing.assert_allclose(m.tangent_base, truth.tangent_base_W, atol=1e-8)
    ended = replace(PERFECT, azimuth_endless=False)
    assert any(m.saturated for m in heard(suite(ended), truths))


def test_friction_is_felt_between_samples_too():
    """A swing between two samples of a slow sensor leaves its lag behind."""
    spec = replace(PERFECT, friction=0.5, rate_hz=1.0)
    swing = [make_truth(k / 100.0, low=0.8 + 0.4 * math.sin(math.pi * k / 100.0)) for k in range(101)]
    angles = base_angles(heard(suite(spec), swing))
    assert angles[:, 1] == pytest.approx([0.8, 0.8 + math.asin(0.5 / 3.5)], abs=1e-8)


def test_heading_errors_turn_the_tangent_about_the_vertical():
    attitude = replace(SURE, heading_offset=0.4)
    truth = make_truth(rotation=turned(0.1, 0.2, 0.3))
    (m,) = [m for m in suite(attitude=attitude).sense(truth) if m.tangent_end is not None]
    np.testing.assert_allclose(m.tangent_end_W, unit_vector(1.0, 1.0), atol=1e-8)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"frction": 0.1}, "Did you mean 'friction'"),
        ({"elevation_range": (1.0, 0.0)}, "low < high"),
        ({"azimuth_range": (-1.0, 1.0)}, "whole turn"),
        ({"adc_bits": 0}, "adc_bits must be from 1 to 32, got 0"),
        ({"supply_sag": 1.0}, "supply_sag must be a share"),
        ({"elevation_noise": -0.1}, "elevation_noise must be >= 0"),
        ({"rate_hz": 0.0}, "rate_hz must be > 0"),
    ],
)
def test_wrong_settings_are_explained(wrong, sentence):
    with pytest.raises(InputError, match=sentence):
        AngleSensorSpec(**wrong)
