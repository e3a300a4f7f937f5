"""What each method of the survey does beyond what all of them share."""

import math
from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest
from survey_scenes import EXACT, MASS, QUIET, SENSING, assert_covariance, scene, straight_scene, turn

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.estimate import EstimateStatus
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.assumptions import lowest, lowest_by_force
from tetherlab.estimation.base_force import end_from_force
from tetherlab.estimation.base_tension import BaseTensionLocalizer
from tetherlab.estimation.elevation_correction import ElevationLocalizer, sag_correction
from tetherlab.estimation.sensing import Sensing, SensorNoise
from tetherlab.estimation.taut_line import TautLineLocalizer
from tetherlab.estimation.thrust import FELT, ThrustLocalizer
from tetherlab.tether.catenary import Catenary

QUIETLY = replace(SENSING, noise=QUIET)
END = (2.0, 1.0, 3.0)


# A straight line.


@pytest.mark.parametrize("which", ["drone", "base", "mean"])
def test_a_line_by_either_end_or_both_has_the_covariance_it_says(which):
    localizer = TautLineLocalizer(QUIETLY, which=which)
    estimate = localizer.update(straight_scene(END, 2000.0))
    assert estimate.status is EstimateStatus.OK
    assert np.allclose(estimate.position, END, rtol=0, atol=EXACT)
    assert_covariance(localizer, straight_scene(END, 2000.0), whitened=True)


@pytest.mark.parametrize("kind", [TautLineLocalizer, ThrustLocalizer])
def test_an_unsure_heading_spreads_the_answer_sideways(kind):
    localizer = kind(QUIETLY, heading_deviation=0.003)
    assert_covariance(localizer, straight_scene(END), heading=0.003, whitened=True)


def test_the_mean_of_both_slopes_cancels_most_of_the_sag():
    """At the paper's 3.5 N and 22 g/m it is within about 2 cm, and by either end alone off by 10."""
    sensing = Sensing()
    errors = {}
    curve = Catenary.from_angles(4.284, 0.3, *bent_by(3.5, 0.841, 4.284, sensing))
    measurement = Measurement.from_angles(4.284, 0.3, *bent_by(3.5, 0.841, 4.284, sensing), tension=3.5)
    for which in ("drone", "base", "mean"):
        position = TautLineLocalizer(sensing, which=which).update(measurement).position
        errors[which] = np.linalg.norm(position - curve.end)
    assert errors["mean"] < 0.021
    assert min(errors["drone"], errors["base"]) > 0.1


def bent_by(tension, low, length, sensing):
    """Slopes at base and end of a tether with this tension at its base."""
    up = tension * math.sin(low) + sensing.weight * length
    return low, math.atan2(up, tension * math.cos(low))


@pytest.mark.parametrize("which", ["drone", "base"])
def test_without_a_tension_the_difference_of_the_slopes_tells_the_sag(which):
    sagging = replace(scene((6.0, -4.0, 3.0), 8.5), tension=math.nan)
    assert TautLineLocalizer(SENSING, which=which).update(sagging).status is EstimateStatus.SLACK
    straight = replace(straight_scene(END), tension=math.nan)
    assert TautLineLocalizer(SENSING, which=which).update(straight).status is EstimateStatus.OK


def test_a_line_has_ends_that_are_known():
    with pytest.raises(InputError, match=r"which='dron' is no end of a tether\. Did you mean 'drone'"):
        TautLineLocalizer(which="dron")


# What the drone feels.


@pytest.mark.parametrize("acceleration", [(0, 0, 0), (2.0, -1.0, 0.5), (0, 0, -9.0)])
def test_thrust_tells_the_direction_in_any_motion(acceleration):
    measurement = straight_scene(END, 6.0, acceleration=acceleration, base=(1.0, 2.0, 3.0))
    sensing = replace(SENSING, linear_density=1e-12)
    estimate = ThrustLocalizer(sensing).update(measurement)
    assert estimate.status is EstimateStatus.OK
    assert np.allclose(estimate.position, np.add(END, (1.0, 2.0, 3.0)), rtol=0, atol=EXACT)


