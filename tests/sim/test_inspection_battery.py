"""An inspection whose battery is too small for its wall: it comes home in time."""

import numpy as np
import pytest
from test_inspection import CHANGES

import tetherlab as tl
from tetherlab.missions import inspection
from tetherlab.scenario.simulation import Simulation

SMALL = {
    "power.battery.capacity_Ah": 0.28,  # for a minute and a quarter in the air
    "inspection.limits": {"energy_min": 0.0, "voltage_min_V": 0.0, "power_share_max": 1.0},
}


def test_it_leaves_while_the_battery_still_brings_it_home():
    simulation = Simulation("oxpecker", CHANGES | SMALL, seed=5)
    simulation.run()
    assert simulation.outcome is tl.Outcome.BROKEN_OFF, simulation.outcome_sentence
    assert "wall was left, way home: battery at" in simulation.outcome_sentence
    assert np.linalg.norm((simulation.state.uav.position - simulation.state.deck)[:2]) < 0.1
    assert not simulation.mission.armed
    assert 0.0 < simulation.state.power.energy_left < 0.45  # half as much again as its way home takes


def test_without_that_guard_it_falls(monkeypatch):
    monkeypatch.setattr(inspection, "WayHome", lambda speed: lambda readings: "")
    simulation = Simulation("oxpecker", CHANGES | SMALL, seed=5)
    simulation.run()
    assert simulation.outcome is tl.Outcome.POWER_LOST


def test_a_battery_that_is_nearly_empty_does_not_take_off():
    simulation = Simulation("oxpecker", CHANGES, seed=5)
    simulation.plant.supply["charge"][0] = 0.1
    simulation.run()
    assert "wall was left, battery low: battery at 10 %" in simulation.outcome_sentence
    assert simulation.state.uav.position[2] == pytest.approx(simulation.state.deck[2], abs=0.01)
