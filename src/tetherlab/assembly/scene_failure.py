"""The last steps of a scene, for the file of a failure, and the scene computed again from that file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.failure_file import require, write_failure
from tetherlab.contracts.failure_ring import CALLS_MAX, KEPT, FailureRing
from tetherlab.math.record import make_records
from tetherlab.math.rigid_body import BODY, POINTS_MAX
from tetherlab.plant.graph import RIDE, TIE, Graph
from tetherlab.plant.graph_build import LASTING, planned, rides_of, untied_graph
from tetherlab.plant.island_step import advance_graph
from tetherlab.plant.joint import AT_UPPER, FIXED, JOINT
from tetherlab.plant.pair_contact import PAIR
from tetherlab.sim.scene_steps import STEPS_AT_ONCE
from tetherlab.tether import model as M
from tetherlab.tether.failure import ROOM_MAX, memory_of, memory_parts
from tetherlab.tether.state_summary import describe
from tetherlab.vehicles.step_history import Placed
from tetherlab.world import World
from tetherlab.world.failure_surroundings import place_objects, wind_arrays, wind_of, world_files, world_of
from tetherlab.world.field import Field
from tetherlab.world.wind_field import WindField

SCENE = "scene"  # the kind of such a file
PARTS_MAX = 10_000  # bodies, and tethers
STEPS_MAX = 1e7  # internal ones, in all: some minutes
NUMBERS = 1  # of a call, before the commands: its duration
Array = NDArray[Any]


class SceneHistory:
    """States of a graph and its commands since; begun anew where ends are tied or arrays replaced."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        parts = {name: getattr(graph, name) for name in LASTING}
        parts |= {f"memory_{name}": array for name, array in memory_parts(graph.memories).items()}
        self._ring = FailureRing(parts)
        width = graph.command.nbytes // 8 + 6 * len(graph.body) + 4 * len(graph.joint)
        self.inputs = np.zeros(
            (STEPS_AT_ONCE, width)
        )  # commands and loads of the steps of a call, see scene_steps.py
        self._field: Field | None = None
        self._placed: Placed

    def before(self, time: float, field: Field) -> None:
        """Steps come now."""
        if field is not self._field:
            self._field, self._placed = field, Placed(field.objects[:, 1], field.pose, field.twist)
        self._ring.begin(time, self._placed)

    def after(self, count: int, dt: float) -> None:
        """So many steps were tried."""
        if count > 0:
            self._ring.note((dt,), self.inputs[:count].tobytes(), count)

    def write(
        self,
        time: float,
        tethers: Sequence[str],
        world: World,
        wind: WindField,
        folder: Path | None = None,
    ) -> str:
        """Write what led to the failure of the step just taken; what to tell the user about it.

        folder: where to; None: a temporary one.
        """
        try:
            head = {
                "kind": SCENE,
                "name": SCENE,
                "since": self._ring.since(time),
                "time": time,
                "gravity": self.graph.gravity,
                "tolerance": self.graph.tolerance,
                "tethers": list(tethers),
            }
            return write_failure(head, self._ring.arrays() | wind_arrays(wind), folder, world_files(world))
        except Exception as error:  # whatever it is, it must not hide what happened
            return f"no file could be written to replay it: {error}"


class SceneFailure:
    """A failure of a scene that is computed again, step by step."""

    def __init__(
        self, head: Mapping[str, Any], arrays: Mapping[str, Array], extra: Mapping[str, bytes], source: str
    ) -> None:
        self._world = world_of(extra)
        self._wind = wind_of(arrays, source)
        self.graph = _graph_of(head, arrays, len(self._world.names), source)
        self.time = float(head["since"])  # reached so far [s]
        self.names = [str(name) for name in head["tethers"]]
        tethers, bodies, objects = len(self.graph.tie), len(self.graph.body), len(self._world.names)
        if len(self.names) != tethers:
            raise InputError(f"damaged: {len(self.names)} names for {tethers} tethers")
        self._calls, at = arrays["calls"], arrays["laws_at"]
        width = NUMBERS + self.graph.command.nbytes // 8 + 6 * bodies + 4 * len(self.graph.joint)
        require(source, "calls", self._calls, (len(self._calls), width), np.float64)
        require(source, "laws_at", at, (len(at),), np.int64)
        durations, shortest = self._calls[:, 0], self.graph.memories.constants[:, -1].min()
        if len(durations) > KEPT * CALLS_MAX or not (durations > 0.0).all() or not shortest > 0.0:
            raise InputError(f"damaged: {len(durations)} steps, of which some have no duration")
        if not durations.sum() < STEPS_MAX * shortest:
            raise InputError(f"damaged: it would take {durations.sum():g} s in steps of {shortest:g} s")
        self._placed = {}
        for number, call in enumerate(at.tolist()):
            moving, pose, twist = (arrays[f"laws{number}_{name}"] for name in Placed._fields)
            require(source, "moving", moving, (objects,), np.int64)
            require(source, "pose", pose, (objects, 12), np.float64)
            require(source, "twist", twist, (objects, 6), np.float64)
            self._placed[call] = (moving, pose, twist)

    def replay(self) -> bool:
        """Take the steps again; whether the last one, and none before it, fails."""
        graph = self.graph
        commands = graph.command.nbytes // 8
        for k, call in enumerate(self._calls):
            if k in self._placed:
                place_objects(self._world, *self._placed[k])
            inputs = call[NUMBERS:]
            graph.command[...] = np.ascontiguousarray(inputs[:commands]).view(graph.command.dtype)
            driven = commands + 6 * len(graph.body)
            push, drive = inputs[commands:driven].reshape(-1, 6), inputs[driven:].reshape(-1, 4)
            graph.body["force_W"], graph.body["torque_W"] = push[:, :3], push[:, 3:]
            graph.joint["torque"], graph.joint["held_rate"] = drive[:, :2], drive[:, 2:]
            field = self._world.field
            own = field._replace(pose=field.pose.copy(), twist=field.twist.copy())
            if not advance_graph(graph, own, field.pose, self._wind, float(call[0])):
                return k == len(self._calls) - 1
            self.time += float(call[0])
        return False

    def stuck(self) -> str:
        """The tethers of the islands that failed."""
        return stuck_tethers(self.graph, self.names)

    def describe(self) -> list[str]:
        """The last numbers of each tether of the islands that failed, or of all."""
        program = self.graph.program
        failed = [row for row in program.island if row["failed"]] or list(program.island)
        lines = []
        for row in failed:
            for t in program.tether[row["first_tether"] : row["last_tether"]]:
                memory = M.Memory(*[array[t] for array in self.graph.memories])
                lines += [f"tether {self.names[t]}", *describe(memory, self._world.names)]
        return lines


