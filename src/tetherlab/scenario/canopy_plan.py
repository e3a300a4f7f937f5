"""What a robot in the canopy is to do and where it starts, and what of that no robot could do."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.control.avocado import References
from tetherlab.plant.hanging import TO_ENU, hanging
from tetherlab.scenario.problems import KeyPath
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.vehicles.avocado.state import LENGTH_MIN, AvocadoState
from tetherlab.vehicles.avocado.statics import thrust_for
from tetherlab.world import World, shapes

if TYPE_CHECKING:
    from tetherlab.scenario.canopy import CanopyScenario

Vector = NDArray[np.float64]
SPACING, CUTS, TIED = 0.003, 0.002, 0.05  # of looking along a tether, into an obstacle, from its anchor [m]


def references_of(scenario: CanopyScenario) -> References:
    """What the controller follows."""
    rows = scenario.references
    return References(
        times=[row.time for row in rows],
        tether_length=[row.tether for row in rows],
        theta=[row.theta for row in rows],
        heading=[row.heading for row in rows],
    )


def start_state(scenario: CanopyScenario) -> AvocadoState:
    """At rest, as the section `start` says or else the first of the references."""
    start, first = scenario.start, scenario.references[0]
    out = first.tether if start.tether is None else start.tether
    theta = first.theta if start.theta is None else start.theta
    heading = first.heading if start.heading is None else start.heading
    spec = scenario.spec
    thrust = thrust_for(spec, theta)
    state = hanging(spec, out - _laid(scenario), thrust=thrust, heading=heading)
    return replace(state, tether_length=out)


def unreachable_references(scenario: CanopyScenario) -> Iterator[tuple[KeyPath, str]]:
    """Each place of a file that asks for what cannot be, and why."""
    spec = scenario.spec
    for i, row in enumerate(scenario.references):
        if row.tether > spec.tether_total:
            told = f"there are {spec.tether_total:g} m of tether, got {row.tether:g}"
            yield ("references", i, "tether_m"), told
        try:
            thrust_for(spec, row.theta)
        except InputError as error:
            yield ("references", i, "theta_deg"), str(error).removeprefix("theta ")
    try:
        references_of(scenario)
    except InputError as error:
        yield ("references",), str(error).removeprefix("References.")
    names = list(scenario.world.names)
    for i, branch in enumerate(scenario.canopy.branches):
        if branch.name in names:
            yield ("canopy", "branches", i, "name"), f"another object is called {branch.name!r}, too"
        names.append(branch.name)
    yield from _unreachable_start(scenario, spec)


def _unreachable_start(scenario: CanopyScenario, spec: AvocadoRobotSpec) -> Iterator[tuple[KeyPath, str]]:
    start = scenario.start
    out = scenario.references[0].tether if start.tether is None else start.tether
    least, most = _laid(scenario) + LENGTH_MIN, spec.tether_total
    if not least <= out <= most:
        if out < least or start.tether is not None:  # a reference that is too long has been said
            yield (
                ("start", "tether_m"),
                f"must be from {least:.3g}, for what it runs over, to {most:g}, got {out:g}",
            )
        return
    try:
        state = start_state(scenario)
    except InputError as error:
        if start.theta is not None:  # that of the references has been said
            yield ("start", "theta_deg"), str(error).removeprefix("theta ")
        return
    yield from _inside(scenario, spec, state)


def _laid(scenario: CanopyScenario) -> float:
    """How much of the tether lies between the anchor and the first of the points that it runs over [m]."""
    corners = np.array([*scenario.start.via, scenario.canopy.anchor], float)
    return float(np.linalg.norm(np.diff(corners, axis=0), axis=1).sum())


def _inside(
    scenario: CanopyScenario, spec: AvocadoRobotSpec, state: AvocadoState
) -> Iterator[tuple[KeyPath, str]]:
    """Whether shell or tether start in something; a branch that is bent at the start is not looked at."""
    rods: list[shapes.Shape] = [
        shapes.Capsule(start=branch.root, end=branch.tip, radius=branch.radius, name=branch.name)
        for branch in scenario.canopy.branches
        if branch.bent_sideways == branch.bent_up == 0.0
    ]
    corners = np.array([*scenario.start.via, scenario.canopy.anchor], float)
    shell, tether = shell_centers(spec, state, corners[0]), _points(spec, state, corners)
    things = list(zip(scenario.world.names, scenario.world.shapes, strict=True))
    for name, shape in [*things, *((str(rod.name), rod) for rod in rods)]:
        yield from _hits(name, shape, spec, shell, tether)
        depth = -float(World([shape]).distance(corners[-1]))
        if depth > 0.5 * spec.tether_diameter:
            told = f"must not lie in {name!r}, got {1000 * depth:.0f} mm below its surface: tie it to that"
            yield ("canopy", "anchor_m"), told


def _hits(
    name: str, shape: shapes.Shape, spec: AvocadoRobotSpec, shell: Vector, tether: Vector
) -> Iterator[tuple[KeyPath, str]]:
    alone = World([shape])
    depth = spec.shell[0, 3] - float(np.min(alone.distance(shell)))
    if depth > 0.0:
        yield ("start",), f"the robot would be {depth:.2f} m inside {name!r}"
    if len(tether) and float(np.min(alone.distance(tether))) < -CUTS:
        yield ("start",), f"the tether would run through {name!r}: give via_m, points round it"


def _points(spec: AvocadoRobotSpec, state: AvocadoState, corners: Vector) -> Vector:
    """Of the tether at the start [m], (n, 3), close together; none at the anchor, which a branch may hold."""
    c, s = math.cos(state.heading), math.sin(state.heading)
    lean = np.array([c * math.sin(state.theta), -s * math.sin(state.theta), -math.cos(state.theta)])
    way = np.vstack([corners[0] + state.distance * lean, corners])
    pieces = [
        a + (b - a) * np.arange(0.0, 1.0, SPACING / max(float(np.linalg.norm(b - a)), SPACING))[:, None]
        for a, b in pairwise(way)
    ]
    points = np.concatenate(pieces)
    return points[np.linalg.norm(points - corners[-1], axis=1) > TIED]


def shell_centers(spec: AvocadoRobotSpec, state: AvocadoState, hangs_at: Vector) -> Vector:
    """Centres of the spheres of the shell of a robot that looks to where its tether leans [m], (8, 3)."""
    c, s = math.cos(state.heading), math.sin(state.heading)
    turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])

    def tilted(angle: float) -> Vector:
        a, b = math.cos(angle), math.sin(angle)
        return TO_ENU @ turn @ np.array([[a, -b, 0.0], [b, a, 0.0], [0.0, 0.0, 1.0]]) @ TO_ENU

    top = hangs_at - state.distance * tilted(state.theta)[:, 2]
    attitude = tilted(state.theta + state.phi)
    return top + (spec.shell[:, :3] - (0.0, 0.0, spec.mass_arm)) @ attitude.T
