"""Robots in trees that these tests hang up, and what they look at."""

import math
from dataclasses import replace

import numpy as np

import tetherlab as tl
from tetherlab.assembly.canopy_run import CanopyRun
from tetherlab.plant.branch import Branch
from tetherlab.plant.hanging import hanging
from tetherlab.vehicles.avocado import AvocadoCommand, AvocadoRobotSpec, AvocadoState

ROBOT = AvocadoRobotSpec()
IDLE = replace(ROBOT, thrust_min=0.0)  # its propellers stand still when told to
LOSSLESS = replace(IDLE, drag_coefficient=0.0, damping_phi=0.0, damping_roll=0.0)
SLUGGISH = replace(IDLE, drag_coefficient=20.0)  # comes to rest soon
TICK = 0.01
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
    """A robot that is commanded by hand, tick by tick."""

    def __init__(self, spec=ROBOT, start=None, shapes=(), *, length=1.0, **options):
        self.command = AvocadoCommand()
        start = hanging(spec, length) if start is None else start
        world = tl.World(list(shapes))
        self.flight = CanopyRun(spec, world, lambda time, state: self.command, start, 1e6, **options)

    def run(self, duration, *, thrust=0.0, torque=0.0, reel_speed=0.0, watch=None):
        """Ticks with one command; `watch` is called after each. Returns what it returned, stacked."""
        self.command = AvocadoCommand(reel_speed=reel_speed, thrust=thrust, torque=torque)
        seen = []
        for _ in range(round(duration / TICK)):
            self.flight.step()
            if watch is not None:
                seen.append(watch(self))
            if self.ended:
                break
        return np.array(seen)

    @property
    def ended(self):
        return self.flight.outcome is not None

    @property
    def state(self):
        return self.flight.state

    @property
    def hangs_from(self):
        return self.flight.hangs_from

    @property
    def energy(self):
        return self.flight.energy.total

    @property
    def graph(self):
        return self.flight.simulation.graph

    @property
    def body(self):
        return self.graph.body[-1]

    @property
    def touching(self):
        """How many spheres of the shell touch something."""
        return int(self.graph.body_contact["active"][-1].sum())

    @property
    def contact(self):
        """Where the tether touches something last, and the direction from there to the robot."""
        row = self.flight.simulation.plant.hanging[0]
        return row["point_W"].copy(), row["along_W"].copy()

    @property
    def point(self):
        """Where the tether leaves the robot [m], (3,)."""
        return self.flight.position


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
