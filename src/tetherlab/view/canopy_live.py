"""The page on which a robot in the canopy does what its scenario says, while people watch."""

from __future__ import annotations

import threading
import time as wall
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tetherlab.assembly.canopy_run import TICK
from tetherlab.assembly.canopy_simulation import CanopySimulation
from tetherlab.contracts.run_folders import RunFolder, keep_run
from tetherlab.report import write_report
from tetherlab.view import colors
from tetherlab.view.canopy_record import canopy_frame
from tetherlab.view.canopy_robot import CanopyRobot
from tetherlab.view.charts import CANOPY_CHARTS, Charts
from tetherlab.view.legend import legend_html
from tetherlab.view.save_limit import SaveLimit
from tetherlab.view.server import lay_out, stop_server, text_html
from tetherlab.view.share import replay_page
from tetherlab.view.stage import CANOPY_SIZE, draw_path, place_camera
from tetherlab.view.surroundings import draw_world, show_wind

SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "5", "10")
PICTURES = 25.0  # per second
SLOWLY = 10  # pictures between two drawings of charts and way
BEHIND_MAX = 0.2  # of the wall clock: what is later than this is given up [s]
AROUND = np.array((0.6, 0.6, 1.0))  # below the anchor, to be seen at first [m]
TRAIL = 4000  # points of the way


class CanopyLivePage:
    """A viser server and the simulation that it shows; its one thread alone touches the simulation."""

    def __init__(
        self, server: Any, make: Callable[[], CanopySimulation], folder: Callable[[], RunFolder], name: str
    ) -> None:
        """make: a fresh simulation. folder: a new place for a recording. name: of the scenario."""
        self.server, self._make, self._folder, self._name = server, make, folder, name
        self.recordings: list[Path] = []  # folders that have their tables
        self.saves = SaveLimit()
        self.simulation = make()
        self.playing, self.speed = True, 1.0
        self._stop = threading.Event()
        self._asked: Callable[[], None] | None = None  # to be done between two ticks
        self._thread = threading.Thread(target=self._run, name="canopy", daemon=True)
        self._pictures, self._behind, self._message = 0, 0.0, ""
        self._trail: list[np.ndarray] = []
        scenario, scene = self.simulation.scenario, server.scene
        charts = lay_out(server, name)
        scene.set_up_direction("+z")
        draw_world(scene, scenario.world)
        self._robot = CanopyRobot(scene, scenario, "/run", colors.UAV, scenario.spec.weight)
        middle = np.array(scenario.canopy.anchor) - (0.0, 0.0, AROUND[2])
        place_camera(server.initial_camera, middle - AROUND, middle + AROUND, scenario.world, CANOPY_SIZE)
        if scenario.world.wind is not None:
            show_wind(scene, np.array(scenario.world.wind.velocity, float), np.array(scenario.canopy.anchor))
        self._add_panel()
        with charts:
            server.gui.add_html(legend_html(scenario.spec.weight, kinds=[["robot"]]))
            self._charts = Charts(server.gui, 10.0, scenario.duration, CANOPY_CHARTS)
        self._show()

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, after the tick that is under way."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(5.0)
        stop_server(self.server)

    def _add_panel(self) -> None:
        gui = self.server.gui
        self._status = gui.add_html("")
        self._play = gui.add_button("Pause", hint="also the key P")
        self._play.on_click(lambda _: self._toggle())
        gui.add_command("play or pause", hotkey="P").on_trigger(lambda _: self._toggle())
        speed = gui.add_dropdown("times real time", SPEEDS, initial_value="1")
        speed.on_update(lambda event: setattr(self, "speed", float(event.target.value)))
        again = gui.add_button("Reset", hint="from the start")
        again.on_click(lambda _: setattr(self, "_asked", self._reset))
        save = gui.add_button("Save the run so far", hint="a run folder with tables and report")
        save.on_click(lambda _: setattr(self, "_asked", self._save))
        with gui.add_folder("Show", expand_by_default=False):
            axes = gui.add_checkbox("frame of the robot", False)
            axes.on_update(lambda event: self._robot.show_axes(event.target.value))

    def _toggle(self) -> None:
        self.playing = not self.playing
        self._play.label = "Pause" if self.playing else "Play"

    def _reset(self) -> None:
        self.simulation = self._make()
        self._charts.clear()
        self._trail, self._behind, self._message = [], 0.0, ""

    def _save(self) -> None:
        refusal = self.saves.begin()
        if refusal:
            self._message = refusal
            return
        try:
            log = self.simulation.log
            log.name = self._name
            folder, trouble = keep_run(log, self._folder)
            self.recordings.append(folder)
            self._message = f"{trouble}; therefore saved in {folder}" if trouble else f"saved in {folder}"
            write_report(log, folder / "report.html", replay=replay_page(log))
        finally:
            self.saves.end()

    def _run(self) -> None:
        before = wall.monotonic()
        while not self._stop.is_set():
            asked, self._asked = self._asked, None
            try:
                if asked is not None:
                    asked()
                    before = wall.monotonic()
                now = wall.monotonic()
                self._advance(now - before)
                before = now
                self._show()
            except Exception as error:  # a full disk, say: people should see it where they look
                traceback.print_exc()
                self._message = f"this went wrong, see the terminal: {error}"
            wall.sleep(max(0.0, 1.0 / PICTURES - (wall.monotonic() - before)))

    def _advance(self, passed: float) -> None:
        """Go on by what the wall clock did [s]."""
        if not self.playing or self.simulation.outcome is not None:
            return
        self._behind = min(self._behind + self.speed * passed, BEHIND_MAX * max(self.speed, 1.0))
        while self._behind > 0.5 * TICK and self.simulation.step():
            self._behind -= TICK
        if self.simulation.outcome is not None:
            self._message = f"{self.simulation.outcome_sentence} Reset begins again."

    def _show(self) -> None:
        simulation = self.simulation
        frame = canopy_frame(simulation, self._robot.bends)
        with self.server.atomic():
            self._robot.show(frame)
        state, wanted = simulation.state, simulation.references(simulation.time)
        angles = (state.theta, wanted.theta, state.heading, wanted.heading)
        lengths = (state.tether_length, wanted.tether_length, state.distance)
        self._charts.add(
            frame.time, (*np.degrees(angles).tolist(), *lengths, *frame.thrust, float(frame.tension[0]))
        )
        if frame.robot is not None and (not self._trail or _far(self._trail[-1], frame.robot.position)):
            self._trail = [*self._trail[-TRAIL:], frame.robot.position]
        if self._pictures % SLOWLY == 0:
            self._charts.draw()
            draw_path(self.server.scene, "/trail", np.array(self._trail), colors.UAV)
            self._say(frame.time)
        self._pictures += 1
        self.server.flush()

    def _say(self, time: float) -> None:
        simulation = self.simulation
        told = self._message or f"hangs from {simulation.hangs_from}"
        self._status.content = text_html(
            f" of {simulation.duration:g} s, {simulation.state.tether_length:.2f} m of tether",
            told,
            bold=f"{time:.1f} s",
        )


def _far(one: np.ndarray, other: np.ndarray) -> bool:
    return float(np.linalg.norm(one - other)) > 0.01
