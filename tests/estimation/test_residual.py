"""The learned correction on flights unlike those it learned from, and where it must keep out."""

import dataclasses
import math

import numpy as np
import pytest

from synthetic_flights import SENSING, fly, judging_flights, rms, training_flights
from tetherlab.contracts.errors import InputError
from tetherlab.estimation import CatenaryLocalizer, Estimate, EstimateStatus, Measurement
from tetherlab.estimation.residual import LearnedResidual, residual_inputs
from tetherlab.estimation.residual_training import _Judge, train_residual
from tetherlab.estimation.sparse_bound import heap_up
from tetherlab.estimation.sparse_fit import Samples
from tetherlab.estimation.sparse_gp import HeldOut, SparseGp
from tetherlab.estimation.sparse_inputs import Seen


def learn(flights, *, inducing=80, named=True):
    names = np.concatenate([[flight.name] * len(flight.raw) for flight in flights]) if named else None
    return train_residual(
        np.vstack([flight.inputs for flight in flights]),
        np.vstack([flight.errors for flight in flights]),
        flights=names,
        inducing=inducing,
    )


def flown(estimator, flight):
    return [estimator.update(Measurement.from_angles(*row)) for row in flight.angles]


def errors(estimates, flight):
    return flight.truth - np.array([estimate.position for estimate in estimates])


@pytest.fixture(scope="module")
def training():
    return training_flights(100)


@pytest.fixture(scope="module")
def gp(training):
    return learn(training)


@pytest.fixture(scope="module")
def same_tension(training):
    """Learned from flights at 3.5 N alone."""
    return learn([flight for flight in training if "3.5 N" in flight.name])


@pytest.fixture(scope="module")
def judging():
    return judging_flights(200)


def corrected(gp):
    return LearnedResidual(CatenaryLocalizer(SENSING), gp)


def test_the_raw_error_of_these_flights_is_that_of_the_paper(judging):
    assert np.mean([flight.rmse for flight in judging]) == pytest.approx(0.07, abs=0.004)


def test_flights_of_new_shape_height_and_tension_are_corrected(gp, judging):
    for flight in judging:
        estimates = flown(corrected(gp), flight)
        assert rms(errors(estimates, flight)) < 0.5 * flight.rmse
        assert all(estimate.status is EstimateStatus.OK for estimate in estimates)


def test_the_covariance_covers_the_error(gp, judging):
    squares = []
    for flight in judging:
        estimates = flown(corrected(gp), flight)
        for off, estimate in zip(errors(estimates, flight), estimates, strict=True):
            squares.append(off @ np.linalg.solve(estimate.covariance, off))
    # 3 if exact; the doubt of flights left out makes it cautious, never bold
    assert 0.8 < np.mean(squares) < 3.0


@pytest.mark.parametrize(
    ("shape", "size", "height", "tension"),
    [
        ("eight", 1.5, 2.5, 1.2),
        ("circle", 1.0, 3.4, 1.2),
        ("circle", 1.5, 2.5, 2.0),
        ("circle", 1.5, 2.5, 9.0),
        ("circle", 2.6, 2.5, 3.5),
        ("triangle", 1.5, 5.5, 3.5),
    ],
)
def test_it_does_no_harm_where_training_never_was(gp, same_tension, shape, size, height, tension):
    flight = fly(shape, size, height, tension, count=120, seed=9)
    for learned in (gp, same_tension):
        assert rms(errors(flown(corrected(learned), flight), flight)) < 1.05 * flight.rmse


def test_the_deviation_alone_would_let_harm_pass(same_tension):
    """Why strangeness is asked as well: at a third of the tension the process is sure, and wrong."""
    flight = fly("eight", 1.5, 2.5, 1.2, count=120, seed=9)
    mean, variance, strangeness = same_tension.predict(flight.inputs)
    assert np.sqrt(variance).max() < 0.065 and rms(flight.errors - mean) > 1.5 * flight.rmse
    assert np.median(strangeness) > 1.15


