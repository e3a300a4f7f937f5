"""What a team is asked to do in a vertical plane: who they are, what each can do, obstacles and a goal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError

KINDS = ("metric", "paper")  # of costs
Point = tuple[float, float]  # x to the right, z up [m]
Box = tuple[float, float, float, float]  # x_min, z_min, x_max, z_max [m]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Winch:
    """By which a ground robot pulls itself up its tether."""

    length: float  # of the tether [m]
    force_max: float = math.inf  # [N]

    def __post_init__(self) -> None:
        check.positive("length", self.length)
        _limit("force_max", self.force_max)


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Agent:
    """A robot, as the list of what it can do. It is a disc for the planner."""

    name: str
    start: Point  # of its centre [m]
    radius: float = 0.1  # [m]
    mass: float = 5.0  # [kg]
    drive_slope: float | None = None  # steepest ground that it can drive on [rad]; None: it cannot drive
    winch: Winch | None = None
    latch: bool = False  # it can hook its tether to a flying robot that stands beside it
    carry: bool = False  # it has a container
    fly: bool = False
    land: bool = False
    perch_force: float | None = None  # that it holds when perched [N]; None: it cannot perch
    reach: float | None = (
        None  # from where it stands, within which it picks and places [m]; None: it has no arm
    )

    def __post_init__(self) -> None:
        place("start", self.start)
        check.positive("radius", self.radius)
        check.positive("mass", self.mass)
        if self.drive_slope is not None and not 0.0 <= self.drive_slope < 0.5 * math.pi:
            raise InputError(f"{self.name}: drive_slope must be in [0, pi/2), got {self.drive_slope:g}")
        if self.perch_force is not None:
            _limit("perch_force", self.perch_force)
        if self.reach is not None:
            check.positive("reach", self.reach)
        moves = self.fly or self.drive_slope is not None or self.reach is not None
        if not moves:
            raise InputError(f"{self.name} can neither drive nor fly nor reach: it is no part of a team")
        if self.latch and self.winch is None:
            raise InputError(f"{self.name} can latch its tether, but has none: give it a winch")
        if (self.land or self.perch_force is not None) and not self.fly:
            raise InputError(f"{self.name} can land or perch, but not fly")


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Costs:
    """In metres of driving."""

    action: float = 1.0  # of each action of a ground robot or an arm
    flight: float | None = (
        None  # of each action of a flying one; None: more than any drive in the world costs
    )
    flight_per_metre: float = 3.0
    kind: str = "metric"  # or "paper": distance over the change of a navigation function, which is no metric

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"kind: no costs {self.kind!r}.{check.did_you_mean(self.kind, KINDS)}")
        check.non_negative("action", self.action)
        check.positive("flight_per_metre", self.flight_per_metre)
        if self.flight is not None:
            check.non_negative("flight", self.flight)


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Held:
    """The tether of a ground robot that somebody has already when the plan begins."""

    tether_of: str
    by: str  # a flying robot
    perched: bool  # at its start; else it carries the tether
    along: Sequence[
        Point
    ] = ()  # how it runs, from the ground robot on, without both ends; taut to a perch [m]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Problem:
    """The plane, the team, and where it shall be in the end."""

    bounds: Box  # [m]
    obstacles: Sequence[Sequence[Point]] = ()  # polygons [m]
    perches: Sequence[Point] = ()  # where a flying robot can hold on; of its centre [m]
    agents: Sequence[Agent]
    goal: dict[str, Point]  # by agent [m]
    object_at: Point | None = None  # something that an arm shall put into the container of ... [m]
    object_into: str = ""  # ... this agent
    held: Sequence[Held] = ()  # tethers that are not free in the beginning
    costs: Costs = field(default_factory=Costs)
    hover_height: float = 0.6  # above where it will land [m]
    latch_reach: float = 0.6  # how far a robot that shall be latched may stand away [m]
    tolerance: float = 0.05  # of places [m]
    friction: float = 0.2  # of the tether at corners
    name: str = "problem"

    def __post_init__(self) -> None:
        names = [agent.name for agent in self.agents]
        if not names:
            raise InputError("agents: a team has at least one member")
        if len(set(names)) < len(names):
            raise InputError(f"agents: two have the same name: {', '.join(names)}")
        if not self.goal and self.object_at is None:
            raise InputError("goal: say where at least one agent shall be, or what shall be carried")
        for name in (*self.goal, *([self.object_into] if self.object_at is not None else [])):
            if name not in names:
                raise InputError(f"goal: no agent {name!r}.{check.did_you_mean(name, names)}")
        x_min, z_min, x_max, z_max = self.bounds
        if not (x_min < x_max and z_min < z_max):
            raise InputError(f"bounds must be x_min, z_min, x_max, z_max, got {self.bounds}")
        inside = {f"start of {agent.name}": agent.start for agent in self.agents}
        inside |= {f"goal of {name}": at for name, at in self.goal.items()}
        inside |= {f"perches[{i}]": at for i, at in enumerate(self.perches)}
        inside |= {} if self.object_at is None else {"object": self.object_at}
        for what, (x, z) in inside.items():
            if not (x_min <= x <= x_max and z_min <= z <= z_max):
                raise InputError(f"{what}: ({x:g}, {z:g}) is outside of the bounds {self.bounds}")
        self._check_held(names)
        for name in ("hover_height", "latch_reach", "tolerance"):
            check.positive(name, getattr(self, name))
        check.non_negative("friction", self.friction)

    def _check_held(self, names: Sequence[str]) -> None:
        """Who holds a tether flies, whose it is has a winch, and a perch is a perch."""
        for i, held in enumerate(self.held):
            for name in (held.tether_of, held.by):
                if name not in names:
                    raise InputError(f"held[{i}]: no agent {name!r}.{check.did_you_mean(name, names)}")
            if self.agent(held.tether_of).winch is None:
                raise InputError(f"held[{i}]: {held.tether_of} has no winch, and so no tether")
            holder = self.agent(held.by)
            if not holder.fly:
                raise InputError(f"held[{i}]: {held.by} does not fly, it cannot hold a tether")
            away = min((math.dist(holder.start, perch) for perch in self.perches), default=math.inf)
            if held.perched and away > self.tolerance:
                raise InputError(f"held[{i}]: {held.by} starts at no perch, it cannot be perched")
        for role in ("tether_of", "by"):
            if len({getattr(held, role) for held in self.held}) < len(self.held):
                raise InputError(f"held: the same robot stands twice under {role}")

    def agent(self, name: str) -> Agent:
        """The one of this name."""
        return next(agent for agent in self.agents if agent.name == name)

    @property
    def flight_cost(self) -> float:
        """Of each action of a flying robot."""
        x_min, z_min, x_max, z_max = self.bounds
        given = self.costs.flight
        return 2.0 * (x_max - x_min + z_max - z_min) if given is None else given


def place(name: str, given: Point) -> Point:
    """A point of the plane."""
    x, z = check.array(name, given, (2,)).tolist()
    return x, z


def _limit(name: str, given: float) -> float:
    return given if given == math.inf else check.positive(name, given)
