import math
from dataclasses import replace

import numpy as np
import pytest
from avocado_flights import FREE, STEPS, TABLE, step_response, tour_errors

from tetherlab.contracts.errors import InputError
from tetherlab.control.avocado import HeadingLaw, ModelController, PaperController, PlacedGains, hold
from tetherlab.control.avocado.margins import margins, paper_heading_loop, paper_planar_loop, stable
from tetherlab.control.avocado.planar import PlanarLaw
from tetherlab.studies.avocado_imperfect import Imperfection
from tetherlab.vehicles.avocado import AvocadoState, planar_system, resting, simulate, thrust_for

GAINS = PlacedGains(TABLE)
ROBOT = Imperfection(
    angle_noise=math.radians(0.3), rate_noise=0.02, length_noise=0.002, delay=1, motor_lag=0.05
)


@pytest.mark.parametrize("length", [0.5, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("start, end", STEPS)
def test_steps_of_theta_settle_within_four_seconds(length, start, end):
    settled, overshoot, run = step_response(PaperController, TABLE, length, start, end)
    assert settled <= 4.0 and overshoot <= 5.0
    assert run.commands[:, 1].min() >= 0.05 - 1e-12


@pytest.mark.parametrize("length", [0.5, 1.0, 2.0])
def test_the_same_gains_at_all_lengths_as_in_the_paper_settle_too(length):
    planar = PlacedGains(TABLE, pole=1.1, damping=0.45).fixed(1.0)
    settled, overshoot, _ = step_response(PaperController, TABLE, length, 0, 30, planar=planar)
    assert settled <= 4.0 and overshoot <= 5.0


@pytest.mark.parametrize("length", [0.5, 2.0])
def test_steps_settle_with_noise_delay_and_motors_that_lag(length):
    settled, overshoot, _ = step_response(PaperController, TABLE, length, 10, 30, ROBOT)
    assert settled <= 4.0 and overshoot <= 5.0


def test_a_tour_in_theta_and_heading_is_followed():
    theta, heading = tour_errors(PaperController, TABLE)
    assert np.abs(theta).max() < 10.0 and np.sqrt(np.mean(theta**2)) < 4.0
    assert np.abs(heading).max() < 20.0 and np.sqrt(np.mean(heading**2)) < 5.0


def test_the_slow_poles_are_where_they_were_placed():
    p, i, d = GAINS.at(1.0)
    w = GAINS.frequency(1.0)
    A, b = planar_system(TABLE, 1.0)
    k = np.linalg.solve(A[2:, :2], -b[2:])[0]
    poles = np.roots([1.0, k * w**2 * d, w**2 * (1.0 + k * p), k * w**2 * i])
    assert min(abs(poles + 1.05)) < 1e-6
    pair = poles[np.argmax(poles.imag)]
    assert abs(pair) == pytest.approx(0.9 * w) and -pair.real / abs(pair) == pytest.approx(0.4)


@pytest.mark.parametrize("length", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("thrust", [0.3, 2.0, 3.67])
def test_the_planar_loop_has_margins(length, thrust):
    found = margins(paper_planar_loop(TABLE, GAINS, length, thrust))
    assert found.gain > 2.5 and found.phase > math.radians(35.0) and found.delay > 0.04
    assert stable(paper_planar_loop(TABLE, GAINS, length, thrust), lag=0.05, delay=1)


def test_without_the_damping_of_phi_the_loop_has_next_to_no_margin():
    bare = replace(TABLE, damping_phi=0.0)
    loop = paper_planar_loop(bare, PlacedGains(bare), 1.0, 2.0)
    assert not stable(loop) or margins(loop).gain < 1.2


def test_heading_feedback_of_omega_alone_swings_and_that_of_the_sum_does_not():
    law = HeadingLaw()
    for length in (0.5, 1.0, 2.0):
        loop = paper_heading_loop(TABLE, law, length, 2.5)
        assert stable(loop, lag=0.05, delay=1)
        # The same gain on Omega = side / sin(theta) instead.
        theta = math.atan2(*reversed(_rest(2.5)))
        K = law.torque_gain * np.array([law.gain / math.sin(theta), 0.0, 0.0, 1.0])
        assert not stable(loop._replace(K=K))


def _rest(thrust):
    rest = resting(TABLE, 1.0, thrust=thrust)
    return math.cos(rest.theta), math.sin(rest.theta)


@pytest.mark.parametrize("spec", [TABLE, FREE], ids=["Table I", "undamped"])
def test_heading_control_holds_what_creeps_away_without_it(spec):
    # 3 N, pushed a little out of its plane.
    theta = resting(spec, 1.0, thrust=3.0).theta
    start = replace(resting(spec, 1.0, thrust=3.0), psi=0.02)
    run = simulate(spec, start, PaperController(spec, hold(1.0, theta=theta)), 10.0)
    assert np.abs(run.heading[-100:]).max() < 0.01


def test_it_begins_where_it_is_and_forgets_when_reset():
    theta = math.radians(30.0)
    controller = PaperController(TABLE, hold(1.0, theta=theta))
    rest = resting(TABLE, 1.0, thrust=thrust_for(TABLE, theta))
    first = controller(0.0, rest)
    assert first.thrust == pytest.approx(thrust_for(TABLE, theta), rel=1e-6)
    for k in range(50):
        controller(0.01 * k, replace(rest, theta=0.3))
    controller.reset()
    assert controller(0.0, rest) == first


def test_the_same_place_in_other_angles_gets_the_same_command():
    state = AvocadoState(distance=1.0, tether_length=1.0, theta=0.1, heading=0.2, psi=0.1, theta_rate=0.3)
    other = replace(
        state, theta=-0.1, heading=0.2 + math.pi, psi=0.1 - math.pi, theta_rate=-0.3, heading_rate=0.0
    )
    make = lambda: PaperController(TABLE, hold(1.0, theta=0.2))  # noqa: E731
    a, b = make()(0.0, state), make()(0.0, other)
    assert (a.thrust, a.torque) == pytest.approx((b.thrust, b.torque))


def test_a_limit_that_held_for_long_is_left_at_once():
    law = PlanarLaw(GAINS, 0.05, 5.0)
    for _ in range(3000):
        assert law(0.0, 0.0, 0.6, 0.0, 1.0, 0.01) <= 5.0
    assert [law(0.62, 0.0, 0.6, 0.0, 1.0, 0.01) for _ in range(20)][-1] < 4.99


def test_wrong_input_gets_a_sentence():
    with pytest.raises(InputError, match="spec must be an AvocadoSpec"):
        PaperController(None, hold(1.0))
    with pytest.raises(InputError, match=r"HeadingLaw\.gain must be > 0"):
        HeadingLaw(gain=0.0)
    with pytest.raises(InputError, match="Did you mean 'thrust_max'"):
        PaperController(TABLE, hold(1.0), thrust_mx=0.1)


@pytest.mark.parametrize("kind", [PaperController, ModelController])
@pytest.mark.parametrize(
    "spec, least",
    [(TABLE, 0.05), (replace(TABLE, thrust_min=0.4), 0.4), (replace(TABLE, reverse_thrust=2.0), -2.0)],
    ids=["Table I", "fast idle", "both ways"],
)
def test_against_a_swing_the_robot_s_own_least_thrust_is_asked_for(spec, least, kind):
    swinging = AvocadoState(distance=1.0, tether_length=1.0, theta=0.3, theta_rate=3.0)
    pilot = kind(spec, hold(1.0))
    assert min(pilot(0.01 * k, swinging).thrust for k in range(30)) == pytest.approx(least)
