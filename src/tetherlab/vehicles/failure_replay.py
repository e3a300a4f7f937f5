"""A vehicle without a tether as the file of its failure holds it, for its steps to be taken again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.failure_file import require
from tetherlab.math.rigid_body import POINTS_MAX
from tetherlab.vehicles.alone import LoneQuadrotor, LoneRover
from tetherlab.vehicles.quadrotor import QUADROTOR, ROTORS_MAX
from tetherlab.vehicles.rover import ROVER, WHEELS_MAX
from tetherlab.world import World
from tetherlab.world.failure_surroundings import wind_of, world_of

Array = NDArray[Any]


def stored_vehicle(
    kind: str, arrays: Mapping[str, Array], files: Mapping[str, bytes], source: str
) -> LoneQuadrotor | LoneRover:
    """The vehicle of a file in its first state, checked: a kernel trusts what a record counts."""
    world = world_of(files)
    if kind == LoneQuadrotor.kind:
        return _stored_quadrotor(arrays, world, source)
    return _stored_rover(arrays, world, source)


def _stored_quadrotor(arrays: Mapping[str, Array], world: World, source: str) -> LoneQuadrotor:
    drone = object.__new__(LoneQuadrotor)
    drone._wind = wind_of(arrays, source)
    drone.rotors = _record(arrays, "rotors", QUADROTOR, source)
    _restore_body(drone, arrays, world, source)
    _require_at_most(source, drone.rotors["rotor_count"], ROTORS_MAX)
    return drone


def _stored_rover(arrays: Mapping[str, Array], world: World, source: str) -> LoneRover:
    rover = object.__new__(LoneRover)
    rover.wheels = _record(arrays, "wheels", ROVER, source)
    _restore_body(rover, arrays, world, source)
    _require_at_most(source, rover.wheels["wheel_count"], WHEELS_MAX)
    return rover


def _restore_body(vehicle: Any, arrays: Mapping[str, Array], world: World, source: str) -> None:
    vehicle.world = world
    vehicle._make_records()
    for name in ("body", "contacts"):
        live, stored = getattr(vehicle, name), arrays.get(f"state_{name}")
        require(source, name, stored, live.shape, live.dtype)
        live[...] = stored
    contacts = vehicle.contacts
    used = (contacts["active"] != 0) | (contacts["touching"] != 0)
    within = (contacts["object"] >= 0) & (contacts["object"] < len(world.names))
    if (used & ~within).any():
        raise InputError(f"{source}: damaged: the {vehicle.kind} touches an object that is not there")
    _require_at_most(source, vehicle.body["point_count"], POINTS_MAX)


def _record(arrays: Mapping[str, Array], name: str, kind: Any, source: str) -> Array:
    stored = arrays.get(f"state_{name}")
    require(source, name, stored, (1,), kind)
    assert stored is not None
    return stored


def _require_at_most(source: str, count: Array, most: int) -> None:
    if not ((count >= 0) & (count <= most)).all():
        raise InputError(f"{source}: damaged: a record counts {int(np.max(count))}, it has room for {most}")
