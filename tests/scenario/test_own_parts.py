"""Parts of one's own take the place of those of a scenario."""

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.contracts.autonomy import Readings
from tetherlab.sim.pilot import Pilot


class StandStill:
    """A controller of the ground robot that counts how often it was asked."""

    rate_hz = 50.0

    def __init__(self):
        self.calls = 0

    def init(self):
        return None

    def __call__(self, memory, observation, reference):
        self.calls += 1
        return memory, tl.UgvCommand(0.0, 0.0, 0.0)


def test_a_run_takes_a_controller_of_the_ground_robot():
    mine = StandStill()
    tl.run("vertical", {"run.duration_max_s": 0.1}, ugv_controller=mine)
    assert mine.calls == 5


class Blind:
    """A mission on board that is told nothing, commands nothing, and ends after ten looks."""

    rate_hz, progress, ending = 20.0, (0.0, ""), (True, "it has looked ten times")
    velocity_error = np.zeros(3)

    def __init__(self):
        self.calls = 0

    def step(self, readings, commander):
        self.calls += 1
        return []

    def read(self, plant, state):
        return Readings(time=state.time)

    def begun(self):
        return []

    @property
    def done(self):
        return self.calls == 10


def test_a_run_takes_a_mission_on_board():
    mine = Blind()
    simulation = tl.Simulation("vertical", pilot=Pilot(mine, mine))
    simulation.run()
    assert simulation.outcome is tl.Outcome.COMPLETED
    assert simulation.outcome_sentence.endswith("it has looked ten times.")
    assert simulation.time == pytest.approx(0.5, abs=0.06)
