"""Winch laws of a hanging robot, on the pendulum of variable length."""

import math

import numpy as np
import pytest

from tetherlab.control.hoist import Lowering, ReelToHinge, SwingDamper
from tetherlab.vehicles.hanging import Hanging, swing

STEP = 2e-3


def damped(start, damper, duration, sign=1.0):
    return swing(start, lambda t, state: sign * damper(state, start.length), duration, step=STEP)


@pytest.mark.parametrize("length", [1.5, 3.0, 6.0])
@pytest.mark.parametrize("angle", [0.05, 0.3, 0.8])
def test_every_cycle_takes_energy_and_as_much_as_the_closed_form_says(length, angle):
    damper = SwingDamper(speed=0.3, rest=0.001)
    states = damped(Hanging((0.0, 0.0), length, angle), damper, 30.0)
    cycle = round(2.0 * math.pi * math.sqrt(length / 9.80665) / STEP)
    amplitudes = np.array([state.amplitude() for state in states[::cycle]])
    assert np.all(np.diff(amplitudes) < 0.0)
    rate = -np.polyfit(np.arange(len(amplitudes)) * cycle * STEP, np.log(amplitudes), 1)[0]
    assert rate == pytest.approx(damper.decay(length), rel=0.15)


def test_the_length_stays_about_what_it_should_be():
    states = damped(Hanging((0.0, 0.0), 3.0, 0.5), SwingDamper(speed=0.3), 60.0)
    lengths = [state.length for state in states]
    assert min(lengths) > 2.5 and max(lengths) < 3.6


def test_a_swing_neither_dies_if_the_length_is_held_nor_if_the_winch_does_the_opposite():
    start = Hanging((0.0, 0.0), 2.7, 0.4)
    held = swing(start, lambda t, state: 0.0, 20.0, step=STEP)[-1]
    assert held.amplitude() == pytest.approx(0.4, rel=1e-6)
    assert damped(start, SwingDamper(), 6.0, sign=-1.0)[-1].amplitude() > 0.5


def test_what_is_still_is_left_alone():
    still = Hanging((0.0, 0.0), 3.0, 0.003)
    damper = SwingDamper(rest=0.02)
    assert damper.done(still) and damper(still, 3.0) == 0.0
    assert not damper.done(still._replace(angle=0.02))


@pytest.mark.parametrize(("length", "goal"), [(2.5, 6.5), (6.0, 2.0)])
def test_lowering_arrives_and_its_swing_grows_no_wider(length, goal):
    damper = SwingDamper(speed=0.3, rest=0.01)
    law = Lowering(length=goal, damper=damper)
    start = Hanging((0.0, 0.0), length, 0.1 / length)
    states = swing(start, lambda t, state: law(state), 60.0, step=STEP)
    first = next(i for i, state in enumerate(states) if law.done(state))
    assert first > 0
    assert max(abs(state.length_rate) for state in states) <= 0.3
    assert states[first].length * states[first].amplitude() < 0.1


def test_reeling_in_ends_at_the_hinge():
    law = ReelToHinge(speed=0.3, stop_within=0.4)
    states = swing(Hanging((0.0, 0.0), 2.0, 0.0), lambda t, state: law(state), 20.0, step=STEP)
    assert law(states[0]) == -0.3
    assert law.done(states[-1]) and states[-1].length >= 0.4
