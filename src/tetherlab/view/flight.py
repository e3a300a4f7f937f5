"""A marsupial team that is flown by hand: what people ask of drone, rover, winch and wind."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tetherlab.scenario.simulation import Simulation
from tetherlab.view.flown import Flown
from tetherlab.view.frame import Vector
from tetherlab.view.live_run import LiveRun


class Flight(LiveRun):
    """The simulation of a scenario, by hand or by its plan."""

    def __init__(
        self, make: Callable[[], Any], show: Callable[[Any], None], name: str, first: Any = None
    ) -> None:
        """See `LiveRun`."""
        super().__init__(make, show, name, first)
        self.say("ready: take off, or fly the plan")
        self.flown = self._nothing_flown()
        self._wait_for_people()

    def _prepared(self, simulation: Simulation) -> Simulation:
        super()._prepared(simulation)
        simulation.duration_max, simulation.name = math.inf, self.name
        return simulation

    def _nothing_flown(self) -> Flown:
        return Flown(self.simulation.scenario, f"flown_{self.name}")

    def _wait_for_people(self) -> None:
        if self.simulation.scenario.uav.on_platform:
            self.simulation.wait()
        else:
            self.simulation.hold()

    def reset(
        self, follow_plan: bool, begun: Callable[[], None], may_end: Callable[[Simulation], bool]
    ) -> None:
        """From the start again, by hand or by the plan of the scenario; see `begin_again`."""

        def prepare() -> None:
            self.flown = self._nothing_flown()
            if follow_plan:
                self.say("flies the plan")
            else:
                self._wait_for_people()

        self.begin_again(begun, may_end, prepare)

    def nudge(self, vehicle: str, by: Vector) -> None:
        """Move the target of 'uav' or 'ugv' by so much [m]; counted from where it is when this is done."""

        def move(simulation: Simulation) -> None:
            mission = simulation.mission
            if vehicle == "uav":
                simulation.command(uav=mission.uav.target + by)
            else:
                simulation.command(ugv=(mission.ugv.target + by)[:2])
            self.flown.go(simulation)
            self.say(simulation.events[-1].sentence)

        self.ask(move)

    def go(self, **order: Any) -> None:
        """Send the vehicles somewhere (see `Simulation.command`), and remember it as a waypoint."""

        def send(simulation: Simulation) -> None:
            simulation.command(**order)
            self.flown.go(simulation)
            self.say(simulation.events[-1].sentence)

        self.ask(send)

    def blow(self, velocity: Vector) -> None:
        """A wind of that velocity [m/s], (3,); gusts and growth with height stay as they are."""

        def change(simulation: Simulation) -> None:
            simulation.set_wind(replace(simulation.wind, velocity=tuple(map(float, velocity))))
            self.say(f"wind {float(np.linalg.norm(velocity)):.1f} m/s")
            self.flown.blow(velocity)

        self.ask(change, replaces="wind")

    def reel(self, length: float | None = None, tension: float | None = None) -> None:
        """Let the winch keep a length [m] or a tension [N], or follow its rule if neither is given."""

        def change(simulation: Simulation) -> None:
            if length is None and tension is None:
                simulation.follow_rule()
            else:
                simulation.command(length=length, tension=tension)
            self.flown.keep(length, simulation)
            self.say(simulation.events[-1].sentence)

        self.ask(change, replaces="winch")

    def take_off(self) -> None:
        """Climb."""

        def climb(simulation: Simulation) -> None:
            simulation.take_off()
            self.flown.take_off(simulation)
            self.say("takes off")

        self.ask(climb)

    def land(self) -> None:
        """Return to the deck."""

        def descend(simulation: Simulation) -> None:
            simulation.land()
            self.flown.land()
            self.say("returns to the deck")

        self.ask(descend)

    def hold(self) -> None:
        """Stay."""

        def stay(simulation: Simulation) -> None:
            simulation.hold()
            if simulation.mission.armed:
                self.flown.go(simulation)
            self.say("stays where it is")

        self.ask(stay)
