"""The inspection of one vehicle, flown by another: a small drone whose autopilot is told velocities in NED.

Mission, states and guards are those of the scenario `oxpecker`. Robots, tether, winch and sensors are
named in the scenario; the commander is the only part of the program that knows the vehicle.
"""

from functools import partial

import numpy as np

import tetherlab as tl
from tetherlab.control.velocity import VelocityAutopilot
from tetherlab.sim.set_point_commander import SetPointCommander

WALL = {"type": "box", "lower_m": [3.5, -2.5, -0.5], "upper_m": [4.5, 2.5, 4.0]}
CHANGES = {
    "world": {"shapes": [{"type": "plane"}, WALL], "illuminance_lux": 200.0},
    "mission": {"uav_speed_m_per_s": 0.35, "ugv_speed_m_per_s": 0.3},
    "winch.rule": {"type": "tension_pid", "gain_m_per_N_s": 0.05, "integral_gain_m_per_N_s2": 0.02},
    "inspection": {
        "stops": [{"name": "wall", "route_m": [[0.0, 0.4]], "wall_heading_deg": 0.0}],
        "depth_camera": {"columns": 48, "rows": 32, "rate_hz": 10},
        "take_off_height_m": 0.8,
        "wall_height_m": 2.4,
        "sweep": {"distance_m": 1.8},
        "flight_tension_N": 1.0,  # the drone weighs 0.75 kg
        "landing": {"tension_N": 3.0},
    },
}


def main(show=True):
    """Fly it; returns the run."""
    autopilot = VelocityAutopilot(mass=0.75, acceleration_max=10.0)
    simulation = tl.Simulation(
        "tether_inertial", CHANGES, controller=autopilot, commander=partial(SetPointCommander, autopilot)
    )
    simulation.run()
    if show:
        for event in simulation.events:
            print(f"{event.time:6.2f} s  {event.sentence}")
    return simulation


def check(simulation):
    """The wall is mapped, and the drone stands on its deck again."""
    assert simulation.outcome is tl.Outcome.COMPLETED, simulation.outcome_sentence
    assert np.linalg.norm((simulation.state.uav.position - simulation.state.deck)[:2]) < 0.1


if __name__ == "__main__":
    check(main())
