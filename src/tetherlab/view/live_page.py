"""The page on which a simulation runs while people watch and command it: clock, panels, charts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tetherlab.assembly.scene_simulation import SceneSimulation
from tetherlab.contracts.run_folders import RunFolder
from tetherlab.scenario.simulation import Simulation
from tetherlab.view.actors import Actors
from tetherlab.view.charts import Charts
from tetherlab.view.controls import Controls
from tetherlab.view.flight import Flight
from tetherlab.view.frame import Frame
from tetherlab.view.legend import legend_html
from tetherlab.view.live_frame import Looker
from tetherlab.view.live_run import LiveRun
from tetherlab.view.recorder import Recorder
from tetherlab.view.save_limit import SaveLimit
from tetherlab.view.scene_controls import SceneControls
from tetherlab.view.scene_run import SceneRun
from tetherlab.view.server import lay_out, stop_server, text_html
from tetherlab.view.stage import place_camera
from tetherlab.view.surroundings import draw_world, show_wind
from tetherlab.view.team_controls import TeamControls
from tetherlab.view.trails import Trails

SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "5", "10")
HISTORY, CHART_RATE = 1200.0, 10.0  # [s], rows per second, at most, of simulated time
CHART_EVERY = 10  # pictures between two drawings
TENSION_MAX = 5.0  # the bright end of the colours at first; grows with what comes [N]
ENDED = "#D55E00"  # colour of the sentence about the outcome


class LivePage:
    """A viser server and the run that it shows, of a scene or a scenario."""

    def __init__(
        self, server: Any, make: Callable[[], Any], folder: Callable[[], RunFolder], name: str
    ) -> None:
        """make: a fresh simulation. folder: claims a new place for a recording. name: of what runs."""
        self.server, self._folder = server, folder
        self.flight = live_run(make, self._show, name)
        simulation = self.flight.simulation
        self._looker = Looker(simulation)
        frame, drawn = self._looker.frame(simulation), self._looker.inventory
        charts, scene = lay_out(server, name), server.scene
        scene.set_up_direction("+z")
        if drawn.world is not None:
            draw_world(scene, drawn.world)
        self._actors = Actors(scene, drawn, "/team", TENSION_MAX)
        self._look_at(frame)
        moving = {part.name: self._actors.colors[part.name] for part in drawn.parts if part.moves}
        self._trails = Trails(scene, moving)
        self._pictures = 0
        self.controls = controls_of(self)
        self._add_panel()
        with charts:
            self._legend = server.gui.add_html(legend_html(TENSION_MAX, [drawn]))
            self._charts = Charts(server.gui, CHART_RATE, HISTORY, self._looker.charts)
        self._show(self.flight)

    @property
    def recordings(self) -> list[Path]:
        """Folders that have their tables."""
        return self.recorder.recordings

    @property
    def saves(self) -> SaveLimit:
        """Limits how often something is saved."""
        return self.recorder.saves

    @saves.setter
    def saves(self, limit: SaveLimit) -> None:
        self.recorder.saves = limit

    def start(self) -> None:
        """Begin."""
        self.flight.start()

    def stop(self) -> None:
        """End, when all recordings are written; Ctrl-C meanwhile leaves out a report."""
        self.flight.stop()
        try:
            self.recorder.finish()
        finally:
            stop_server(self.server)

    def reset(self, *how: Any) -> None:
        """From the start again; how: said to a run that can begin in several ways."""

        def begun() -> None:
            self._charts.clear()
            self._trails.clear()
            self.controls.begun()

        if isinstance(self.flight, Flight):
            self.flight.reset(bool(how and how[0]), begun, self.recorder.may_end)
        else:
            self.flight.begin_again(begun, self.recorder.may_end)

    def _look_at(self, frame: Frame) -> None:
        """Turn the camera to what is there at the start."""
        drawn = self._looker.inventory
        places = [frame.poses[part.name].position for part in drawn.parts if part.word != "branch"]
        points = np.concatenate(
            [np.array(places).reshape(-1, 3), *(s.points for s in frame.tethers.values())]
        )
        lower, upper = points.min(axis=0) - drawn.around, points.max(axis=0) + drawn.around
        place_camera(self.server.initial_camera, lower, upper, drawn.world, drawn.size)
        if drawn.world is not None and drawn.world.wind is not None:  # before anyone changes it
            middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
            show_wind(self.server.scene, np.array(drawn.world.wind.velocity, float), middle)

    def _add_panel(self) -> None:
        gui, flight = self.server.gui, self.flight
        self._status = gui.add_html("")
        self.controls.add_first(gui)
        with gui.add_folder("Clock"):
            self._pause = gui.add_checkbox("Pause", False, hint="time stands still; key P")
            self._pause.on_update(lambda _: setattr(flight, "paused", self._pause.value))
            gui.add_command("pause or go on", hotkey="P").on_trigger(lambda _: self._toggle_pause())
            step = gui.add_button("Single step", hint=f"{flight.tick * 1000:g} ms, then pause")
            step.on_click(lambda _: self._single_step())
            speed = gui.add_dropdown("times real time", SPEEDS, initial_value="1")
            speed.on_update(lambda event: setattr(flight, "speed", float(event.target.value)))
            again = gui.add_button("Reset", hint="from the start, by hand")
            again.on_click(lambda _: self.reset())
            self.controls.add_to_clock(gui)
        self.controls.add_behind(gui)
        with gui.add_folder("Record"):
            self.recorder = Recorder(gui, flight, self._folder)
            self.controls.add_to_record(gui)
            self.recorder.add_words(gui)
        with gui.add_folder("Show", expand_by_default=False):
            axes = gui.add_checkbox("frames of what moves", False)
            axes.on_update(lambda event: self._actors.show_axes(event.target.value))
            curve = gui.add_checkbox("catenary", False)
            curve.on_update(lambda event: setattr(self._actors, "catenary_shown", event.target.value))

    def _toggle_pause(self) -> None:
        self.flight.paused = self._pause.value = not self.flight.paused

    def _single_step(self) -> None:
        self._pause.value = True
        self.flight.step_once()

    def _show(self, flight: LiveRun) -> None:
        """Called in the run's thread."""
        frame = self._looker.frame(flight.simulation)
        self._pictures += 1
        with self.server.atomic():
            self._actors.show(frame)
        self._trails.add(frame)
        self._charts.add(frame.time, self._looker.moment(flight.simulation, frame))
        if self._pictures % CHART_EVERY == 0:
            self._draw_slowly(flight, frame)
        self.server.flush()

    def _draw_slowly(self, flight: LiveRun, frame: Frame) -> None:
        """What need not change with every picture."""
        self._trails.draw()
        self._charts.draw()
        self.controls.refresh(frame)
        if flight.paused != self._pause.value:  # it was paused by a step that failed
            self._pause.value = flight.paused
        if frame.tension_max > self._actors.tension_max:
            self._actors.tension_max = float(np.ceil(1.3 * frame.tension_max))
            self._legend.content = legend_html(self._actors.tension_max, [self._looker.inventory])
        self._status.content = text_html(
            f", {flight.measured_speed:.2g} times real time{self.controls.status(frame)}",
            flight.message,
            bold=f"{frame.time:.1f} s",
            color=ENDED if flight.outcome is not None else "inherit",
        )


def live_run(make: Callable[[], Any], show: Callable[[Any], None], name: str) -> LiveRun:
    """The run of a simulation, by its kind."""
    first = make()
    if isinstance(first, SceneSimulation):
        return SceneRun(make, show, name, first)
    return (Flight if isinstance(first, Simulation) else LiveRun)(make, show, name, first)


def controls_of(page: LivePage) -> Controls:
    """What people can do with it."""
    if isinstance(page.flight, SceneRun):
        return SceneControls(page)
    return TeamControls(page) if isinstance(page.flight, Flight) else Controls(page)
