"""Fits find the truth within the confidence they state, find outliers, and leave honest samples alone."""

import re

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.sensors.calibration import ADC, RATIO, Calibration
from tetherlab.sensors.calibration_fit import fit_samples
from tetherlab.sensors.calibration_samples import Samples
from tetherlab.sensors.outliers import inliers

TRUTH = {"base_elevation": (-2.6, 5.2), "tension": (0.1, -0.0026, 1.2e-5)}
RANGE = {"base_elevation": (0.2, 0.8), "tension": (160.0, 760.0)}
NOISE = {"base_elevation": 0.005, "tension": 0.05}


def make(sensor, seed, count=30, wrong=0, by=10.0, reach=None, noise=1.0):
    """Samples of a known law; the first `wrong` of them are off by so many deviations."""
    random = np.random.default_rng(seed)
    inputs = random.uniform(*(reach or RANGE[sensor]), count)
    values = sum(c * inputs**power for power, c in enumerate(TRUTH[sensor]))
    values = values + noise * NOISE[sensor] * random.standard_normal(count)
    values[:wrong] += by * NOISE[sensor] * random.choice([-1.0, 1.0], wrong)
    name = RATIO if sensor == "base_elevation" else ADC
    return Samples(sensor, "made.csv", tuple(range(2, count + 2)), name, inputs, values)


@pytest.mark.parametrize("sensor", TRUTH)
def test_the_truth_lies_within_the_stated_confidence_as_often_as_stated(sensor):
    seeds, inside, below, readings, spread = 120, 0, 0, 0, []
    middle = np.mean(RANGE[sensor])
    true = sum(c * middle**power for power, c in enumerate(TRUTH[sensor]))
    for seed in range(seeds):
        fit = fit_samples(make(sensor, seed, wrong=2))
        inside += np.mean(np.abs(np.subtract(fit.law.coefficients, TRUTH[sensor])) <= fit.confidence)
        below += abs(fit.law.value(middle) - true) <= fit.line_confidence(middle)
        again = make(sensor, seed + 1000)
        off = np.abs(again.values - fit.law.value(again.inputs))
        readings += np.mean(off <= fit.reading_confidence(again.inputs))
        spread.append(fit.law.residual_deviation)
    # 95 % of 120 is 114 ± 2.4
    for share in (inside, below, readings):
        assert 0.90 <= share / seeds < 0.995
    # Outliers would widen the noise, and good samples that were cut would narrow it: 3 deviations of it.
    assert np.sqrt(np.mean(np.square(spread))) == pytest.approx(NOISE[sensor], rel=0.04)


@pytest.mark.parametrize("sensor", TRUTH)
@pytest.mark.parametrize("count, wrong", [(20, 1), (20, 3), (40, 12)])
def test_outliers_are_found_and_named_by_their_lines(sensor, count, wrong):
    found = kept = 0
    for seed in range(20):
        fit = fit_samples(make(sensor, seed, count, wrong, by=12.0))
        found += set(range(2, wrong + 2)) <= set(fit.law.rejected_lines)
        kept += len(set(fit.law.rejected_lines) - set(range(2, wrong + 2))) <= 1
    assert found >= 19 and kept >= 19


@pytest.mark.parametrize("sensor", TRUTH)
@pytest.mark.parametrize("count", [15, 30])
def test_clean_samples_are_left_alone(sensor, count):
    lost = np.array([np.sum(~fit_samples(make(sensor, seed, count)).kept) for seed in range(100)])
    assert np.mean(lost > 0) <= 0.05 and lost.mean() < 0.005 * count


def test_far_outliers_at_the_end_of_the_range_do_not_turn_the_line():
    samples = make("base_elevation", 3, 30)
    end = np.argsort(samples.inputs)[-10:]
    samples.values[end] = 0.0  # a sensor that hung for a third of the samples
    fit = fit_samples(samples)
    assert set(np.flatnonzero(~fit.kept)) == set(end)
    assert np.abs(np.subtract(fit.law.coefficients, TRUTH["base_elevation"])).max() < 0.05


def test_samples_without_any_noise_are_fitted_exactly():
    for sensor, truth in TRUTH.items():
        fit = fit_samples(make(sensor, 1, noise=0.0))
        assert fit.kept.all() and fit.law.coefficients == pytest.approx(truth, rel=1e-9)
        assert fit.law.residual_deviation < 1e-12 and not fit.doubts


