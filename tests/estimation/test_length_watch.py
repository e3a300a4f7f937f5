"""Roller and drum: which of them is believed, and what length comes of it."""

import math

import numpy as np
import pytest

from tetherlab.estimation import Measurement
from tetherlab.estimation.length_watch import LengthWatch

DT, NOISE = 0.01, 0.001
SCALE = 1.02  # of the drum, whose radius is not known to the layer
START = 2.0  # of what goes wrong [s]


def length_at(time, speed=0.3):
    """Back and forth."""
    return 4.0 + speed * math.sin(time)


def watched(roller=lambda time, length: length, drum=lambda time, length: length, *, until=6.0, speed=0.3):
    """(watch, errors of believed lengths (n,), their times, first time of a fault by name)."""
    rng = np.random.default_rng(3)
    watch, errors, times, told = LengthWatch(NOISE), [], [], {}
    for step in range(round(until / DT)):
        time = step * DT
        truth = length_at(time, speed)
        rolled = roller(time, truth + NOISE * rng.standard_normal())
        turned = drum(time, SCALE * truth - 0.3)
        answers = []
        if rolled is not None:
            answers.append(watch.take(Measurement(time=time, length=rolled)))
        if turned is not None:
            answers.append(watch.take(Measurement(time=time, reeled=turned)))
        for answer in answers:
            if not math.isnan(answer.length):
                errors.append(answer.length - truth)
                times.append(time)
        for name in watch.faults:
            told.setdefault(name, time)
    return watch, np.array(errors), np.array(times), told


@pytest.mark.parametrize("speed", [0.0, 0.01, 0.3, 2.0])
def test_both_are_believed_while_both_are_right(speed):
    _, errors, _, told = watched(speed=speed, until=30.0)
    assert told == {}
    assert 2970 < len(errors) <= 3000  # the roller's, but for a few that noise made suspect for a moment
    assert np.abs(errors).max() < 5.0 * NOISE


def stuck():
    """Repeats its last value from START on."""
    last = 0.0

    def value(time, length):
        nonlocal last
        last = length if time < START else last
        return last

    return value


def test_a_stuck_roller_is_told_and_the_drum_goes_on():
    _, errors, times, told = watched(roller=stuck())
    assert list(told) == ["length"]
    assert START < told["length"] < START + 2.0
    assert np.abs(errors).max() < 0.02  # what it turned before it was suspected, and 2 % of the rest
    assert np.diff(times).max() < 0.15  # there is a length all the time but for a moment


def test_a_roller_that_is_stuck_while_it_moves_by_five_deviations_is_told_within_two_seconds():
    """The tether moves by 6 mm and rests again."""

    def creep(time):
        return 0.006 * min(max(time - START, 0.0), 1.0)

    watch, told = LengthWatch(NOISE), math.inf
    for step in range(600):
        time = step * DT
        watch.take(Measurement(time=time, reeled=4.0 + creep(time)))
        watch.take(Measurement(time=time, length=4.0))
        if watch.faults:
            told = min(told, time)
    assert told < START + 1.0 + 2.0


def test_a_stuck_drum_is_told_and_the_roller_goes_on():
    _, errors, _, told = watched(drum=stuck())
    assert list(told) == ["drum"]
    assert told["drum"] < START + 2.0
    assert 590 < len(errors) <= 600
    assert np.abs(errors).max() < 5.0 * NOISE


def test_a_roller_that_leaps_is_not_believed_at_all():
    _, errors, _, told = watched(roller=lambda time, length: length + 0.2 * (time >= START))
    assert list(told) == ["length"]
    assert told["length"] < START + 0.5
    assert np.abs(errors).max() < 0.02


def test_one_wild_length_is_left_out_and_forgiven():
    _, errors, _, told = watched(roller=lambda time, length: length + 1.0 * (abs(time - START) < 0.001))
    assert told == {}
    assert 590 < len(errors) <= 599
    assert np.abs(errors).max() < 5.0 * NOISE


def test_a_roller_that_falls_silent_is_replaced_at_once_and_told_after_a_while():
    _, errors, times, told = watched(roller=lambda time, length: None if time >= START else length)
    assert list(told) == ["length"]
    assert told["length"] == pytest.approx(START + 0.5, abs=0.03)
    assert np.diff(times).max() < 0.12
    assert np.abs(errors).max() < 0.02


def test_without_a_drum_lengths_are_for_others_to_judge_but_for_leaps():
    alone = {"drum": lambda time, length: None}
    *_, told = watched(roller=stuck(), **alone)
    assert told == {}
    _, errors, _, told = watched(roller=lambda time, length: length + 1.0 * (time >= START), **alone)
    assert list(told) == ["length"]
    assert np.abs(errors).max() < 5.0 * NOISE


def test_a_reset_believes_both_again():
    watch, *_ = watched(roller=stuck())
    assert watch.faults == ("length",)
    watch.reset()
    assert watch.faults == ()
    assert watch.take(Measurement(time=0.0, length=7.0)).length == 7.0


def test_a_gap_of_the_drum_accuses_nobody():
    _, errors, _, told = watched(drum=lambda time, length: None if 2.0 <= time < 2.4 else length)
    assert told == {}
    assert np.abs(errors).max() < 5.0 * NOISE


def test_a_roller_that_was_silent_for_long_is_believed_again_although_the_drum_is_wrong_by_two_percent():
    def silent(time, length):
        return None if 1.0 <= time < 4.5 else length

    _, errors, times, told = watched(roller=silent, until=8.0, speed=1.5)
    assert list(told) == ["length"]
    assert np.abs(errors[times > 4.6]).max() < 5.0 * NOISE


def test_a_slow_drum_loses_no_lengths():
    _, errors, _, told = watched(drum=lambda time, length: length if round(time / DT) % 20 == 0 else None)
    assert told == {}
    assert len(errors) > 590


def test_a_late_length_does_not_become_the_last_one():
    watch = LengthWatch(NOISE)
    for step in range(100):
        watch.take(Measurement(time=step * DT, length=3.0, reeled=3.0))
    watch.take(Measurement(time=0.2, length=4.5))
    for step in range(100, 200):
        assert watch.take(Measurement(time=step * DT, length=3.0, reeled=3.0)).length == 3.0
    assert watch.faults == ()
