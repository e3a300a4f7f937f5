"""A scene that runs, written to a checkpoint and put back: what `sim/checkpoint.py` does for teams."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.assembly.machinery import LAW_RULES, PATH_RULES
from tetherlab.assembly.scene import Scene
from tetherlab.assembly.scene_failure import SceneHistory
from tetherlab.assembly.scene_writing import complete_scene
from tetherlab.assembly.sites import Site
from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import naming, reading
from tetherlab.contracts.map_files import complete_map_files, relative_map_files
from tetherlab.contracts.outcome import Outcome
from tetherlab.plant.graph_build import planned, release_end, tie_end, with_pairs, with_room
from tetherlab.plant.rest import hold_body, stow_tether
from tetherlab.plant.state_rules import COUNTED, POSSIBLY, broken_rule
from tetherlab.scenario.written import is_scene
from tetherlab.sim.checkpoint import (
    COMMAND_RULES,
    alike,
    as_json,
    broken_record,
    check_types,
    event_of,
    from_json,
    require_like,
    same_kind,
    same_settings,
    stored_plant,
    write_checkpoint,
)
from tetherlab.sim.plant_parts import plant_parts
from tetherlab.tether import model as M
from tetherlab.tether.failure import ROOM_MAX
from tetherlab.world.failure_surroundings import wind_arrays, wind_of
from tetherlab.world.wind import SHELL_COUNT

if TYPE_CHECKING:
    from tetherlab.assembly.scene_simulation import SceneSimulation

Arrays = dict[str, NDArray[Any]]
HEAD_TYPES: dict[str, Any] = {
    "tolerance": (int, float),
    "recording": (bool,),
    "sites": (list,),
    "machines": (dict,),
    "events": (list,),
    "outcome": (str, type(None)),
    "outcome_sentence": (str,),
}
MACHINE_TYPES: dict[str, Any] = {
    "kind": (list,), "settings": (list,), "memory": (object,), "by_hand": (bool,), "landing": (bool,),
}  # fmt: skip


def save_scene(sim: SceneSimulation, path: str | Path) -> None:
    """Write the run as it is now."""
    problem = broken_rule(sim.plant, sim.plant) or _beyond_files(sim.scene)
    if problem:
        raise InputError(f"this run cannot be written to a checkpoint: {problem}")
    written = complete_scene(sim.scene, sim._controllers, sim.settings)
    arrays = dict(plant_parts(sim.plant)) | wind_arrays(sim.plant.wind) | dict(sim.commanded.arrays())
    arrays |= sim._rows.arrays()
    arrays["pair"], arrays["near"] = sim.graph.pair, sim._near
    arrays["island_steps"] = sim.graph.program.island["steps"]
    arrays["hands"] = sim.hand_rows()
    machines = {
        machine.name: {
            "kind": machine.speaks,
            "settings": machine.settings,
            "memory": as_json(machine.memory, arrays),
            "by_hand": machine.by_hand,
            "landing": machine.landing,
        }
        for machine in sim.commanded
    }
    head = {
        "tolerance": sim.graph.tolerance,
        "recording": sim.recording,
        "sites": [None if site is None else [site.owner, site.r_B.tolist()] for site in sim._sites.values()],
        "machines": machines,
        "events": [list(event) for event in sim.events],
        "outcome": sim.outcome and sim.outcome.name,
        "outcome_sentence": sim.outcome_sentence,
        "extra": {"name": sim.name, "scenario": relative_map_files(written, Path(path).parent)},
    }
    write_checkpoint(path, head, arrays)


def resume_scene(
    kind: type[SceneSimulation],
    path: str | Path,
    head: dict[str, Any],
    arrays: Arrays,
    controllers: Mapping[str, Any] | None,
) -> SceneSimulation:
    """The run of a checkpoint that was read; controllers: those that are somebody's own."""
    written = head["extra"]["scenario"]
    with reading(path, "a checkpoint of tetherlab"), naming(path):
        if not is_scene(written):
            raise InputError("is no checkpoint of a scene; tl.Simulation.resume takes those of all scenarios")
        check_types("", head, HEAD_TYPES)
        scene = Scene.from_dict(complete_map_files(written, Path(path).parent))
        tolerance = check.positive("damaged: tolerance", head["tolerance"])
        sim = kind(scene, controllers=controllers, tolerance=tolerance)
        sim.name = head["extra"]["name"]
        memories = _same_machines(sim, head["machines"], arrays)
        _tie_as_stored(sim, head["sites"], arrays)
        _check(sim, head, arrays)
        _put(sim, head, arrays)
        for machine, memory in zip(sim.commanded, memories, strict=True):
            told = head["machines"][machine.name]
            machine.memory, machine.by_hand, machine.landing = memory, told["by_hand"], told["landing"]
    return sim


