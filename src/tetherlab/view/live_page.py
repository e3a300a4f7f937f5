"""The page on which a simulation is flown: buttons, sliders, targets to drag, charts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tetherlab.contracts.errors import InputError
from tetherlab.scenario.simulation import Simulation
from tetherlab.view.charts import Charts
from tetherlab.view.flight import Flight, moment
from tetherlab.view.legend import legend_html
from tetherlab.view.stage import place_camera
from tetherlab.view.surroundings import draw_world, show_wind
from tetherlab.view.team import Livery, Team

SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "5", "10")
HISTORY, CHART_RATE, CHART_EVERY = 1200.0, 10.0, 10  # [s], rows per second, pictures between two drawings
UP = np.array((0.0, 0.0, 1.0))
TRAIL = 4000  # points of the way that was flown
NUDGE = 0.25  # [m]
RULE, KEEP_LENGTH, KEEP_TENSION = "rule of the scenario", "keep a length", "keep a tension"
KEYS = {
    "ArrowUp": ("forwards", (NUDGE, 0, 0)), "ArrowDown": ("backwards", (-NUDGE, 0, 0)),
    "ArrowLeft": ("left", (0, NUDGE, 0)), "ArrowRight": ("right", (0, -NUDGE, 0)),
    "R": ("up", (0, 0, NUDGE)), "F": ("down", (0, 0, -NUDGE)),
}  # fmt: skip


class LivePage:
    """A viser server and the flight that it shows."""

    def __init__(
        self, server: Any, make: Callable[[], Simulation], folder: Callable[[], Path], name: str
    ) -> None:
        """make: a fresh simulation. folder: a new place for a recording. name: of the scenario."""
        self.server, self._folder, self._name = server, folder, name
        self.flight = Flight(make, self._show)
        simulation = self.flight.simulation
        scenario = simulation.scenario
        server.gui.main_panel.dock_right()
        server.gui.configure_theme(control_width="medium", show_logo=False,
                                   show_share_button=False, brand_color=(0, 114, 178))  # fmt: skip
        server.gui.set_panel_label(f"tetherlab: {name}")
        scene = server.scene
        scene.set_up_direction("+z")
        draw_world(scene, scenario.world)
        self._tension_max = 5.0  # the bright end of the colours, grows with what comes [N]
        self._team = Team(scene, scenario, "/team", Livery(), self._tension_max)
        start = np.array(simulation.state.uav.position)
        targets = np.array([target.uav for target in scenario.mission.targets])
        points = np.vstack([targets, start, simulation.state.ugv_origin])
        place_camera(server.initial_camera, points.min(axis=0), points.max(axis=0), scenario.world)
        self._trails = _Trails(scene)
        self._pictures = 0
        self._last_time = -1.0
        self._add_panel()
        self._add_handles()
        self._show(self.flight)

    def start(self) -> None:
        """Begin to fly."""
        self.flight.start()

    def stop(self) -> None:
        """End."""
        self.flight.stop()
        self.server.stop()

    # -- the panel -------------------------------------------------------------------------------------------

    def _add_panel(self) -> None:
        gui, flight = self.server.gui, self.flight
        self._status = gui.add_html("")
        with gui.add_folder("Fly"):
            self._button("Take off", lambda s: s.take_off(), "T", "climb straight up from where the drone is")
            self._button("Land", lambda s: s.land(), "L", "return to the deck and stop the rotors")
            self._button("Hold", lambda s: s.hold(), "H", "both vehicles stay where they are")
            self._nudges = gui.add_button_group(
                "drone [0.25 m]", tuple(name for name, _ in KEYS.values()), hint="also arrow keys, R and F"
            )
            self._nudges.on_click(lambda event: self._nudge_uav(event.target.value))
            self._rover = gui.add_button_group("rover [0.25 m]", ("forwards", "backwards", "left", "right"))
            self._rover.on_click(lambda event: self._nudge_ugv(event.target.value))
            for key, (name, _) in KEYS.items():
                command = gui.add_command(f"drone {name} by {NUDGE} m", hotkey=key)
                command.on_trigger(lambda _, name=name: self._nudge_uav(name))
        with gui.add_folder("Clock"):
            self._pause = gui.add_checkbox("Pause", False, hint="time stands still")
            self._pause.on_update(lambda _: setattr(flight, "paused", self._pause.value))
            step = gui.add_button("Single step", hint=f"{flight.simulation.tick * 1000:g} ms, then pause")
            step.on_click(lambda _: self._single_step())
            speed = gui.add_dropdown("times real time", SPEEDS, initial_value="1")
            speed.on_update(lambda event: setattr(flight, "speed", float(event.target.value)))
            again = gui.add_button("Reset", hint="from the start, by hand")
            again.on_click(lambda _: self._reset(False))
            plan = gui.add_button("Fly the plan", hint="from the start, as the scenario has it")
            plan.on_click(lambda _: self._reset(True))
        with gui.add_folder("Winch and wind"):
            self._add_winch()
            self._wind = gui.add_vector2(
                "wind x, y [m/s]", (0.0, 0.0), step=0.1, min=(-20, -20), max=(20, 20)
            )
            wind_speed = gui.add_slider("wind from the west [m/s]", 0.0, 15.0, 0.1, 0.0)
            wind_speed.on_update(lambda event: setattr(self._wind, "value", (event.target.value, 0.0)))
            self._wind.on_update(lambda _: self._blow())
        with gui.add_folder("Record"):
            self._record = gui.add_button("Start recording", hint="a run folder with tables and report")
            self._record.on_click(lambda _: self._toggle_recording())
            save = gui.add_button("Save what I flew", hint="as targets that `tetherlab run` replays")
            save.on_click(lambda _: self._save_trajectory())
            self._saved = gui.add_markdown("")
        with gui.add_folder("Show", expand_by_default=False):
            axes = gui.add_checkbox("frames of the vehicles", False)
            axes.on_update(lambda event: self._team.show_axes(event.target.value))
            curve = gui.add_checkbox("catenary", False)
            curve.on_update(lambda event: setattr(self._team, "catenary_shown", event.target.value))
            self._legend = gui.add_html(legend_html(self._tension_max))
        with gui.add_folder("Charts"):
            self._charts = Charts(gui, CHART_RATE, HISTORY)

    def _button(self, label: str, action: Callable[[Simulation], None], key: str, hint: str) -> None:
        def press(_: Any) -> None:
            self.flight.ask(lambda simulation: self._do(simulation, action))

        button = self.server.gui.add_button(label, hint=f"{hint}; key {key}")
        button.on_click(press)
        self.server.gui.add_command(label, hotkey=key).on_trigger(press)

    def _do(self, simulation: Simulation, action: Callable[[Simulation], None]) -> None:
        action(simulation)
        self.flight.message = simulation.events[-1].sentence
        self._aim_handles()

    def _add_winch(self) -> None:
        gui, state = self.server.gui, self.flight.simulation.state
        self._rule = gui.add_dropdown("winch", (RULE, KEEP_LENGTH, KEEP_TENSION), initial_value=RULE)
        self._length = gui.add_slider(
            "length [m]", 0.1, round(state.length_total, 1), 0.05, round(state.length, 2)
        )
        self._tension = gui.add_slider("tension [N]", 0.2, 15.0, 0.1, 3.0)
        self._rule.on_update(lambda _: self._reel())
        self._length.on_update(lambda _: self._choose(KEEP_LENGTH))
        self._tension.on_update(lambda _: self._choose(KEEP_TENSION))

    def _choose(self, rule: str) -> None:
        if self._rule.value != rule:
            self._rule.value = rule  # which reels
        else:
            self._reel()

    def _reel(self) -> None:
        if self._rule.value == KEEP_LENGTH:
            self.flight.ask(lambda s: self._do(s, lambda s: s.command(length=float(self._length.value))))
        elif self._rule.value == KEEP_TENSION:
            self.flight.ask(lambda s: self._do(s, lambda s: s.command(tension=float(self._tension.value))))
        else:
            self.flight.ask(lambda s: self._do(s, lambda s: s.follow_rule()))

    def _blow(self) -> None:
        velocity = np.array((*self._wind.value, 0.0))
        self.flight.blow(velocity)
        show_wind(self.server.scene, velocity, self.flight.simulation.state.uav.position)

    def _single_step(self) -> None:
        self._pause.value = True
        self.flight.step_once()

    def _reset(self, follow_plan: bool) -> None:
        self.flight.reset(follow_plan)
        self._charts.clear()
        self._trails.clear()
        self._rule.value = RULE

    # -- targets that people drag ----------------------------------------------------------------------------

    def _add_handles(self) -> None:
        state, scene = self.flight.simulation.state, self.server.scene
        above = np.array(state.uav.position) + UP
        self._uav_handle = scene.add_transform_controls(
            "/handle_uav", scale=0.6, disable_rotations=True, position=above, depth_test=False
        )
        self._ugv_handle = scene.add_transform_controls(
            "/handle_ugv", scale=0.6, disable_rotations=True, active_axes=(True, True, False),
            position=np.array(state.ugv_origin), depth_test=False,
        )  # fmt: skip
        self._uav_handle.on_update(lambda event: self._dragged(event, self._send_uav))
        self._ugv_handle.on_update(lambda event: self._dragged(event, self._send_ugv))

    def _dragged(self, event: Any, send: Callable[[], None]) -> None:
        """Vehicles go where a handle was let go, not all the way after the mouse."""
        if event.phase == "end":
            send()

    def _send_uav(self) -> None:
        self.flight.go(uav=tuple(map(float, self._uav_handle.position)))

    def _send_ugv(self) -> None:
        self.flight.go(ugv=tuple(map(float, self._ugv_handle.position[:2])))

    def _aim_handles(self) -> None:
        """Put the handles where the vehicles are going."""
        mission = self.flight.simulation.mission
        self._uav_handle.position, self._ugv_handle.position = mission.uav.target, mission.ugv.target

    def _nudge_uav(self, name: str) -> None:
        by = np.array(next(step for word, step in KEYS.values() if word == name))
        place = np.array(self.flight.simulation.mission.uav.target) + by
        self._uav_handle.position = place
        self.flight.go(uav=tuple(map(float, place)))

    def _nudge_ugv(self, name: str) -> None:
        by = np.array(next(step for word, step in KEYS.values() if word == name))[:2]
        place = np.array(self.flight.simulation.mission.ugv.target)[:2] + by
        self._ugv_handle.position = (*place, self._ugv_handle.position[2])
        self.flight.go(ugv=tuple(map(float, place)))

    # -- recording -------------------------------------------------------------------------------------------

    def _toggle_recording(self) -> None:
        def change(simulation: Simulation) -> None:
            if simulation.recording:
                simulation.recording = False
                folder = simulation.log.save(self._folder())
                self._record.label, self._saved.content = "Start recording", f"saved in `{folder}`"
            else:
                simulation.start_recording()
                self._record.label, self._saved.content = "Stop and save", "recording ..."

        self.flight.ask(change)

    def _save_trajectory(self) -> None:
        try:
            path = self.flight.save_trajectory(self._folder().with_suffix(".csv"))
        except InputError as error:
            self._saved.content = str(error)
            return
        self._saved.content = (
            f"saved; fly it again with `tetherlab run {self._name} --set mission.trajectory={path}`"
        )

    # -- drawing ---------------------------------------------------------------------------------------------

    def _show(self, flight: Flight) -> None:
        """Called in the flight's thread."""
        simulation, frame = flight.simulation, flight.frame()
        self._pictures += 1
        with self.server.atomic():
            self._team.show(frame)
        if frame.time != self._last_time and self._pictures % 2 == 0:
            self._charts.add(frame.time, moment(simulation))
        self._last_time = frame.time
        if self._pictures % CHART_EVERY == 0:
            self._draw_slowly(flight, frame)
        self.server.flush()

    def _draw_slowly(self, flight: Flight, frame: Any) -> None:
        """What need not change with every picture."""
        assert frame.uav is not None and frame.ugv is not None
        self._trails.add(frame.uav.position, frame.ugv.position)
        self._charts.draw()
        most = float(frame.tension.max(initial=0.0))
        if most > self._tension_max:
            self._tension_max = self._team.tension_max = float(np.ceil(1.3 * most))
            self._legend.content = legend_html(self._tension_max)
        outcome = flight.simulation.outcome
        color = "#D55E00" if outcome is not None else "inherit"
        self._status.content = (
            f'<div style="padding:0.4em 0.8em;font-size:0.9em"><b>{frame.time:.1f} s</b>, '
            f"{flight.measured_speed:.2g} times real time<br>"
            f'<span style="color:{color}">{flight.message}</span></div>'
        )


class _Trails:
    """Where the vehicles have been in this flight."""

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self.clear()

    def clear(self) -> None:
        self._points: dict[str, list[Any]] = {"uav": [], "ugv": []}
        self._nodes: dict[str, Any] = {}

    def add(self, uav: Any, ugv: Any) -> None:
        for name, point, color in (("uav", uav, Livery().uav), ("ugv", ugv, Livery().ugv)):
            points = self._points[name]
            if points and float(np.linalg.norm(points[-1] - point)) < 0.02:
                continue
            points.append(np.array(point))
            if len(points) > TRAIL:
                del points[::2]
            if len(points) > 1:
                pieces = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)
                self._scene.add_line_segments(
                    f"/trail_{name}", pieces, color, thickness=2.0, thickness_units="screen"
                )
