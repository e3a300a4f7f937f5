"""Any method behind an IMU: it converges, finds the velocity, is honest, and coasts where it must."""

import math

import numpy as np
import pytest
from scipy.stats import chi2

from tetherlab.estimation import Estimate, EstimateStatus, Measurement, Smoothed
from tetherlab.estimation.smoothed import ACCELERATION, DEVIATION_MIN, DRIFT_MAX, PLACED

DT = 0.01  # of the IMU; a method answers every second sample [s]
G = np.array([0.0, 0.0, 9.80665])
START, VELOCITY = np.array([1.0, -2.0, 3.0]), np.array([0.4, -0.3, 0.1])


class Told:
    """An estimator that says what it is told to."""

    def __init__(self):
        self.answer = Estimate.nothing(0.0, EstimateStatus.MISSING)
        self.forgotten = 0

    def update(self, measurement):
        return self.answer

    def reset(self):
        self.forgotten += 1


def fly(smoothed, rng, until, *, since=0.0, bias=0.0, status=EstimateStatus.OK, wrong=0.0):
    """Straight on at a constant velocity; yields (truth, estimate)."""
    for step in range(round(since / DT), round(until / DT)):
        time = step * DT
        truth = START + time * VELOCITY
        if step % 2 == 0:
            place = truth + DEVIATION_MIN * rng.standard_normal(3) + wrong
            smoothed.inner.answer = Estimate(time, place, DEVIATION_MIN**2 * np.eye(3), status)
        force = G + bias + ACCELERATION / math.sqrt(DT) * rng.standard_normal(3)
        yield truth, smoothed.update(Measurement(time=time, specific_force=force))


def last(flight):
    *_, (truth, estimate) = flight
    return truth, estimate


def test_it_converges_and_finds_the_velocity_against_a_biased_imu(random):
    truth, estimate = last(fly(Smoothed(Told()), random, 20.0, bias=np.array([0.1, -0.1, 0.05])))
    assert np.linalg.norm(estimate.position - truth) < 0.05 < DEVIATION_MIN
    assert np.linalg.norm(estimate.velocity - VELOCITY) < 0.06
    assert estimate.status is EstimateStatus.OK


def test_errors_are_as_large_as_the_covariance_says():
    """Of 60 flights with the noise that it believes in, each judged once."""
    total, count = 0.0, 60
    for seed in range(count):
        truth, estimate = last(fly(Smoothed(Told()), np.random.default_rng(seed), 4.0))
        wrong = truth - estimate.position
        total += wrong @ np.linalg.solve(estimate.covariance, wrong)
    low, high = chi2.ppf((0.005, 0.995), 3 * count)
    assert 0.5 * low < total < high  # its IMU has no bias here, for which it leaves room


def test_nothing_is_known_before_the_first_answer():
    estimate = Smoothed(Told()).update(Measurement(time=1.0, specific_force=G))
    assert np.isnan(estimate.position).all()
    assert estimate.status is EstimateStatus.MISSING


def test_it_coasts_over_slack_and_says_when_that_is_no_good_any_more(random):
    smoothed = Smoothed(Told())
    _, before = last(fly(smoothed, random, 10.0))
    seen = []
    for truth, estimate in fly(
        smoothed, random, 20.0, since=10.0, status=EstimateStatus.SLACK, wrong=5.0
    ):  # where it would be, if it were believed
        deviation = float(estimate.deviation[0])
        seen.append(estimate.status)
        if estimate.status.usable:
            assert np.linalg.norm(estimate.position - truth) < 4.0 * math.sqrt(3.0) * deviation
    assert seen[0] is EstimateStatus.UNSURE and seen[-1] is EstimateStatus.SLACK
    assert seen == sorted(seen, key=[EstimateStatus.UNSURE, EstimateStatus.SLACK].index)  # once and for all
    good_for = DT * seen.count(EstimateStatus.UNSURE)
    assert 0.5 < good_for < 8.0
    assert deviation > DRIFT_MAX > float(before.deviation[0])


def test_a_single_wild_answer_is_refused_but_not_a_change_that_stays(random):
    smoothed = Smoothed(Told())
    last(fly(smoothed, random, 5.0))
    wild = fly(smoothed, random, 5.02, since=5.0, wrong=3.0)
    truth, estimate = last(wild)
    assert np.linalg.norm(estimate.position - truth) < 0.15
    truth, estimate = last(fly(smoothed, random, 12.0, since=5.02, wrong=3.0))
    assert np.linalg.norm(estimate.position - truth - 3.0) < 0.3


def test_an_answer_that_is_old_is_moved_on_by_the_velocity():
    """Without that, a drone at 2 m/s would be seen 10 cm behind."""
    smoothed, speed, late = Smoothed(Told()), np.array([2.0, 0.0, 0.0]), 0.05
    for step in range(1000):
        time = step * DT
        then = time - late
        smoothed.inner.answer = Estimate(then, then * speed, 0.01 * np.eye(3), EstimateStatus.OK)
        estimate = smoothed.update(Measurement(time=time, specific_force=G))
    assert estimate.position[0] == pytest.approx(speed[0] * time, abs=0.01)


def test_standing_it_knows_where_it_is_and_reset_forgets(random):
    smoothed = Smoothed(Told())
    last(fly(smoothed, random, 2.0))
    estimate = smoothed.stand(3.0, np.array([0.5, 0.6, 0.7]))
    assert np.array_equal(estimate.position, [0.5, 0.6, 0.7])
    assert np.array_equal(estimate.velocity, np.zeros(3))
    assert np.allclose(estimate.deviation, PLACED)
    assert (estimate.time, estimate.status) == (3.0, EstimateStatus.OK)
    smoothed.reset()
    smoothed.inner.answer = Estimate.nothing(0.0, EstimateStatus.MISSING)
    assert smoothed.inner.forgotten == 2  # once at the start
    assert np.isnan(smoothed.update(Measurement(time=4.0, specific_force=G)).position).all()