def test_covariance_is_that_of_ordinary_least_squares():
    samples = make("tension", 5)
    fit = fit_samples(samples)
    # numpy's polyfit gives powers downwards, and its covariance is the same formula found another way
    coefficients, covariance = np.polyfit(samples.inputs, samples.values, 2, cov=True)
    assert fit.law.coefficients == pytest.approx(coefficients[::-1], rel=1e-6)
    assert fit.covariance == pytest.approx(covariance[::-1, ::-1], rel=1e-5)


def test_the_same_samples_give_the_same_answer_in_any_order():
    samples = make("tension", 8, 25, 3)
    order = np.random.default_rng(0).permutation(25)
    once = inliers(samples.inputs, samples.values, 2)
    assert (inliers(samples.inputs[order], samples.values[order], 2) == once[order]).all()


@pytest.mark.parametrize(
    "samples, sentence",
    [
        (make("base_elevation", 0, 5), "5 samples say little about the noise"),
        (make("base_elevation", 0, reach=(0.45, 0.52)), r"span only [\d.]+ deg; .* over 45 deg or more"),
        (make("base_elevation", 0, noise=20.0, reach=(0.45, 0.52)), "the range is small for this noise"),
        (make("base_elevation", 0, 40, 16, by=40.0), "16 of 40 samples are outliers"),
    ],
)
def test_doubts_are_said(samples, sentence):
    assert any(re.search(sentence, doubt) for doubt in fit_samples(samples).doubts)


def test_an_empty_middle_and_a_wrong_law_are_doubted():
    samples = make("base_elevation", 0, 40)
    split = np.where(samples.inputs < 0.5, 0.2 + 0.1 * samples.inputs, 0.7 + 0.1 * samples.inputs)
    doubts = fit_samples(Samples("base_elevation", "a", samples.lines, RATIO, split, 5.2 * split)).doubts
    assert len(doubts) == 1 and "no sample between" in doubts[0]
    bent = samples.values + 0.5 * (samples.inputs - 0.5) ** 2
    doubts = fit_samples(Samples("base_elevation", "a", samples.lines, RATIO, samples.inputs, bent)).doubts
    assert len(doubts) == 1 and "bend away from a linear law" in doubts[0]


def test_honest_samples_raise_no_doubts():
    doubted = sum(bool(fit_samples(make(sensor, seed)).doubts) for seed in range(40) for sensor in TRUTH)
    assert doubted <= 2


def test_a_parabola_that_turns_back_is_refused():
    samples = make("tension", 0, reach=(0.0, 300.0))  # its least value is at 0.0026 / 2.4e-5 = 108
    fit = fit_samples(samples)
    assert "turns back at adc = 1" in fit.doubts[0]
    with pytest.raises(tl.InputError, match="tension: the parabola turns back"):
        Calibration({"tension": fit.law})


def test_too_few_or_equal_samples_are_refused():
    for count, sensor, sentence in (
        (2, "base_elevation", "2 samples, but a linear law needs at least 3"),
        (1, "base_elevation", "one sample, but a linear law needs at least 3"),
        (3, "tension", "3 samples, but a quadratic law needs at least 4"),
    ):
        with pytest.raises(tl.InputError, match=sentence):
            fit_samples(make(sensor, 0, count))
    samples = make("base_elevation", 0, 10)
    samples.inputs[:] = 0.4
    with pytest.raises(tl.InputError, match="only 1 different readings of adc / reference_adc"):
        fit_samples(samples)


def test_samples_at_few_places_are_fitted_too():
    """Ten readings at each of three angles, and all but one at the same place."""
    inputs = np.repeat([0.3, 0.5, 0.7], 10)
    values = 5.2 * inputs - 2.6 + 0.005 * np.random.default_rng(1).standard_normal(30)
    values[4] += 0.3
    fit = fit_samples(Samples("base_elevation", "a", tuple(range(2, 32)), RATIO, inputs, values))
    assert fit.law.rejected_lines == (6,)
    inputs = np.where(np.arange(2000) == 0, 0.7, 0.3)
    fit = fit_samples(Samples("base_elevation", "a", tuple(range(2000)), RATIO, inputs, 5.2 * inputs))
    assert fit.kept.all() and fit.law.coefficients[1] == pytest.approx(5.2)


def test_true_values_that_are_all_the_same_say_nothing():
    inputs, lines = np.linspace(0.2, 0.8, 12), tuple(range(2, 14))
    for others in ((), (0.7,)):  # one that is an outlier does not help
        values = np.r_[others, np.full(12 - len(others), 0.5)]
        with pytest.raises(tl.InputError, match=r"all true angles are the same, 28\.6 deg; move the sensor"):
            fit_samples(Samples("base_elevation", "made.csv", lines, RATIO, inputs, values))
