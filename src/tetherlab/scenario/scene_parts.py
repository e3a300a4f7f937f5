"""The parts of a scene as a file writes them: hands, bodies, robots, tethers, joints and branches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import BeforeValidator, Discriminator, Field, Tag, WithJsonSchema, model_validator

from tetherlab.contracts import check
from tetherlab.contracts.bodies import FEET_MAX
from tetherlab.contracts.check import did_you_mean
from tetherlab.contracts.errors import InputError
from tetherlab.scenario.avocado import Avocado
from tetherlab.scenario.canopy import BranchSection
from tetherlab.scenario.line import TetherMaterial, WinchRule, WinchSection
from tetherlab.scenario.problems import refuse, shown
from tetherlab.scenario.quantity import NOT_NEGATIVE, POSITIVE, Number, Switch, Unit, Vector
from tetherlab.scenario.robots import GroundRobot, Quadrotor, Sphere
from tetherlab.scenario.section import Section
from tetherlab.tether.limits import COUNT_MAX, LENGTH_MIN, STEP_LONGEST
from tetherlab.world.world import World

NODES_MAX = COUNT_MAX + 1  # of a shape
SITES_MAX = 1000  # named ones of a body


class Point(Section):
    """A point of a body, robot or hand, by coordinates."""

    body: str = Field(description="a body, robot or hand of the scene")
    at: Annotated[Vector, Unit("m")] = Field(default=(0.0, 0.0, 0.0), description="in its frame")


def _a_site(value: Any) -> Any:
    """`ugv.deck`, or `load` for its origin, or `{body: load, at_m: [0, 0, 0.1]}`."""
    if isinstance(value, (str, Mapping, Point)):
        return value
    raise ValueError(
        f"must be a site such as uav.hook or {{body: load, at_m: [0, 0, 0.1]}}, got {shown(value)}"
    )


SiteName = Annotated[
    Annotated[str, Tag("a name")] | Annotated[Point, Tag("a point")],
    Discriminator(lambda value: "a name" if isinstance(value, str) else "a point"),
    BeforeValidator(_a_site),
]


def _four(value: Any) -> Any:
    if not isinstance(value, (list, tuple)) or len(value) != 4:
        raise ValueError(f"must be a list of four numbers, got {shown(value)}")
    return value


Quaternion = Annotated[tuple[Number, Number, Number, Number], BeforeValidator(_four)]


def require_unit(rotation: tuple[float, ...]) -> None:
    """A quaternion of an attitude has norm 1."""
    norm = float(np.linalg.norm(rotation))
    if abs(norm - 1.0) > 1e-6:
        refuse([(("rotation_wxyz",), f"must have norm 1, got {norm:g}")])


class HandPart(Section):
    """A point that the user moves."""

    start: Annotated[Vector, Unit("m")]


class Ball(Section):
    """A homogeneous sphere."""

    radius: Annotated[Number, POSITIVE, Unit("m")]


def _shapes(value: Any) -> Any:
    """Shapes as in a world, checked by it."""
    if isinstance(value, Mapping) or not isinstance(value, (list, tuple)):
        raise ValueError(f"must be a list of shapes, got {shown(value)}")
    try:
        World.from_dict({"shapes": list(value)}, source="world")
    except InputError as error:
        raise ValueError(
            "; ".join(line.removeprefix("world: ") for line in str(error).splitlines())
        ) from None
    return value


Shapes = Annotated[
    tuple[dict[str, Any], ...],
    BeforeValidator(_shapes),
    WithJsonSchema({"type": "array", "items": {"$ref": "#/$defs/Shape"}}),
]
Moments = Annotated[
    tuple[Any, ...] | None,
    WithJsonSchema({"type": "array", "items": {"anyOf": [{"type": "number"}, {"type": "array"}]}}),
]


class BodyPart(Section):
    """A rigid body; its frame begins in its centre of mass."""

    mass: Annotated[Number, POSITIVE, Unit("kg")]
    inertia: Annotated[Moments, Unit("kg_m2")] = Field(
        default=None, description="about the centre of mass: three principal moments, or three rows of three"
    )
    sphere: Ball | None = Field(
        default=None, description="in place of inertia_kg_m2 and radius_m: a homogeneous one"
    )
    start: Annotated[Vector, Unit("m")]
    rotation_wxyz: Quaternion = (1.0, 0.0, 0.0, 0.0)
    velocity: Annotated[Vector, Unit("m_per_s")] = (0.0, 0.0, 0.0)
    angular_velocity: Annotated[Vector, Unit("rad_per_s")] = Field(
        default=(0.0, 0.0, 0.0), description="world frame"
    )
    radius: Annotated[Number, NOT_NEGATIVE, Unit("m")] = Field(
        default=0.0, description="of a sphere about the centre of mass that touches obstacles; 0: none"
    )
    feet: tuple[Sphere, ...] = Field(
        default=(), max_length=FEET_MAX, description="more spheres that touch obstacles"
    )
    friction: Annotated[Number, NOT_NEGATIVE] | None = Field(
        default=None, description="against obstacles that name none; the tether's unless given"
    )
    shapes: Shapes = Field(
        default=(), description="its outside, in its frame, which tethers and feet of others touch"
    )
    sites: Annotated[dict[str, Vector], Unit("m")] = Field(
        default={}, max_length=SITES_MAX, description="named points of the frame, besides origin"
    )

    @model_validator(mode="after")
    def _is_a_body(self) -> Self:
        require_unit(self.rotation_wxyz)
        if self.sphere is not None and (self.inertia is not None or self.radius > 0.0):
            raise ValueError("sphere stands in place of inertia_kg_m2 and radius_m: give either")
        if self.sphere is None and self.inertia is None:
            raise ValueError("give inertia_kg_m2, or a sphere")
        if self.inertia is not None:
            try:
                check.array("it", self.inertia, (3,) if np.ndim(self.inertia[0]) == 0 else (3, 3))
            except (InputError, IndexError):
                told = f"must be three numbers, or three rows of three, got {shown(self.inertia)}"
                refuse([(("inertia_kg_m2",), told)])
        return self


def _a_robot(value: Any) -> Any:
    """Say what a robot is, before its keys are looked at."""
    if isinstance(value, Section):
        return value
    kind = value.get("type") if isinstance(value, Mapping) else None
    known = ("quadrotor", "ground_robot", "avocado")
    if not isinstance(value, Mapping) or kind is None:
        raise ValueError(f"must be a robot with a type, one of {', '.join(known)}, got {shown(value)}")
    if kind not in known:
        raise ValueError(f"unknown type {shown(kind)}.{did_you_mean(str(kind), known)}")
    return value


AnyRobot = Annotated[
    Quadrotor | GroundRobot | Avocado,  # type: ignore[valid-type]
    Field(discriminator="type"),
    BeforeValidator(_a_robot),
]


class RobotPart(Section):
    """A robot, and where it starts."""

    robot: AnyRobot
    start: Annotated[Vector | None, Unit("m")] = Field(
        default=None, description="centre of mass of what flies, point of the floor under what drives"
    )
    on: SiteName | None = Field(default=None, description="a site on which it stands, its rotors off")
    yaw: Annotated[Number, Unit("deg")] = 0.0
    rotation_wxyz: Quaternion | None = Field(
        default=None, description="attitude of what flies or hangs, in place of yaw_deg"
    )
    velocity: Annotated[Vector, Unit("m_per_s")] = (0.0, 0.0, 0.0)
    angular_velocity: Annotated[Vector, Unit("rad_per_s")] = Field(
        default=(0.0, 0.0, 0.0), description="world frame"
    )

    @model_validator(mode="after")
    def _starts_at_one_place(self) -> Self:
        if (self.start is None) == (self.on is None):
            raise ValueError("give either start_m or on")
        if self.rotation_wxyz is not None:
            require_unit(self.rotation_wxyz)
            if self.yaw != 0.0:
                raise ValueError("give either yaw_deg or rotation_wxyz")
        return self


BODY_TAG, ROBOT_TAG = "a body", "a robot"  # which no key is called


def _part_tag(value: Any) -> str:
    has_robot = "robot" in value if isinstance(value, Mapping) else isinstance(value, RobotPart)
    return ROBOT_TAG if has_robot else BODY_TAG


AnyBody = Annotated[
    Annotated[RobotPart, Tag(ROBOT_TAG)] | Annotated[BodyPart, Tag(BODY_TAG)], Discriminator(_part_tag)
]


class SceneWinch(WinchSection):
    """A winch at the start of a tether."""

    exit: Annotated[Vector, Unit("m")] = Field(
        default=(0.0, 0.0, 0.0), description="not used: the tether leaves from its site"
    )
    rule: WinchRule | None = Field(  # type: ignore[assignment]
        default=None, description="unless a section control gives one"
    )


class TetherPart(TetherMaterial):
    """A tether between two sites: its material, its ends, and how much of it there is."""

    shorthand: ClassVar[dict[str, str]] = {"like": "a tether whose material it has"}

    strength: Annotated[Annotated[Number, POSITIVE] | None, Unit("N")] = Field(  # type: ignore[assignment]
        default=None, description="tension at which it breaks; unlimited unless given"
    )
    start: SiteName = Field(alias="from", description="the reel end")
    end: SiteName = Field(alias="to")
    length: Annotated[Number, Field(ge=LENGTH_MIN), Unit("m")] = Field(
        description="unstretched, all of it: on the drum and paid out"
    )
    paid_out: Annotated[Annotated[Number, Field(ge=LENGTH_MIN)] | None, Unit("m")] = Field(
        default=None, description="at the start; the rest lies on the drum of a winch at `from`"
    )
    winch: SceneWinch | None = Field(
        default=None, description="'paper' if there is a paid_out_m; else it is reeled by hand"
    )
    element_length: Annotated[Number, POSITIVE, Unit("m")] = Field(
        default=0.1, description="of the simulated tether"
    )
    step_max: Annotated[Number, POSITIVE, Field(le=STEP_LONGEST), Unit("s")] = Field(
        default=0.005, description="longest internal step"
    )
    shape: Annotated[tuple[Vector, ...] | None, Unit("m")] = Field(
        default=None, min_length=2, max_length=NODES_MAX,
        description="polyline from start to end; it hangs at rest unless given",
    )  # fmt: skip

    @model_validator(mode="after")
    def _has_what_is_out(self) -> Self:
        if self.paid_out is not None and self.paid_out > self.length:
            told = f"must be at most length_m, {self.length:g}, got {self.paid_out:g}"
            refuse([(("paid_out_m",), told)])
        shortest = self.length / COUNT_MAX
        if self.element_length < shortest:
            told = f"must be at least {shortest:.2g}, for {COUNT_MAX} elements, got {self.element_length:g}"
            refuse([(("element_length_m",), told)])
        return self


def _numbers(value: Any) -> Any:
    """A number, or a list of them."""
    items = value if isinstance(value, (list, tuple)) else [value]
    try:
        for item in items:
            check.number("it", item)
    except InputError:
        raise ValueError(f"must be a number, or a list with one for each axis, got {shown(value)}") from None
    return tuple(value) if isinstance(value, list) else value


def _rows(value: Any) -> Any:
    """A list of numbers, or a list of such lists."""
    if isinstance(value, (list, tuple)) and value and all(isinstance(row, (list, tuple)) for row in value):
        return tuple(_rows(row) for row in value)
    try:
        if not isinstance(value, (list, tuple)):
            raise InputError("")
        return tuple(check.number("it", item) for item in value)
    except InputError:
        raise ValueError(f"must be a list of numbers, or a list of such lists, got {shown(value)}") from None


_ITEMS: dict[str, Any] = {"type": "array", "items": {"type": "number"}}
PerAxis = Annotated[Any, BeforeValidator(_numbers), WithJsonSchema({"anyOf": [{"type": "number"}, _ITEMS]})]
Rows = Annotated[
    Any,
    BeforeValidator(lambda value: None if value is None else _rows(value)),
    WithJsonSchema({"anyOf": [_ITEMS, {"type": "array", "items": _ITEMS}]}),
]


class JointPart(Section):
    """A joint of two sites that are at one place; numbers are for all axes, or lists with one for each."""

    type: Literal["hinge", "universal", "ball", "fixed"]
    parent: SiteName | None = Field(default=None, description="a site of a body")
    anchor: Annotated[Vector | None, Unit("m")] = Field(
        default=None, description="a point of the world in place of a parent"
    )
    child: SiteName
    axes: Rows = Field(
        default=None,
        description="of a hinge one vector, of a universal joint two; world frame, at zero angles",
    )
    angle: Annotated[PerAxis, Unit("deg")] = Field(default=0.0, description="at the start")
    stiffness: Annotated[PerAxis, Unit("N_m_per_rad")] = 0.0
    rest: Annotated[PerAxis, Unit("deg")] = Field(default=0.0, description="where its spring is relaxed")
    damping: Annotated[PerAxis, Unit("N_m_s_per_rad")] = 0.0
    limits: Annotated[Rows, Unit("deg")] = Field(
        default=None, description="least and largest angle, or a list of both for each axis"
    )
    torque_max: Annotated[PerAxis | None, Unit("N_m")] = Field(
        default=None, description="of the actuator; unlimited unless given"
    )
    held: Switch = Field(default=False, description="its axes do not turn until they are released")
    release_time: Annotated[Annotated[Number, NOT_NEGATIVE] | None, Unit("s")] = Field(
        default=None, description="of what is held"
    )

    @model_validator(mode="after")
    def _has_a_parent(self) -> Self:
        if (self.parent is None) == (self.anchor is None):
            raise ValueError("give either parent or anchor_m")
        return self


class BranchPart(BranchSection):
    """A branch that bends, called as its key says."""

    name: str = Field(default="", exclude=True)


def _with_names(value: Any) -> Any:
    """Branches of a mapping know how they are called."""
    if not isinstance(value, Mapping):
        return value
    for name, section in value.items():
        if isinstance(section, Mapping) and "name" in section and section["name"] != name:
            refuse([((name, "name"), f"it is called {name!r} already: leave this out")])
    return {
        name: {**section, "name": str(name)} if isinstance(section, Mapping) else section
        for name, section in value.items()
    }


Branches = Annotated[dict[str, BranchPart], BeforeValidator(_with_names)]
