"""Robots in trees that these tests hang up, and what they look at."""

import math
from dataclasses import replace

import numpy as np

import tetherlab as tl
from tetherlab.plant.branch import Branch
from tetherlab.plant.canopy_advance import advance_canopy
from tetherlab.plant.canopy_build import build_canopy
from tetherlab.plant.canopy_energy import canopy_energy
from tetherlab.plant.hanging import hanging
from tetherlab.vehicles.avocado import AvocadoRobotSpec, AvocadoState

ROBOT = AvocadoRobotSpec()
IDLE = replace(ROBOT, thrust_min=0.0)  # its propellers stand still when told to
LOSSLESS = replace(IDLE, drag_coefficient=0.0, damping_phi=0.0, damping_roll=0.0)
SLUGGISH = replace(IDLE, drag_coefficient=20.0)  # comes to rest soon
TICK, STEP = 0.01, 0.002
NO_ROW = (np.empty(0), np.empty(0), np.empty(0, np.float32))
CROSSBAR = (0.1, -0.5)  # x and z of branches across the plane in which the robot swings [m]


def bar(x=CROSSBAR[0], z=CROSSBAR[1], *, radius=0.02, friction=0.5):
    """A stiff branch along y."""
    return tl.shapes.Capsule(
        start=(x, -0.5, z), end=(x, 0.5, z), radius=radius, name="bar", friction=friction
    )


def twig(x=CROSSBAR[0], z=CROSSBAR[1], **changes):
    """A branch along y that bends, about 3 /s."""
    given = {"radius": 0.02, "stiffness": 60.0, "damping": 0.5, "inertia": 0.15, "friction": 0.5} | changes
    return Branch(name="twig", root=(x, -0.5, z), tip=(x, 0.5, z), **given)


def over(x, z, radius):
    """Where a tether from the anchor at the origin over a branch meets the plumb line on its far side."""
    touch = radius + 3e-4
    angle = math.atan2(x, -z) + math.asin(touch / math.hypot(x, z))
    return np.array([x + touch, 0.0, -(x + touch) / math.tan(angle)])


class Hung:
    """A robot that is advanced by hand."""

    def __init__(self, spec=ROBOT, start=None, shapes=(), *, length=1.0, step=STEP, **options):
        self.spec = spec
        start = hanging(spec, length) if start is None else start
        self.plant = build_canopy(spec, tl.World(list(shapes)), start, step=step, **options)
        self.step, self.code, self.energies = step, 0, []

    def run(self, duration, *, thrust=0.0, torque=0.0, reel_speed=0.0, watch=None):
        """Ticks with one command; `watch` is called after each. Returns what it returned, stacked."""
        command = np.array([reel_speed, thrust, torque], float)
        seen = []
        for _ in range(round(duration / TICK)):
            self.code = advance_canopy(self.plant, command, self.step, round(TICK / self.step), *NO_ROW)
            if watch is not None:
                seen.append(watch(self))
            if self.code != 0:
                break
        return np.array(seen)

    def look(self):
        """What there is, without time going on."""
        self.code = advance_canopy(self.plant, np.zeros(3), self.step, 0, *NO_ROW)

    @property
    def state(self):
        return AvocadoState(**dict(zip(AvocadoState.__annotations__, self.plant.truth[1], strict=True)))

    @property
    def energy(self):
        return canopy_energy(self.plant).total

    @property
    def body(self):
        return self.plant.memory.body[0]

    @property
    def point(self):
        """P [m], (3,)."""
        return self.plant.memory.vectors[0, 0].copy()


def swing_from(theta, length=1.0, spec=IDLE, **changes):
    """A state at rest, aside, with the tether stretched by the robot's weight."""
    stretched = hanging(spec, length).distance
    return AvocadoState(distance=stretched, tether_length=length, theta=theta, **changes)


def period(theta):
    """Mean time between upward passages of zero [s]."""
    i = np.flatnonzero((theta[:-1] < 0.0) & (theta[1:] >= 0.0))
    return float(np.diff(i + theta[i] / (theta[i] - theta[i + 1])).mean()) * TICK


def growth(energies):
    """How far an energy ever rises above what it had fallen to [J]."""
    return float((energies - np.minimum.accumulate(energies)).max())
