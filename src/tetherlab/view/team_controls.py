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
from tetherlab.view.surroundings import show_wind

if TYPE_CHECKING:
    from tetherlab.view.live_page import LivePage

WIND_MAX = 15.0  # of the slider, unless the scenario has more [m/s]
WIND_HINT = "in place of the scenario's; gusts and growth with height stay"
WAY_HINT = "0: along x, 90: along y"
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
            most = max(WIND_MAX, math.ceil(float(np.linalg.norm(self._scenario_wind()))))
            self._wind = gui.add_slider("wind [m/s]", 0.0, most, 0.1, 0.0, hint=WIND_HINT)
            self._wind_way = gui.add_slider("wind towards [deg]", -180, 180, 5, 0, hint=WAY_HINT)
            for slider in (self._wind, self._wind_way):
                slider.on_update(lambda event: self._blow() if event.client is not None else None)
        self._show_wind()

    def add_to_record(self, gui: Any) -> None:
        """What was flown, as a scenario."""
        save = gui.add_button("Save what I flew", hint="as a scenario that `tetherlab run` flies again")
        save.on_click(lambda _: self._save_flown())

    def begun(self) -> None:
        """Winch and wind are those of the scenario again."""
        self._rule.value = RULE
        self._length.value = round(self._flight.simulation.state.length, 2)
        self._show_wind()

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

    def _blow(self) -> None:
        angle = np.radians(self._wind_way.value)
        velocity = self._wind.value * np.array((np.cos(angle), np.sin(angle), 0.0))
        velocity[2] = self._scenario_wind()[2]
        self._flight.blow(velocity)
        # In the run's thread: two that draw the same at once would remove it under each other.
        self._flight.ask(
            lambda now: show_wind(self.page.server.scene, velocity, now.state.uav.position),
            replaces="wind arrow",
        )

    def _scenario_wind(self) -> Vector:
        wind = self._flight.simulation.scenario.world.wind
        return np.zeros(3) if wind is None else np.array(wind.velocity, float)

    def _show_wind(self) -> None:
        """As the scenario has it."""
        velocity = self._scenario_wind()
        self._wind.value = round(float(np.hypot(velocity[0], velocity[1])), 1)
        self._wind_way.value = int(5 * np.round(np.degrees(np.arctan2(velocity[1], velocity[0])) / 5))
        show_wind(self.page.server.scene, velocity, self._flight.simulation.state.uav.position)

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
