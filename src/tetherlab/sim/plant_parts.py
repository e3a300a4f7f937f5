"""The state of a plant as arrays by name, and a plant put into such a state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.failure_file import require
from tetherlab.plant.graph import Graph
from tetherlab.plant.graph_build import LASTING
from tetherlab.plant.model import Plant
from tetherlab.tether import model as M
from tetherlab.tether.failure import check_memory, memory_parts

FIXED = ("wind", "parted")  # parts of a plant that no step changes
DERIVED = ("live", "kept", "scratch")  # windows on others, and what outlives no step
NO_PAIRS = ("pair",)  # of spheres of two bodies: a plant has none
Array = NDArray[Any]


def plant_parts(plant: Any) -> Iterator[tuple[str, Array]]:
    """All arrays of a plant that a step may change and that outlive it, by name."""
    memory = getattr(plant, "memory", None)
    for name in plant._fields:
        part = getattr(plant, name)
        if name == "graph":
            yield from _graph_parts(part)
        elif name == "memory":
            yield from ((f"memory_{key}", array) for key, array in memory_parts(part).items())
        elif name == "field":
            yield from (("field_pose", part.pose), ("field_twist", part.twist))
        elif name not in (*FIXED, *DERIVED) and (memory is None or part is not memory.body):
            yield name, part


def _graph_parts(graph: Graph) -> Iterator[tuple[str, Array]]:
    yield from ((f"memory_{key}", array) for key, array in memory_parts(graph.memories).items())
    yield from ((f"graph_{name}", getattr(graph, name)) for name in LASTING if name not in NO_PAIRS)


def with_parts(plant: Plant, arrays: Mapping[str, Array]) -> Plant:
    """A plant with other arrays in the place of its parts, by the names of `plant_parts`."""
    graph, field = plant.graph, plant.field
    memories = {name: arrays[f"memory_{name}"] for name in memory_parts(graph.memories)}
    lasting: dict[str, Any] = {name: arrays[f"graph_{name}"] for name in LASTING if name not in NO_PAIRS}
    own: dict[str, Any] = {name: arrays.get(name, getattr(plant, name)) for name in plant._fields}
    own["graph"] = graph._replace(memories=graph.memories._replace(**memories), **lasting)
    own["field"] = field._replace(pose=arrays["field_pose"], twist=arrays["field_twist"])
    return Plant(**own)


def restore_plant(plant: Any, arrays: Mapping[str, Array], source: str) -> None:
    """Put a plant that was built anew into the state of a file, which must fit it."""
    objects = len(plant.field.objects)
    kinds = plant.graph.memories.number[:, M.KIND_BASE : M.KIND_END + 1].copy() if _is_graph(plant) else None
    for name, live in plant_parts(plant):
        stored = arrays.get(f"state_{name}")
        require(source, name, stored, live.shape, live.dtype)
        assert stored is not None
        if not name.startswith("memory_") and not _points_within(name, stored, live, objects):
            raise InputError(f"{source}: damaged: {name} does not belong to this scenario")
        live[...] = stored
    if kinds is None:
        check_memory(plant.memory, objects, source)
        return
    for t, own in enumerate(kinds):
        memory = M.Memory(*[array[t] for array in plant.graph.memories])
        number = memory.number.copy()
        ends = number[M.KIND_BASE : M.KIND_END + 1]
        if not np.array_equal(ends, own):
            raise InputError(f"{source}: damaged: the state of the tether contradicts itself")
        ends[...] = M.FREE  # it knows no tied ends: they count as free
        check_memory(memory._replace(number=number), objects, source)


def _is_graph(plant: Any) -> bool:
    return "graph" in plant._fields


def _points_within(name: str, stored: Array, live: Array, objects: int) -> bool:
    """Whether kernels may count and point with what is stored: most of that does not change in a run."""
    kinds = stored.dtype.names
    if kinds is None:
        return name not in POINTERS or np.array_equal(stored, live)
    if "touching" in kinds:
        return bool(((stored["object"] >= -1) & (stored["object"] < max(objects, 1))).all())
    fixed = [key for key in kinds if key.endswith(("_count", "_sphere")) or key in WIRES]
    return all(np.array_equal(stored[key], live[key]) for key in fixed)


POINTERS = ("graph_rider", "graph_meets", "graph_drapes")
WIRES = ("object", "body", "tether", "deck", "ride", "winch", "rover", "rotorcraft")  # integers that point
