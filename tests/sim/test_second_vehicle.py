"""The same mission on a second vehicle: the team of paper 002, whose drone is told velocities in NED."""

import math
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.control.velocity import VelocityAutopilot
from tetherlab.scenario.simulation import Simulation
from tetherlab.sim.set_point_commander import SetPointCommander

WALL = {"type": "box", "lower_m": [-2.5, 3.5, -0.5], "upper_m": [2.5, 4.5, 4.0]}
CEILING = {"type": "plane", "point_m": [0.0, 0.0, 3.8], "normal": [0.0, 0.0, -1.0]}
HALL = {"shapes": [{"type": "plane"}, CEILING, WALL], "illuminance_lux": 200.0}
STOP = {"name": "wall", "route_m": [[0.4, 0.0]], "wall_heading_deg": 90.0}
CHANGES = {
    "world": HALL,
    "mission": {"uav_speed_m_per_s": 0.35, "ugv_speed_m_per_s": 0.3},
    "winch.rule": {
        "type": "tension_pid", "tension_N": 1.0, "gain_m_per_N_s": 0.05, "integral_gain_m_per_N_s2": 0.02,
    },
    "inspection": {
        "stops": [STOP],
        "depth_camera": {"columns": 48, "rows": 32, "rate_hz": 10},
        "take_off_height_m": 0.8,
        "wall_height_m": 2.4,
        "sweep": {"distance_m": 1.8},
        "flight_tension_N": 1.0,
        "landing": {"tension_N": 3.0},
    },
    "run.duration_max_s": 200.0,
}  # fmt: skip


def second_vehicle(changes=None):
    """0.75 kg in place of 3.4, another rover, winch and tether, and an autopilot that knows no place."""
    autopilot = VelocityAutopilot(
        mass=tl.Scenario.load("tether_inertial").uav.robot.mass, acceleration_max=10.0
    )
    return Simulation(
        "tether_inertial",
        CHANGES | (changes or {}),
        seed=5,
        controller=autopilot,
        commander=partial(SetPointCommander, autopilot),
    )


def states(simulation):
    said = [event.sentence for event in simulation.events if event.kind == "mission"]
    return [sentence.rpartition(": ")[2] for sentence in said]


@pytest.fixture(scope="module")
def flown():
    simulation = second_vehicle()
    simulation.run()
    return simulation


def test_the_mission_is_the_one_of_the_first_vehicle():
    first, second = (
        simulation.pilot.autonomy.machine for simulation in (Simulation("oxpecker"), second_vehicle())
    )
    assert second.table() == first.table()
    kinds = [[type(state.task) for state in machine.states.values()] for machine in (first, second)]
    assert kinds[0] == kinds[1]


def test_it_drives_maps_a_wall_and_stands_on_its_deck_again(flown):
    assert flown.outcome is tl.Outcome.COMPLETED, flown.outcome_sentence
    assert states(flown) == ["take off", "approach", "map", "land", "completed"]
    away = flown.state.uav.position - flown.state.deck
    assert np.linalg.norm(away[:2]) < 0.1 and away[2] < 0.05
    assert not flown.mission.armed
    assert len(flown.pilot.autonomy.machine.states["map"].task.rows) == 2


def test_it_flew_along_the_wall_as_far_from_it_as_it_should(flown):
    uav, rows = flown.log["uav"], flown.pilot.autonomy.machine.states["map"].task.rows
    for _, start, end in rows:
        sweeping = (uav["time_s"] > start) & (uav["time_s"] < end)
        assert np.ptp(uav["x_m"][sweeping]) > 2.0
        assert np.median(3.5 - uav["y_m"][sweeping]) == pytest.approx(1.8, abs=0.1)


def test_what_breaks_off_the_first_vehicles_flight_breaks_off_this_one():
    blind = {"sensor": "depth_camera", "kind": "drop_out", "start_s": 10.0}
    simulation = second_vehicle({"inspection.faults": [blind]})
    simulation.run()
    assert simulation.outcome is tl.Outcome.BROKEN_OFF
    assert "nothing from depth_camera" in simulation.outcome_sentence
    assert states(simulation)[-2:] == ["abort", "aborted"]
    assert np.linalg.norm((simulation.state.uav.position - simulation.state.deck)[:2]) < 0.1


@pytest.mark.parametrize(
    ("told", "world"),
    [
        ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0)),
        ((0.0, 0.0, 1.0), (0.0, 0.0, -1.0)),
    ],
)
def test_north_is_y_east_is_x_and_down_is_down(told, world):
    autopilot = VelocityAutopilot(mass=2.0, gravity=0.0, heading=math.radians(90.0))
    autopilot.velocity_NED = 0.1 * np.array(told)
    seen = SimpleNamespace(uav=SimpleNamespace(velocity=np.zeros(3)))
    _, command = autopilot(autopilot.init(), seen, None)
    assert np.allclose(command.force / np.linalg.norm(command.force), world)
    assert command.yaw == pytest.approx(0.0)  # to the east