def _beyond_files(scene: Scene) -> str:
    """What a file cannot hold of a scene that was put together by calls; empty if nothing."""
    for name, line in scene.tethers.items():
        if line.start_damping is not None:
            return f"a file cannot hold the start_damping of tether {name!r}"
    for name, part in scene.parts.items():
        if np.isfinite(getattr(part, "fails_at", np.inf)).any():
            return f"a file cannot hold that a motor of {name!r} fails"
    return ""


def _same_machines(sim: SceneSimulation, told: Mapping[str, Any], arrays: Arrays) -> list[Any]:
    """What controllers remember, if they are those that it was made with."""
    memories = []
    if list(told) != [machine.name for machine in sim.commanded]:
        raise InputError("does not belong to this scene (machines differ)")
    for machine in sim.commanded:
        name, stored = machine.name, told[machine.name]
        if not isinstance(stored, dict):
            raise InputError(f"damaged: machines.{name} must be a mapping")
        check_types(f"machines.{name}.", stored, MACHINE_TYPES)
        who, given = f"controller of {name!r}", f"controllers={{{name!r}: ...}}"
        same_kind(who, stored["kind"], machine.speaks, given)
        same_settings(who, stored["settings"], machine.settings, given)
        memories.append(from_json(stored["memory"], arrays))
        if not machine.speaks[1] and not alike(memories[-1], machine.memory):
            raise InputError(f"damaged: the memory of the {who} is not one that it could have")
    return memories


def _tie_as_stored(sim: SceneSimulation, sites: list[Any], arrays: Arrays) -> None:
    """What is tied, held, stowed and near as in the file, so that plants can be compared field by field."""
    graph = sim.graph
    for name in ("held", "stowed", "meets", "drapes", "joint"):
        require_like(f"graph_{name}", getattr(graph, name), arrays)
    scalars = arrays.get("memory_scalars", np.zeros(0))
    if scalars.ndim == 3 and graph.memories.scalars.shape[2] < scalars.shape[2] <= ROOM_MAX:
        graph = with_room(graph, scalars.shape[2])
    if len(sites) != len(sim._sites):
        raise InputError(f"damaged: {len(sites)} sites for {len(sim._sites)} ends of tethers")
    for (tether, end), told in zip(sim._sites, sites, strict=True):
        t, site = list(sim.scene.tethers).index(tether), _site(sim, told)
        sim._sites[tether, end] = site
        tie = None if site is None else sim._tie_now(site)
        graph = release_end(graph, t, end) if tie is None else tie_end(graph, t, end, tie)
        if tie is None and site is not None:
            graph.memories.number[t, M.KIND_BASE + end] = M.PRESCRIBED
    for b in np.flatnonzero(arrays["graph_held"] == 1).tolist():
        graph = hold_body(graph, b)
    for t in np.flatnonzero(arrays["graph_stowed"] == 1).tolist():
        graph = stow_tether(graph, t)
    for live, stored in ((graph.meets, arrays["graph_meets"]), (graph.drapes, arrays["graph_drapes"])):
        if len(graph.ride):
            live[(live == 0) & (stored == 1)] = 1
    unlocked = arrays["graph_joint"]["release_time"] == np.inf
    graph.joint["release_time"][unlocked] = np.inf  # of those that were locked or unlocked meanwhile
    require_like("near", sim._near, arrays)
    near = np.ascontiguousarray(arrays["near"])
    if not np.array_equal(near, np.triu(near == 1, 1)):
        raise InputError("damaged: near must be 0 or 1 for two bodies")
    sim._near = near
    sim.graph = planned(with_pairs(graph, near))


