"""Every method of the survey: exact where its assumption holds, symmetric, honest about its noise."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from survey_scenes import (
    EXACT,
    QUIET,
    SAMPLES,
    SENSING,
    SLOPED,
    assert_covariance,
    disturbed,
    scene,
    straight_scene,
    yawed,
)

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.estimate import EstimateStatus
from tetherlab.estimation.catenary import CatenaryLocalizer
from tetherlab.estimation.fixed_length import FixedLengthLocalizer
from tetherlab.estimation.sensing import SensorNoise
from tetherlab.estimation.survey import SURVEY

ENDS = [
    ((2.0, 1.0, 3.0), 3.85),  # about the paper's
    ((6.0, -4.0, 9.0), 11.6),
    ((-3.0, 3.0, 1.0), 6.0),  # sags far below its base
    ((4.0, 0.0, 0.3), 4.02),  # nearly straight, nearly level
    ((0.05, 0.02, 8.0), 8.0002),  # nearly straight above
]
BASES = [((0.0, 0.0, 0.0), np.eye(3)), ((1.0, -2.0, 0.5), SLOPED)]


def sure_of_length(method, noise):
    """What `length=` tells beforehand is not disturbed with the measurements."""
    return replace(SENSING, noise=replace(noise, length=0.0) if "length" in method.told else noise)


def over(methods):
    return pytest.mark.parametrize("method", methods, ids=lambda method: method.name)


every = over(SURVEY)
curved = over([m for m in SURVEY if not m.straight and m.name != "selector"])
straight = over([m for m in SURVEY if m.straight])


def made(method, length, sensing=SENSING):
    return method.kind(sensing, length=length) if "length" in method.told else method.kind(sensing)


def a_scene(method, **options):
    if method.straight:
        return straight_scene((2.0, 1.0, 3.0), **options)
    return scene((2.0, 1.0, 3.0), 3.85, **options)


def nothing(name):
    return None if name.startswith("tangent") or name == "specific_force" else math.nan


@curved
@pytest.mark.parametrize(("base", "rotation_base"), BASES)
@pytest.mark.parametrize(("end", "length"), ENDS)
def test_a_hanging_tether_is_located_exactly(method, end, length, base, rotation_base):
    measurement = scene(end, length, base=base, rotation_base=rotation_base, yaw=0.7)
    estimate = made(method, length).update(measurement)
    if method.name == "elevation" and end[2] == 8.0:
        # Straight above, the tilt tells nothing of the tension.
        assert estimate.status is EstimateStatus.SLACK
        return
    assert estimate.status is EstimateStatus.OK
    assert np.allclose(estimate.position, np.add(base, end), rtol=0, atol=EXACT)
    assert estimate.time == measurement.time


@every
@pytest.mark.parametrize(("base", "rotation_base"), BASES)
@pytest.mark.parametrize("end", [(2.0, 1.0, 3.0), (-5.0, 0.2, 0.1), (1.0, 1.0, -2.0)])
def test_a_straight_tether_is_located_exactly(method, end, base, rotation_base):
    """Where the weight of the tether is nothing, all methods agree."""
    sensing = replace(SENSING, linear_density=1e-12)
    measurement = straight_scene(end, 20.0, base=base, rotation_base=rotation_base, yaw=-1.1)
    estimate = made(method, math.hypot(*end), sensing).update(measurement)
    assert estimate.status is EstimateStatus.OK
    assert np.allclose(estimate.position, np.add(base, end), rtol=0, atol=EXACT)


@straight
def test_the_error_of_a_straight_line_vanishes_as_the_tension_grows(method):
    """Its line turns by w L cos/2T, so ten times the tension is a tenth of the error."""
    errors = []
    for slack in (1e-5, 1e-7):  # tension goes with the root of the slack
        measurement = scene((2.0, 1.0, 3.0), math.sqrt(14.0) * (1.0 + slack))
        position = method.kind(SENSING).update(measurement).position
        errors.append(np.linalg.norm(position - (2.0, 1.0, 3.0)))
    assert errors[0] / errors[1] == pytest.approx(10.0, rel=0.02)
    assert errors[1] < 0.005


@every
@pytest.mark.parametrize("angle", [0.4, 2.5, -1.7])
def test_turning_the_scene_turns_the_answer(method, angle):
    measurement = a_scene(method, base=(1.0, -2.0, 0.5), yaw=0.3)
    estimator = made(method, measurement.length)
    plain, turned = estimator.update(measurement), estimator.update(yawed(measurement, angle))
    R = Rotation.from_euler("z", angle).as_matrix()
    assert np.allclose(turned.position, R @ plain.position, rtol=0, atol=1e-12)
    assert np.allclose(turned.covariance, R @ plain.covariance @ R.T, rtol=0, atol=1e-12)
    assert turned.status is plain.status


@every
def test_the_covariance_is_that_of_noisy_answers(method):
    """With a tenth of the usual noise, along every direction; the surest is the length's."""
    measurement = a_scene(method, base=(1.0, -2.0, 0.5), yaw=0.3)
    estimator = made(method, measurement.length, sure_of_length(method, QUIET))
    assert_covariance(estimator, measurement, whitened=True)


