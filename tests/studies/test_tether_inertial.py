"""The flights of the tether-inertial study: what is judged was not learned from."""

import numpy as np
import pytest

from tetherlab.studies.localised import Localised
from tetherlab.studies.tether_inertial_flights import (
    SHAPES,
    learned_flights,
    raw_flights,
    targets,
    training_flights,
)


def test_there_are_as_many_flights_as_the_paper_prints():
    assert len(raw_flights()) == 12
    assert len(learned_flights()) == 7
    assert len({flight.name for flight in [*raw_flights(), *learned_flights(), *training_flights()]}) == 55


def test_nothing_that_is_judged_was_learned_from():
    taught = training_flights()
    for flight in [*raw_flights(), *learned_flights()]:
        for name in ("shape", "height", "tension", "seed"):
            assert getattr(flight, name) not in {getattr(other, name) for other in taught}


def test_each_tension_of_training_is_flown_in_both_directions_and_so_is_each_shape():
    for name in ("shape", "size", "tension"):
        for value in {getattr(flight, name) for flight in training_flights()}:
            ways = [flight.backwards for flight in training_flights() if getattr(flight, name) == value]
            assert sum(ways) == len(ways) / 2


@pytest.mark.parametrize("shape", [*SHAPES, "square", "star", "spiral"])
def test_backwards_is_the_same_path_the_other_way_round(shape):
    flight = training_flights()[0]._replace(shape=shape, height=2.0, backwards=False)
    there = np.array([target["uav_m"] for target in targets(flight)])
    back = np.array([target["uav_m"] for target in targets(flight._replace(backwards=True))])
    assert back[:, :2] == pytest.approx(there[::-1, :2], abs=1e-9)
    steps = np.linalg.norm(np.diff(there[:, :2], axis=0), axis=1)
    assert steps.max() < 0.13


def test_answers_that_are_none_are_left_out_of_pictures_and_counted():
    position = np.array([[0.0, 0.0, 2.0], [np.nan] * 3, [1.0, 0.0, 2.0]])
    error = np.array([[0.3, 0.4, 0.0], [np.nan] * 3, [0.0, 0.0, 0.0]])
    answers = Localised(
        np.arange(3.0), position, error, np.tile(np.eye(3), (3, 1, 1)), np.array([True, False, True])
    )
    assert answers.answered == pytest.approx(2 / 3)
    assert answers.rmse == pytest.approx(0.5 / np.sqrt(2))
    assert answers.said.distance == pytest.approx([0.5, 0.0])
    assert len(answers.said.covariance) == 2