def _site(sim: SceneSimulation, told: Any) -> Site | None:
    if told is None:
        return None
    if not isinstance(told, list) or len(told) != 2 or told[0] not in list(sim.scene.parts):
        raise InputError(f"damaged: a site must be a part and a point of it, got {check.shown(told)}")
    return Site(told[0], check.vector("damaged: the point of a site", told[1]))


def _check(sim: SceneSimulation, head: dict[str, Any], arrays: Arrays) -> None:
    """Whether all that is stored can be the state of this scene."""
    for name, live in (
        ("pair", sim.graph.pair), ("hands", sim.hand_rows()),
        ("island_steps", sim.graph.program.island["steps"]), *sim.commanded.arrays(),
    ):  # fmt: skip
        require_like(name, live, arrays)
    stored = stored_plant(sim.plant, arrays)
    problem = broken_rule(sim.plant, stored._replace(graph=stored.graph._replace(pair=arrays["pair"])))
    problem = problem or broken_record(sim.commanded.records(), arrays, COMMAND_RULES | LAW_RULES)
    for point, rule in enumerate(PATH_RULES):
        said = rule.broken(arrays["paths"][point], sim.commanded.paths.together[point], 0)
        problem = problem or (said and f"paths[{point}] {said}")
    for name, rule in (("hands", POSSIBLY), ("island_steps", COUNTED)):
        said = rule.broken(arrays[name], arrays[name], 0)
        problem = problem or (said and f"{name} {said}")
    if np.isnan(arrays["hands"][:, :2]).any():
        problem = problem or "hands must be where hands are"
    if problem:
        raise InputError(f"damaged, or not of this scene: {problem}")
    clock = stored.clock[0]
    if abs(clock["steps"] * sim.dt - clock["time"]) > 1e-6 * (1.0 + clock["time"]):
        raise InputError(f"damaged: {clock['steps']} steps of {sim.dt:g} s do not make {clock['time']:g} s")
    wind = wind_of(arrays, "damaged")
    if wind.modes.shape[1] not in (0, 3 * SHELL_COUNT) or not all(np.isfinite(part).all() for part in wind):
        raise InputError("damaged: the wind is none that can blow")
    if head["outcome"] is not None and head["outcome"] not in Outcome.__members__:
        raise InputError(f"damaged: outcome must be one of {', '.join(Outcome.__members__)}")


def _put(sim: SceneSimulation, head: dict[str, Any], arrays: Arrays) -> None:
    """Put the run into a state that was checked."""
    sim._rows.restore(arrays)
    sim.recording, sim.events = head["recording"], [event_of(item) for item in head["events"]]
    sim.outcome = Outcome[head["outcome"]] if head["outcome"] else None
    sim.outcome_sentence = head["outcome_sentence"]
    parts = (*plant_parts(sim.plant), *sim.commanded.arrays(), ("pair", sim.graph.pair))
    for name, live in parts:
        live[...] = arrays[name]
    sim.graph.program.island["steps"] = arrays["island_steps"]
    wind = wind_of(arrays, "damaged")
    sim.plant = sim.plant._replace(wind=wind._replace(modes=np.ascontiguousarray(wind.modes)))
    sim.take_hands(arrays["hands"])
    sim._history = SceneHistory(sim.graph)
