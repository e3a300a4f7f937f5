import math

import numpy as np
import pytest

from tetherlab.contracts.errors import InputError
from tetherlab.control.avocado import LengthLaw, MotorPair, References, hold, steps
from tetherlab.control.avocado.shaping import Shaper


def test_references_run_straight_between_their_times_and_stay_at_the_ends():
    r = References(times=[1.0, 3.0], tether_length=[1.0, 2.0], theta=[0.1, 0.5], heading=[0.0, -1.0])
    assert r(0.0) == (1.0, 0.1, 0.0, 0.0, 0.0, 0.0)
    assert r(2.0) == pytest.approx((1.5, 0.3, -0.5, 0.5, 0.2, -0.5))
    assert r(9.0) == (2.0, 0.5, -1.0, 0.0, 0.0, 0.0)


def test_a_time_given_twice_is_a_step():
    r = References(times=[0.0, 1.0, 1.0, 2.0], tether_length=1.0, theta=[0.0, 0.2, 0.4, 0.4])
    assert r(0.999).theta == pytest.approx(0.1998)
    assert r(1.0).theta == pytest.approx(0.4)
    assert r(1.5).theta_rate == 0.0


def test_steps_hold_each_value_until_the_next():
    r = steps([0.0, 1.0, 2.5], tether_length=1.0, theta=[0.1, 0.3, 0.2])
    assert [r(t).theta for t in (-1.0, 0.5, 1.0, 2.4, 2.5, 9.0)] == [0.1, 0.1, 0.3, 0.3, 0.2, 0.2]
    assert all(r(t).theta_rate == 0.0 for t in np.linspace(0.0, 3.0, 31))


def test_a_step_acts_in_the_call_whose_time_is_a_sum_of_holds():
    r = steps([0.0, 2.3], tether_length=1.0, theta=[0.1, 0.3])
    assert r(230 * 0.01 - 4e-16).theta == 0.3


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda: References(times=[], tether_length=1.0), "at least one time"),
        (lambda: References(times=[1.0, 0.5], tether_length=1.0), "must not fall, got 1 and then 0.5"),
        (lambda: References(times=[1, 1, 1], tether_length=1.0), "more than twice"),
        (lambda: References(times=[0, 1], tether_length=[1, 2, 3]), "each of the 2 times, got 3"),
        (lambda: References(times=[0], tether_length=0.01), "at least 0.02 m"),
        (lambda: hold(1.0, theta=-0.1), "turn the heading"),
        (lambda: hold(1.0, theta=math.nan), "must be finite"),
        (lambda: References(times=[0], tether_length=1.0, tetha=0.1), "Did you mean 'theta'"),
        (lambda: steps([1.0, 1.0], tether_length=1.0), "must grow"),
    ],
)
def test_wrong_references_get_a_sentence(make, sentence):
    with pytest.raises(InputError, match=sentence):
        make()


MOTORS = MotorPair(arm=0.06, least=0.025, most=3.5)


def of_each(thrust, torque, arm=0.06):
    return 0.5 * (thrust + torque / arm), 0.5 * (thrust - torque / arm)


@pytest.mark.parametrize("seed", range(5))
def test_whatever_is_asked_no_motor_leaves_its_limits(seed):
    random = np.random.default_rng(seed)
    for thrust, torque in random.uniform([-2.0, -0.5], [9.0, 0.5], (200, 2)).tolist():
        for given in (MOTORS.clip_each(thrust, torque), MOTORS.torque_first(thrust, torque, 0.6)):
            assert all(0.025 - 1e-12 <= motor <= 3.5 + 1e-12 for motor in of_each(*given))


def test_what_the_motors_can_do_they_do():
    for give in (MOTORS.clip_each, lambda a, b: MOTORS.torque_first(a, b, 0.6)):
        assert give(2.0, 0.05) == pytest.approx((2.0, 0.05))


def test_at_the_least_thrust_clipping_halves_a_torque_and_brings_thrust():
    assert MOTORS.clip_each(0.05, 0.02) == pytest.approx((0.05 + 0.01 / 0.06, 0.01))


def test_torque_first_raises_the_thrust_up_to_the_lift_and_then_gives_up_torque():
    assert MOTORS.torque_first(0.05, 0.02, 0.6) == pytest.approx((0.05 + 0.02 / 0.06, 0.02))
    assert MOTORS.torque_first(0.05, 0.10, 0.6) == pytest.approx((0.6, 0.06 * 0.55))
    assert MOTORS.torque_first(6.9, 0.06, 0.6) == pytest.approx((6.0, 0.06))


def test_motors_that_turn_both_ways_give_a_torque_without_thrust():
    pair = MotorPair(arm=0.06, least=-1.0, most=3.5)
    assert pair.torque_first(0.0, 0.1, 0.0) == pytest.approx((0.0, 0.1))


def run_length(law, spool, start, wanted, calls):
    length = start
    for _ in range(calls):
        length += 0.01 * spool * law(length, wanted, 0.01)
    return length


def test_the_reel_follows_within_the_speed_of_its_servo():
    assert run_length(LengthLaw(), 1.0, 1.0, 1.5, 200) == pytest.approx(1.2)  # 2 s at 0.1 m/s
    assert run_length(LengthLaw(), 1.0, 1.0, 1.1, 400) == pytest.approx(1.1, abs=1e-4)


def test_the_speed_loop_makes_good_for_a_spool_that_is_thinner_than_thought():
    # 2 s of asking for 0.05 m/s: without the loop 30 % is missing.
    slow = {"speed_max": 0.1, "gain": 4.0}
    asked = 1.0 + 0.05 * np.arange(300) * 0.01

    def lag(law):
        length = 1.0
        for wanted in asked:
            length += 0.01 * 0.7 * law(length, wanted, 0.01)
        return asked[-1] - length

    assert lag(LengthLaw(servo=True, **slow)) < 0.85 * lag(LengthLaw(**slow))


def test_a_shaped_step_arrives_without_overshoot_and_a_ramp_without_lag():
    shaper, seen = Shaper(3.0, 10.0), []
    for _ in range(400):
        shaper(1.0, 0.0, 0.01)
        seen.append(shaper.value)
    assert max(seen) < 1.0 + 1e-9 and seen[-1] == pytest.approx(1.0, abs=1e-3)
    shaper.start(0.0)
    for k in range(400):
        shaper(0.01 * k * 0.5, 0.5, 0.01)
    assert shaper.value == pytest.approx(0.01 * 399 * 0.5, abs=0.01)
