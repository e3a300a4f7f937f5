"""Random worlds in which plans are carried out."""

import numpy as np
import pytest

from tetherlab.studies.cooperative_flight import WITHIN, WORLDS, fly_world, random_world, run, with_a_plan


def test_a_world_is_drawn_again_from_its_number():
    assert random_world(3) == random_world(3)
    places = {random_world(i).perches[0] for i in range(WORLDS)}
    assert len(places) == WORLDS
    beside = [w.goal["ugv"][0] != w.perches[0][0] for w in map(random_world, range(WORLDS))]
    assert 3 < sum(beside) < WORLDS - 3


@pytest.mark.parametrize("seed", [2, 5])
def test_the_ugv_arrives(seed):
    flown = fly_world(seed)
    assert flown.error < WITHIN, flown.sentence


@pytest.mark.slow
def test_it_arrives_in_every_world():
    rows = []
    results = run(rows.append, lambda text: None)
    assert all(result.arrived for result in results), [r.sentence for r in results if not r.arrived]
    assert [row.here for row in rows[1:3]] == [WORLDS, WORLDS]


@pytest.mark.slow
def test_without_damping_it_mostly_does_not():
    worlds = [i for i in with_a_plan() if random_world(i).goal["ugv"][0] == random_world(i).perches[0][0]]
    errors = [fly_world(number, damped=False).error for number in worlds[:5]]  # no drive mends it in these
    assert np.median(errors) > 2.0 * WITHIN
