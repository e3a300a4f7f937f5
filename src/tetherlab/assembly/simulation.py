"""`tl.Simulation`: a scene, or a scenario by name, file or object, that runs."""

from __future__ import annotations

from typing import Any

from tetherlab.assembly.scene import Scene
from tetherlab.assembly.scene_simulation import SceneSimulation
from tetherlab.scenario import simulation as scenario_simulation


class Simulation(scenario_simulation.Simulation):
    """A scenario that runs; given a `tl.Scene`, a `SceneSimulation` of it.

    Scenarios still run on a loop of their own: until they are scenes, this is where the two meet.
    """

    def __new__(cls, scenario: Any = None, *args: Any, **options: Any) -> Any:
        """The kind of simulation that fits."""
        if isinstance(scenario, Scene):
            return SceneSimulation(scenario, *args, **options)
        return super().__new__(cls)
