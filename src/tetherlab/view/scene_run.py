"""A scene that runs by hand: commands by the names of its parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tetherlab.assembly.scene_simulation import SceneSimulation
from tetherlab.contracts.errors import InputError
from tetherlab.scenario.surroundings import seeded_wind
from tetherlab.view.frame import Vector
from tetherlab.view.live_run import LiveRun

HAND_SPEED = 0.5  # at which a hand follows its handle [m/s]


class SceneRun(LiveRun):
    """The simulation of a scene."""

    def __init__(
        self, make: Callable[[], Any], show: Callable[[Any], None], name: str, first: Any = None
    ) -> None:
        """See `LiveRun`."""
        self._hands: dict[str, Vector] = {}  # where those go that move [m], (3,)
        super().__init__(make, show, name, first)

    def command(self, name: str, refused: Callable[[], None] | None = None, **given: Any) -> None:
        """Tell a part something, see `SceneSimulation.command`; refused: called if that is not possible.

        Of what a part is told in the same words only the last counts.
        """

        def tell(simulation: SceneSimulation) -> None:
            try:
                simulation.command(name, **given)
            except InputError:
                if refused is not None:
                    refused()
                raise
            self.say(f"{name}: {', '.join(given)}")

        self.ask(tell, replaces=(name, *given))

    def move_hand(self, name: str, target: Vector) -> None:
        """Let a hand go to a point [m], (3,), not faster than HAND_SPEED."""
        self.ask(lambda _: self._hands.update({name: target}), replaces=(name, "hand"))

    def blow(self, velocity: Vector) -> None:
        """A wind of that velocity [m/s], (3,); gusts and growth with height stay as they are."""

        def change(simulation: SceneSimulation) -> None:
            wind = seeded_wind(simulation.scene.world, simulation.seed)
            simulation.set_wind(replace(wind, velocity=tuple(map(float, velocity))))
            self.say(f"wind {float(np.linalg.norm(velocity)):.1f} m/s")

        self.ask(change, replaces="wind")

    def release(self, tether: str, side: str) -> None:
        """Let go of an end of a tether."""
        self.ask(lambda simulation: simulation.release(tether, side))

    def _prepared(self, simulation: SceneSimulation) -> SceneSimulation:
        self._hands.clear()
        prepared: SceneSimulation = super()._prepared(simulation)
        return prepared

    def _go_until(self, end: float) -> None:
        while self._hands and self.simulation.time < end - 0.5 * self.tick and self._step():
            pass
        if self.outcome is None and self.simulation.time < end - 0.5 * self.tick:
            self.simulation.run(until=end)

    def _step(self) -> bool:
        for name, target in list(self._hands.items()):
            here = self.simulation[name].position
            way = target - here
            apart = float(np.linalg.norm(way))
            longest = HAND_SPEED * self.simulation.dt
            if apart <= longest:
                del self._hands[name]
            self.simulation.command(
                name, position=target if apart <= longest else here + longest / apart * way
            )
        self.simulation.step()
        return self.outcome is None
