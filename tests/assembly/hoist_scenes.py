"""Rovers on their winches that these tests hang up, and a wall for them to climb."""

from dataclasses import replace

import numpy as np

import tetherlab as tl
from tetherlab.assembly.cooperation_team import hook_drone, thin_tether
from tetherlab.assembly.hoist_run import HoistRun
from tetherlab.missions.crew import TICK, HoistCommand
from tetherlab.vehicles.climber import climber_spec, climber_winch
from tetherlab.vehicles.hanging import Hanging
from tetherlab.vehicles.winch import HOLD, SPEED

RADIUS, MASS = 0.2, 5.0
WEIGHT = MASS * 9.80665
DRONE = hook_drone()
WALL = tl.shapes.Box(lower=(-0.4, -2.0, -4.0), upper=(0.4, 2.0, 0.4), name="wall")
FLOOR = tl.shapes.Plane(point=(0.0, 0.0, -4.0), name="floor")
CORNER, PERCH = (0.41, 0.0, 0.41), (-2.2, 0.0, 3.0)


def point_like():
    """A rover whose tether is tied to its centre of mass: it hangs as a point mass does."""
    rover = climber_spec(RADIUS, MASS)
    return replace(rover, center_of_mass=np.array([0.0, 0.0, RADIUS]))


class Hoisted(HoistRun):
    """A rover whose drone is perched at a place, advanced by hand."""

    def __init__(self, shapes=(), *, rover, at, via=(), perched=PERCH, force=300.0, holds=np.inf, slack=1.0):
        winch = climber_winch(RADIUS, force, 0.4, 14.0, 0.004)
        super().__init__(
            tl.World(list(shapes)), thin_tether(0.2), DRONE, rover, winch, length=14.0,
            rover_position=at, drone_position=perched, perch_force=holds,
        )  # fmt: skip
        self.latch(via=via, slack=slack)
        self.perch()

    @property
    def pendulum(self):
        """The rover in the plane of the tests."""
        p, v = self.rover, self.exit_velocity
        return Hanging.of(self.perch_place[[0, 2]], p[[0, 2]], v[[0, 2]])

    def go_on(self, duration, reel=0.0, watch=None):
        """Ticks; reel: a speed, or what gives one of the rover as a pendulum. Returns what `watch` saw."""
        seen = []
        for _ in range(round(duration / TICK)):
            speed = reel(self.pendulum) if callable(reel) else reel
            going = self.tick(HoistCommand(reel_mode=SPEED if speed else HOLD, reel=speed))
            if watch is not None:
                seen.append(watch(self))
            if not going:
                break
        return seen
