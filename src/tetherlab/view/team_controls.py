"""What people can do with a marsupial team: fly, drive, reel, let the wind blow, and save what they flew."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tetherlab.contracts.errors import InputError
from tetherlab.view.controls import Controls
from tetherlab.view.flight import Flight
from tetherlab.view.frame import Frame, Vector
from tetherlab.view.handles import Handles
from tetherlab.view.wind_panel import WindPanel

if TYPE_CHECKING:
    from tetherlab.view.live_page import LivePage

NUDGE = 0.25  # [m]
RULE, KEEP_LENGTH, KEEP_TENSION = "rule of the scenario", "keep a length", "keep a tension"
LEVEL = ("+x", "-x", "+y", "-y")
KEYS = {
    "ArrowUp": ("+x", (NUDGE, 0, 0)), "ArrowDown": ("-x", (-NUDGE, 0, 0)),
    "ArrowLeft": ("+y", (0, NUDGE, 0)), "ArrowRight": ("-y", (0, -NUDGE, 0)),
    "R": ("up", (0, 0, NUDGE)), "F": ("down", (0, 0, -NUDGE)),
}  # fmt: skip


class TeamControls(Controls):
    """Drone, rover, winch and wind of a scenario."""

    def __init__(self, page: LivePage) -> None:
        super().__init__(page)
        assert isinstance(page.flight, Flight)
        self._flight: Flight = page.flight
        state = self._flight.simulation.state
        self.handles = Handles(page.server.scene)
        self.handles.add("uav", state.uav.position, lambda at: self._flight.go(uav=tuple(map(float, at))))
        self.handles.add(
            "ugv", state.ugv_origin, lambda at: self._flight.go(ugv=tuple(map(float, at[:2]))), level=True
        )

    def add_first(self, gui: Any) -> None:
        """Take off, land, hold, and steps to all sides."""
        flight = self._flight
        with gui.add_folder("Fly"):
            self._button(gui, "Take off", flight.take_off, "T", "climb straight up from where the drone is")
            self._button(gui, "Land", flight.land, "L", "return to the deck and stop the rotors")
            self._button(gui, "Hold", flight.hold, "H", "both vehicles stay where they are")
            for names, hint in ((LEVEL, "arrow keys"), (("up", "down"), "R and F")):
                group = gui.add_button_group(f"drone [{NUDGE} m]", names, hint=f"also {hint}")
                group.on_click(lambda event: self._nudge("uav", event.target.value))
            group = gui.add_button_group(f"rover [{NUDGE} m]", LEVEL)
            group.on_click(lambda event: self._nudge("ugv", event.target.value))
            for key, (name, _) in KEYS.items():
                command = gui.add_command(f"drone {name} by {NUDGE} m", hotkey=key)
                command.on_trigger(lambda _, name=name: self._nudge("uav", name))

    def add_to_clock(self, gui: Any) -> None:
        """The plan of the scenario."""
        plan = gui.add_button("Fly the plan", hint="from the start, as the scenario has it")
        plan.on_click(lambda _: self.page.reset(True))

    def add_behind(self, gui: Any) -> None:
        """Winch and wind."""
        with gui.add_folder("Winch and wind"):
            self._add_winch(gui)
            world = self._flight.simulation.scenario.world
            self._wind = WindPanel(
                self.page.server, world, lambda: self._flight.simulation.state.uav.position, self._blow
            )

    def add_to_record(self, gui: Any) -> None:
        """What was flown, as a scenario."""
        save = gui.add_button("Save what I flew", hint="as a scenario that `tetherlab run` flies again")
        save.on_click(lambda _: self._save_flown())

    def begun(self) -> None:
        """Winch and wind are those of the scenario again."""
        self._rule.value = RULE
        self._length.value = round(self._flight.simulation.state.length, 2)
        self._wind.begun()

    def refresh(self, frame: Frame) -> None:
        """Put the handles where the vehicles are going."""
        mission = self._flight.simulation.mission
        self.handles.aim({"uav": mission.uav.target, "ugv": mission.ugv.target})

    def _button(self, gui: Any, label: str, action: Callable[[], None], key: str, hint: str) -> None:
        button = gui.add_button(label, hint=f"{hint}; key {key}")
        button.on_click(lambda _: action())
        gui.add_command(label, hotkey=key).on_trigger(lambda _: action())

    def _nudge(self, vehicle: str, name: str) -> None:
        by = next(step for word, step in KEYS.values() if word == name)
        self._flight.nudge(vehicle, np.array(by, float))

    def _add_winch(self, gui: Any) -> None:
        state = self._flight.simulation.state
        self._rule = gui.add_dropdown("winch", (RULE, KEEP_LENGTH, KEEP_TENSION), initial_value=RULE)
        self._length = gui.add_slider(
            "length [m]", 0.1, math.floor(20.0 * state.length_total) / 20.0, 0.05, round(state.length, 2)
        )
        self._tension = gui.add_slider("tension [N]", 0.2, 15.0, 0.1, 3.0)
        self._rule.on_update(lambda event: self._choose(event))
        self._length.on_update(lambda event: self._reel(event, KEEP_LENGTH))
        self._tension.on_update(lambda event: self._reel(event, KEEP_TENSION))

    def _choose(self, event: Any) -> None:
        if event.client is not None and self._rule.value == KEEP_LENGTH:  # the one that is out
            self._length.value = round(self._flight.simulation.state.length, 2)
        self._reel(event, self._rule.value)

    def _reel(self, event: Any, rule: str) -> None:
        if event.client is None:  # nobody, but this program
            return
        self._rule.value = rule
        if rule == KEEP_LENGTH:
            self._flight.reel(length=float(self._length.value))
        elif rule == KEEP_TENSION:
            self._flight.reel(tension=float(self._tension.value))
        else:
            self._flight.reel()

    def _blow(self, velocity: Vector) -> None:
        self._flight.blow(velocity)
        self._flight.ask(lambda _: self._wind.show(velocity), replaces="wind arrow")

    def _save_flown(self) -> None:
        recorder = self.page.recorder
        refusal = recorder.saves.begin()
        if refusal:
            recorder.tell(refusal)
            return
        try:
            with recorder.folder() as claimed:
                path = self._flight.flown.save(lambda: claimed.path)
        except (InputError, OSError) as error:
            recorder.tell(str(error))
            return
        finally:
            recorder.saves.end()
        recorder.tell(f"fly it again with: tetherlab run {path}")