@every
@pytest.mark.parametrize("sensor", SAMPLES)
def test_each_sensor_adds_what_central_differences_say(method, sensor):
    """Noise in one sensor alone, so small that nothing else is seen."""
    step = 1e-5
    silent = SensorNoise(**dict.fromkeys(vars(SENSING.noise), 0.0))
    noise = replace(silent, **{sensor: step})
    measurement = a_scene(method, base=(1.0, -2.0, 0.5), yaw=0.3)
    estimator = made(method, measurement.length, replace(SENSING, noise=noise))
    expected = np.zeros((3, 3))
    for index in SAMPLES[sensor]:
        there, back = (disturbed(measurement, noise, sign * np.eye(13)[index]) for sign in (1.0, -1.0))
        column = (estimator.update(there).position - estimator.update(back).position) / (2.0 * step)
        expected += np.outer(column, column)
    if sensor == "length" and "length" in method.told:
        direction = np.subtract(estimator.update(measurement).position, measurement.base) / measurement.length
        expected = np.outer(direction, direction)  # the curve grows as a whole
    found = estimator.update(measurement).covariance / step**2
    assert np.allclose(found, expected, rtol=0, atol=1e-6 * max(np.abs(expected).max(), 1.0))


@curved
@pytest.mark.parametrize(("end", "length"), [ENDS[0], ENDS[2]])
def test_the_covariance_holds_at_the_usual_noise(method, end, length):
    assert_covariance(made(method, length, sure_of_length(method, SENSING.noise)), scene(end, length))


@every
def test_a_sensor_that_is_needed_and_missing_is_said(method):
    measurement = a_scene(method)
    estimator = made(method, measurement.length)
    for name in method.needs:
        estimate = estimator.update(replace(measurement, **{name: nothing(name)}))
        assert estimate.status is EstimateStatus.MISSING
        assert np.isnan(estimate.position).all()


@every
def test_only_what_is_needed_is_needed(method):
    all_sensors = {"length", "tangent_base", "tangent_end", "specific_force", "thrust", "tension"}
    unneeded = all_sensors - set(method.needs)
    measurement = a_scene(method)
    if method.name == "selector":  # without the angle at the end, the tension must tell that it is straight
        unneeded.remove("tension")
        measurement = straight_scene((2.0, 1.0, 3.0))
    measurement = replace(measurement, **{name: nothing(name) for name in unneeded})
    estimate = made(method, 4.0 if method.told == ("length",) else math.nan).update(measurement)
    # A line of which nothing tells whether it is straight holds by fewer sensors than there should be.
    lonely = method.name == "taut_line"
    assert estimate.status is (EstimateStatus.UNSURE if lonely else EstimateStatus.OK)
    assert np.isfinite(estimate.position).all()


@every
def test_a_saturated_sensor_is_said(method):
    measurement = replace(a_scene(method), saturated=("tension",))
    status = made(method, measurement.length).update(measurement).status
    chosen = method.name == "selector"
    assert status is (EstimateStatus.CANNOT_SAY if chosen else EstimateStatus.SATURATED)


@every
def test_a_tether_on_the_ground_is_said(method):
    if method.straight:
        measurement = straight_scene((2.0, 1.0, -0.4), base=(0.0, 0.0, 1.0))  # ends at 0.6 m
    else:
        measurement = scene((-3.0, 3.0, 1.0), 4.8, base=(0.0, 0.0, 1.0))  # sags to 0.54 m
    on_ground = EstimateStatus.CANNOT_SAY if method.name == "selector" else EstimateStatus.GROUND
    for ground, expected in ((0.05, EstimateStatus.OK), (0.7, on_ground)):
        sensing = replace(SENSING, ground=ground)
        assert made(method, measurement.length, sensing).update(measurement).status is expected


@curved
def test_a_tether_around_a_corner_is_said(method):
    """Both slopes belong to a curve of another tension."""
    measurement = replace(scene((6.0, -4.0, 9.0), 12.0), tension=30.0)
    assert made(method, 12.0).update(measurement).status is EstimateStatus.WRAPPED


@straight
def test_a_tether_that_sags_is_not_taken_for_a_straight_one(method):
    assert method.kind(SENSING).update(scene((6.0, -4.0, 3.0), 8.5)).status is EstimateStatus.SLACK


@every
def test_nothing_is_remembered(method):
    measurement = a_scene(method)
    estimator = made(method, measurement.length)
    first = estimator.update(measurement)
    estimator.update(replace(measurement, length=measurement.length + 1.0))
    estimator.reset()
    again = estimator.update(measurement)
    assert np.array_equal(first.position, again.position)
    assert np.array_equal(first.covariance, again.covariance)


def test_a_fixed_length_is_as_unsure_as_a_measured_one():
    measurement = scene((2.0, 1.0, 3.0), 3.85)
    fixed = FixedLengthLocalizer(SENSING, length=3.85).update(replace(measurement, length=99.0))
    assert np.array_equal(fixed.covariance, CatenaryLocalizer(SENSING).update(measurement).covariance)


def test_names_are_unique_and_sources_are_named():
    assert len({method.name for method in SURVEY}) == len(SURVEY)
    assert all(method.source for method in SURVEY)


@over([m for m in SURVEY if m.told == ("drone_mass",)])
def test_a_mass_that_must_be_told_is_asked_for(method):
    with pytest.raises(InputError, match=r"needs the mass of the drone: Sensing\(drone_mass=...\)"):
        method.kind()


@over([m for m in SURVEY if m.told == ("length",)])
def test_a_length_that_must_be_told_is_asked_for(method):
    with pytest.raises(InputError, match="needs length"):
        method.kind()
    with pytest.raises(InputError, match="length must be > 0, got -1"):
        method.kind(length=-1)
