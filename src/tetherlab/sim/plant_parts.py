"""The state of a plant as arrays by name, and a plant put into such a state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.failure_file import require
from tetherlab.tether.failure import check_memory, memory_parts

FIXED = ("ground", "wind")  # parts of a plant that no step changes
DERIVED = ("live", "kept", "scratch")  # windows on others, and what outlives no step
Array = NDArray[Any]


def plant_parts(plant: Any) -> Iterator[tuple[str, Array]]:
    """All arrays of a plant that a step may change and that outlive it, by name."""
    for name in plant._fields:
        part = getattr(plant, name)
        if name == "memory":
            yield from ((f"memory_{key}", array) for key, array in memory_parts(part).items())
        elif name == "field":
            yield from (("field_pose", part.pose), ("field_twist", part.twist))
        elif name not in (*FIXED, *DERIVED) and part is not plant.memory.body:
            yield name, part


def restore_plant(plant: Any, arrays: Mapping[str, Array], source: str) -> None:
    """Put a plant that was built anew into the state of a file, which must fit it."""
    objects = len(getattr(plant, "ground", plant.field).objects)
    for name, live in plant_parts(plant):
        stored = arrays.get(f"state_{name}")
        require(source, name, stored, live.shape, live.dtype)
        assert stored is not None
        if not name.startswith("memory_") and not _points_within(name, stored, live, objects):
            raise InputError(f"{source}: damaged: {name} does not belong to this scenario")
        live[...] = stored
    check_memory(plant.memory, len(plant.field.objects), source)


def _points_within(name: str, stored: Array, live: Array, objects: int) -> bool:
    """Whether kernels may count and point with what is stored: most of that does not change in a run."""
    kinds = stored.dtype.names
    if kinds is None:
        return name not in ("deck", "chassis") or np.array_equal(stored, live)
    if "touching" in kinds:
        return bool(((stored["object"] >= -1) & (stored["object"] < max(objects, 1))).all())
    fixed = [key for key in kinds if key.endswith("_count") or key == "object"]
    return all(np.array_equal(stored[key], live[key]) for key in fixed)
