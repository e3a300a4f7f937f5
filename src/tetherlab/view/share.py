"""A run as one HTML page with everything in it: the scene, a time line, and no outside request."""

from __future__ import annotations

import math

import numpy as np

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.log import Log
from tetherlab.report.page import Replay
from tetherlab.scenario.scenario import Scenario
from tetherlab.view.frame import Record
from tetherlab.view.server import make_server
from tetherlab.view.stage import Stage

FRAME_RATE = 15.0  # pictures per second of the run
FRAMES_MAX = 3000  # of one page: an hour then takes a few megabytes


def replay_page(log: Log, other: Log | None = None) -> Replay:
    """The replay of a log, with another one laid over it if given."""
    records = [Record(log)] + ([] if other is None else [Record(other)])
    duration = max(record.duration for record in records)
    count = max(2, min(FRAMES_MAX, math.ceil(duration * FRAME_RATE) + 1))
    server = make_server("127.0.0.1", 0)  # viser draws through a server; nobody else reaches this one
    try:
        stage = Stage(server.scene, records, [scenario_of(record.log) for record in records])
        stage.look_at_all(server.initial_camera)
        serializer = server.get_scene_serializer()
        with server.atomic():  # nobody watches: no need to wake the server for every message
            for k, time in enumerate(np.linspace(0.0, duration, count)):
                if k:
                    serializer.insert_sleep(duration / (count - 1))
                stage.show(float(time))
        html = serializer.as_html()
    finally:
        server.stop()
    rate = (count - 1) / max(duration, 1e-9)
    note = f"{count} pictures, {rate:.3g} per second of the run"
    if rate < 0.99 * FRAME_RATE:
        note += "; thinned from the record to keep this file small"
    return Replay(html, f"{note}.")


def scenario_of(log: Log) -> Scenario | None:
    """The scenario of a log, for its world and robots; None where it has none that this version can read."""
    if not log.scenario:
        return None
    try:
        return Scenario.from_dict(log.scenario)
    except InputError:
        return None
