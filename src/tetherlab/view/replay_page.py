"""The page on which a run is replayed: a time line, events to jump to, a camera that follows, charts."""

from __future__ import annotations

import threading
import time as wall
import traceback
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.log import Log
from tetherlab.contracts.table import Table
from tetherlab.metrics.canopy import followed
from tetherlab.metrics.read import MissingError, at_times
from tetherlab.view.canopy_record import CanopyRecord, record_of
from tetherlab.view.charts import CANOPY_CHARTS, WIDTH, show_record, width
from tetherlab.view.frame import Record
from tetherlab.view.legend import legend_html
from tetherlab.view.server import lay_out, stop_server, text_html
from tetherlab.view.stage import Stage

SPEEDS = ("0.25", "0.5", "1", "2", "5", "10", "30")
PICTURES = 25.0  # per second
CONTACTS_MAX, TARGETS_MAX = 30, 30  # in the list of what to jump to
COLUMNS = (
    ("winch", "length_m"), ("winch", "length_reference_m"), ("winch", "distance_m"),
    ("winch", "tension_N"), ("uav", "tether_N"),
    ("uav", "speed"), ("ugv", "speed"), ("winch", "reel_speed_m_per_s"),
    ("uav", "clearance_m"), ("ugv", "clearance_m"),
)  # fmt: skip


class ReplayPage:
    """A viser server and one or two logs."""

    def __init__(self, server: Any, logs: Sequence[Log], names: Sequence[str] = ()) -> None:
        """names: of the runs; those of their logs unless given."""
        self.server = server
        records = [record_of(log) for log in logs]
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
            server.gui.add_html(
                legend_html(
                    self.stage.tension_max,
                    names if len(names) > 1 else (),
                    kinds=[list(record.followed) for record in records],
                )
            )
            if len(names) > 1:
                server.gui.add_html(text_html(f"Charts and jumps: {names[0]}"))
            if isinstance(records[0], CanopyRecord):
                show_record(server.gui, canopy_rows(records[0]), CANOPY_CHARTS)
            else:
                show_record(server.gui, chart_rows(records[0]))
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
            axes = gui.add_checkbox("frames of the vehicles", False)
            axes.on_update(lambda event: self._show_axes(event.target.value))
            if not isinstance(records[0], CanopyRecord):
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
        for team in self.stage.teams:
            team.show_axes(shown)

    def _show_catenary(self, shown: bool) -> None:
        for team in self.stage.teams:
            team.catenary_shown = shown
        self.seek(self.time)

    def _follow(self) -> None:
        who = self.stage.records[0].followed.get(self._camera.value.removeprefix("follows the "))
        pose = None if who is None else getattr(self.stage.frames[0], who)
        if pose is None:
            return
        for client in self.server.get_clients().values():
            away = np.asarray(client.camera.position) - np.asarray(client.camera.look_at)
            client.camera.position, client.camera.look_at = pose.position + away, pose.position

    def _say(self) -> None:
        frame = self.stage.frames[0]
        length = "" if frame.length is None else f", tether {frame.length:.2f} m"
        most = f", {frame.tension.max():.1f} N at most" if len(frame.tension) else ""
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


def chart_rows(record: Record) -> NDArray[np.float64]:
    """Time after the start [s] and the numbers of the charts, (n, 1 + WIDTH); NaN where not recorded."""
    log = record.log
    base = log.tables.get("uav") or log.tables.get("winch")
    if base is None:
        return np.zeros((0, 1 + WIDTH))
    time = base["time_s"]
    rows = np.full((len(time), 1 + WIDTH), np.nan)
    rows[:, 0] = time - record.start
    for k, (name, column) in enumerate(COLUMNS):
        table = log.tables.get(name)
        values = None if table is None else _values(table, column)
        if table is not None and values is not None:
            rows[:, 1 + k] = np.interp(time, table["time_s"], values, left=np.nan, right=np.nan)
    return rows


def canopy_rows(record: Record) -> NDArray[np.float64]:
    """The same of a robot in the canopy; its angles as its references have them."""
    log = record.log
    try:
        time, done, wanted = followed(log)
    except MissingError:
        return np.zeros((0, 1 + width(CANOPY_CHARTS)))
    names = ("free_length_m", "thrust_left_N", "thrust_right_N", "tension_N")
    free, left, right, tension = at_times(log, "robot", names, time).T
    pairs = [column for k in range(3) for column in (done[:, k], wanted[:, k])]
    return np.column_stack([time - record.start, *pairs, free, left, right, tension])


def _values(table: Table, column: str) -> NDArray[np.float64] | None:
    parts = {
        "speed": ("vx_m_per_s", "vy_m_per_s", "vz_m_per_s"),
        "tether_N": ("tether_x_N", "tether_y_N", "tether_z_N"),
    }.get(column, (column,))
    if any(part not in table.columns for part in parts):
        return None
    if len(parts) == 1:
        return np.asarray(table[column])
    return np.asarray(np.linalg.norm([table[part] for part in parts], axis=0))
