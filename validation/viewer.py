"""The viewer: how fast it shows a flight, and how large its pages are; about three minutes, in chromium."""

import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

import tetherlab as tl
from tetherlab.report import write_report
from tetherlab.view.chart_rows import team_rows
from tetherlab.view.flight import Flight
from tetherlab.view.live_page import CHART_RATE, HISTORY, LivePage
from tetherlab.view.record import Record
from tetherlab.view.server import make_server, stop_server
from tetherlab.view.share import replay_page
from tetherlab.view.surroundings import draw_world
from tetherlab.view.watching import CHROMIUM, address, chromium, comes_true, opened
from validation.table import Row, Study, at_least, at_most, number, reported

Say = Callable[[str], None]

ELEMENTS = 120
UPDATES, PAGE_MAX = 20.0, 15.0  # per second, [MB]
VOXELS = 600_000
LONG = {"tether.element_length_m": 0.1, "mission.uav_speed_m_per_s": 0.4}
MOVED = b"/team/tether"  # in what is sent of a picture
FRAMES_OF_BROWSER = """() => new Promise(done => {
  let count = 0; const begin = performance.now();
  const tick = () => { count++;
    if (performance.now() - begin < 5000) requestAnimationFrame(tick);
    else done(1000 * count / (performance.now() - begin)); };
  requestAnimationFrame(tick); })"""


def run(say: Say) -> Study:
    """Fly, look, and write an hour."""
    rows = [*_live(say), _map(say), *_hour(say)]
    return Study(
        title="The viewer",
        model=(
            "Live: a drone hovers on a tether of 120 elements, an empty world, one chromium watches on the "
            "same two cores, without a graphics card: all pixels are computed by the processor. Then its "
            "charts are filled with twenty minutes of a recorded flight, ten rows per second. A hilly map of "
            "600 000 voxels. An hour of `opposite`, hovering after its last target."
        ),
        truth="The clock on the wall; what reaches the browser, and what it counts; the size of the file.",
        rows=rows,
    )


class _Pictures:
    """Counts what a page receives of the scene."""

    def __init__(self) -> None:
        self.count = 0

    def listen(self, page: Any) -> None:
        """To the page's wire; before anything is loaded."""
        page.on("websocket", lambda wire: wire.on("framereceived", self._received))

    def _received(self, frame: bytes | str) -> None:
        if isinstance(frame, bytes) and MOVED in _words(frame):
            self.count += 1

    def rate(self, page: Any, seconds: float) -> float:
        """Per second, over so long."""
        if page is None:
            return float("nan")
        page.wait_for_timeout(2000.0)  # to hear what came while nobody listened
        first, begin = self.count, time.monotonic()
        page.wait_for_timeout(1000.0 * seconds)  # who sleeps instead hears nothing
        return (self.count - first) / (time.monotonic() - begin)


def _words(frame: bytes) -> bytes:
    """The messages of a frame of viser's, without their arrays: their size and then they, compressed."""
    size = int.from_bytes(frame[8:16], "little")
    return zstandard.ZstdDecompressor().decompress(frame[16 : 16 + size])


@contextmanager
def _watching(url: str, listen: Callable[[Any], None] | None = None) -> Iterator[Any]:
    """A page in chromium; None where there is none."""
    if CHROMIUM is None:
        yield None
        return
    with chromium() as browser, opened(browser, url, listen) as page:
        page.locator("canvas").first.wait_for()
        page.wait_for_timeout(5000)
        yield page