def test_outside_of_training_the_model_speaks_alone(gp):
    flight = fly("circle", 1.5, 8.0, 3.5, count=20)
    for row in flight.angles:
        measurement = Measurement.from_angles(*row)
        alone, answer = CatenaryLocalizer(SENSING).update(measurement), corrected(gp).update(measurement)
        assert answer.status is EstimateStatus.OUTSIDE_TRAINING and answer.status.usable
        assert (answer.position == alone.position).all()
        # what is not corrected is as uncertain as errors were in training
        assert answer.covariance - alone.covariance == pytest.approx(np.diag(gp.spread**2), abs=1e-12)


class Told:
    """An estimator that says what it was told to."""

    def __init__(self, estimate):
        self.estimate, self.resets = estimate, 0

    def update(self, measurement):
        return self.estimate

    def reset(self):
        self.resets += 1


@pytest.fixture
def known(judging):
    """A measurement of a flight, and a bare estimate at its place."""
    flight = judging[0]
    measurement = Measurement.from_angles(*flight.angles[0], tension=3.5)
    return measurement, Estimate(0.0, flight.raw[0], 1e-6 * np.eye(3), EstimateStatus.OK)


@pytest.mark.parametrize(
    ("deviation", "share"), [(0.01, 1.0), (0.015, 1.0), (0.04, 0.5), (0.065, 0.0), (0.2, 0.0)]
)
def test_the_share_of_the_correction_falls_with_its_largest_deviation(
    gp, known, monkeypatch, deviation, share
):
    measurement, estimate = known
    doubt = np.array([0.5 * deviation, deviation, 0.1 * deviation])
    mean = np.array([0.03, -0.02, 0.01])
    monkeypatch.setattr(type(gp), "predict_one", lambda self, inputs: (mean, doubt**2, 0.5))
    answer = LearnedResidual(Told(estimate), gp).update(measurement)
    assert answer.position - estimate.position == pytest.approx(share * mean, abs=1e-12)
    scatter = share * np.maximum(gp.hyper.noise - 1e-6, 0.0)
    wanted = 1e-6 + scatter + share**2 * doubt**2 + (1.0 - share) ** 2 * gp.spread**2
    assert np.diagonal(answer.covariance) == pytest.approx(wanted)
    assert answer.status is (EstimateStatus.OK if share > 0.0 else EstimateStatus.OUTSIDE_TRAINING)


@pytest.mark.parametrize(("strangeness", "share"), [(1.0, 1.0), (1.075, 0.5), (1.15, 0.0), (9.0, 0.0)])
def test_the_correction_fades_with_strangeness(gp, known, monkeypatch, strangeness, share):
    measurement, estimate = known
    mean = np.array([0.03, -0.02, 0.01])
    monkeypatch.setattr(type(gp), "predict_one", lambda self, inputs: (mean, np.full(3, 1e-6), strangeness))
    answer = LearnedResidual(Told(estimate), gp).update(measurement)
    assert answer.position - estimate.position == pytest.approx(share * mean, abs=1e-12)


@pytest.mark.parametrize("status", EstimateStatus)
def test_only_what_the_inner_estimator_trusts_is_corrected(gp, known, status):
    measurement, estimate = known
    estimate = dataclasses.replace(estimate, status=status, heading=0.3, velocity=np.ones(3))
    answer = LearnedResidual(Told(estimate), gp).update(measurement)
    assert answer.status is status and answer.heading == 0.3 and (answer.velocity == 1.0).all()
    touched = status in (EstimateStatus.OK, EstimateStatus.UNSURE)
    assert (answer is not estimate) == touched


def test_without_an_angle_the_position_stands_alone(gp, known):
    measurement, estimate = known
    blind = dataclasses.replace(measurement, tangent_end=None)
    answer = LearnedResidual(Told(estimate), gp).update(blind)
    assert answer.status is EstimateStatus.OUTSIDE_TRAINING and (answer.position == estimate.position).all()


