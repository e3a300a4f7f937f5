"""The page on which a simulation is flown: buttons, sliders, targets to drag, charts."""

from __future__ import annotations

import math
import threading
import time as wall
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.log import Log
from tetherlab.contracts.run_folders import RunFolder, keep_run
from tetherlab.report import write_report
from tetherlab.scenario.simulation import Simulation
from tetherlab.view.charts import Charts
from tetherlab.view.flight import Flight, moment
from tetherlab.view.frame import Vector
from tetherlab.view.legend import legend_html
from tetherlab.view.save_limit import SaveLimit
from tetherlab.view.server import lay_out, stop_server, text_html
from tetherlab.view.share import replay_page
from tetherlab.view.stage import place_camera
from tetherlab.view.surroundings import draw_world, show_wind
from tetherlab.view.team import Livery, Team

SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "5", "10")
HISTORY, CHART_RATE = 1200.0, 10.0  # [s], rows per second, at most, of simulated time
CHART_EVERY = 10  # pictures between two drawings
AROUND = np.array((2.5, 2.5, 1.0))  # the drone, to be seen at first [m]
WIND_MAX = 15.0  # of the slider, unless the scenario has more [m/s]
WIND_HINT = "in place of the scenario's; gusts and growth with height stay"
WAY_HINT = "0: along x, 90: along y"
TRAIL = 4000  # points of the way that was flown
NUDGE = 0.25  # [m]
DRAG_PAUSE = 3.0  # so long after the last word of a drag handles go back to their targets [s]
RULE, KEEP_LENGTH, KEEP_TENSION = "rule of the scenario", "keep a length", "keep a tension"
LEVEL = ("+x", "-x", "+y", "-y")
KEYS = {
    "ArrowUp": ("+x", (NUDGE, 0, 0)), "ArrowDown": ("-x", (-NUDGE, 0, 0)),
    "ArrowLeft": ("+y", (0, NUDGE, 0)), "ArrowRight": ("-y", (0, -NUDGE, 0)),
    "R": ("up", (0, 0, NUDGE)), "F": ("down", (0, 0, -NUDGE)),
}  # fmt: skip


