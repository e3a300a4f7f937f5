"""A team that these tests fly by hand: the plant, its command, and one loop that keeps the drone in place."""

import dataclasses
import math
from functools import cache

import numpy as np

import tetherlab as tl
from tetherlab.contracts.messages import Reference
from tetherlab.control.position import PositionController
from tetherlab.plant.build import DRONE, ROVER, build_plant
from tetherlab.plant.command import make_command
from tetherlab.plant.graph_build import open_tether
from tetherlab.scenario.simulation import quadrotor_spec, rover_spec, winch_spec
from tetherlab.sim.decisions import make_laws
from tetherlab.sim.observation import Observed
from tetherlab.sim.reference import Paths
from tetherlab.sim.ticks import Clock, run_ticks
from tetherlab.tether import model as M
from tetherlab.vehicles.winch import LENGTH

NO_ROWS, NO_STATIONS = np.empty((0, 0)), np.empty((0, 0), np.float32)
NOBODY = make_laws(1, 1, 1)
NOWHERE = Paths.at(np.zeros((2, 3)), np.zeros((2, 3)))
PAPER = tl.TetherSpec(linear_density=0.05, diameter=0.008, axial_stiffness=1e4, axial_damping=50.0)


OXPECKER = {"uav.robot": "oxpecker", "ugv.robot": "rhino", "tether": "oxpecker", "winch": "oxpecker"}


@cache
def packaged(**robots):
    """The specifications of a packaged team."""
    scenario = tl.Scenario.load("vertical", {key.replace("__", "."): name for key, name in robots.items()})
    return quadrotor_spec(scenario.uav.robot), rover_spec(scenario.ugv.robot), winch_spec(scenario)


def turned(point, angle):
    """About z."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * point[0] - s * point[1], s * point[0] + c * point[1], point[2]])


class Team:
    """A plant at rest and what is told to it."""

    def __init__(
        self,
        drone=None,
        *,
        paid_out=1.0,
        yaw=0.0,
        spec=PAPER,
        wind=None,
        step=0.005,
        world=None,
        robots=(),
        **rover,
    ):
        quadrotor, ground, winch = packaged(
            **{key.replace(".", "__"): name for key, name in dict(robots).items()}
        )
        self.drone_spec, self.rover_spec = quadrotor, dataclasses.replace(ground, **rover)
        self.step, self.yaw, self.spec = step, yaw, spec
        self.plant = build_plant(
            world or tl.World.ground(), spec, quadrotor, self.rover_spec, winch, length=20.0,
            paid_out=paid_out, element_length=0.1, rover_position=np.zeros(3), rover_yaw=yaw, drone_yaw=yaw,
            drone_position=None if drone is None else turned(drone, yaw), wind=wind, step=step,
        )  # fmt: skip
        self.command = make_command(1, 1, 1)
        self.state = Observed(self.plant)

    def reel_to(self, length):
        self.command.reel["mode"], self.command.reel["wanted"] = LENGTH, length

    def fly(self, force):
        """Rotors on, with a force that they shall exert [N]."""
        self.command.flight["force_W"][0], self.command.flight["armed"] = force, 1

    def drive(self, forward=0.0, left=0.0, turn=0.0):
        self.command.drive[0] = forward, left, turn

    def advance(self, time):
        """With the command as it stands; why it would end, or 0."""
        count = max(1, round(time / self.step))
        clock = Clock(time, count, self.step, 0)
        return run_ticks(
            self.plant, NOBODY, self.command, NOWHERE, np.zeros(6), np.zeros(2), clock, np.zeros(2, int),
            NO_ROWS, NO_STATIONS, 1,
        )  # fmt: skip

    def hover(self, time, place, **settings):
        """A controller keeps the drone at a place; the rest of the command stands."""
        pilot = PositionController(mass=self.drone_spec.mass, **settings)
        memory, place = pilot.init(), turned(np.asarray(place, float), self.yaw)
        reference = Reference(place, np.zeros(3), np.zeros(3), self.yaw, place, math.nan)
        for _ in range(round(time * pilot.rate_hz)):
            memory, wanted = pilot(memory, self.state, reference)
            self.fly(wanted.force)
            self.command.flight["yaw"] = wanted.yaw
            code = self.advance(1.0 / pilot.rate_hz)
            assert code == 0

    @property
    def drone_body(self):
        return self.plant.graph.body[DRONE]

    @property
    def rover_body(self):
        return self.plant.graph.body[ROVER]

    @property
    def wheel_forces(self):
        """[N], (4, 3)."""
        contact = self.plant.graph.body_contact[ROVER][:4]
        return contact["force_W"] * contact["active"][:, None]

    @property
    def tether(self):
        """Positions, velocities and masses of the nodes."""
        state = open_tether(self.plant.graph, 0)
        count = int(state.number[M.COUNT])
        rest = state.rest[:count]
        mass = np.zeros(count + 1)
        mass[:-1] += 0.5 * self.spec.linear_density * rest
        mass[1:] += 0.5 * self.spec.linear_density * rest
        return state.x[: count + 1], state.v[: count + 1], mass

    @property
    def momentum(self):
        """Of all three [N s], (3,)."""
        _, v, mass = self.tether
        rover, drone = self.rover_body, self.drone_body
        return rover["mass"] * rover["v_W"] + drone["mass"] * drone["v_W"] + mass @ v

    @property
    def weight(self):
        """Of all three, upwards [N], (3,)."""
        total = self.rover_body["mass"] + self.drone_body["mass"] + self.tether[2].sum()
        return np.array([0.0, 0.0, 9.80665 * total])
