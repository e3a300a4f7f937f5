"""The pages in a real browser: Debian's chromium, headless, on software graphics."""

import contextlib
import shutil
import time

import pytest

import tetherlab as tl
from tetherlab.report import write_report
from tetherlab.view.live_page import LivePage
from tetherlab.view.replay_page import ReplayPage
from tetherlab.view.server import make_server
from tetherlab.view.share import replay_page

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium: install Debian's package to run these")
GRAPHICS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=GRAPHICS)
        yield chromium
        chromium.close()


@contextlib.contextmanager
def opened(browser, url):
    """A page that has no error and asks nobody but `url`."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    errors, asked = [], []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(url)
    yield page
    page.close()
    assert errors == []
    assert [name for name in asked if not name.startswith((url, "blob:", "data:"))] == []


def wait_until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    assert condition()


@pytest.fixture(scope="module")
def short_log():
    simulation = tl.Simulation("vertical")
    simulation.run(until=6.0)
    return simulation.log


@pytest.fixture
def live(tmp_path):
    scenario = tl.Scenario.load("vertical")
    tl.Simulation(scenario).step()  # compiles
    page = LivePage(
        make_server("127.0.0.1", 0), lambda: tl.Simulation(scenario), lambda: tmp_path / "run", "vertical"
    )
    page.start()
    yield page
    page.stop()


def test_take_off_by_a_click_lifts_the_drone(browser, live):
    state = live.flight.simulation.state
    with opened(browser, f"http://127.0.0.1:{live.server.get_port()}/") as page:
        low = state.uav.position[2]
        page.get_by_role("button", name="Take off").click()
        wait_until(lambda: state.uav.position[2] > low + 0.5)


def test_a_slider_changes_the_length_of_the_tether(browser, live):
    with opened(browser, f"http://127.0.0.1:{live.server.get_port()}/") as page:
        page.get_by_role("button", name="Take off").wait_for()
        live._length.value = 2.5
        wait_until(lambda: live.flight.simulation.state.length > 2.4)


def test_replay_seeks_to_a_time_and_shows_that_state(browser, short_log):
    page_of_run = ReplayPage(make_server("127.0.0.1", 0), [short_log])
    page_of_run.start()
    try:
        with opened(browser, f"http://127.0.0.1:{page_of_run.server.get_port()}/") as page:
            page.get_by_role("button", name="Play").wait_for()
            page_of_run.seek(3.0)
            page.get_by_text("3.00 s").wait_for()
            frame = page_of_run.stage.frames[0]
            assert frame.time == pytest.approx(3.0 + page_of_run.stage.records[0].start, abs=0.03)
    finally:
        page_of_run.stop()


def test_the_report_renders_its_replay_from_disk(browser, short_log, tmp_path):
    path = write_report(short_log, tmp_path / "report.html", replay=replay_page(short_log))
    with opened(browser, f"file://{path}") as page:
        frame = page.frame_locator("iframe")
        frame.locator("canvas").first.wait_for(timeout=30_000)