def test_inputs_do_not_depend_on_where_the_base_stands_and_how_it_is_turned(known):
    measurement, estimate = known
    c, s = math.cos(0.4), math.sin(0.4)
    tilt = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    moved = dataclasses.replace(
        measurement,
        base=np.array([5.0, -2.0, 0.7]),
        rotation_base=tilt,
        tangent_base=tilt.T @ measurement.tangent_base,
    )
    inputs = residual_inputs(measurement, estimate.position)
    assert inputs == pytest.approx(residual_inputs(moved, estimate.position + moved.base), abs=1e-12)
    azimuth = math.atan2(measurement.tangent_base[1], measurement.tangent_base[0])
    assert inputs[:3] == pytest.approx(estimate.position)
    assert inputs[3] == pytest.approx(azimuth) and inputs[6] == measurement.length


def test_reset_reaches_the_inner_estimator(gp, known):
    inner = Told(known[1])
    LearnedResidual(inner, gp).reset()
    assert inner.resets == 1


def test_flights_left_out_are_reported_and_add_to_the_doubt(gp, training):
    held_out = gp.held_out
    assert sorted(held_out.names) == sorted(flight.name for flight in training)
    before = dict(zip(held_out.names, held_out.before, strict=True))
    for flight in training:
        assert before[flight.name] == pytest.approx(flight.rmse, rel=1e-9)
    assert np.mean(held_out.after) < 0.6 * np.mean(held_out.before)
    variance = gp.predict(training[0].inputs).variance
    assert (variance >= held_out.between**2).all() and held_out.between.max() > 0.0


def test_flights_left_out_fare_as_with_a_model_made_without_them(training, gp):
    flights = [training[i] for i in (12, 13, 14)]  # so few that each is a group of its own
    inputs = np.vstack([flight.inputs for flight in flights])
    member = np.repeat([2, 0, 1], [len(flight.raw) for flight in flights])
    outputs = np.vstack([flight.errors for flight in flights])
    samples = Samples(inputs, gp.scaling.features(inputs), outputs)
    held_out = _Judge(member, len(inputs), 0)(samples, gp.scaling, gp.hyper, gp.inducing)
    excess, near = np.zeros(3), 0
    for i in range(3):
        mine, others = member == i, member != i
        features = samples.features[others]
        heap = heap_up(features, outputs[others], gp.inducing, gp.hyper.lengths[gp.scaling.owner])
        seen = Seen.of(inputs[others], features)
        without = SparseGp.assemble(gp.scaling, seen, gp.hyper, gp.inducing, heap, HeldOut.nothing(3))
        mean, variance, strangeness = without.predict(inputs[mine])
        share = np.clip((1.15 - strangeness) / 0.15, 0.0, 1.0)[:, None]
        assert held_out.names[i] == str(i)
        assert held_out.after[i] == pytest.approx(rms(outputs[mine] - share * mean), rel=1e-6)
        rest = (outputs[mine] - mean) ** 2 - variance - gp.hyper.noise
        excess += rest[strangeness <= 1.0].sum(0)
        near += (strangeness <= 1.0).sum()
    assert near > 10
    assert held_out.between == pytest.approx(np.sqrt(np.maximum(excess / near, 0.0)), rel=1e-5, abs=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x, e: train_residual(x[:, :6], e), r"inputs must have shape \(n, 7\), got \(8, 6\)"),
        (lambda x, e: train_residual(x, e[:, :2]), r"errors must have shape \(n, 3\), got \(8, 2\)"),
        (lambda x, e: train_residual(x, e, flights=[1, 2]), r"flights must have shape \(8,\)"),
        (lambda x, e: train_residual(x, e, flights=["a"] * 8), "at least two flights, got only 'a'"),
        (
            lambda x, e: train_residual(x, e, inducing=9),
            "inducing must be from 1 to the number of samples, 8",
        ),
    ],
)
def test_wrong_training_data_are_refused(call, message, random):
    with pytest.raises(InputError, match=message):
        call(random.normal(size=(8, 7)), random.normal(size=(8, 3)))


def test_wrong_thresholds_are_refused(gp):
    with pytest.raises(InputError, match=r"lower must be below upper, got 0\.07 and 0\.065"):
        LearnedResidual(CatenaryLocalizer(), gp, lower=0.07)
