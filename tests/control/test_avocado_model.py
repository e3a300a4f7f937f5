import math
from dataclasses import replace

import numpy as np
import pytest
from avocado_flights import FREE, STEPS, TABLE, step_response, tour_errors
from scipy.linalg import expm, solve_discrete_lyapunov

from tetherlab.contracts.errors import InputError
from tetherlab.control.avocado import ModelController, PaperController, Weights, hold, steps
from tetherlab.control.avocado.bearings import take_bearings
from tetherlab.control.avocado.margins import margins, model_lateral_loop, model_planar_loop, stable
from tetherlab.control.avocado.schedule import Schedule, regulator
from tetherlab.studies.avocado_imperfect import Imperfect, Imperfection
from tetherlab.studies.avocado_release import draw, let_go
from tetherlab.vehicles.avocado import (
    AvocadoCommand,
    AvocadoState,
    lateral_system,
    resting,
    simulate,
    thrust_for,
)

TOLD = AvocadoCommand(thrust=1.0)
SCHEDULE = Schedule(TABLE, Weights())


@pytest.mark.parametrize("length", [0.2, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("start, end", STEPS)
def test_steps_of_theta_settle_within_two_seconds_also_on_a_short_tether(length, start, end):
    settled, overshoot, _ = step_response(ModelController, TABLE, length, start, end)
    assert settled <= 2.0 and overshoot <= 1.0


@pytest.mark.parametrize(
    "imperfection",
    [
        Imperfection(motor_lag=0.05, delay=1),
        Imperfection(length_factor=1.2),
        Imperfection(length_factor=0.8),
        Imperfection(angle_noise=math.radians(0.3), rate_noise=0.02, length_noise=0.002, delay=1),
    ],
    ids=["lag", "long", "short", "noise"],
)
@pytest.mark.parametrize("length", [0.3, 1.5])
def test_steps_settle_although_the_robot_is_not_as_thought(length, imperfection):
    settled, overshoot, _ = step_response(ModelController, TABLE, length, 10, 30, imperfection)
    assert settled <= 3.0 and overshoot <= 5.0


@pytest.mark.parametrize("spec", [TABLE, FREE], ids=["Table I", "undamped"])
def test_a_tour_in_theta_and_heading_is_followed(spec):
    theta, heading = tour_errors(ModelController, spec)
    assert np.abs(theta).max() < 2.0 and np.sqrt(np.mean(theta**2)) < 0.6
    assert np.abs(heading).max() < 15.0 and np.sqrt(np.mean(heading**2)) < 4.0


@pytest.mark.parametrize("length", [0.2, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("thrust", [0.3, 2.0, 4.5])
def test_the_loops_have_margins(length, thrust):
    plane = margins(model_planar_loop(TABLE, SCHEDULE, length, thrust))
    assert plane.gain > 5.0 and plane.phase > math.radians(60.0) and plane.delay > 0.08
    for damped in (True, False):
        loop = model_lateral_loop(TABLE, SCHEDULE, length, thrust, damped=damped)
        found = margins(loop)
        assert found.gain > 5.0 and found.phase > math.radians(50.0) and found.delay > 0.04
        assert stable(loop, lag=0.05, delay=1)


@pytest.mark.parametrize("factor", [0.8, 1.2])
@pytest.mark.parametrize("length", [0.3, 0.5, 1.0, 2.0])
def test_gains_of_a_wrong_length_still_hold(length, factor):
    for thrust in (0.3, 2.0, 4.5):
        wrong = model_planar_loop(TABLE, SCHEDULE, factor * length, thrust).K
        assert stable(model_planar_loop(TABLE, SCHEDULE, length, thrust)._replace(K=wrong), 0.05, 1)
        wrong = model_lateral_loop(TABLE, SCHEDULE, factor * length, thrust).K
        for damped in (True, False):
            loop = model_lateral_loop(TABLE, SCHEDULE, length, thrust, damped=damped)
            assert stable(loop._replace(K=wrong), 0.05, 1)


def test_the_regulator_is_the_best_one():
    A, b = lateral_system(FREE, 1.0, thrust=2.0)
    cost = np.diag([4.0, 3.0, 2.0, 1.0])
    best = regulator(A, b, cost, 0.05)

    def price(K):
        both = np.zeros((5, 5))
        both[:4, :4], both[:4, 4] = A, b
        both = expm(0.01 * both)
        closed = both[:4, :4] - np.outer(both[:4, 4], K)
        return np.trace(solve_discrete_lyapunov(closed.T, cost + np.outer(K, K) / 0.05**2))

    for i in range(4):
        for change in (0.9, 1.1):
            other = best.copy()
            other[i] *= change
            assert price(other) > price(best)


def test_bearings_are_the_same_for_both_names_of_a_place_and_good_at_the_vertical():
    state = AvocadoState(
        distance=1.0, tether_length=1.0, theta=0.3, heading=0.4, psi=0.2,
        theta_rate=0.1, heading_rate=0.5, psi_rate=-0.2,
    )  # fmt: skip
    other = replace(
        state, theta=-0.3, heading=0.4 + math.pi, psi=0.2 - math.pi, theta_rate=-0.1, heading_rate=0.5
    )
    assert take_bearings(state, 0.1) == pytest.approx(take_bearings(other, 0.1))
    at_rest = take_bearings(AvocadoState(distance=1.0, tether_length=1.0, heading=0.7, psi=-0.5), 0.0)
    assert at_rest.yaw == pytest.approx(0.2) and at_rest.side == 0.0


def test_a_free_length_that_jumps_is_no_shock():
    # A branch catches the tether: 1.5 m become 0.5 m, the direction of the free part stays.
    theta = math.radians(20.0)
    pilot = ModelController(TABLE, hold(1.5, theta=theta))
    rest = resting(TABLE, 1.5, thrust=thrust_for(TABLE, theta))
    before = simulate(TABLE, rest, pilot, 3.0)
    pilot.references = hold(0.5, theta=theta)
    caught = replace(before.state(-1), distance=before.distance[-1] - 1.0, tether_length=0.5)
    after = simulate(TABLE, caught, pilot, 3.0)
    assert np.degrees(np.abs(after.theta - theta)).max() < 1.0


def turn_time(spec, kind, length=0.5):
    """How long a turn by 90 deg takes at theta = 0 [s], and how far the tether leaves it [deg]."""
    pilot = kind(spec, steps([0.0, 0.5], tether_length=length, heading=[0.0, 0.5 * math.pi]))
    run = simulate(spec, resting(spec, length), pilot, 9.0)
    error = np.abs(np.degrees(run.heading + run.psi) - 90.0)[50:]
    outside = np.flatnonzero(error > 10.0)
    return 0.01 * (outside[-1] + 1), np.degrees(np.abs(run.theta)).max()


def test_the_robot_turns_at_the_vertical_where_the_paper_s_controller_swings():
    taken, swing = turn_time(FREE, ModelController)
    assert taken < 4.0 and swing < 8.0
    assert turn_time(FREE, PaperController)[0] > 2.0 * taken


def test_propellers_that_turn_both_ways_turn_it_without_moving_it():
    taken, swing = turn_time(replace(FREE, reverse_thrust=3.0), ModelController)
    assert taken < turn_time(FREE, ModelController)[0] and swing < 0.1


def test_a_swing_at_the_vertical_dies_also_across():
    start = AvocadoState(
        distance=0.5, tether_length=0.5, theta=math.radians(12.0), heading=0.5 * math.pi, psi=-0.5 * math.pi
    )
    run = simulate(FREE, start, ModelController(FREE, hold(0.5)), 12.0)
    assert np.degrees(np.abs(run.theta[-200:])).max() < 4.0


def test_a_thrust_that_would_turn_the_robot_over_is_cut():
    pilot = ModelController(TABLE, hold(1.0, theta=math.radians(30.0)))
    rest = resting(TABLE, 1.0, thrust=thrust_for(TABLE, math.radians(30.0)))
    assert pilot(0.0, rest).thrust > 3.0
    assert pilot(0.01, replace(rest, phi=math.radians(35.0), phi_rate=6.0)).thrust < 0.5


def test_the_cut_leaves_the_energy_that_stops_the_robot_in_time():
    # About P: what the weight takes until the largest pitch is what turning and the thrust bring.
    pilot, pitch, rate = ModelController(TABLE, hold(1.0)), 0.6, 3.0
    most = pilot.schedule.pitch_max
    assert math.radians(60.0) < most < math.radians(80.0)
    thrust = pilot._upright_thrust(pitch, rate)
    inertia = TABLE.inertia_z + TABLE.mass * TABLE.mass_arm**2
    brought = 0.5 * inertia * rate**2 + thrust * TABLE.thrust_arm * (most - pitch)
    assert brought == pytest.approx(TABLE.weight * TABLE.mass_arm * (math.cos(pitch) - math.cos(most)))
    assert pilot._upright_thrust(pitch, -rate) > thrust


@pytest.mark.parametrize("theta", [10, 30])
def test_a_branch_that_is_let_go_is_survived(theta):
    pilot = ModelController(TABLE, hold(0.5, theta=math.radians(theta)))
    good = 0
    for seed in range(8):
        pilot.reset()
        release, imperfection = draw(seed)
        where = {"free_length": 0.5, "theta": math.radians(theta)}
        good += let_go(TABLE, pilot, release, imperfection=imperfection, seed=seed, **where).success
    assert good >= 7


def test_motors_that_lag_reach_what_they_are_told():
    lagging = Imperfect(lambda t, s: TOLD, Imperfection(motor_lag=0.05))
    state = AvocadoState(distance=1.0, tether_length=1.0)
    first = lagging(0.0, state)
    assert first.thrust == 1.0  # it begins with what it is told first
    lagging.controller = lambda t, s: replace(TOLD, thrust=2.0)
    thrusts = [lagging(0.0, state).thrust for _ in range(10)]
    left = math.exp(-10 * 0.01 / 0.05)
    assert np.mean(thrusts) == pytest.approx(2.0 - 0.05 / 0.1 * (1.0 - left))


def test_wrong_input_gets_a_sentence():
    with pytest.raises(InputError, match=r"Weights\.thrust must be > 0"):
        Weights(thrust=0.0)