def test_the_answer_by_thrust_is_less_sure_at_less_tension():
    """Force noise turns the line by noise over tension: a tenth of the tension, ten times the deviation."""
    sensing = replace(SENSING, noise=SensorNoise(attitude=0.0, length=0.0))
    weak, strong = (
        ThrustLocalizer(sensing).update(straight_scene((3.0, 0.0, 0.0), tension)) for tension in (4.0, 40.0)
    )
    # The attitude differs too; along the tether's own axes the ratio is that of the tensions.
    assert weak.deviation[1] / strong.deviation[1] == pytest.approx(10.0, rel=1e-6)
    assert weak.deviation[1] == pytest.approx(3.0 * MASS * 0.05 / 4.0, rel=1e-9)


def test_thrust_holds_at_the_usual_noise():
    sensing = replace(SENSING, linear_density=1e-12)
    assert_covariance(ThrustLocalizer(sensing), straight_scene(END, 4.0))


def test_a_pull_that_is_not_felt_has_no_direction():
    noise = SENSING.noise
    least = FELT * math.hypot(MASS * noise.specific_force, noise.thrust)
    for tension, expected in ((0.99 * least, EstimateStatus.SLACK), (1.01 * least, EstimateStatus.OK)):
        sensing = replace(SENSING, linear_density=1e-12)
        estimate = ThrustLocalizer(sensing).update(straight_scene(END, tension))
        assert estimate.status is expected
        assert np.isnan(estimate.position).all() == (expected is EstimateStatus.SLACK)


# The force at the base.

FORCES = [
    (2.0, 1.5),
    (0.3, -2.0),
    (50.0, -1.0),
    (1e6, 3e5),
    (1e-3, -1.0),
    (4.0, -9.0),
    (1e-9, 2.0),
    (0.0, 2.0),
]


@pytest.mark.parametrize(("a", "sigma"), FORCES)
def test_the_end_by_its_base_force_matches_many_digits(a, sigma):
    """Also how it follows the direction and size of the force, which a taut tether amplifies."""

    def end(length, azimuth, a, sigma):
        top = sigma + length
        start, stop = mp.sqrt(a * a + sigma * sigma), mp.sqrt(a * a + top * top)
        run = a * mp.log((top + stop) / (sigma + start))
        return [run * mp.cos(azimuth), run * mp.sin(azimuth), stop - start]

    _, _, found, jacobian = end_from_force(4.0, 0.7, a, sigma)
    with mp.workdps(100):
        exact = [mp.mpf(value) for value in (4.0, 0.7, a, sigma)]
        assert np.allclose(found, np.array(end(*exact), float), rtol=0, atol=1e-13)
        for j in range(4):
            step = mp.mpf(10) ** -30
            plus, minus = list(exact), list(exact)
            plus[j] += step
            minus[j] -= step
            slope = np.array(
                [(p - m) / (2 * step) for p, m in zip(end(*plus), end(*minus), strict=True)], float
            )
            # Of a taut tether all derivatives by force are small, and kept to as many digits.
            assert np.allclose(jacobian[:, j], slope, rtol=1e-9, atol=1e-9 * np.abs(slope).max())


def test_a_tether_that_leaves_straight_down_cannot_be_placed():
    down = Measurement(length=4.0, tangent_base=np.array([0.0, 0.0, -1.0]), tension=0.5)
    assert np.isnan(end_from_force(4.0, 0.0, 0.0, -2.0)[2]).all()
    # A tangent of rounded numbers is never quite straight down; its answer is then very unsure.
    estimate = BaseTensionLocalizer().update(down)
    assert np.isnan(estimate.position).all() or estimate.deviation[0] > 0.1


def test_a_base_that_does_not_pull_has_no_curve():
    measurement = replace(scene(END, 3.85), tension=0.0)
    estimate = BaseTensionLocalizer(SENSING).update(measurement)
    assert estimate.status is EstimateStatus.SLACK
    assert np.isnan(estimate.position).all()


