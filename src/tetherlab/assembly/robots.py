"""Robots of a scene: a packaged name, a file or a spec becomes a body with actuators and named sites."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.assembly.site import ORIGIN, Site
from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.math.rotation import matrix_from_yaw
from tetherlab.scenario.parts import load_robot
from tetherlab.scenario.robots import GroundRobot
from tetherlab.scenario.simulation import quadrotor_spec, rover_spec
from tetherlab.vehicles.dish import stand_height
from tetherlab.vehicles.spec import QuadrotorSpec, RoverSpec

Vector = NDArray[np.float64]
HOOK, DECK = "hook", "deck"
CLEAR = 1e-3  # between feet and what they stand on at the start [m]


@dataclass(frozen=True)
class Robot:
    """A robot of a scene; its frame is FLU, a ground robot's origin lies on the ground below its middle."""

    name: str
    spec: QuadrotorSpec | RoverSpec
    sites: Mapping[str, Vector]  # in the robot's frame [m], (3,)
    position: Vector  # of the origin of its frame at the start [m], (3,)
    yaw: float  # at the start [rad]

    def site(self, where: str | ArrayLike = ORIGIN) -> Site:
        """A named point of the robot, or coordinates in its frame [m]."""
        if isinstance(where, str):
            if where not in self.sites:
                raise InputError(
                    f"robot {self.name!r} has no site {where!r}.{check.did_you_mean(where, self.sites)} "
                    "Coordinates make one anywhere: site((x, y, z))"
                )
            place = self.sites[where]
        else:
            place = check.vector(f"site of {self.name!r}", where)
        return Site(self.name, place - self.center_of_mass)

    @property
    def center_of_mass(self) -> Vector:
        """In the robot's frame [m], (3,)."""
        return np.asarray(self.spec.center_of_mass, float) if self.rolls else np.zeros(3)

    @property
    def rolls(self) -> bool:
        """Whether it is a ground robot."""
        return isinstance(self.spec, RoverSpec)

    def at(self, site: Site) -> Vector:
        """Where a site is at the start [m], (3,)."""
        turned: Vector = matrix_from_yaw(self.yaw) @ (self.center_of_mass + site.r_B)
        return self.position + turned


def make_robot(
    robot: Any, name: str, position: ArrayLike | None, yaw: float, stands_at: Vector | None
) -> Robot:
    """A robot of a scene. stands_at: the point under its feet or wheels, in place of a position [m], (3,)."""
    spec, sites = _described(robot)
    if (position is None) == (stands_at is None):
        raise InputError(f"robot {name!r}: give either position or on")
    if stands_at is not None:
        lift = 0.0 if isinstance(spec, RoverSpec) else stand_height(spec.feet, None)
        place = stands_at + np.array((0.0, 0.0, lift + CLEAR))
    else:
        place = check.vector("position", position)
    return Robot(name, spec, sites, place, check.number("yaw", yaw))


def _described(robot: Any) -> tuple[QuadrotorSpec | RoverSpec, dict[str, Vector]]:
    """Spec and sites of a name, a file or a spec."""
    spec: QuadrotorSpec | RoverSpec
    named: Mapping[str, Any] = {}
    if isinstance(robot, (str, Path)):
        written = load_robot(robot)
        named = written.sites
        spec = rover_spec(written) if isinstance(written, GroundRobot) else quadrotor_spec(written)
    elif isinstance(robot, (QuadrotorSpec, RoverSpec)):
        spec = robot
    else:
        raise InputError(
            "robot must be a packaged name, a file, a QuadrotorSpec or a RoverSpec, got "
            f"{check.shown(robot)}"
        )
    sites = {ORIGIN: np.zeros(3)}
    if isinstance(spec, QuadrotorSpec):
        sites[HOOK] = np.asarray(spec.attachment, float)
    elif spec.deck_lower is not None and spec.deck_upper is not None:
        middle = 0.5 * (spec.deck_lower + spec.deck_upper)
        sites[DECK] = np.array((middle[0], middle[1], spec.deck_upper[2]))
    return spec, sites | {key: np.array(place, float) for key, place in named.items()}
