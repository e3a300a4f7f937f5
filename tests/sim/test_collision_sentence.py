"""The sentence of a collision says what was hit, and how deep."""

import re

import tetherlab as tl
from tetherlab.contracts.messages import UavCommand

WEIGHT = 1.477 * 9.80665  # of the drone [N]


class FlyForward:
    """Pushes against whatever is in the way."""

    rate_hz = 100.0

    def init(self):
        return None

    def __call__(self, memory, observation, reference):
        return memory, UavCommand(force=(-4.0, 0.0, 1.05 * WEIGHT))


def test_it_names_the_obstacle():
    sentence = tl.run("ends_in_collision").outcome_sentence
    assert re.search(r"the drone's hull is 0\.00\d m inside the obstacle 'pillar'\.$", sentence)


def test_it_names_the_deck_and_how_deep_the_hull_is_in_it():
    """From which the drone's distance to the world, which is not what it hit, says nothing."""
    changes = {"uav.start_m": [1.1, 0.0, 0.3], "uav.on_platform": False, "tether.paid_out_m": 2.0}
    log = tl.run("vertical", changes, controller=FlyForward())
    assert log.outcome is tl.Outcome.COLLISION
    sentence = log.outcome_sentence
    found = re.search(r"the drone's hull is (\S+) m inside the rover's (deck|chassis)\.$", sentence)
    assert found, sentence
    assert 0.0 <= float(found[1]) < 0.05