@pytest.mark.parametrize("end", [END, (-3.0, 3.0, 1.0), (1.0, 0.0, -5.0)])
@pytest.mark.parametrize("slack", [1.01, 1.4])
def test_the_lowest_point_is_that_of_the_curve(end, slack):
    length = slack * math.hypot(*end)
    curve = Catenary.between((0, 0, 0), end, length)
    expected = curve.sample(20001)[:, 2].min()
    assert lowest_by_force(length, curve.parameter, curve.sigma_base) == pytest.approx(expected, abs=1e-6)
    level = np.array(end[:2]) / math.hypot(*end[:2])
    slopes = (math.atan2(t[2], t[:2] @ level) for t in (curve.tangent(0.0), curve.tangent(length)))
    assert lowest(length, *slopes) == pytest.approx(expected, abs=1e-6)


# Corrected elevation.


def test_the_correction_raises_the_line_and_shortens_it():
    """Nearly straight, by half the turn and by a 24th of its square: the arc over its chord."""
    length, low, tension, weight = 5.0, 0.5, 100.0, 0.3
    correction = sag_correction(length, low, tension, weight)
    bend = weight * length * math.cos(low) / tension
    assert correction.elevation == pytest.approx(0.5 * bend, rel=0.02)
    assert correction.length == pytest.approx(-length * bend**2 / 24.0, rel=0.02)


def test_a_hovering_drone_weighs_its_tether_by_its_tilt():
    """The tension that is inferred is the one that is there, so it agrees with the sensor's."""
    measurement = scene(END, 3.85)
    by_weight = ElevationLocalizer(SENSING).update(measurement)
    by_sensor = ElevationLocalizer(SENSING, tension="sensor").update(measurement)
    assert np.allclose(by_weight.position, by_sensor.position, rtol=0, atol=EXACT)
    # A wrong sensor does not disturb the first, and a wrong attitude not the second.
    assert np.allclose(
        ElevationLocalizer(SENSING).update(replace(measurement, tension=math.nan)).position, END, atol=EXACT
    )
    tilted = replace(measurement, rotation=np.eye(3), tangent_end=None)
    assert np.allclose(
        ElevationLocalizer(SENSING, tension="sensor").update(tilted).position, END, rtol=0, atol=EXACT
    )


def test_with_a_sensor_it_is_the_curve_by_its_base_force():
    """The detour over corrected angles changes nothing, as the survey remarks."""
    measurement = scene(END, 3.85)
    detour = ElevationLocalizer(SENSING, tension="sensor").update(measurement)
    direct = BaseTensionLocalizer(SENSING).update(measurement)
    assert np.allclose(detour.position, direct.position, rtol=0, atol=1e-14)
    assert np.allclose(detour.covariance, direct.covariance, rtol=1e-12)


def test_a_drone_that_leans_aside_does_not_hover():
    measurement = replace(scene((2.0, 0.0, 3.0), 3.85), tangent_end=None)
    leaning = turn((0.1, 0.0, 0.0)) @ measurement.rotation  # about the direction of the tether
    estimate = ElevationLocalizer(SENSING).update(replace(measurement, rotation=leaning))
    assert estimate.status is EstimateStatus.CANNOT_SAY


@pytest.mark.parametrize("tilt", [-0.2, 0.012, 1.2, -2.5])
def test_a_tilt_that_no_pull_explains_is_refused(tilt):
    """Towards the base, next to none, so far that no tension would do, or upside down."""
    measurement = replace(scene((2.0, 0.0, 3.0), 3.62), rotation=turn((0.0, tilt, 0.0)), tangent_end=None)
    estimate = ElevationLocalizer(SENSING).update(measurement)
    assert estimate.status is EstimateStatus.SLACK
    assert np.isnan(estimate.position).all()


def test_a_tension_has_sources_that_are_known():
    with pytest.raises(InputError, match=r"tension='sensors' is no way .* Did you mean 'sensor'"):
        ElevationLocalizer(SENSING, tension="sensors")
