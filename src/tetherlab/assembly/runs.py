"""Any scenario, whatever its kind: loaded, made into a simulation, or run to its end."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from tetherlab.assembly.canopy_simulation import CanopySimulation
from tetherlab.assembly.scene import Scene
from tetherlab.assembly.scene_simulation import SceneSimulation
from tetherlab.assembly.team_simulation import TeamSimulation
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.log import Log
from tetherlab.contracts.run_folders import RunFolder
from tetherlab.scenario.canopy import CanopyScenario
from tetherlab.scenario.document import checked_overrides
from tetherlab.scenario.scenario import Scenario
from tetherlab.scenario.simulation import Simulation
from tetherlab.scenario.team_plan import TeamPlan
from tetherlab.scenario.written import in_a_plane, in_the_canopy, is_scene, open_document

AnyScenario = Scene | Scenario | CanopyScenario | TeamPlan
AnySimulation = SceneSimulation | Simulation | CanopySimulation | TeamSimulation


def load_scenario(name_or_path: str | Path, overrides: Mapping[str, Any] | None = None) -> AnyScenario:
    """A packaged scenario by its name, or one's own `.yaml` file, of the kind that its sections tell."""
    document = open_document(name_or_path)
    return kind_of(document.data).read(document, overrides)


def kind_of(data: Any) -> type[AnyScenario]:
    """What a written scenario is, by its sections."""
    if is_scene(data):
        return Scene
    if in_the_canopy(data):
        return CanopyScenario
    return TeamPlan if in_a_plane(data) else Scenario


def scenario_of(log: Log) -> AnyScenario | None:
    """The scenario of a log, for its world and robots; None where it has none that this version can read."""
    if not log.scenario:
        return None
    try:
        return kind_of(log.scenario).from_dict(log.scenario)
    except InputError:
        return None


def make_simulation(
    scenario: AnyScenario | str | Path | Mapping[str, Any],
    overrides: Mapping[str, Any] | None = None,
    *,
    seed: int | None = None,
    controller: Any = None,
    winch_rule: Any = None,
    ugv_controller: Any = None,
) -> AnySimulation:
    """The simulation of a scenario: a name, a file, its written form or a loaded one."""
    own = {"controller": controller, "winch_rule": winch_rule, "ugv_controller": ugv_controller}
    given: Any = scenario
    kind = _kind(scenario)
    if kind is Scene:
        _refuse(own, tuple(own), "for a team; for a scene use tl.Simulation(scene, controllers={...})")
        return scene_simulation(given, overrides, seed=seed)
    if kind is Scenario:
        return Simulation(given, overrides, seed=seed, **own)
    if kind is CanopyScenario:
        _refuse(
            own,
            ("winch_rule", "ugv_controller"),
            "for a team; a robot in the canopy has one controller for all it does",
        )
        return CanopySimulation(given, overrides, seed=seed, controller=controller)
    _refuse(own, tuple(own), "not for a plan, of which each step has its own")
    _refuse({"seed": seed}, ("seed",), "not for a plan: when it is carried out, nothing is left to chance")
    return TeamSimulation(given, overrides)


def scene_simulation(
    scene: Scene | str | Path | Mapping[str, Any],
    overrides: Mapping[str, Any] | None = None,
    **options: Any,
) -> SceneSimulation:
    """The simulation of a scene: a name, a file, its written form or the scene itself."""
    name = "scene"
    if isinstance(scene, (str, Path)):
        name, scene = Path(scene).stem, Scene.load(scene, overrides)
    elif not isinstance(scene, Scene):
        scene = Scene.from_dict(scene, overrides)
    elif checked_overrides(overrides):
        scene = Scene.from_dict(scene.to_dict(), overrides)
    simulation = SceneSimulation(scene, **options)
    simulation.name = name
    return simulation


def run(
    scenario: AnyScenario | str | Path | Mapping[str, Any],
    overrides: Mapping[str, Any] | None = None,
    *,
    seed: int | None = None,
    controller: Any = None,
    winch_rule: Any = None,
    ugv_controller: Any = None,
    folder: str | Path | None = None,
    progress: Callable[[float, str], None] | None = None,
) -> Log:
    """Run a scenario to its end; with a folder, the log is saved there, whatever happens.

    The folder must not hold a run yet. If it cannot be written any more after the run, the log is saved
    elsewhere, and a warning says where.
    overrides: {"tether.length_m": 12}. controller (of the drone, or of the robot in the canopy), winch_rule,
    ugv_controller: objects as in `contracts/messages.py`.
    progress: called with the share that is done and a line of text.
    """
    with nullcontext() if folder is None else RunFolder.at(folder) as claimed:
        simulation = make_simulation(
            scenario,
            overrides,
            seed=seed,
            controller=controller,
            winch_rule=winch_rule,
            ugv_controller=ugv_controller,
        )
        if claimed is not None:
            simulation.failure_folder = claimed.path
        try:
            simulation.run(progress=progress)
        finally:
            log = simulation.log
            if claimed is not None:
                place = claimed.save(log)
                if claimed.trouble:
                    warnings.warn(f"{claimed.trouble}; the run was saved in {place}", stacklevel=2)
    return log


def _kind(scenario: Any) -> type[AnyScenario]:
    if isinstance(scenario, AnyScenario):
        return type(scenario)
    return kind_of(open_document(scenario).data if isinstance(scenario, (str, Path)) else scenario)


def _refuse(given: Mapping[str, Any], names: tuple[str, ...], why: str) -> None:
    """What this kind of run has no use for."""
    for name in names:
        if given[name] is not None:
            raise InputError(f"{name} is {why}")
