"""What there is in a scene: bodies, hands that the user moves, tethers between their sites, and joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.assembly.scene_joint import Joint, make_joint
from tetherlab.contracts import check
from tetherlab.contracts.bodies import RigidBody
from tetherlab.contracts.errors import InputError
from tetherlab.math.rotation import matrix_from_quaternion
from tetherlab.tether.limits import check_length, check_step
from tetherlab.tether.spec import TetherSpec
from tetherlab.world.world import World

Vector = NDArray[np.float64]
ORIGIN = "origin"  # the site that everything has
NEAR = 1e-6  # of two sites that are one [m]


@dataclass(frozen=True)
class Site:
    """A point of a body, or a hand: where a tether can be tied."""

    owner: str
    r_B: Vector  # from the centre of mass, body frame [m], (3,)


@dataclass(frozen=True)
class Body:
    """A rigid body of a scene."""

    name: str
    body: RigidBody
    position: Vector  # of the centre of mass at the start [m], (3,)
    velocity: Vector  # [m/s], (3,)

    def site(self, where: str | ArrayLike = ORIGIN) -> Site:
        """A point of the body: "origin", its centre of mass, or coordinates in its frame [m]."""
        return Site(self.name, _place(self.name, where))

    def at(self, site: Site) -> Vector:
        """Where a site is at the start [m], (3,)."""
        turned: Vector = matrix_from_quaternion(self.body.rotation_wxyz) @ site.r_B
        return self.position + turned


@dataclass(frozen=True)
class Hand:
    """A point that the user moves."""

    name: str
    position: Vector  # at the start [m], (3,)

    def site(self, where: str = ORIGIN) -> Site:
        """The point itself."""
        if not isinstance(where, str) or where != ORIGIN:
            raise InputError(f"hand {self.name!r} is a point: its only site is '{ORIGIN}', got {where!r}")
        return Site(self.name, np.zeros(3))

    def at(self, site: Site) -> Vector:
        """Where it is at the start [m], (3,)."""
        return self.position


@dataclass(frozen=True)
class Line:
    """A tether of a scene."""

    name: str
    spec: TetherSpec
    start: Site
    end: Site
    length: float  # unstretched, paid out at the start [m]
    element_length: float  # [m]
    step_max: float  # longest internal step [s]
    shape: Any  # polyline at the start, or None: at rest


class Scene:
    """Bodies, hands, tethers and joints in a world; see `SceneSimulation` for how it runs."""

    def __init__(self, world: World | None = None) -> None:
        """world: without one, empty space with the Earth's gravity."""
        self.world = World() if world is None else check.instance("world", world, World)
        self.parts: dict[str, Body | Hand] = {}
        self.tethers: dict[str, Line] = {}
        self.joints: dict[str, Joint] = {}

    def add_body(
        self, body: RigidBody, *, name: str, position: ArrayLike, velocity: ArrayLike = (0.0, 0.0, 0.0)
    ) -> Body:
        """A rigid body with its centre of mass at a position [m], moving with a velocity [m/s]."""
        body = check.instance("body", body, RigidBody)
        part = Body(
            self._new(name), body, check.vector("position", position), check.vector("velocity", velocity)
        )
        self.parts[part.name] = part
        return part

    def add_hand(self, *, name: str, position: ArrayLike) -> Hand:
        """A point at a position [m] that stays there until it is commanded."""
        part = Hand(self._new(name), check.vector("position", position))
        self.parts[part.name] = part
        return part

    def add_tether(
        self,
        spec: TetherSpec,
        *,
        name: str,
        start: Site,
        end: Site,
        length: float,
        element_length: float = 0.1,
        step_max: float = 0.005,
        shape: ArrayLike | None = None,
    ) -> Line:
        """A tether between two sites, hanging at rest unless a shape is given; `start` is the reel end.

        length: unstretched [m]; element_length: of the discretisation [m]; step_max: longest internal step
        [s]; shape: polyline from start to end, (n, 3) [m].
        """
        tether = Line(
            self._new(name),
            check.instance("spec", spec, TetherSpec),
            start,
            end,
            check_length(length),
            check.positive("element_length", element_length),
            check_step(step_max),
            None if shape is None else check.points("shape", shape),
        )
        self.tethers[tether.name] = tether
        return tether

    def add_joint(
        self,
        kind: str,
        *,
        name: str,
        parent: Site | ArrayLike,
        child: Site,
        axes: ArrayLike | None = None,
        angle: float | ArrayLike = 0.0,
        stiffness: float | ArrayLike = 0.0,
        rest: float | ArrayLike = 0.0,
        damping: float | ArrayLike = 0.0,
        limits: ArrayLike | None = None,
        torque_max: float | ArrayLike | None = None,
        held: bool = False,
        release_time: float | None = None,
    ) -> Joint:
        """A "hinge", "universal", "ball" or "fixed" joint of two sites that are at one place.

        parent: a site of a body, or a point of the world [m]. axes: of a hinge one vector, of a universal
        joint two at right angles, in the world frame at angles of zero; the first stays with the parent, the
        second with the child. What follows is a number for all axes, or one for each: angle: at the start
        [rad]; stiffness [N m/rad] of a spring that is relaxed at the angle `rest` [rad]; damping [N m s/rad];
        torque_max: of the actuator [N m]. limits: least and largest angle of a hinge, or of each axis [rad].
        held: the axes do not turn until they are unlocked, or until release_time [s].
        """
        joint = make_joint(
            self._new(name), kind, parent, child, axes, limits, torque_max, held, release_time,
            angle=angle, stiffness=stiffness, rest=rest, damping=damping,
        )  # fmt: skip
        self.joints[joint.name] = joint
        return joint

    def check(self) -> None:
        """Raise one InputError with all that is wrong with the scene."""
        problems = [
            *self._problems_of_tethers(),
            *self._problems_of_joints(),
            *self._problems_of_bodies(),
        ]
        if not self.parts and not self.tethers:
            problems.append("the scene is empty: add a body, a hand or a tether")
        if problems:
            raise InputError("\n".join(problems))

    def at(self, site: Site) -> Vector:
        """Where a site is at the start [m], (3,)."""
        return self.parts[site.owner].at(site)

    def _problems_of_tethers(self) -> list[str]:
        problems = []
        for tether in self.tethers.values():
            where = f"tether {tether.name!r}"
            sites = {"start": tether.start, "end": tether.end}
            missing = [
                f"{where}: {side} must be a site of this scene, as part.site('{ORIGIN}'), got {_shown(site)}."
                + (check.did_you_mean(site.owner, self.parts) if isinstance(site, Site) else "")
                for side, site in sites.items()
                if not isinstance(site, Site) or site.owner not in self.parts
            ]
            problems += missing
            if missing:
                continue
            apart = float(np.linalg.norm(self.at(tether.end) - self.at(tether.start)))
            if tether.start.owner == tether.end.owner and apart < NEAR:
                problems.append(f"{where}: start and end are the same point of {tether.start.owner!r}")
            elif apart > tether.length * (1.0 + 1e-9) and tether.shape is None:
                problems.append(
                    f"{where}: its sites are {apart:.4g} m apart, but it is {tether.length:g} m long; "
                    f"give a length of at least {apart:.4g} m"
                )
        return problems

    def place_of(self, parent: Site | ArrayLike) -> Vector:
        """Where the parent of a joint has it at the start [m], (3,)."""
        return self.at(parent) if isinstance(parent, Site) else np.asarray(parent, float)

    def _problems_of_joints(self) -> list[str]:
        problems = []
        for joint in self.joints.values():
            where = f"joint {joint.name!r}"
            wrong = [
                f"{where}: {side} must be a site of a body of this scene, as part.site('{ORIGIN}')"
                f"{' or a point of the world' if side == 'parent' else ''}, got {_shown(site)}."
                for side, site in (("parent", joint.parent), ("child", joint.child))
                if not self._can_join(site, side)
            ]
            problems += wrong
            if wrong:
                continue
            apart = float(np.linalg.norm(self.place_of(joint.parent) - self.at(joint.child)))
            if apart > NEAR:
                problems.append(
                    f"{where}: its two points are {apart:.4g} m apart; move {joint.child.owner!r} or choose "
                    "another site"
                )
            if isinstance(joint.parent, Site) and joint.parent.owner == joint.child.owner:
                problems.append(f"{where}: parent and child are both {joint.child.owner!r}")
        return problems

    def _can_join(self, site: Any, side: str) -> bool:
        """Whether a joint can have this parent or child."""
        if isinstance(site, Site):
            return isinstance(self.parts.get(site.owner), Body)
        try:
            return side == "parent" and check.vector("parent", site).shape == (3,)
        except InputError:
            return False

    def _problems_of_bodies(self) -> list[str]:
        problems: list[str] = []
        joined = {
            frozenset((joint.parent.owner, joint.child.owner))
            for joint in self.joints.values()
            if isinstance(joint.parent, Site) and isinstance(joint.child, Site)
        }
        spheres: list[tuple[str, Vector, float]] = []
        for part in self.parts.values():
            if not isinstance(part, Body):
                continue
            R_WB = matrix_from_quaternion(part.body.rotation_wxyz)
            own = [(part.name, part.position + R_WB @ s[:3], float(s[3])) for s in part.body.spheres]
            for _, centre, radius in own:
                depth = radius - float(self.world.distance(centre))
                if depth > 1e-4:
                    problems.append(
                        f"body {part.name!r} would start {depth:.3g} m inside an obstacle, at "
                        f"{centre.round(4).tolist()}; move it out"
                    )
            for other, place, size in spheres:
                if frozenset((other, part.name)) in joined:
                    continue
                for name, centre, radius in own:
                    overlap = size + radius - float(np.linalg.norm(centre - place))
                    if overlap > 1e-4:
                        problems.append(
                            f"bodies {other!r} and {name!r} would start {overlap:.3g} m inside each other; "
                            "move one of them"
                        )
            spheres += own
        return problems

    def _new(self, name: Any) -> str:
        """A name that is not taken."""
        if not isinstance(name, str) or not name.isidentifier():
            raise InputError(f"name must be letters, digits and _, and start with a letter, got {name!r}")
        if name in self.parts or name in self.tethers or name in self.joints:
            raise InputError(f"the scene has something called {name!r} already; choose another name")
        return name


def _place(owner: str, where: Any) -> Vector:
    """Coordinates of a site."""
    if isinstance(where, str):
        if where != ORIGIN:
            raise InputError(
                f"body {owner!r} has no site {where!r}.{check.did_you_mean(where, [ORIGIN])} "
                "Coordinates make one anywhere: site((x, y, z))"
            )
        return np.zeros(3)
    return check.vector(f"site of {owner!r}", where)


def _shown(site: Any) -> str:
    return f"one of {site.owner!r}" if isinstance(site, Site) else check.shown(site)
