"""The free length of AVOCADO's tether after a branch has caught it, by motion, by the camera and by a map."""

import functools
import math

import numpy as np
import pytest
from sensed_flights import SPEC, UNPLACED, branch_flight, estimate, fly, ordinary, pitch_to

from tetherlab.contracts.errors import InputError
from tetherlab.estimation.avocado import AvocadoDoubt, AvocadoEstimator
from tetherlab.sensors.avocado_suite import AvocadoSensorSpec
from tetherlab.vehicles import avocado
from tetherlab.vehicles.avocado.caught import move_anchor
from tetherlab.vehicles.avocado.energy import energy

CASES = [(1.0, True), (1.0, False), (0.5, True), (0.5, False)]
ACROSS = np.array([[0.0, -0.5, 0.0], [0.0, 0.5, 0.0]])  # ends of a branch from its middle [m]
flown = functools.lru_cache(branch_flight)


def lengths(estimates):
    return np.array([math.nan if e.state is None else e.state.distance for e in estimates])


@pytest.mark.parametrize("sensors", [UNPLACED, AvocadoSensorSpec()], ids=["by motion", "with positions"])
@pytest.mark.parametrize("free, upwards", CASES)
def test_a_contact_is_found_and_its_free_length(free, upwards, sensors):
    flight = flown(free, upwards)
    for seed in (0, 1):
        estimates = estimate(flight, seed, sensors)
        found = lengths(estimates)
        times = np.array([e.time for e in estimates])
        # Four samples at 100 Hz sufficed for ten seeds each; twice as many are allowed.
        assert np.all(abs(found[times > flight.contact + 0.1] / free - 1.0) < 0.15)
        assert found[-1] == pytest.approx(free, rel=0.03)
        assert abs(found[-1] - free) < 3.0 * estimates[-1].deviation["distance"]
        assert np.all(found[(times > 0.5) & (times < flight.contact)] > 1.45)
        assert estimates[-1].free_probability < 0.5


@pytest.mark.parametrize("turning", [False, True], ids=["in the plane", "turning"])
def test_ordinary_flight_is_not_taken_for_a_contact(turning):
    flight = fly(avocado.resting(SPEC, 1.5), ordinary(11, turning), 20.0)
    found = lengths(estimate(flight, 0))
    assert np.nanmin(found) > 1.45


def test_without_motion_it_says_that_it_cannot_know():
    rest = fly(avocado.resting(SPEC, 1.5), lambda time, state: avocado.AvocadoCommand(), 3.0)
    last = estimate(rest, 0)[-1]
    assert last.state.distance == pytest.approx(1.5, abs=0.001)  # all that is out
    assert last.deviation["distance"] > 0.15 and AvocadoDoubt.FREE_LENGTH in last.doubts
    swing = fly(avocado.resting(SPEC, 1.5), ordinary(2, False), 3.0)
    assert estimate(swing, 0)[-1].deviation["distance"] < 0.05


def test_a_tether_that_is_let_go_is_free_again():
    """Upwards over the branch, and back."""
    high = math.radians(30.0)
    control = pitch_to(lambda time: high if 1.0 < time < 4.0 else 0.0)
    flight = fly(avocado.resting(SPEC, 1.5), control, 8.0, free=0.7, angle=math.radians(15.0))
    found, true = lengths(estimate(flight, 3)), flight.states[:, 0]
    assert true[350] == pytest.approx(0.7, abs=0.01) and true[-1] == pytest.approx(1.5, abs=0.01)
    assert found[350] == pytest.approx(0.7, rel=0.1) and found[-1] == pytest.approx(1.5, rel=0.1)


def test_a_branch_on_the_map_is_believed_sooner():
    flight = flown(1.0, True)
    angle, held = math.radians(15.0), 0.5
    place = held * np.array([math.sin(angle), 0.0, -math.cos(angle)])
    branch = place + ACROSS
    aside = branch + np.array([0.0, 2.0, 0.0])  # it passes this one
    k = round(flight.contact / 0.01)
    error = {}
    for name, branches in (("none", []), ("known", [branch]), ("aside", [aside])):
        runs = [
            lengths(estimate(flight, seed, estimator=AvocadoEstimator(SPEC, UNPLACED, branches=branches)))
            for seed in range(4)
        ]
        error[name] = np.mean([abs(found[k : k + 4] - 1.0) for found in runs])
    assert error["known"] < 0.8 * error["none"]
    assert error["aside"] == error["none"]


def test_a_branch_on_the_map_that_does_not_catch_does_no_harm():
    flight = fly(avocado.resting(SPEC, 1.5), ordinary(4, False), 8.0)
    place = 0.7 * np.array([math.sin(0.2), 0.0, -math.cos(0.2)])
    branch = place + ACROSS
    estimator = AvocadoEstimator(SPEC, UNPLACED, branches=[branch])
    found = lengths(estimate(flight, 0, estimator=estimator))
    assert np.mean(found[100:] < 1.45) < 0.03


def test_a_moved_anchor_leaves_the_motion_as_it_is():
    state = avocado.AvocadoState(
        distance=1.5,
        tether_length=1.499,
        theta=0.3,
        phi=-0.1,
        theta_rate=0.8,
        phi_rate=-0.5,
        distance_rate=0.1,
    )
    moved = move_anchor(state, 0.9)
    assert moved.distance * moved.theta_rate == pytest.approx(1.5 * 0.8)
    assert moved.theta_rate + moved.phi_rate == pytest.approx(0.3)
    assert energy(SPEC, moved).kinetic == pytest.approx(energy(SPEC, state).kinetic, rel=1e-12)
    back = move_anchor(moved, -0.9)
    assert back.theta_rate == pytest.approx(0.8) and back.distance == pytest.approx(1.5)
    with pytest.raises(InputError, match="in the plane"):
        move_anchor(avocado.AvocadoState(distance=1.0, tether_length=1.0, psi_rate=0.1), 0.5)
    with pytest.raises(InputError, match="held must leave"):
        move_anchor(avocado.AvocadoState(distance=1.0, tether_length=1.0), 1.0)
