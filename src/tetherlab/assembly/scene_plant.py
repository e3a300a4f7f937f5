"""From a scene to the arrays of its plant: robots, winches, hulls and what is known of bodies and tethers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.assembly.robots import Robot
from tetherlab.assembly.scene import Line, Scene
from tetherlab.assembly.sites import Body, Site
from tetherlab.math.record import make_records
from tetherlab.plant.elimination_plan import plan_elimination
from tetherlab.plant.free_part import HANGING
from tetherlab.plant.graph import Graph
from tetherlab.plant.hook import HOOK
from tetherlab.plant.model import BERTH, CLOCK, LINE, PART, SCRATCH, Plant
from tetherlab.tether.limits import LENGTH_MIN
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.vehicles.avocado.thrusters import ROBOT
from tetherlab.vehicles.avocado.thrusters import make_robot as make_thrusters
from tetherlab.vehicles.build import make_quadrotor, make_rover, make_winch
from tetherlab.vehicles.platform import PLATFORM
from tetherlab.vehicles.power.supply import SUPPLY
from tetherlab.vehicles.quadrotor import QUADROTOR
from tetherlab.vehicles.rover import ROVER
from tetherlab.vehicles.spec import QuadrotorSpec, RoverSpec
from tetherlab.vehicles.winch import WINCH
from tetherlab.world.field import Field
from tetherlab.world.wind_field import WindField

Vector = NDArray[np.float64]


class Cast(NamedTuple):
    """The machines of a scene by kind, in the order of their records."""

    flyers: list[Robot]
    rovers: list[Robot]
    hung: list[Robot]
    winches: list[Line]


def cast_of(scene: Scene) -> Cast:
    """Who plays in a scene."""
    kinds = QuadrotorSpec, RoverSpec, AvocadoRobotSpec
    robots = [part for part in scene.parts.values() if isinstance(part, Robot)]
    flyers, rovers, hung = ([part for part in robots if isinstance(part.spec, kind)] for kind in kinds)
    return Cast(flyers, rovers, hung, [line for line in scene.tethers.values() if line.winch is not None])


def scene_plant(
    scene: Scene,
    cast: Cast,
    graph: Graph,
    field: Field,
    wind: WindField,
    bodies: Mapping[str, int],
    tethers: Mapping[str, int],
) -> Plant:
    """The plant of a scene at its start; bodies, tethers: their rows in the graph."""
    flyers, rovers, hung, winches = cast
    drones = [make_quadrotor(_spec(part), scene.world.air_density) for part in flyers]
    part, hull = _parts(scene, bodies)
    hook = _hooks(scene, tethers)
    return Plant(
        graph=graph,
        parted=plan_elimination(0, []),
        field=field._replace(pose=field.pose.copy(), twist=field.twist.copy()),
        pose=field.pose.copy(),
        wind=wind,
        rotorcraft=_wired(drones, QUADROTOR, rows_of=bodies, body=flyers),
        rover=_wired([make_rover(_spec(part)) for part in rovers], ROVER, rows_of=bodies, body=rovers),
        thrusters=_thrusters(hung),
        hanging=_hanging(scene, hung, bodies, tethers),
        hook=hook,
        hooked=make_records(len(hook), HANGING),
        winch=_wired([_winch(line) for line in winches], WINCH, rows_of=tethers, tether=winches),
        berth=make_records(0, BERTH),
        platform=make_records(0, PLATFORM),
        supply=make_records(0, SUPPLY),
        part=part,
        line=_lines(scene),
        hull=hull,
        clock=make_records(1, CLOCK),
        scratch=make_records(1, SCRATCH),
    )


def _wired(
    rows: list[NDArray[Any]], kind: np.dtype[Any], *, rows_of: Mapping[str, int], **wire: Sequence[Any]
) -> NDArray[Any]:
    """Records with the row of what each of them drives."""
    records = np.concatenate(rows) if rows else make_records(0, kind)
    for name, parts in wire.items():
        records[name] = [rows_of[part.name] for part in parts]
    return records


def _spec(part: Robot) -> Any:
    return part.spec


def _thrusters(hung: list[Robot]) -> NDArray[Any]:
    records = _wired([make_thrusters(_spec(part)) for part in hung], ROBOT, rows_of={})
    for row, part in zip(records, hung, strict=True):
        row["motor"], row["fails_at"] = 0.5 * part.thrust, part.fails_at
    return records


def _hanging(
    scene: Scene, hung: list[Robot], bodies: Mapping[str, int], tethers: Mapping[str, int]
) -> NDArray[Any]:
    records = make_records(len(hung), HANGING)
    for row, part in zip(records, hung, strict=True):
        own = [line for line in scene.tethers.values() if line.start.owner == part.name]
        row["body"], row["tether"], row["object"] = bodies[part.name], -1, -1
        if own:
            row["tether"] = tethers[own[0].name]
            # The last corner of its shape is where the robot hangs from, until contacts are known.
            row["point_W"] = scene.at(own[0].end) if own[0].shape is None else own[0].shape[1]
    return records


def _hooks(scene: Scene, tethers: Mapping[str, int]) -> NDArray[Any]:
    damped = [line for line in scene.tethers.values() if line.start_damping is not None]
    records = make_records(len(damped), HOOK)
    for row, line in zip(records, damped, strict=True):
        assert line.start_damping is not None
        row["tether"] = tethers[line.name]
        row["damping_phi"], row["damping_roll"], row["damping_spin"] = line.start_damping
    return records


def _winch(line: Line) -> NDArray[Any]:
    assert line.winch is not None
    return make_winch(
        line.winch,
        tether_diameter=line.spec.diameter,
        tether_density=line.spec.linear_density,
        length=line.length_total,
        length_min=2.0 * LENGTH_MIN,
        paid_out=line.length,
    )


def _parts(scene: Scene, bodies: Mapping[str, int]) -> tuple[NDArray[Any], Vector]:
    """What is known of all bodies, and the spheres of their hulls, (n, 4)."""
    part, hulls = make_records(len(bodies), PART), [np.zeros((0, 4))]
    for name, b in bodies.items():
        body = scene.parts[name]
        assert isinstance(body, Body)
        hull = body.body.spheres
        if isinstance(body, Robot):
            part[b]["origin_B"] = -body.center_of_mass
            if not isinstance(body.spec, AvocadoRobotSpec):  # which hangs among branches and touches them
                shell = np.asarray(getattr(body.spec, "shell", ()))
                part[b]["robot"] = 2 if len(shell) else 1  # what has a shell is made to touch
                hull = np.array(body.spec.hull, float).reshape(-1, 4)
                hull[:, :3] -= body.center_of_mass
        part[b]["first_sphere"] = sum(map(len, hulls))
        part[b]["last_sphere"] = part[b]["first_sphere"] + len(hull)
        hulls.append(hull)
    group = np.arange(len(bodies))
    for joint in scene.joints.values():
        if isinstance(joint.parent, Site):
            one, other = group[bodies[joint.parent.owner]], group[bodies[joint.child.owner]]
            group[group == other] = one
    part["group"] = group
    return part, np.vstack(hulls)


def _lines(scene: Scene) -> NDArray[Any]:
    records = make_records(len(scene.tethers), LINE)
    for row, line in zip(records, scene.tethers.values(), strict=True):
        row["strength"], row["rotor_gap"] = line.spec.strength, 2.0 * line.spec.diameter
    return records
