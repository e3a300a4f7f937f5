"""Parts of measurements in any order, late or never, become the same answers as whole ones."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from survey_scenes import SENSING, scene, turn

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.estimate import Estimate, EstimateStatus
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.catenary import CatenaryLocalizer
from tetherlab.estimation.gather import POSES, READINGS, Gathered, Gatherer

END, LENGTH = (2.0, 1.0, 3.0), 3.85
WHOLE = replace(scene(END, LENGTH), time=5.0)
AT_BASE = Measurement(time=5.0, tangent_base=WHOLE.tangent_base, rotation_base=WHOLE.rotation_base)
AT_END = Measurement(time=5.0, tangent_end=WHOLE.tangent_end, rotation=WHOLE.rotation)
REELED = Measurement(time=5.0, length=LENGTH)
PULL = Measurement(time=5.0, tension=WHOLE.tension)
PARTS = (AT_BASE, AT_END, REELED, PULL)


def gathered(age_max=0.1):
    return Gathered(CatenaryLocalizer(SENSING), age_max)


def later(part, by):
    return replace(part, time=part.time + by)


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_parts_in_any_order_are_the_whole(order):
    estimator = gathered()
    answers = [estimator.update(PARTS[i]) for i in order]
    expected = CatenaryLocalizer(SENSING).update(WHOLE)
    assert np.array_equal(answers[-1].position, expected.position)
    assert np.array_equal(answers[-1].covariance, expected.covariance)
    assert answers[-1].status is EstimateStatus.OK
    needed = {i for i in order if i != 3}
    for i, answer in enumerate(answers):
        assert answer.status is (
            EstimateStatus.OK if needed <= set(order[: i + 1]) else EstimateStatus.MISSING
        )


def test_a_part_updates_the_answer_at_its_time():
    estimator = gathered()
    for part in PARTS:
        estimator.update(part)
    answer = estimator.update(Measurement(time=5.05, length=LENGTH + 0.1))
    assert answer.time == 5.05
    assert np.allclose(
        answer.position, CatenaryLocalizer(SENSING).update(replace(WHOLE, length=LENGTH + 0.1)).position
    )


@pytest.mark.parametrize("shuffle_seed", range(5))
def test_late_parts_never_replace_newer_ones(shuffle_seed):
    """Whatever the order of a burst of stamped parts, the newest of each remain."""
    burst = [later(replace(REELED, length=LENGTH + 0.01 * i), 0.01 * i) for i in range(6)]
    burst += [later(replace(PULL, tension=WHOLE.tension + 0.01 * i), 0.01 * i) for i in range(6)]
    parts = Gatherer()
    for i in np.random.default_rng(shuffle_seed).permutation(len(burst)):
        parts.take(burst[i])
    together = parts.gathered()
    assert together.length == LENGTH + 0.05
    assert together.tension == WHOLE.tension + 0.05
    assert together.time == 5.05


def test_a_late_part_changes_nothing_and_is_not_fed_twice():
    calls = []

    class Counting:
        def update(self, measurement):
            calls.append(measurement)
            return Estimate.nothing(measurement.time, EstimateStatus.OK)

        def reset(self):
            calls.clear()

    estimator = Gathered(Counting())
    first = estimator.update(REELED)
    assert estimator.update(later(replace(REELED, length=9.0), -0.01)) is first
    assert len(calls) == 1
    estimator.update(later(PULL, -0.01))  # late, but the first word of this sensor
    assert len(calls) == 2
    assert calls[-1].tension == PULL.tension
    assert calls[-1].time == 5.0


def test_what_is_too_old_is_stale():
    estimator = gathered(age_max=0.1)
    for part in PARTS:
        estimator.update(part)
    assert estimator.update(later(REELED, 0.1)).status is EstimateStatus.OK
    answer = estimator.update(later(REELED, 0.11))
    assert answer.status is EstimateStatus.STALE
    assert np.isnan(answer.position).all()
    assert answer.time == pytest.approx(5.11)


def test_a_silent_sensor_that_is_not_needed_makes_the_answer_unsure():
    estimator = gathered()
    for part in PARTS:
        estimator.update(part)
    for part in (AT_BASE, AT_END):
        estimator.update(later(part, 0.15))
    answer = estimator.update(later(REELED, 0.15))  # the tension is the old one
    assert answer.status is EstimateStatus.UNSURE
    assert np.allclose(answer.position, END, rtol=0, atol=1e-9)


def test_a_sensor_that_never_spoke_is_missing_not_stale():
    estimator = gathered()
    estimator.update(AT_BASE)
    assert estimator.update(later(AT_BASE, 1.0)).status is EstimateStatus.MISSING


def test_an_old_attitude_is_stale_and_not_taken_for_level():
    estimator = gathered()
    for part in PARTS:
        estimator.update(part)
    late = [
        later(replace(AT_END, rotation=Measurement().rotation), 0.2),
        later(AT_BASE, 0.2),
        later(REELED, 0.2),
    ]
    assert [estimator.update(part).status for part in late][-1] is EstimateStatus.STALE


def test_a_tangent_stays_in_the_attitude_that_came_with_it():
    """The drone tilts between the angle and the next word of its autopilot."""
    estimator = gathered()
    for part in PARTS:
        estimator.update(part)
    tilted = turn((0.2, -0.1, 0.3)) @ WHOLE.rotation
    answer = estimator.update(Measurement(time=5.01, rotation=tilted))
    assert np.allclose(answer.position, END, rtol=0, atol=1e-9)


def test_a_tangent_without_an_attitude_takes_the_latest():
    estimator = gathered()
    for part in (AT_BASE, REELED, Measurement(time=5.0, rotation=WHOLE.rotation)):
        estimator.update(part)
    answer = estimator.update(Measurement(time=5.0, tangent_end=WHOLE.tangent_end))
    assert np.allclose(answer.position, END, rtol=0, atol=1e-9)


def test_saturation_lasts_until_the_sensor_speaks_again():
    estimator = gathered()
    for part in (*PARTS[:3], replace(PULL, saturated=("tension",))):
        answer = estimator.update(part)
    assert answer.status is EstimateStatus.SATURATED
    assert estimator.update(later(AT_END, 0.01)).status is EstimateStatus.SATURATED
    assert estimator.update(later(PULL, 0.02)).status is EstimateStatus.OK


def test_a_sensor_that_only_says_that_it_is_saturated_is_heard():
    estimator = gathered()
    for part in PARTS:
        estimator.update(part)
    mute = Measurement(time=5.01, saturated=("tangent_end",))
    assert estimator.update(mute).status is EstimateStatus.SATURATED


def test_a_moving_base_is_followed():
    estimator = gathered()
    for part in PARTS:
        estimator.update(part)
    answer = estimator.update(Measurement(time=5.01, base=np.array([1.0, 0.0, 0.0])))
    assert np.allclose(answer.position, np.add(END, (1.0, 0.0, 0.0)), rtol=0, atol=1e-9)


def test_reset_forgets_everything():
    estimator = gathered()
    for part in PARTS:
        estimator.update(part)
    estimator.reset()
    assert estimator.update(later(REELED, -4.0)).status is EstimateStatus.MISSING
    assert estimator.update(later(REELED, -4.0)).time == 1.0


def test_every_reading_of_a_measurement_is_gathered():
    """A field that is added to Measurement must be placed here too."""
    fields = set(vars(Measurement())) - {"time", "saturated"}
    poses = {"rotation", "rotation_base", "base", "base_velocity"}
    assert fields == set(READINGS) | poses


def test_bad_input_gets_one_clear_sentence():
    with pytest.raises(InputError, match="age_max must be > 0, got 0"):
        Gatherer(0.0)
    with pytest.raises(InputError, match="time must be finite, got nan"):
        Gatherer().take(Measurement(time=math.nan))


class Apart(Gatherer):
    """Takes every message apart, also one that tells all that is held."""

    def _tells_all(self, measurement, told):
        return False


@pytest.mark.parametrize("seed", range(8))
def test_a_message_that_tells_all_is_passed_on_as_it_would_be_put_together(seed):
    random = np.random.default_rng(seed)
    at_once, apart = Gatherer(), Apart()
    time, blind = 5.0, replace(WHOLE, tangent_end=np.full(3, math.nan))
    passed_on = 0
    for _ in range(100):
        time += float(random.choice([0.0, 0.01, 0.01, 0.2, -0.03]))
        part = (WHOLE, WHOLE, WHOLE, blind, *PARTS)[random.integers(8)]
        saturated = ("tension",) if random.random() < 0.1 else ()
        message = replace(part, time=time, length=part.length + 0.01 * random.random(), saturated=saturated)
        assert at_once.take(message) == apart.take(message)
        assert set(at_once.stale) == set(apart.stale)
        found, expected = at_once.gathered(), apart.gathered()
        passed_on += found is message
        for name in ("time", "saturated", *READINGS, *POSES):
            a, b = getattr(found, name), getattr(expected, name)
            assert (a is None) == (b is None), name
            if name == "saturated":
                assert set(a) == set(b)
            elif a is not None:
                np.testing.assert_array_equal(a, b, name)
    assert passed_on > 5


def test_what_came_as_nan_is_passed_on_as_not_sensed():
    parts = Gatherer()
    assert parts.take(replace(WHOLE, tangent_end=np.full(3, math.nan)))
    assert parts.gathered().tangent_end is None