def _live(say: Say) -> list[Row]:
    say("twenty minutes of a flight, for the charts")
    minutes = {"mission.hold_last_s": HISTORY, "run.duration_max_s": HISTORY, "run.record_hz": CHART_RATE}
    history = team_rows(Record(tl.run("opposite", minutes)))
    say("live, 120 elements")
    scenario = tl.Scenario.load("vertical", LONG)
    tl.Simulation(scenario).step()
    folder = Path(tempfile.mkdtemp())
    live = LivePage(make_server("127.0.0.1", 0), lambda: tl.Simulation(scenario), lambda: folder, "vertical")
    flight, pictures = live.flight, _Pictures()
    flight.speed = 20.0
    live.start()
    flight.take_off()
    flight.reel(length=0.1 * ELEMENTS + 0.05)
    flight.go(uav=(0.0, 0.0, 9.0))
    comes_true(lambda: flight.simulation.state.length > 0.1 * ELEMENTS and flight.simulation.time > 60.0)
    flight.speed = 1.0
    time.sleep(2.0)
    nodes = len(flight.simulation.state.tether.nodes)
    note = f"{nodes - 1} elements"
    with _watching(address(live), pictures.listen) as page:
        began, simulated = time.monotonic(), flight.simulation.time
        sent = pictures.rate(page, 20.0)
        speed = (flight.simulation.time - simulated) / (time.monotonic() - began)
        drawn = _browser_rate(page)
        say("twenty minutes of history")
        rows = _fill(live, history)
        sent_later = pictures.rate(page, 10.0)
        later, answered = _browser_rate(page), _answer(page, flight)
    live.stop()
    full = f"{rows} rows in the charts"
    return [
        at_least("live, a browser watches: speed", "× real time", 0.98, speed, note),
        at_least("live: pictures that reach the browser", "1/s", UPDATES, sent, note),
        at_least("the same with 20 minutes of history", "1/s", UPDATES, sent_later, full),
        reported("the browser draws, software graphics", "1/s", drawn),
        reported("the same with 20 minutes of history", "1/s", later, full),
        reported("from a click to the flight, 20 minutes of history", "s", answered, full),
    ]


def _fill(live: LivePage, rows: NDArray[np.float64]) -> int:
    """Give the charts the minutes of a recorded flight, up to now; returns how many rows they have."""
    charts, filled = live._charts, threading.Event()

    def fill(simulation: tl.Simulation) -> None:
        charts.clear()
        for moment, *numbers in rows:
            charts.add(moment - rows[-1, 0] + simulation.time, numbers)
        filled.set()

    live.flight.ask(fill)  # only the flight's thread touches the charts
    filled.wait()
    count = len(charts.rows())
    assert count == HISTORY * CHART_RATE, count
    return count


def _browser_rate(page: Any) -> float:
    return float("nan") if page is None else float(page.evaluate(FRAMES_OF_BROWSER))


def _answer(page: Any, flight: Flight) -> float:
    """From a click to what it does [s]."""
    if page is None:
        return float("nan")
    count = len(flight.simulation.events)
    button = page.get_by_role("button", name="Hold")
    box = button.bounding_box()
    begin = time.monotonic()
    page.mouse.click(box["x"] + 20, box["y"] + 10)
    comes_true(lambda: len(flight.simulation.events) > count)
    return time.monotonic() - begin


def _map(say: Say) -> Row:
    say("a map of 600 000 voxels")
    spacing, side = 0.05, 776
    x, y = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
    height = 1.0 + 0.4 * np.sin(0.05 * x) * np.cos(0.04 * y)
    z = spacing * np.arange(40)
    grid = tl.shapes.VoxelGrid(
        values=(z[None, None, :] - height[:, :, None]).astype(np.float32), origin=(0, 0, 0), spacing=spacing
    )
    server = make_server("127.0.0.1", 0)
    try:
        begin = time.monotonic()
        draw_world(server.scene, tl.World([grid]))
        drawn = time.monotonic() - begin
        with _watching(server.address()) as page:
            rate = _browser_rate(page)
    finally:
        stop_server(server)
    shown = sum(
        len(handle.points)
        for handle in server.scene._handle_from_node_name.values()
        if hasattr(handle, "points")
    )
    note = f"{shown} voxels at the surface; the browser then draws {number(rate)} pictures/s"
    return reported("a map is sent in", "s", drawn, note)


def _hour(say: Say) -> list[Row]:
    say("an hour in one file")
    log = tl.run("opposite", {"mission.hold_last_s": 3600.0, "run.duration_max_s": 3600.0})
    begin = time.monotonic()
    replay = replay_page(log)
    spent = time.monotonic() - begin
    assert replay is not None
    with tempfile.TemporaryDirectory() as folder:
        size = write_report(log, Path(folder) / "report.html", replay=replay).stat().st_size / 1e6
    return [
        at_most("report of an hour with its replay", "MB", PAGE_MAX, size, replay.note),
        reported("its replay is made in", "s", spent),
    ]
