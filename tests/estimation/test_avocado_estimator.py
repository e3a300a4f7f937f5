"""AVOCADO's state by its own sensors: unbiased, as sure as it says, without jumps, honest when it fails."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sensed_flights import SPEC, UNPLACED, estimate, fly, ordinary, table

from tetherlab.contracts.errors import InputError
from tetherlab.estimation.avocado import NAMES, AvocadoDoubt, AvocadoEstimator, AvocadoEstimatorSpec
from tetherlab.sensors.avocado_suite import AvocadoSensorSpec
from tetherlab.sensors.avocado_truth import paper_rotation
from tetherlab.sensors.faults import Fault
from tetherlab.vehicles import avocado

SEEDS = range(8)
AT = {name: k for k, name in enumerate(NAMES)}
D = AvocadoDoubt


@pytest.fixture(scope="module")
def turning():
    """Eight seconds of tilts and turns."""
    return fly(avocado.resting(SPEC, 1.0), ordinary(5), 8.0)


@pytest.fixture(scope="module")
def swinging():
    """Swings through the vertical without thrust, the heading at 0."""
    start = replace(avocado.resting(SPEC, 1.0), theta=0.35, phi=0.03, heading=0.4)
    return fly(start, lambda time, state: avocado.AvocadoCommand(), 6.0)


@pytest.fixture(scope="module")
def errors(turning):
    """Errors and deviations after a second, with the tether off the vertical, (seeds, n, 11) twice."""
    errors, deviations = [], []
    for seed in SEEDS:
        found, deviation = table(estimate(turning, seed, AvocadoSensorSpec()))
        truth = turning.states[-len(found) :]
        kept = (np.arange(len(found)) > 100) & (abs(truth[:, AT["theta"]]) > 0.05)
        errors.append((found - truth)[kept])
        deviations.append(deviation[kept])
    return np.array(errors), np.array(deviations)


def doubts(estimates, start, end):
    """All that was doubted between two times [s]."""
    return {doubt for e in estimates if start <= e.time < end for doubt in e.doubts}


@pytest.mark.parametrize("name", NAMES)
def test_errors_are_as_large_as_the_deviations_say(errors, name):
    error, deviation = (values[:, :, AT[name]] for values in errors)
    normalised = np.mean(np.square(error / deviation))
    # Errors of a flight are alike: with 8 flights, of which each counts as few independent samples, chi
    # squared over its number stays below 3. Deviations may be too large, but not useless.
    assert normalised < 3.0
    if name not in (
        "distance",
        "tether_length",
        "distance_rate",
    ):  # known from the wheel, or a matter of odds
        assert normalised > 0.02


@pytest.mark.parametrize(
    "name", ["theta", "phi", "psi", "theta_rate", "phi_rate", "heading_rate", "psi_rate"]
)
def test_there_is_no_bias(errors, name):
    error, deviation = (values[:, :, AT[name]] for values in errors)
    assert abs(np.mean(error)) < 3.0 * np.sqrt(np.mean(deviation**2) / len(SEEDS))


def test_errors_are_small(errors):
    rms = np.sqrt(np.mean(errors[0] ** 2, axis=(0, 1)))
    # Tilts to what the camera's tilt wanders, 3 mrad; rates to what the noise of gyroscope and joint allows.
    assert rms[AT["theta"]] < 0.005 and rms[AT["phi"]] < 0.003
    assert rms[AT["theta_rate"]] < 0.03 and rms[AT["phi_rate"]] < 0.04
    assert rms[AT["heading"]] < 0.05 and rms[AT["psi"]] < 0.05


def test_the_angles_make_up_the_orientation_exactly(turning):
    """Four angles for three turns: what comes out is the orientation, off the vertical and on it."""
    estimates = estimate(turning, 3)
    for k in range(200, 800, 7):
        true = paper_rotation(avocado.AvocadoState(**dict(zip(NAMES, turning.states[k], strict=True))))
        apart = paper_rotation(estimates[k].state).T @ true
        assert math.acos(min(1.0, 0.5 * (np.trace(apart) - 1.0))) < 0.03


def test_nothing_jumps_where_theta_passes_zero(swinging):
    estimates = estimate(swinging, 2)
    found, deviation = table(estimates)
    theta, heading, psi = (found[100:, AT[name]] for name in ("theta", "heading", "psi"))
    assert np.sum(theta[1:] * theta[:-1] < 0.0) >= 4  # it does pass
    assert np.max(abs(np.diff(heading))) < 0.1 and np.max(abs(np.diff(psi))) < 0.1
    np.testing.assert_allclose(heading, 0.4, atol=0.3)
    through = abs(theta) < 0.01
    sure = deviation[100:, AT["heading"]]
    assert np.median(sure[through]) > 1.2 * np.median(sure[abs(theta) > 0.2])


def test_heading_is_doubted_at_rest_and_its_sum_with_psi_known():
    rest = replace(avocado.resting(SPEC, 1.0), heading=0.7)
    flight = fly(rest, lambda time, state: avocado.AvocadoCommand(), 3.0)
    estimates = estimate(flight, 4)
    assert D.HEADING in doubts(estimates, 1.0, 3.0) and estimates[-1].ok
    state = estimates[-1].state
    assert state.heading + state.psi == pytest.approx(0.7, abs=0.02)


def test_late_readings_are_moved_on_to_the_present(swinging):
    late = replace(UNPLACED, camera=replace(UNPLACED.camera, delay=0.04, delay_jitter=0.02))
    found, _ = table(estimate(swinging, 1, late))
    theta = found[100:, AT["theta"]] - swinging.states[-len(found) + 100 :, AT["theta"]]
    # Without, 40 to 60 ms at up to 1.1 rad/s would be 40 mrad and more.
    assert np.sqrt(np.mean(theta**2)) < 0.006


@pytest.mark.parametrize(
    "sensor, doubt",
    [("camera", D.CAMERA), ("gyroscope", D.GYROSCOPE), ("joint", D.JOINT), ("wheel", D.WHEEL)],
)
def test_a_silent_sensor_is_missed_and_what_is_left_goes_on(turning, sensor, doubt):
    fault = Fault("drop_out", start=3.0, end=4.0)
    estimates = estimate(turning, 0, faults=[(sensor, fault)])
    assert doubt not in doubts(estimates, 0.1, 3.0) and doubt in doubts(estimates, 3.2, 4.0)
    assert not [e for e in estimates if 3.2 < e.time < 4.0 and e.ok]
    assert doubt not in doubts(estimates, 4.5, 8.0) and estimates[-1].ok
    found, _ = table(estimates)
    error = abs(found - turning.states[-len(found) :])[:, AT["theta"]]
    assert np.max(error[-300:]) < 0.02
    if sensor != "gyroscope":  # without which nobody knows how it turns
        assert np.max(error[320:400]) < 0.1


@pytest.mark.parametrize(
    "sensor, doubt", [("camera", D.CAMERA), ("joint", D.JOINT), ("gyroscope", D.GYROSCOPE)]
)
def test_a_stuck_sensor_is_found_out(turning, sensor, doubt):
    estimates = estimate(turning, 0, faults=[(sensor, Fault("stuck", start=3.0, end=4.0))])
    assert doubt in doubts(estimates, 3.3, 4.0) and doubt not in doubts(estimates, 0.1, 3.0)


@pytest.mark.parametrize(
    "fault",
    [
        ("camera", Fault("offset", start=3.0, value=0.3, axis="pitch")),
        ("gyroscope", Fault("offset", start=3.0, value=1.0, axis="y")),
        ("joint", Fault("offset", start=3.0, value=0.5)),
    ],
    ids=lambda fault: fault[0],
)
def test_contradictions_are_reported(turning, fault):
    estimates = estimate(turning, 0, faults=[fault])
    assert D.CONTRADICTION not in doubts(estimates, 0.1, 3.0)
    assert D.CONTRADICTION in doubts(estimates, 3.0, 3.6)


def test_a_tether_that_cannot_be_taut_is_called_slack():
    """Thrown up, P flies freely; the wheel's readings mean little then."""
    start = replace(avocado.resting(SPEC, 1.0), theta=1.2, theta_rate=3.2)
    flight = fly(start, lambda time, state: avocado.AvocadoCommand(), 2.0)
    slack = np.array([truth.tension == 0.0 for truth in flight.truths[::2]])
    estimates = estimate(flight, 0)
    said = np.array([D.SLACK in e.doubts for e in estimates])
    first = int(np.argmax(slack))
    assert slack.any() and said[first - 10 : first + 15].any()
    quiet = fly(avocado.resting(SPEC, 1.0), ordinary(1), 4.0)
    assert D.SLACK not in doubts(estimate(quiet, 0), 0.0, 4.0)