class LivePage:
    """A viser server and the flight that it shows."""

    def __init__(
        self, server: Any, make: Callable[[], Simulation], folder: Callable[[], RunFolder], name: str
    ) -> None:
        """make: a fresh simulation. folder: claims a new place for a recording. name: of the scenario."""
        self.server, self._folder = server, folder
        self.recordings: list[Path] = []  # folders that have their tables
        self.saves = SaveLimit()
        self._writing: list[threading.Thread] = []
        self.flight = Flight(make, self._show, name)
        simulation = self.flight.simulation
        scenario = simulation.scenario
        charts = lay_out(server, name)
        scene = server.scene
        scene.set_up_direction("+z")
        draw_world(scene, scenario.world)
        self._tension_max = 5.0  # the bright end of the colours, grows with what comes [N]
        self._team = Team(scene, scenario, "/team", Livery(), self._tension_max)
        start = np.array(simulation.state.uav.position)
        place_camera(server.initial_camera, start - AROUND, start + AROUND, scenario.world)
        self._trails = _Trails(scene)
        self._pictures = 0
        self._add_panel()
        with charts:
            self._legend = server.gui.add_html(legend_html(self._tension_max))
            self._charts = Charts(server.gui, CHART_RATE, HISTORY)
        self._show_wind()
        self._add_handles()
        self._show(self.flight)

    def start(self) -> None:
        """Begin to fly."""
        self.flight.start()

    def stop(self) -> None:
        """End, when all recordings are written; Ctrl-C meanwhile leaves out a report."""
        self.flight.stop()
        try:
            if self.flight.simulation.recording:
                self._end_recording(self.flight.simulation, self._save)
            while any(thread.is_alive() for thread in self._writing):  # Ctrl-C in a join would lose them
                wall.sleep(0.05)
        finally:
            stop_server(self.server)

    # -- the panel -------------------------------------------------------------------------------------------

    def _add_panel(self) -> None:
        gui, flight = self.server.gui, self.flight
        self._status = gui.add_html("")
        with gui.add_folder("Fly"):
            self._button("Take off", flight.take_off, "T", "climb straight up from where the drone is")
            self._button("Land", flight.land, "L", "return to the deck and stop the rotors")
            self._button("Hold", flight.hold, "H", "both vehicles stay where they are")
            for names, hint in ((LEVEL, "arrow keys"), (("up", "down"), "R and F")):
                group = gui.add_button_group(f"drone [{NUDGE} m]", names, hint=f"also {hint}")
                group.on_click(lambda event: self._nudge("uav", event.target.value))
            group = gui.add_button_group(f"rover [{NUDGE} m]", LEVEL)
            group.on_click(lambda event: self._nudge("ugv", event.target.value))
            for key, (name, _) in KEYS.items():
                command = gui.add_command(f"drone {name} by {NUDGE} m", hotkey=key)
                command.on_trigger(lambda _, name=name: self._nudge("uav", name))
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
            most = max(WIND_MAX, math.ceil(float(np.linalg.norm(self._scenario_wind()))))
            self._wind = gui.add_slider("wind [m/s]", 0.0, most, 0.1, 0.0, hint=WIND_HINT)
            self._wind_way = gui.add_slider("wind towards [deg]", -180, 180, 5, 0, hint=WAY_HINT)
            for slider in (self._wind, self._wind_way):
                slider.on_update(lambda event: self._blow() if event.client is not None else None)
        with gui.add_folder("Record"):
            self._record = gui.add_button("Start recording", hint="a run folder with tables and report")
            self._record.on_click(lambda _: self._toggle_recording())
            save = gui.add_button("Save what I flew", hint="as a scenario that `tetherlab run` flies again")
            save.on_click(lambda _: self._save_flown())
            self._saved = gui.add_html("")
        with gui.add_folder("Show", expand_by_default=False):
            axes = gui.add_checkbox("frames of the vehicles", False)
            axes.on_update(lambda event: self._team.show_axes(event.target.value))
            curve = gui.add_checkbox("catenary", False)
            curve.on_update(lambda event: setattr(self._team, "catenary_shown", event.target.value))

    def _button(self, label: str, action: Callable[[], None], key: str, hint: str) -> None:
        button = self.server.gui.add_button(label, hint=f"{hint}; key {key}")
        button.on_click(lambda _: action())
        self.server.gui.add_command(label, hotkey=key).on_trigger(lambda _: action())

    def _add_winch(self) -> None:
        gui, state = self.server.gui, self.flight.simulation.state
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
            self._length.value = round(self.flight.simulation.state.length, 2)
        self._reel(event, self._rule.value)

    def _reel(self, event: Any, rule: str) -> None:
        if event.client is None:  # nobody, but this program
            return
        self._rule.value = rule
        if rule == KEEP_LENGTH:
            self.flight.reel(length=float(self._length.value))
        elif rule == KEEP_TENSION:
            self.flight.reel(tension=float(self._tension.value))
        else:
            self.flight.reel()

    def _blow(self) -> None:
        angle = np.radians(self._wind_way.value)
        velocity = self._wind.value * np.array((np.cos(angle), np.sin(angle), 0.0))
        velocity[2] = self._scenario_wind()[2]
        self.flight.blow(velocity)
        # In the flight's thread: two that draw the same at once would remove it under each other.
        self.flight.ask(
            lambda now: show_wind(self.server.scene, velocity, now.state.uav.position), replaces="wind arrow"
        )

    def _scenario_wind(self) -> Vector:
        wind = self.flight.simulation.scenario.world.wind
        return np.zeros(3) if wind is None else np.array(wind.velocity, float)

    def _show_wind(self) -> None:
        """As the scenario has it."""
        velocity = self._scenario_wind()
        self._wind.value = round(float(np.hypot(velocity[0], velocity[1])), 1)
        self._wind_way.value = int(5 * np.round(np.degrees(np.arctan2(velocity[1], velocity[0])) / 5))
        show_wind(self.server.scene, velocity, self.flight.simulation.state.uav.position)

    def _single_step(self) -> None:
        self._pause.value = True
        self.flight.step_once()

    def _reset(self, follow_plan: bool) -> None:
        def begun() -> None:
            self._charts.clear()
            self._trails.clear()
            self._rule.value = RULE
            self._length.value = round(self.flight.simulation.state.length, 2)
            self._show_wind()

        self.flight.reset(
            follow_plan, begun, lambda simulation: not simulation.recording or self._keep(simulation)
        )

    # -- targets that people drag ----------------------------------------------------------------------------

    def _add_handles(self) -> None:
        state, scene = self.flight.simulation.state, self.server.scene
        self._dragged_last = 0.0  # by anyone [s]
        self._uav_handle = scene.add_transform_controls(
            "/handle_uav", scale=0.6, disable_rotations=True, position=np.array(state.uav.position),
            depth_test=False,
        )  # fmt: skip
        self._ugv_handle = scene.add_transform_controls(
            "/handle_ugv", scale=0.6, disable_rotations=True, active_axes=(True, True, False),
            position=np.array(state.ugv_origin), depth_test=False,
        )  # fmt: skip
        self._uav_handle.on_update(lambda event: self._dragged(event, self._send_uav))
        self._ugv_handle.on_update(lambda event: self._dragged(event, self._send_ugv))

    def _dragged(self, event: Any, send: Callable[[], None]) -> None:
        """Vehicles go where a handle was let go, not all the way after the mouse."""
        self._dragged_last = 0.0 if event.phase == "end" else wall.monotonic()
        if event.phase == "end":
            send()

    def _send_uav(self) -> None:
        self.flight.go(uav=tuple(map(float, self._uav_handle.position)))

    def _send_ugv(self) -> None:
        self.flight.go(ugv=tuple(map(float, self._ugv_handle.position[:2])))

    def _aim_handles(self) -> None:
        """Put the handles where the vehicles are going."""
        mission = self.flight.simulation.mission
        if wall.monotonic() - self._dragged_last > DRAG_PAUSE:  # who closed the page meanwhile never lets go
            self._uav_handle.position, self._ugv_handle.position = mission.uav.target, mission.ugv.target

    def _nudge(self, vehicle: str, name: str) -> None:
        by = next(step for word, step in KEYS.values() if word == name)
        self.flight.nudge(vehicle, np.array(by, float))

    # -- recording -------------------------------------------------------------------------------------------

    def _toggle_recording(self) -> None:
        def change(simulation: Simulation) -> None:
            if simulation.recording:
                self._keep(simulation)
            else:
                simulation.start_recording()
                self._record.label = "Stop and save"
                self._tell_saved("recording ...")

        self.flight.ask(change)

    def _keep(self, simulation: Simulation) -> bool:
        """End the recording and write it beside the flight, which would stand still meanwhile.

        Returns false, and the recording goes on, if no save may begin now.
        """
        refusal = self.saves.begin()
        if refusal:
            self._tell_saved(f"{refusal}; the recording goes on")
            return False
        self._end_recording(simulation, self._save_beside)
        return True

    def _end_recording(self, simulation: Simulation, save: Callable[[Log], None]) -> None:
        simulation.stop_recording()
        self._record.label = "Start recording"
        log = simulation.log
        if not log.duration:
            self._tell_saved("nothing was recorded: time stood still")
            self.saves.end()
            return
        save(log)

    def _save_beside(self, log: Log) -> None:
        thread = threading.Thread(target=self._save, args=(log,), name="save")
        self._writing = [*(other for other in self._writing if other.is_alive()), thread]
        thread.start()

    def _save(self, log: Log) -> None:
        said = "writing ..."
        try:
            self._tell_saved(said)
            folder, trouble = keep_run(log, self._folder)
            self.recordings.append(folder)
            why = f"{trouble}; therefore " if trouble else ""
            said = f"{why}the log is in {folder}, the report is being drawn"
            self._tell_saved(said)
            report = write_report(log, folder / "report.html", replay=replay_page(log))
            self._tell_saved(f"{why}saved in {folder}; open {report}")
        except Exception as error:  # people should see it where they look
            traceback.print_exc()
            self._tell_saved(f"{said}. This went wrong: {error}")
        finally:
            self.saves.end()

    def _save_flown(self) -> None:
        refusal = self.saves.begin()
        if refusal:
            self._tell_saved(refusal)
            return
        try:
            with self._folder() as claimed:
                path = self.flight.flown.save(lambda: claimed.path)
        except (InputError, OSError) as error:
            self._tell_saved(str(error))
            return
        finally:
            self.saves.end()
        self._tell_saved(f"fly it again with: tetherlab run {path}")

    def _tell_saved(self, sentence: str) -> None:
        self._saved.content = text_html(sentence)

    # -- drawing ---------------------------------------------------------------------------------------------

    def _show(self, flight: Flight) -> None:
        """Called in the flight's thread."""
        simulation, frame = flight.simulation, flight.frame()
        self._pictures += 1
        with self.server.atomic():
            self._team.show(frame)
        self._charts.add(frame.time, moment(simulation))
        if self._pictures % CHART_EVERY == 0:
            self._draw_slowly(flight, frame)
        self.server.flush()

    def _draw_slowly(self, flight: Flight, frame: Any) -> None:
        """What need not change with every picture."""
        assert frame.uav is not None and frame.ugv is not None
        self._trails.add(frame.uav.position, frame.ugv.position)
        self._charts.draw()
        self._aim_handles()
        most = float(frame.tension.max(initial=0.0))
        if most > self._tension_max:
            self._tension_max = self._team.tension_max = float(np.ceil(1.3 * most))
            self._legend.content = legend_html(self._tension_max)
        self._status.content = text_html(
            f", {flight.measured_speed:.2g} times real time, {frame.length:.2f} m of tether",
            flight.message,
            bold=f"{frame.time:.1f} s",
            color="#D55E00" if flight.simulation.outcome is not None else "inherit",
        )


class _Trails:
    """Where the vehicles have been in this flight."""

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self._points: dict[str, list[Vector]] = {"uav": [], "ugv": []}
        self._lines: dict[str, Any] = {}

    def clear(self) -> None:
        for name, line in self._lines.items():
            line.remove()
            self._points[name] = []
        self._lines = {}

    def add(self, uav: Vector, ugv: Vector) -> None:
        for name, point, color in (("uav", uav, Livery().uav), ("ugv", ugv, Livery().ugv)):
            points = self._points[name]
            if points and float(np.linalg.norm(points[-1] - point)) < 0.02:
                continue
            points.append(np.array(point))
            if len(points) > TRAIL:
                del points[::2]
            if len(points) > 1:
                pieces = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)
                self._lines[name] = self._scene.add_line_segments(
                    f"/trail_{name}", pieces, color, thickness=2.0, thickness_units="screen"
                )
