"""Satellites, radio and camera: sensors that no estimator listens to yet."""

import math

import numpy as np
import pytest
from sensor_scenes import make_truth, turned

from tetherlab.contracts.errors import InputError
from tetherlab.sensors.camera import CameraSpec
from tetherlab.sensors.gnss import GnssSpec
from tetherlab.sensors.readings import GnssReading, PixelReading, RangeReading
from tetherlab.sensors.suite import SensorSuite, SuiteSpec
from tetherlab.sensors.uwb import UwbSpec

COUNT = 2000


def read(kind, truths, seed=1, **specs):
    suite, found = SensorSuite(SuiteSpec(**specs), seed), []
    for truth in truths:
        suite.sense(truth)
        found += [reading for reading in suite.readings if isinstance(reading, kind)]
    return found


def at_rest(rate_hz=10.0, count=COUNT, **others):
    return (make_truth(k / rate_hz, **others) for k in range(count))


def test_gnss_errs_by_noise_and_wander_more_in_height():
    spec = GnssSpec(rate_hz=10.0, delay=0.0, noise=0.3, wander=0.4, wander_time=0.01, vertical=2.0)
    place = np.array([3.0, -2.0, 5.0])
    errors = np.array([r.position - place for r in read(GnssReading, at_rest(attachment=place), gnss=spec)])
    ratio = np.mean(errors**2, axis=0) / [0.25, 0.25, 1.0]
    np.testing.assert_allclose(ratio, 1.0, atol=5.0 * math.sqrt(2.0 / COUNT))


def test_uwb_tells_the_distance_within_its_range():
    place, base = np.array([3.0, 0.0, 4.2]), np.array([0.0, 0.0, 0.2])
    spec = UwbSpec(rate_hz=10.0, delay=0.0, noise=0.05, offset=0.1)
    readings = read(RangeReading, at_rest(attachment=place, base=base), uwb=spec)
    ranges = np.array([r.range for r in readings])
    assert np.mean(ranges) == pytest.approx(5.1, abs=0.05 * 5 / math.sqrt(COUNT))
    assert np.var(ranges) / 0.05**2 == pytest.approx(1.0, abs=5.0 * math.sqrt(2.0 / COUNT))
    (far,) = read(RangeReading, [make_truth(attachment=100.0 * place)], uwb=spec)
    assert far.range == 60.0 and far.saturated == ("uwb",)


EXACT = {"noise": 0.0, "delay": 0.0, "focal_length": 500.0, "width": 1000, "height": 800}


def test_a_landmark_is_where_a_pinhole_shows_it():
    """From 10 m above: a metre is 50 pixels; ahead is up in the picture, left is left."""
    truth = make_truth(attachment=np.array([0.0, 0.0, 10.0]))
    for landmark, pixel in (
        ((0.0, 0.0, 0.0), (500.0, 400.0)),
        ((2.0, 0.0, 0.0), (500.0, 300.0)),
        ((0.0, 3.0, 0.0), (350.0, 400.0)),
        ((0.0, 0.0, 5.0), (500.0, 400.0)),
    ):
        (reading,) = read(PixelReading, [truth], camera=CameraSpec(landmark=landmark, **EXACT))
        np.testing.assert_allclose(reading.pixel, pixel, atol=1e-9)
        np.testing.assert_array_equal(reading.landmark, landmark)


def test_the_camera_turns_with_the_drone():
    truth = make_truth(attachment=np.array([0.0, 0.0, 10.0]), rotation=turned(z=0.5 * math.pi))
    (reading,) = read(PixelReading, [truth], camera=CameraSpec(landmark=(0.0, 2.0, 0.0), **EXACT))
    np.testing.assert_allclose(reading.pixel, (500.0, 300.0), atol=1e-9)
    lowered = CameraSpec(position=(0.0, 0.0, -2.0), landmark=(0.0, 2.0, 0.0), **EXACT)
    (reading,) = read(PixelReading, [truth], camera=lowered)
    np.testing.assert_allclose(reading.pixel, (500.0, 275.0), atol=1e-9)


@pytest.mark.parametrize("landmark", [(0.0, 0.0, 20.0), (0.0, 0.0, 10.0), (11.0, 0.0, 0.0)])
def test_what_is_behind_or_beside_is_not_seen(landmark):
    truth = make_truth(attachment=np.array([0.0, 0.0, 10.0]))
    assert read(PixelReading, [truth], camera=CameraSpec(landmark=landmark, **EXACT)) == []


def test_pixels_are_noisy():
    spec = CameraSpec(rate_hz=10.0, delay=0.0, noise=0.7)
    found = read(PixelReading, at_rest(attachment=np.array([0.0, 0.0, 5.0])), camera=spec)
    pixels = np.array([r.pixel for r in found])
    np.testing.assert_allclose(np.var(pixels, axis=0) / 0.49, 1.0, atol=5.0 * math.sqrt(2.0 / COUNT))


@pytest.mark.parametrize(
    ("spec", "wrong", "sentence"),
    [
        (GnssSpec, {"wander_time": 0.0}, "wander_time must be > 0"),
        (UwbSpec, {"range_max": -1.0}, "range_max must be > 0"),
        (CameraSpec, {"landmark": (1.0, 2.0)}, "landmark must have shape"),
        (CameraSpec, {"focal_lenght": 3.0}, "Did you mean 'focal_length'"),
    ],
)
def test_wrong_settings_are_explained(spec, wrong, sentence):
    with pytest.raises(InputError, match=sentence):
        spec(**wrong)
