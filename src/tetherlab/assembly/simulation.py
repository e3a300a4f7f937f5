"""`tl.Simulation`: a scene, or a scenario by name, file or object, that runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tetherlab.assembly.runs import scene_simulation
from tetherlab.assembly.scene import Scene
from tetherlab.assembly.scene_simulation import SceneSimulation
from tetherlab.contracts.errors import InputError
from tetherlab.scenario import simulation as scenario_simulation
from tetherlab.scenario.written import is_scene, open_document
from tetherlab.sim.checkpoint import read_checkpoint


class Simulation(scenario_simulation.Simulation):
    """A scenario that runs; given a scene, by name, file or object, a `SceneSimulation` of it.

    Scenarios still run on a loop of their own: until they are scenes, this is where the two meet.
    """

    def __new__(cls, scenario: Any = None, *args: Any, **options: Any) -> Any:
        """The kind of simulation that fits."""
        if isinstance(scenario, Scene):
            return scene_simulation(scenario, *args, **options)
        data = open_document(scenario).data if isinstance(scenario, (str, Path)) else scenario
        if is_scene(data):
            return scene_simulation(scenario, *args, **options)
        return super().__new__(cls)

    @classmethod
    def resume(cls, path: str | Path, *, controllers: Mapping[str, Any] | None = None, **own: Any) -> Any:
        """The run of a checkpoint; whoever had a controller of their own gives it again.

        controllers: of a scene. own: controller, winch_rule, ugv_controller of any other scenario.
        """
        head, _ = read_checkpoint(path)
        if not is_scene(head["extra"]["scenario"]):
            if controllers is not None:
                raise InputError(
                    "controllers is for a scene; this run takes controller, winch_rule, ugv_controller"
                )
            return super().resume(path, **own)
        if own:
            raise InputError(f"{', '.join(own)}: a scene takes controllers={{name: ...}}")
        return SceneSimulation.resume(path, controllers=controllers)