def test_before_all_have_spoken_nothing_is_said(turning):
    estimates = estimate(turning, 0, faults=[("joint", Fault("drop_out", start=0.0, end=1.0))])
    assert doubts(estimates, 0.0, 1.0) == {D.NOT_STARTED}
    assert estimates[50].state is None and math.isnan(estimates[50].deviation["theta"])
    assert estimates[-1].ok


def test_reset_forgets(turning):
    estimator = AvocadoEstimator(SPEC, UNPLACED)
    first = estimate(turning, 0, estimator=estimator)
    estimator.reset()
    again = estimate(turning, 0, estimator=estimator)
    assert first[-1].state == again[-1].state and first[-1].deviation == again[-1].deviation


def test_bad_input_is_answered():
    estimator = AvocadoEstimator()
    estimator.update(0.0, [], avocado.AvocadoCommand())
    with pytest.raises(InputError, match="time must increase"):
        estimator.update(0.0, [], avocado.AvocadoCommand())
    with pytest.raises(InputError, match="Did you mean 'free_prior'"):
        AvocadoEstimatorSpec(fre_prior=0.5)
    with pytest.raises(InputError, match="below 1"):
        AvocadoEstimatorSpec(free_prior=1.5)
    with pytest.raises(InputError, match="branches"):
        AvocadoEstimator(branches=[[[0.0, 0.0, 0.0], [math.nan, 0.0, 0.0]]])


def test_the_tether_length_follows_the_wheel_and_its_slip_is_allowed_for():
    def reel(time, state):
        return avocado.AvocadoCommand(thrust=1.0, reel_speed=min(max(time - 1.0, 0.0), 0.2))

    flight = fly(avocado.resting(SPEC, 1.0, thrust=1.0), reel, 4.0)
    found, deviation = table(estimate(flight, 0))
    error = found[-1] - flight.states[-1]
    assert flight.states[-1, 1] == pytest.approx(1.58, abs=0.01)
    assert 0.001 < abs(error[1]) < 2.0 * deviation[-1, 1] < 0.01  # half a per cent of what was paid out
    assert found[-1, AT["distance_rate"]] == pytest.approx(0.2, abs=0.01)
