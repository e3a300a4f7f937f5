"""Length and slopes to a position: against 100-digit arithmetic, against noise, and across the vertical."""

import math
from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest
from survey_scenes import QUIET, SENSING, disturbed, normals, scene, turn

from tetherlab.contracts.estimate import EstimateStatus
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.assumptions import ASTRAY, SWING
from tetherlab.estimation.catenary import CatenaryLocalizer, locate_many
from tetherlab.estimation.sensing import Sensing, SensorNoise
from tetherlab.tether.catenary_angles import end_from_elevations

EXACT = Sensing(noise=SensorNoise(azimuth=1.0, elevation_base=1.0, elevation_end=1.0, length=1.0))
degrees = math.radians
# Length [m], azimuth, elevations at base and end [deg].
CASES = [
    (4.284, 101.6, 48.2, 64.0),  # Table II of the paper
    (4.0, -30.0, -50.0, 70.0),
    (12.0, 10.0, -70.0, -20.0),
    (150.0, 200.0, 5.0, 80.0),
    (5.0, 33.0, 40.0, 40.0),
    (5.0, 33.0, 40.0, 40.0 + 1e-12),
    (5.0, 33.0, 40.0, 40.0 + 1e-6),
    (5.0, 33.0, -40.0, -40.0 + 1e-3),
    (5.0, 33.0, 0.0, 0.0),
    (8.0, -75.0, 89.0, 89.9),
    (8.0, -75.0, 89.999999, 89.9999995),
    (8.0, -75.0, 89.9999, 89.9999),
    (8.0, -75.0, 91.0, 90.2),
    (8.0, -75.0, 90.0, 90.0),
    (8.0, -75.0, 120.0, 95.0),
]


def printed(length, azimuth, low, high):
    """Equations (7) to (13) of the paper, mirrored where the tether leans against its azimuth."""
    if mp.cos(low) < 0:
        azimuth, low, high = azimuth + mp.pi, mp.pi - low, mp.pi - high
    a = length / (mp.tan(high) - mp.tan(low))
    b = -a * mp.asinh(mp.tan(low))
    c = -a * mp.cosh(b / a)
    run = b + a * mp.asinh(mp.tan(high))
    return [run * mp.cos(azimuth), run * mp.sin(azimuth), a * mp.cosh((run - b) / a) + c]


def truth(arguments):
    """The printed formula and its central differences with so many digits that no loss of them is felt."""
    with mp.workdps(100):
        exact = [mp.mpf(value) for value in arguments]
        if exact[2] == exact[3]:
            exact[3] += mp.mpf(10) ** -40  # it is undefined at equality, and smooth around it
        step = mp.mpf(10) ** -30
        columns = []
        for i in range(4):
            plus, minus = list(exact), list(exact)
            plus[i] += step
            minus[i] -= step
            pairs = zip(printed(*plus), printed(*minus), strict=True)
            columns.append([float((p - m) / (2 * step)) for p, m in pairs])
        return np.array([float(value) for value in printed(*exact)]), np.array(columns).T


@pytest.mark.parametrize(("length", "azimuth", "low", "high"), CASES)
def test_position_and_covariance_match_many_digits(length, azimuth, low, high):
    arguments = (length, degrees(azimuth), degrees(low), degrees(high))
    end, jacobian = truth(arguments)
    located = locate_many(np.array([arguments]), EXACT)
    assert located.ok.all()
    assert np.allclose(located.position[0], end, rtol=0, atol=1e-9)
    # Unit noise in all: the covariance is J Jᵀ.
    expected = jacobian @ jacobian.T
    assert np.allclose(located.covariance[0], expected, rtol=0, atol=1e-9 * np.linalg.norm(expected, 2))


@pytest.mark.parametrize(("length", "azimuth", "low", "high"), CASES)
def test_the_jacobian_matches_many_digits(length, azimuth, low, high):
    arguments = (length, degrees(azimuth), degrees(low), degrees(high))
    jacobian = end_from_elevations(*arguments, 0.1)[2]
    assert np.allclose(jacobian, truth(arguments)[1], rtol=0, atol=1e-9)


def noisy_answers(row, sensing):
    noise = sensing.noise
    deviations = (noise.length, noise.azimuth, noise.elevation_base, noise.elevation_end)
    located = locate_many(np.array(row) + normals(2**14, 4) * deviations, sensing)
    assert located.ok.all()
    return located.position


@pytest.mark.parametrize(
    ("low", "high", "noise"),
    [
        (48.2, 64.0, SensorNoise()),
        (-50.0, 60.0, SensorNoise()),
        (40.0, 40.0, SensorNoise()),
        (70.0, 80.0, SensorNoise()),
        # Nearer to straight above, the first order holds while 90 degrees are several deviations away.
        (80.0, 84.0, QUIET),
        (86.0, 88.5, QUIET),
        (88.0, 89.0, QUIET),
        (94.0, 91.5, QUIET),
    ],
)
def test_the_covariance_is_that_of_noisy_positions(low, high, noise):
    sensing = Sensing(noise=noise)
    row = (6.0, 0.3, degrees(low), degrees(high))
    expected = locate_many(np.array([row]), sensing).covariance[0]
    measured = np.cov(noisy_answers(row, sensing).T)
    assert np.linalg.norm(measured - expected, 2) < 0.03 * np.linalg.norm(expected, 2)


