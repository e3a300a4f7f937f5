"""`tl.Simulation`: a scene, or a scenario by name, file or object, that runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tetherlab.assembly.runs import scene_simulation
from tetherlab.assembly.scene import Scene
from tetherlab.scenario import simulation as scenario_simulation
from tetherlab.scenario.written import is_scene, open_document


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
