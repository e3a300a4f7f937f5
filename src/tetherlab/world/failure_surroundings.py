"""World and wind in the file of a failure."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.failure_file import require
from tetherlab.world.wind_field import WindField
from tetherlab.world.world import World

FILE = "world.yaml"
Array = NDArray[Any]


def world_files(world: World) -> dict[str, bytes]:
    """A world as whole files, by name: its document and its maps."""
    with tempfile.TemporaryDirectory(prefix="tetherlab-") as place:
        world.save(Path(place) / FILE)
        return {path.name: path.read_bytes() for path in Path(place).iterdir()}


def world_of(files: Mapping[str, bytes]) -> World:
    """The world of such files."""
    with tempfile.TemporaryDirectory(prefix="tetherlab-") as place:
        for name, content in files.items():
            (Path(place) / name).write_bytes(content)
        return World.load(Path(place) / FILE)


def place_objects(world: World, moving: Array, pose: Array, twist: Array) -> None:
    """Put all objects of a world as the arrays of a field say; moving: 1 where an object has a pose."""
    field = world.field
    objects = np.column_stack([field.objects[:, 0], moving]).astype(np.int64)
    world._field = field._replace(objects=objects, pose=pose.copy(), twist=twist.copy())


def wind_arrays(wind: WindField) -> dict[str, Array]:
    """A wind as a file holds it."""
    return {f"wind_{name}": array for name, array in wind._asdict().items()}


def wind_of(arrays: Mapping[str, Array], source: str) -> WindField:
    """The wind of a file, checked."""
    mean, modes = arrays["wind_mean"], arrays["wind_modes"]
    require(source, "wind_mean", mean, (5,), np.float64)
    require(source, "wind_modes", modes, (8, modes.shape[-1] if modes.ndim else 0), np.float64)
    return WindField(mean, modes)
