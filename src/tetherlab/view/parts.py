"""What there is to draw in a run: its world, robots, bodies, hands and tethers; for all kinds of run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.assembly.cooperation_team import find_team, packaged_drone, thin_tether
from tetherlab.assembly.robots import Robot
from tetherlab.assembly.scene import Hand, Scene
from tetherlab.contracts.columns import COLUMNS, POSITION, STATION_POSITIONS
from tetherlab.contracts.log import Log
from tetherlab.plant.branch import Branch
from tetherlab.scenario.canopy import CanopyScenario
from tetherlab.scenario.scenario import Scenario
from tetherlab.scenario.simulation import quadrotor_spec, rover_spec
from tetherlab.scenario.team_plan import TeamPlan
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.vehicles.climber import climber_spec
from tetherlab.vehicles.spec import QuadrotorSpec, RoverSpec
from tetherlab.world import World
from tetherlab.world.shapes import Shape

Vector = NDArray[np.float64]
VEHICLES = {"uav": "drone", "ugv": "rover", "robot": "robot"}  # tables of scenarios
ZERO = np.zeros(3)
TEAM_SIZE, CANOPY_SIZE = 3.0, 2.2  # from so far at least they are looked at [m]
AROUND, TEAM_AROUND, CANOPY_AROUND = (np.array((xy, xy, z)) for xy, z in ((0.8, 0.8), (2.0, 0.8), (0.5, 0.2)))
WATER = 1000.0  # a body without a shape is drawn as a ball of this density [kg/m^3]


class Solid(NamedTuple):
    """A body that is drawn by its spheres (n, 4) and shapes, both from its centre of mass."""

    spheres: Vector
    shapes: tuple[Shape, ...] = ()


class Point(NamedTuple):
    """A hand or an anchor: where it is, or the end of a tether (its name, 0 or -1) that it moves with."""

    position: Vector
    moves_with: tuple[str, int] | None = None


Look = QuadrotorSpec | RoverSpec | AvocadoRobotSpec | Branch | Solid | Point | None


@dataclass(frozen=True, kw_only=True)
class Part:
    """One thing that is drawn."""

    name: str
    word: str  # drone, rover, robot, body, branch, hand
    look: Look = None  # None: nothing is known but its word
    recorded_at: Vector = field(
        default_factory=lambda: ZERO
    )  # whose position is told, in its frame [m], (3,)
    winches: tuple[Vector, ...] = ()  # where tethers leave their drums, in its frame [m], (3,) each
    shapes: tuple[Shape, ...] = ()  # that tethers touch
    shapes_at: Vector = field(default_factory=lambda: ZERO)  # origin of the shapes in its frame [m], (3,)

    @property
    def moves(self) -> bool:
        """Whether its path is drawn, and a camera can follow it."""
        return self.word not in ("branch", "hand")


@dataclass(frozen=True, kw_only=True)
class Inventory:
    """All that is drawn of a run."""

    world: World | None = None
    parts: tuple[Part, ...] = ()
    tethers: Mapping[str, float] = field(default_factory=dict)  # names, and their diameters [m]
    tied: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # parts at the ends of a tether
    size: float = TEAM_SIZE  # from so far at least it is looked at [m]
    around: Vector = field(default_factory=lambda: AROUND)  # what is seen at first round it, live [m], (3,)
    planar: bool = False  # all happens in a plane, in front of the world
    named: bool = False  # parts are called by their names, not by their words

    def called(self, part: Part) -> str:
        """A part as people are told of it."""
        return part.name if self.named else part.word

    @property
    def followed(self) -> dict[str, str]:
        """What a camera can follow: names, by what they are called."""
        return {self.called(part): part.name for part in self.parts if part.moves}


@singledispatch
def inventory(described: Any) -> Inventory:
    """All that is drawn of a scene, a scenario or, where nothing describes it, of a log."""
    raise TypeError(f"nothing is known to draw of {described!r}")


@inventory.register
def _(log: Log) -> Inventory:
    bodies = [name for name, table in log.tables.items() if _is_body(name, table.columns)]
    shaped = [name for name, table in log.tables.items() if STATION_POSITIONS[0] in table.columns]
    return Inventory(
        parts=tuple(Part(name=name, word=VEHICLES.get(name, "body")) for name in bodies),
        tethers=dict.fromkeys(shaped, 0.0),
        size=CANOPY_SIZE if bodies == ["robot"] else TEAM_SIZE,
        named=any(name not in VEHICLES for name in bodies),
    )


def _is_body(name: str, columns: Any) -> bool:
    if name in VEHICLES:
        return POSITION[0] in columns
    return name not in COLUMNS and name != "believed" and POSITION[0] in columns and "qw" in columns


@inventory.register
def _(scenario: Scenario) -> Inventory:
    rover = rover_spec(scenario.ugv.robot)
    return Inventory(
        world=scenario.world,
        parts=(
            Part(name="uav", word="drone", look=quadrotor_spec(scenario.uav.robot)),
            Part(name="ugv", word="rover", look=rover, winches=(np.array(scenario.winch.exit),)),
        ),
        tethers={"tether": scenario.tether.spec.diameter},
        around=TEAM_AROUND,
    )


@inventory.register
def _(plan: TeamPlan) -> Inventory:
    ugv, _ = find_team(plan.problem)
    climber = climber_spec(ugv.radius, ugv.mass)
    middle = np.asarray(climber.hull)[:, :3].mean(axis=0)
    return Inventory(
        world=plan.world,
        parts=(
            Part(name="uav", word="drone", look=quadrotor_spec(packaged_drone())),
            Part(name="ugv", word="rover", look=climber, recorded_at=middle),
        ),
        tethers={"tether": thin_tether(plan.plane.friction).diameter},
        planar=True,
    )


@inventory.register
def _(scenario: CanopyScenario) -> Inventory:
    spec, branches = scenario.spec, [section.branch for section in scenario.canopy.branches]
    return Inventory(
        world=scenario.world,
        parts=(
            Part(name="robot", word="robot", look=spec, recorded_at=np.array((0.0, 0.0, spec.mass_arm))),
            *(Part(name=b.name, word="branch", look=b, shapes=(b.shape,)) for b in branches),
            Part(name="anchor", word="hand", look=Point(np.array(scenario.canopy.anchor, float))),
        ),
        tethers={"tether": spec.tether_diameter},
        size=CANOPY_SIZE,
        around=CANOPY_AROUND,
    )


@inventory.register
def _(scene: Scene) -> Inventory:
    winches: dict[str, list[Vector]] = {}
    holds: dict[str, tuple[str, int]] = {}
    for line in scene.tethers.values():
        for end, site in ((0, line.start), (-1, line.end)):
            holds.setdefault(site.owner, (line.name, end))
        if line.winch is not None:
            part = scene.parts[line.start.owner]
            origin = part.center_of_mass if isinstance(part, Robot) else ZERO
            winches.setdefault(part.name, []).append(line.start.r_B + origin)
    return Inventory(
        world=scene.world,
        parts=tuple(
            _scene_part(part, tuple(winches.get(name, ())), holds.get(name), f"{name}_root" in scene.joints)
            for name, part in scene.parts.items()
        ),
        tethers={line.name: line.spec.diameter for line in scene.tethers.values()},
        tied={line.name: (line.start.owner, line.end.owner) for line in scene.tethers.values()},
        named=True,
    )


def _scene_part(part: Any, winches: tuple[Vector, ...], holds: tuple[str, int] | None, grows: bool) -> Part:
    """A part of a scene; holds: a tether, and its end, that moves with it. grows: it is a branch."""
    if isinstance(part, Hand):
        return Part(name=part.name, word="hand", look=Point(part.position, holds), winches=winches)
    if isinstance(part, Robot):
        words = {QuadrotorSpec: "drone", RoverSpec: "rover", AvocadoRobotSpec: "robot"}
        return Part(
            name=part.name,
            word=words[type(part.spec)],
            look=part.spec,
            winches=() if isinstance(part.spec, AvocadoRobotSpec) else winches,
            shapes=part.shapes,
            shapes_at=part.center_of_mass,
        )
    spheres = part.body.spheres
    if not len(spheres) and not part.shapes:
        spheres = np.array([[0.0, 0.0, 0.0, (0.75 * part.body.mass / (np.pi * WATER)) ** (1.0 / 3.0)]])
    return Part(
        name=part.name,
        word="branch" if grows else "body",
        look=Solid(spheres, part.shapes),
        winches=winches,
        shapes=part.shapes,
    )
