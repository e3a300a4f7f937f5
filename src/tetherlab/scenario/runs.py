"""Any scenario, whatever its kind: loaded, made into a simulation, or run to its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.log import Log
from tetherlab.scenario.canopy import CanopyScenario
from tetherlab.scenario.canopy_simulation import CanopySimulation
from tetherlab.scenario.scenario import Scenario
from tetherlab.scenario.simulation import Simulation
from tetherlab.scenario.written import in_the_canopy, open_document

AnyScenario = Scenario | CanopyScenario
AnySimulation = Simulation | CanopySimulation


def load_scenario(name_or_path: str | Path, overrides: Mapping[str, Any] | None = None) -> AnyScenario:
    """A packaged scenario by its name, or one's own `.yaml` file, of the kind that its sections tell."""
    document = open_document(name_or_path)
    kind = CanopyScenario if in_the_canopy(document.data) else Scenario
    return kind.read(document, overrides)


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
    if not _is_canopy(scenario):
        return Simulation(
            scenario,  # type: ignore[arg-type]
            overrides,
            seed=seed,
            controller=controller,
            winch_rule=winch_rule,
            ugv_controller=ugv_controller,
        )
    for name, value in (("winch_rule", winch_rule), ("ugv_controller", ugv_controller)):
        if value is not None:
            raise InputError(
                f"{name} is for a team; a robot in the canopy has one controller for all it does"
            )
    return CanopySimulation(scenario, overrides, seed=seed, controller=controller)  # type: ignore[arg-type]


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

    overrides: {"tether.length_m": 12}. controller (of the drone, or of the robot in the canopy), winch_rule,
    ugv_controller: objects as in `contracts/messages.py`.
    progress: called with the share that is done and a line of text.
    """
    simulation = make_simulation(
        scenario,
        overrides,
        seed=seed,
        controller=controller,
        winch_rule=winch_rule,
        ugv_controller=ugv_controller,
    )
    try:
        simulation.run(progress=progress)
    finally:
        log = simulation.log
        if folder is not None:
            log.save(folder)
    return log


def _is_canopy(scenario: Any) -> bool:
    if isinstance(scenario, (Scenario, CanopyScenario)):
        return isinstance(scenario, CanopyScenario)
    if isinstance(scenario, (str, Path)):
        return in_the_canopy(open_document(scenario).data)
    return in_the_canopy(scenario)