def stuck_tethers(graph: Graph, names: Sequence[str]) -> str:
    """The tethers of the islands that failed, in words; an island of a body alone has none."""
    program = graph.program
    islands = [
        ", ".join(names[t] for t in program.tether[row["first_tether"] : row["last_tether"]])
        for row in program.island
        if row["failed"]
    ]
    return "; ".join(island or "a body without tether" for island in islands)


def _tied_kinds(arrays: Mapping[str, Array], tie: Array) -> Array:
    """Where, among the numbers of a tether, an end is said to be tied to a body, and is."""
    tied = np.zeros(arrays["memory_number"].shape, bool)
    if tied.ndim == 1 and len(tied) > M.KIND_END:
        ends = slice(M.KIND_BASE, M.KIND_END + 1)
        tied[ends] = (arrays["memory_number"][ends] == M.CARRIED) & (tie["body"] >= 0)
    return tied


def _graph_of(head: Mapping[str, Any], arrays: Mapping[str, Array], objects: int, source: str) -> Graph:
    """The graph of a file, checked: a kernel trusts what a record counts or points at."""
    tie, body = (arrays.get(f"state_{name}") for name in ("tie", "body"))
    bodies = 0 if body is None or body.ndim != 1 else len(body)
    tethers = 0 if tie is None or tie.ndim != 2 else len(tie)
    if max(bodies, tethers) > PARTS_MAX:
        raise InputError(f"damaged: {bodies} bodies and {tethers} tethers")
    require(source, "body", body, (bodies,), BODY)
    require(source, "tie", tie, (tethers, 2), TIE)
    assert body is not None and tie is not None
    stacked = {name: array for name, array in arrays.items() if name.startswith("state_memory_")}
    room = stacked["state_memory_scalars"].shape[-1] if "state_memory_scalars" in stacked else 0
    if room > ROOM_MAX or any(len(array) < tethers for array in stacked.values()):
        raise InputError("damaged: the tethers are not as many as their states")
    memories = []
    for t in range(tethers):
        own = {name.removeprefix("state_"): array[t] for name, array in stacked.items()}
        own["memory_number"] = np.where(tied := _tied_kinds(own, tie[t]), M.FREE, own["memory_number"])
        memories.append(memory_of(own, objects, source))  # it knows no tied ends: they count as free
        memories[-1].number[tied] = M.CARRIED
    gravity, tolerance = float(head["gravity"]), float(head["tolerance"])
    pairs, joints, rides = (arrays.get(f"state_{name}") for name in ("pair", "joint", "ride"))
    joint = make_records(0 if joints is None else min(joints.size, PARTS_MAX), JOINT)
    graph = untied_graph(gravity, tolerance, np.zeros_like(body), memories, objects, joint)
    graph = graph._replace(
        pair=make_records(0 if pairs is None else pairs.size, PAIR),
        ride=make_records(0 if rides is None else rides.size, RIDE),
    )
    for name in LASTING:
        live, stored = getattr(graph, name), arrays.get(f"state_{name}")
        require(source, name, stored, live.shape, live.dtype)
        live[...] = stored
    owner, touched = graph.tie["body"], graph.body_contact["object"]
    points = graph.body["point_count"]
    one, other = graph.pair["body"].T
    parent, child = graph.joint["body"].T
    if (
        ((owner < -1) | (owner >= bodies)).any()
        or ((touched < -1) | (touched >= max(objects, 1))).any()
        or ((points < 0) | (points > POINTS_MAX)).any()
        or not (graph.body["mass"] > 0.0).all()
        or ((one < 0) | (one >= other) | (other >= bodies)).any()
        or ((graph.rider < -1) | (graph.rider >= bodies)).any()
        or ((parent < -1) | (parent >= bodies) | (child < 0) | (child >= bodies) | (parent == child)).any()
        or ((graph.joint["kind"] < 0) | (graph.joint["kind"] > FIXED)).any()
        or ((graph.joint["lock"] < 0) | (graph.joint["lock"] > AT_UPPER)).any()
        or not np.array_equal(graph.ride[["object", "body"]], rides_of(graph.rider)[["object", "body"]])
        or ((graph.pair["point"] < 0) | (graph.pair["point"] >= POINTS_MAX)).any()
    ):
        raise InputError("damaged: the state of the scene contradicts itself")
    return planned(graph)
