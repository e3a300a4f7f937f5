"""Compute a failure again from its file, whatever failed: a run, a scene, a tether or a vehicle."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.assembly.scene_failure import SCENE, SceneFailure
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.failure_file import FAILURE, read_failure, require
from tetherlab.contracts.file_reading import naming, reading
from tetherlab.plant import watch
from tetherlab.plant.model import Plant
from tetherlab.plant.object_names import object_names
from tetherlab.sim.decisions import KINDS, Laws
from tetherlab.sim.plant_parts import restore_plant
from tetherlab.sim.rows import CHUNK
from tetherlab.sim.ticks import ROWS, TICKS, run_ticks
from tetherlab.tether import model as M
from tetherlab.tether.advance import advance
from tetherlab.tether.failure import TetherFailure
from tetherlab.tether.state_summary import describe
from tetherlab.vehicles.alone import LoneQuadrotor, LoneRover
from tetherlab.vehicles.failure_replay import stored_vehicle
from tetherlab.vehicles.step_history import Placed
from tetherlab.world import World
from tetherlab.world.failure_surroundings import place_objects

STEPS_MAX = 100_000  # of one call
VEHICLE_STEPS_MAX = 10_000_000  # of one call, of a vehicle without a tether
TETHER_STEPS_MAX = 1e7  # of a tether, in all: some minutes
Array = NDArray[Any]


class Replayed(NamedTuple):
    """What came of computing a failure again."""

    what: str  # failed, in words
    recurred: bool
    since: float  # of the stored state [s]
    time: float  # when it failed the first time [s]
    reached: float  # now [s]
    lines: list[str]  # the last numbers


def replay_failure(path: str | Path) -> Replayed:
    """Compute a failure again from its file."""
    head, arrays, extra = read_failure(path)
    source = str(path)
    kinds = {
        "tether": _replay_tether,
        "marsupial": _replay_marsupial,
        SCENE: _replay_scene,
        LoneQuadrotor.kind: _replay_vehicle,
        LoneRover.kind: _replay_vehicle,
    }
    kind = head.get("kind")
    numbers = [head.get(name) for name in ("since", "time")]
    if kind not in kinds or not all(isinstance(number, (int, float)) for number in numbers):
        raise InputError(f"{path}: damaged: it does not say what failed, or when")
    try:
        with naming(path), reading(path, FAILURE):
            return kinds[kind](head, arrays, extra, source)
    except TypeError as error:  # a part of the head is of another type
        raise InputError(f"{path}: damaged, or not {FAILURE} ({error})") from None


def _replay_tether(head: Any, arrays: Any, extra: Any, source: str) -> Replayed:
    failure = TetherFailure(head, arrays, extra, source)
    durations, step_max = arrays["commands"][:, 0], arrays["memory_constants"][-1]
    if not (durations > 0.0).all() or not durations.sum() < TETHER_STEPS_MAX * step_max:
        raise InputError(f"damaged: it would take {durations.sum():g} s in steps of {step_max:g} s")
    recurred = failure.replay()
    tether = failure.tether
    lines = describe(tether._memory, tether.world.names)
    if recurred:
        lines.append(f"iterations  {failure.iterations} of Newton, of the call that failed")
    return Replayed(
        f"{tether.name}: a step of the tether", recurred, head["since"], head["time"], tether.time, lines
    )


def _replay_marsupial(head: Any, arrays: Any, extra: Any, source: str) -> Replayed:
    from tetherlab.scenario.simulation import Simulation

    simulation = Simulation(head["scenario"])
    wind = World.from_dict({"wind": head["wind"]}, source=source).wind
    assert wind is not None
    simulation.set_wind(wind)
    plant, mission, command = simulation.plant, simulation.mission, simulation._command
    restore_plant(plant, arrays, source)
    laws, inputs = _laws(arrays, source), (*command, mission.paths.together, mission.goal, mission.near)
    count = np.zeros(2, np.int64)
    rows, stations = simulation._empty_rows().chunk(0)
    assert len(rows) == CHUNK
    if 0 not in laws:
        raise InputError("damaged: it does not say what the controllers did at first")
    current, code = laws[0], watch.FLYING
    for k, call in enumerate(_calls(arrays, source, 4, inputs)):
        ticks, row_every, count[TICKS], count[ROWS] = call[:4].astype(np.int64)
        if row_every < 0 or count.min() < 0:
            raise InputError(f"{source}: damaged: a call counts below zero")
        _spread(call[4:], inputs)
        current = laws.get(k, current)
        clock = simulation._clock._replace(row_every=int(row_every))
        paths, goal, near = mission.paths, mission.goal, mission.near
        code = int(
            run_ticks(plant, current, command, paths, goal, near, clock, count, rows, stations, int(ticks))
        )
        if code != watch.FLYING:
            break
    return _told_of_graph(head, plant, code == watch.DIVERGED, object_names(plant, simulation.objects))


def _told_of_graph(
    head: Mapping[str, Any], plant: Plant, recurred: bool, objects: tuple[str, ...]
) -> Replayed:
    lines = []
    for t in range(len(plant.line)):
        lines += describe(M.Memory(*[array[t] for array in plant.graph.memories]), objects)
    lines += [
        f"body        of {float(row['mass']):.4g} kg, {float(np.linalg.norm(row['v_W'])):.4g} m/s, "
        f"at {row['p_W'].round(3).tolist()} m"
        for row in plant.graph.body
    ]
    what = "nothing"
    if recurred:
        what = "the motion: a place is beyond 1000 km, or not a number"
        if plant.clock["failed"][0]:
            what = "a step of the rover, the tether and the drone"
            islands = (plant.graph.program.island, plant.parted.island)
            used, steps = (sum(int(each[name].sum()) for each in islands) for name in ("iterations", "steps"))
            lines.append(f"iterations  {used} of Newton, in {steps} internal steps since the stored state")
    return Replayed(what, recurred, head["since"], head["time"], float(plant.clock["time"][0]), lines)


def _replay_scene(head: Any, arrays: Any, extra: Any, source: str) -> Replayed:
    failure = SceneFailure(head, arrays, extra, source)
    recurred = failure.replay()
    what = f"a step of {failure.stuck()}" if recurred else "nothing"
    return Replayed(what, recurred, head["since"], head["time"], failure.time, failure.describe())


def _replay_vehicle(head: Any, arrays: Any, extra: Any, source: str) -> Replayed:
    vehicle = stored_vehicle(head["kind"], arrays, extra, source)
    names = vehicle.world.names
    placed, inputs = _placed(arrays, len(names), source), (vehicle._command, vehicle._push)
    fine = True
    for k, call in enumerate(_calls(arrays, source, 3, inputs, VEHICLE_STEPS_MAX)):
        _spread(call[3:], inputs)
        if k in placed:
            place_objects(vehicle.world, *placed[k])
        vehicle.time = float(call[2])
        fine = vehicle._advance(float(call[1]), int(call[0]))
        if not fine:
            break
    speed, rate = (float(np.linalg.norm(v)) for v in (vehicle.velocity, vehicle.angular_velocity))
    touched = vehicle.contacts["object"][vehicle.contacts["active"] == 1].tolist()
    lines = [
        f"body        {speed:.4g} m/s, {rate:.4g} rad/s, at {vehicle.position.round(3).tolist()} m",
        *(f"contact     with {names[who]}" for who in sorted(set(touched))),
    ]
    what = "nothing" if fine else f"a step of the {vehicle.kind}"
    return Replayed(what, not fine, head["since"], head["time"], vehicle.time, lines)


def _placed(arrays: Mapping[str, Array], objects: int, source: str) -> dict[int, tuple[Array, Array, Array]]:
    """Where the objects of the world are, by the call before which they came there."""
    found = {}
    for number, at in enumerate(arrays["laws_at"].tolist()):
        moving, pose, twist = (arrays[f"laws{number}_{name}"] for name in Placed._fields)
        require(source, "moving", moving, (objects,), np.int64)
        require(source, "pose", pose, (objects, 12), np.float64)
        require(source, "twist", twist, (objects, 6), np.float64)
        found[at] = (moving, pose, twist)
    return found


def _told(
    head: Mapping[str, Any], plant: Any, recurred: bool, objects: tuple[str, ...], who: tuple[str, str]
) -> Replayed:
    """who: the body that is solved together with the tether, and the one beside it."""
    memory = plant.memory
    lines = describe(memory, objects)
    if not recurred:
        what = "nothing"
    elif memory.number[M.FAILED]:
        what = f"a step of the tether and the {who[0]} on it"
        again = M.copy_memory(memory)
        field = plant.field._replace(pose=plant.field.pose.copy())
        used = int(advance(again, field, plant.pose, plant.wind, plant.tether_command.copy()))
        lines.append(f"iterations  {used} of Newton, when the step is tried once more from there")
    elif plant.flag[0]:
        what = f"a step of the {who[1]}"
    else:
        what = "the motion: a place is beyond 1000 km, or not a number"
    return Replayed(what, recurred, head["since"], head["time"], float(plant.clock[0]), lines)


def _calls(
    arrays: Mapping[str, Array],
    source: str,
    numbers: int,
    inputs: tuple[Array, ...],
    steps_max: int = STEPS_MAX,
) -> Array:
    """The calls of a file, checked; the first of their numbers says how many steps."""
    calls = arrays["calls"]
    require(
        source, "calls", calls, (len(calls), numbers + sum(array.nbytes // 8 for array in inputs)), np.float64
    )
    steps = calls[:, 0]
    if not ((steps >= 1) & (steps <= steps_max)).all():
        raise InputError(f"{source}: damaged: a call of {steps.min():g} to {steps.max():g} steps")
    return calls


def _spread(values: Array, inputs: tuple[Array, ...]) -> None:
    first = 0
    for array in inputs:
        numbers = array.reshape(-1).view(np.float64)
        numbers[...] = values[first : first + numbers.size]
        first += numbers.size


def _laws(arrays: Mapping[str, Array], source: str) -> dict[int, Laws]:
    """The laws by the call before which they came."""
    found = {}
    for number, at in enumerate(arrays["laws_at"].tolist()):
        parts = {name: arrays[f"laws{number}_{name}"] for name in Laws._fields}
        for (name, rows), kind in zip(parts.items(), KINDS, strict=True):
            require(source, name, rows, (1,), kind)
        for rows in (parts["flying"], parts["driving"], parts["reeling"]):
            if rows["every"].min() < 1:
                raise InputError(
                    f"{source}: damaged: a controller is called every {rows['every'].min()} ticks"
                )
            if not 0 <= int(rows["path"][0]) < 2:
                raise InputError(f"{source}: damaged: a controller follows point {rows['path'][0]} of 2")
        found[at] = Laws(**parts)
    return found
