"""A run as one HTML page with everything in it: the scene, a time line, and no outside request."""

from __future__ import annotations

import math

import numpy as np

from tetherlab.assembly.scene import Scene
from tetherlab.contracts.log import Log
from tetherlab.report.page import Replay
from tetherlab.view.legend import legend_html
from tetherlab.view.record import Record, has_positions
from tetherlab.view.server import make_server, stop_server
from tetherlab.view.stage import Stage

FRAME_RATE = 15.0  # pictures per second of the run
FRAMES_MAX = 6000  # of one page: an hour then takes six megabytes


def replay_page(log: Log, other: Log | None = None, *, scene: Scene | None = None) -> Replay | None:
    """The replay of a log, with another one laid over it if given; None where there is nothing to show.

    scene: of which the logs are.
    """
    logs = [each for each in (log, other) if each is not None and has_positions(each)]
    records = [Record(each, scene) for each in logs]
    if not records:
        return None
    duration = max(record.duration for record in records)
    count = max(2, min(FRAMES_MAX, math.ceil(duration * FRAME_RATE) + 1))
    server = make_server("127.0.0.1", 0)  # viser draws through a server; nobody else reaches this one
    try:
        stage = Stage(server.scene, records)
        stage.look_at_all(server.initial_camera)
        serializer = server.get_scene_serializer()
        with server.atomic():  # nobody watches: no need to wake the server for every message
            for k, time in enumerate(np.linspace(0.0, duration, count)):
                if k:
                    serializer.insert_sleep(duration / (count - 1))
                stage.show(float(time))
        html = serializer.as_html()
    finally:
        stop_server(server)
    rate = (count - 1) / max(duration, 1e-9)
    note = f"{count} pictures, {rate:.3g} per second of the run"
    if rate < 0.99 * FRAME_RATE:
        note += "; thinned from the record to keep this file small"
    return Replay(
        html,
        f"{note}.",
        legend_html(
            stage.tension_max, [record.inventory for record in records], _names(records), catenary=False
        ),
    )


def _names(records: list[Record]) -> list[str]:
    """Of two runs, told apart."""
    names = [record.log.name for record in records]
    if len(names) < 2:
        return []
    return names if names[0] != names[1] else [f"{names[0]} (first)", f"{names[1]} (second)"]