@pytest.mark.parametrize(("low", "high"), [(88.0, 89.0), (90.0, 90.0), (91.0, 90.3)])
def test_straight_above_the_covariance_is_on_the_safe_side(low, high):
    """There noise crosses 90 degrees, where positions fold back onto the vertical: nearer than promised."""
    row = (6.0, 0.0, degrees(low), degrees(high))
    promised = math.sqrt(locate_many(np.array([row])).covariance[0, 0, 0])
    positions = noisy_answers(row, Sensing())
    assert 0.3 * promised < positions[:, 0].std() < promised


def test_one_and_many_agree():
    rows = np.array([(length, *map(degrees, angles)) for length, *angles in CASES])
    located = locate_many(rows)
    for row, position, covariance in zip(rows, located.position, located.covariance, strict=True):
        estimate = CatenaryLocalizer().update(Measurement.from_angles(*row))
        assert np.allclose(estimate.position, position, rtol=0, atol=1e-13 * row[0])
        assert np.allclose(estimate.covariance, covariance, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize(("low", "high"), [(60.0, 30.0), (45.0, 135.0), (-90.0, 90.0)])
def test_slopes_that_no_tether_has_are_refused(low, high):
    estimate = CatenaryLocalizer().update(Measurement.from_angles(4.0, 0.3, degrees(low), degrees(high)))
    assert estimate.status is EstimateStatus.NO_SUCH_TETHER
    assert np.isnan(estimate.position).all()
    located = locate_many(np.array([[4.0, 0.3, degrees(low), degrees(high)]]))
    assert not located.ok[0]
    assert np.isnan(located.position[0]).all()


def test_the_heading_of_the_drone_is_not_relied_on():
    """Its elevation is used, its azimuth only to tell the sides of the vertical apart."""
    measurement = scene((2.0, 1.0, 3.0), 3.85)
    for error in (-1.2, 0.4, 1.2):
        rotation = turn((0.0, 0.0, error)) @ measurement.rotation
        estimate = CatenaryLocalizer(SENSING).update(replace(measurement, rotation=rotation))
        assert np.allclose(estimate.position, (2.0, 1.0, 3.0), rtol=0, atol=1e-9)


def test_a_tether_that_turns_by_more_than_a_right_angle_is_not_taken_for_a_wrapped_one():
    slack = scene((-3.0, 3.0, 1.0), 6.0)
    assert CatenaryLocalizer(SENSING).update(slack).status is EstimateStatus.OK
    assert CatenaryLocalizer(SENSING).update(replace(slack, tension=4.0)).status is EstimateStatus.WRAPPED


def test_a_tension_below_friction_is_said():
    measurement = scene((2.0, 1.0, 3.0), 3.85)
    held_back = replace(SENSING, friction=0.2 * measurement.tension)
    assert CatenaryLocalizer(held_back).update(measurement).status is EstimateStatus.SLACK


@pytest.mark.parametrize("noise", [SensorNoise(), SensorNoise(elevation_base=0.03, elevation_end=0.001)])
def test_noise_alone_is_not_taken_for_a_wrap(noise):
    """Four deviations in a thousand samples, whichever of the sensors makes them."""
    localizer = CatenaryLocalizer(replace(SENSING, noise=noise))
    measurement = scene((2.0, 1.0, 3.0), 3.75)
    samples = normals(1024, 13)
    statuses = [localizer.update(disturbed(measurement, noise, sample)).status for sample in samples]
    assert statuses.count(EstimateStatus.OK) >= 1022


@pytest.mark.parametrize(("lags", "expected"), [(1.8, EstimateStatus.OK), (2.5, EstimateStatus.WRAPPED)])
def test_friction_may_hold_both_sensors_back(lags, expected):
    measurement = scene((2.0, 1.0, 3.0), 3.75)
    sure = replace(
        SENSING,
        friction=0.05,
        noise=replace(QUIET, elevation_base=0.0, elevation_end=0.0, tension=0.0, attitude=0.0),
    )
    sideways = np.cross(measurement.tangent_end_W, (0.0, 0.0, 1.0))
    away = lags * 0.05 / measurement.tension + SWING + ASTRAY / measurement.length
    back = turn(away * sideways / np.linalg.norm(sideways))
    late = measurement.rotation.T @ back @ measurement.tangent_end_W
    assert CatenaryLocalizer(sure).update(replace(measurement, tangent_end=late)).status is expected
