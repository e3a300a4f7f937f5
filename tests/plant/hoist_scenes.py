"""Rovers on their winches that these tests hang up, and a wall for them to climb."""

from dataclasses import replace

import numpy as np
from tetherlab.plant.hoist_advance import advance_hoist
from tetherlab.plant.hoist_build import build_hoist, latch, middle, perch

import tetherlab as tl
from tetherlab.assembly.cooperation_team import hook_drone, thin_tether
from tetherlab.plant import hoist_model as H
from tetherlab.vehicles.climber import climber_spec, climber_winch
from tetherlab.vehicles.hanging import Hanging
from tetherlab.vehicles.winch import HOLD, SPEED

RADIUS, MASS = 0.2, 5.0
WEIGHT = MASS * 9.80665
DRONE = hook_drone()
TICK, STEP = 0.01, 0.0025
NO_ROW = (np.empty(0), np.empty(0, np.float32))
WALL = tl.shapes.Box(lower=(-0.4, -2.0, -4.0), upper=(0.4, 2.0, 0.4), name="wall")
FLOOR = tl.shapes.Plane(point=(0.0, 0.0, -4.0), name="floor")
CORNER, PERCH = (0.41, 0.0, 0.41), (-2.2, 0.0, 3.0)


def point_like():
    """A rover whose tether is tied to its centre of mass: it hangs as a point mass does."""
    rover = climber_spec(RADIUS, MASS)
    return replace(rover, center_of_mass=np.array([0.0, 0.0, RADIUS]))


class Hoisted:
    """A rover whose drone is perched at a place, advanced by hand."""

    def __init__(self, shapes=(), *, rover, at, via=(), perched=PERCH, force=300.0, holds=np.inf, slack=1.0):
        self.world, self.tether = tl.World(list(shapes)), thin_tether(0.2)
        winch = climber_winch(RADIUS, force, 0.4, 14.0, 0.004)
        self.plant = build_hoist(
            self.world, self.tether, DRONE, rover, winch, length=14.0,
            rover_position=at, drone_position=perched, perch_force=holds, step=STEP,
        )  # fmt: skip
        latch(self.plant, self.world, self.tether, via=via, slack=slack)
        perch(self.plant)
        self.code = 0

    @property
    def hinge(self):
        return self.plant.perch[[0, 2]]

    @property
    def place(self):
        return middle(self.plant, H.ROVER)

    @property
    def hanging(self):
        p, v = self.place, self.plant.memory.vectors[1, 0]
        return Hanging.of(self.hinge, p[[0, 2]], v[[0, 2]])

    def run(self, duration, reel=0.0, watch=None):
        """Ticks; reel: a speed, or what gives one of the rover as a pendulum. Returns what `watch` saw."""
        command, target, seen = np.zeros(H.COMMAND_SIZE), np.zeros((2, 3)), []
        for _ in range(round(duration / TICK)):
            speed = reel(self.hanging) if callable(reel) else reel
            command[H.REEL_MODE], command[H.REEL_WANTED] = (SPEED if speed else HOLD), speed
            self.code = advance_hoist(self.plant, command, STEP, round(TICK / STEP), target, *NO_ROW)
            if watch is not None:
                seen.append(watch(self))
            if self.code:
                break
        return seen
