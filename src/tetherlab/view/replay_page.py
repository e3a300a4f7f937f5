"""The page on which a run is replayed: a time line, events to jump to, a camera that follows, charts."""

from __future__ import annotations

import threading
import time as wall
import traceback
from collections.abc import Sequence
from typing import Any

import numpy as np

from tetherlab.assembly.scene import Scene
from tetherlab.contracts.log import Log
from tetherlab.view.chart_rows import charts_of
from tetherlab.view.charts import show_record
from tetherlab.view.legend import legend_html
from tetherlab.view.record import Record
from tetherlab.view.server import lay_out, stop_server, text_html
from tetherlab.view.stage import Stage

SPEEDS = ("0.25", "0.5", "1", "2", "5", "10", "30")
PICTURES = 25.0  # per second
CONTACTS_MAX, TARGETS_MAX = 30, 30  # in the list of what to jump to


class ReplayPage:
    """A viser server and one or two logs."""

    def __init__(
        self, server: Any, logs: Sequence[Log], names: Sequence[str] = (), scene: Scene | None = None
    ) -> None:
        """names: of the runs; those of their logs unless given. scene: of which the logs are."""
        self.server = server
        records = [Record(log, scene) for log in logs]
        self.stage = Stage(server.scene, records)
        self.duration = max(record.duration for record in records)
        self.time = 0.0
        self.playing = False
        self.speed = 1.0
        self._changed, self._stop = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="replay", daemon=True)
        self.stage.look_at_all(server.initial_camera)
        names = names or [log.name for log in logs]
        charts = lay_out(server, " and ".join(names))
        self._add_panel(records)
        with charts:
            inventories = [record.inventory for record in records]
            server.gui.add_html(
                legend_html(self.stage.tension_max, inventories, names if len(names) > 1 else ())
            )
            if len(names) > 1:
                server.gui.add_html(text_html(f"Charts and jumps: {names[0]}"))
            drawn, rows = charts_of(records[0])
            show_record(server.gui, rows, drawn)
        self.seek(0.0)

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    def stop(self) -> None:
        """End."""
        self._stop.set()
        self._changed.set()
        self._thread.join(5.0)
        stop_server(self.server)

    def seek(self, time: float) -> None:
        """Show the moment so long after the start [s]."""
        self.time = min(max(time, 0.0), self.duration)
        with self.server.atomic():
            self.stage.show(self.time)
        if abs(self._slider.value - self.time) > 1e-9:
            self._slider.value = self.time
        self._say()
        self._follow()

    def _add_panel(self, records: Sequence[Record]) -> None:
        gui = self.server.gui
        self._status = gui.add_html("")
        self._play = gui.add_button("Play", hint="also the key P")
        self._play.on_click(lambda _: self._toggle())
        gui.add_command("play or pause", hotkey="P").on_trigger(lambda _: self._toggle())
        self._slider = gui.add_slider("time [s]", 0.0, max(round(self.duration, 2), 0.01), 0.01, 0.0)
        self._slider.on_update(lambda event: self._slid(event))
        speed = gui.add_dropdown("times real time", SPEEDS, initial_value="1")
        speed.on_update(lambda event: setattr(self, "speed", float(event.target.value)))
        self._camera = gui.add_dropdown(
            "camera", ("free", *(f"follows the {word}" for word in records[0].followed))
        )
        events = moments(records[0])
        times = {f"{time:.2f} s: {what}": time for time, what in events}
        self._events = gui.add_dropdown("jump to", ("...", *times), initial_value="...")
        self._events.on_update(lambda _: self._jump(times))
        with gui.add_folder("Show", expand_by_default=False):
            axes = gui.add_checkbox("frames of what moves", False)
            axes.on_update(lambda event: self._show_axes(event.target.value))
            curve = gui.add_checkbox("catenary", False)
            curve.on_update(lambda event: self._show_catenary(event.target.value))

    def _slid(self, event: Any) -> None:
        if event.client is not None:  # a person, not this program
            self.seek(float(self._slider.value))

    def _toggle(self) -> None:
        if not self.playing and self.time >= self.duration - 1e-6:
            self.time = 0.0
        self.playing = not self.playing
        self._play.label = "Pause" if self.playing else "Play"
        self._changed.set()

    def _jump(self, times: dict[str, float]) -> None:
        if self._events.value in times:
            self.seek(times[self._events.value])
            self._events.value = "..."  # the same again is a new wish

    def _show_axes(self, shown: bool) -> None:
        for actors in self.stage.actors:
            actors.show_axes(shown)

    def _show_catenary(self, shown: bool) -> None:
        for actors in self.stage.actors:
            actors.catenary_shown = shown
        self.seek(self.time)

    def _follow(self) -> None:
        who = self.stage.records[0].followed.get(self._camera.value.removeprefix("follows the "))
        pose = None if who is None else self.stage.frames[0].poses.get(who)
        if pose is None:
            return
        for client in self.server.get_clients().values():
            away = np.asarray(client.camera.position) - np.asarray(client.camera.look_at)
            client.camera.position, client.camera.look_at = pose.position + away, pose.position

    def _say(self) -> None:
        frame = self.stage.frames[0]
        lengths = [strand.length for strand in frame.tethers.values()]
        length = f", tether {lengths[0]:.2f} m" if len(lengths) == 1 and lengths[0] is not None else ""
        most = f", {frame.tension_max:.1f} N at most" if frame.tethers else ""
        self._status.content = text_html(f"{length}{most}", bold=f"{self.time:.2f} s")

    def _run(self) -> None:
        before = wall.monotonic()
        while not self._stop.is_set():
            if not self.playing:
                self._changed.wait(0.2)
                self._changed.clear()
                before = wall.monotonic()
                continue
            wall.sleep(1.0 / PICTURES)
            now = wall.monotonic()
            try:
                self.seek(self.time + self.speed * (now - before))
            except Exception:  # a client that leaves must not end the replay for the others
                traceback.print_exc()
            before = now
            if self.time >= self.duration:
                self._toggle()


def moments(record: Record) -> list[tuple[float, str]]:
    """What one may want to see: events, contact, the largest tension; time after the start [s]."""
    events = [event for event in record.log.events if event.time >= record.start and event.kind != "command"]
    targets = [event for event in events if event.sentence.startswith("target ")]
    if len(targets) > TARGETS_MAX:  # a list of a hundred helps nobody
        events = [event for event in events if event not in targets[1:-1]]
    found = [(event.time - record.start, event.sentence) for event in events]
    if record.largest_tension is not None:
        time, tension = record.largest_tension
        found.append((time - record.start, f"largest tension, {tension:.1f} N"))
    found += [
        (time - record.start, "the tether touches something") for time in record.begun_contacts[:CONTACTS_MAX]
    ]
    return sorted((max(time, 0.0), what) for time, what in found)
