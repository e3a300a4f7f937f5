"""The pages in a real browser: Debian's chromium, headless, on software graphics."""

import contextlib
import http.server
import io
import math
import threading

import numpy as np
import pytest
import viser
from PIL import Image

import tetherlab as tl
from tetherlab.contracts.log import Event
from tetherlab.contracts.run_folders import RunFolder
from tetherlab.report import write_report
from tetherlab.view.live_page import LivePage
from tetherlab.view.replay_page import ReplayPage
from tetherlab.view.save_limit import SaveLimit
from tetherlab.view.server import make_server
from tetherlab.view.share import replay_page
from tetherlab.view.watching import CHROMIUM, address, chromium, comes_true, page_shows
from tetherlab.view.watching import opened as opened_page

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium: install Debian's package to run these"),
    pytest.mark.xdist_group("browser"),  # two at once would wait for each other
]


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@contextlib.contextmanager
def opened(browser, url):
    """A page that has no error and asks nobody but `url`."""
    errors, asked = [], []

    def hear(text):
        # Viser prepares to sort Gaussian splats, which needs `eval`: the page forbids it and has none.
        if "Evaluating a string as JavaScript violates" not in text:
            errors.append(text)

    def listen(page):
        page.on("console", lambda message: hear(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: hear(str(error)))
        page.on("request", lambda request: asked.append(request.url))

    # A quarter of the pixels each way: without a graphics card each of them is computed.
    with opened_page(browser, url, listen, size=(1100, 700), scale=0.25) as page:
        yield page
    assert errors == []
    assert [name for name in asked if not name.startswith((url, "blob:", "data:"))] == []


def type_number(page, label, value):
    """Into the box beside a slider."""
    row = page.get_by_text(label, exact=True).locator("xpath=../../..")
    box = row.locator("input:not([type=hidden])")
    box.fill(str(value))
    box.press("Enter")


@pytest.fixture(scope="module")
def short_log():
    simulation = tl.Simulation("vertical")
    simulation.run(until=6.0)
    return simulation.log


def test_replay_seeks_to_a_time_and_shows_that_state(browser, short_log):
    page_of_run = ReplayPage(make_server("127.0.0.1", 0), [short_log])
    page_of_run.start()
    try:
        with opened(browser, address(page_of_run)) as page:
            type_number(page, "time [s]", 3.0)
            page.get_by_text("3.00 s").wait_for()
            frame = page_of_run.stage.frames[0]
            row = int(np.searchsorted(short_log["uav"]["time_s"], frame.time, side="right")) - 1
            assert frame.time == pytest.approx(3.0 + page_of_run.stage.records[0].start, abs=0.03)
            shown = page_of_run.stage.actors[0].nodes["uav"].position
            assert shown[2] == pytest.approx(short_log["uav"]["z_m"][row])
            page.get_by_role("button", name="Play").click()
            assert page_shows(page, lambda: page_of_run.time > 3.5)
    finally:
        page_of_run.stop()


def test_the_report_renders_its_replay_from_disk_and_text_is_never_a_script(browser, short_log, tmp_path):
    script = "</pre></title></svg>\"'><script>window.ran = 1</script><img src=x onerror='window.ran = 1'>"
    log = tl.Log(
        short_log.tables, short_log.outcome, script, [*short_log.events, Event(1.0, "mission", script)]
    )
    log.name, log.scenario = (
        script,
        {**short_log.scenario, "description": script, "assumed": {script: script}},
    )
    path = write_report(log, tmp_path / "report.html", replay=replay_page(log))
    with opened(browser, f"file://{path}") as page:
        frame = page.frame_locator("iframe")
        frame.locator("canvas").first.wait_for()
        page.locator("iframe").scroll_into_view_if_needed()

        def blue():
            picture = np.asarray(Image.open(io.BytesIO(page.locator("iframe").screenshot())).convert("RGB"))
            r, g, b = (picture[..., k].astype(int) for k in range(3))
            return int(((b > r + 60) & (b > 90) & (g < 160)).sum())

        assert page_shows(page, lambda: blue() > 30)  # the drone and its way
        first = page.locator("iframe").screenshot()
        assert page_shows(page, lambda: page.locator("iframe").screenshot() != first)  # it plays
        inside = page.frames[1]
        assert inside.evaluate("self.origin") == "null"  # one of its own, shared with nobody
        for reach in ("parent.document.title", "localStorage.length"):
            assert inside.evaluate(f"() => {{ try {{ return {reach} }} catch (e) {{ return e.name }} }}") == (
                "SecurityError"
            )
        assert page.title().startswith(script)
        assert page.locator("img[src=x]").count() == 0
        assert all(each.evaluate("window.ran") is None for each in page.frames)


@pytest.fixture(scope="module")
def desk(browser, tmp_path_factory):
    """A flight, the page on which it is flown, and the folder into which it is saved."""
    scenario = tl.Scenario.load("vertical", {"mission.uav_speed_m_per_s": 0.4})
    tl.Simulation(scenario).step()  # compiles
    folder = tmp_path_factory.mktemp("flown")
    live = LivePage(
        make_server("127.0.0.1", 0),
        lambda: tl.Simulation(scenario),
        lambda: RunFolder.numbered("run", folder),
        "vertical",
    )
    live.flight.speed = 4.0
    live.saves = SaveLimit(pause=0.0)
    live.start()
    with opened(browser, address(live)) as page:
        page.get_by_role("button", name="Take off").wait_for()
        yield live, page, folder
    live.stop()


@pytest.fixture
def flown(desk):
    """The same, from the start again."""
    live, page, folder = desk
    before = live.flight.simulation
    page.get_by_role("button", name="Reset").click()
    assert page_shows(page, lambda: live.flight.simulation is not before)
    return live, page, folder


def in_flight(live, condition):
    """Whether something becomes so within two minutes of the simulation."""
    return comes_true(condition, lambda: live.flight.simulation.time, within=120.0)


def in_the_air(page, live):
    page.get_by_role("button", name="Take off").click()
    simulation, low = live.flight.simulation, live.flight.simulation.state.deck[2]
    assert page_shows(page, lambda: simulation.mission.armed)
    assert in_flight(live, lambda: simulation.state.uav.position[2] > low + 0.9)


def test_take_off_by_a_click_lifts_the_drone_and_landing_brings_it_back(flown):
    live, page, _ = flown
    in_the_air(page, live)
    page.get_by_role("button", name="Land").click()
    simulation = live.flight.simulation
    assert page_shows(page, lambda: any(event.sentence == "land" for event in simulation.events))
    assert in_flight(live, lambda: not simulation.mission.armed)
    assert simulation.state.uav.position[2] == pytest.approx(simulation.state.deck[2], abs=0.02)


def test_a_slider_changes_the_length_of_the_tether(flown):
    live, page, _ = flown
    in_the_air(page, live)
    said = live.flight.simulation.events
    type_number(page, "length [m]", 2.5)
    assert page_shows(page, lambda: said[-1].sentence == "tether 2.5 m")
    assert in_flight(live, lambda: abs(live.flight.simulation.state.length - 2.5) < 0.02)
    type_number(page, "tension [N]", 4.0)
    assert page_shows(page, lambda: said[-1].sentence == "tether at 4 N")
    assert in_flight(live, lambda: abs(live.flight.simulation.state.tension - 4.0) < 1.0)


def test_wind_blows_as_the_sliders_say(flown):
    live, page, _ = flown
    in_the_air(page, live)
    type_number(page, "wind [m/s]", 6.0)
    type_number(page, "wind towards [deg]", 90)
    lean = live.flight.simulation.state.uav.rotation
    assert page_shows(page, lambda: live.flight.simulation.wind.velocity[1] > 5.0)
    # It leans against a wind along y.
    assert in_flight(live, lambda: lean[1, 2] < -0.03 and abs(lean[0, 2]) < 0.02)


def test_keys_and_buttons_send_the_vehicles(flown):
    live, page, _ = flown
    page.keyboard.press("t")
    mission = live.flight.simulation.mission
    assert page_shows(page, lambda: mission.armed)
    assert in_flight(live, lambda: mission.uav.arrived)
    before = mission.uav.target.copy(), mission.ugv.target.copy()
    page.keyboard.press("ArrowUp")
    assert page_shows(page, lambda: mission.uav.target[0] > before[0][0] + 0.2)
    page.get_by_role("button", name="up").click()
    assert page_shows(page, lambda: mission.uav.target[2] > before[0][2] + 0.2)
    page.get_by_role("button", name="-y").last.click()
    assert page_shows(page, lambda: mission.ugv.target[1] < before[1][1] - 0.2)
    assert mission.uav.target == pytest.approx(before[0] + (0.25, 0.0, 0.25))


def test_a_handle_that_is_dragged_sends_the_drone(flown):
    live, page, _ = flown
    in_the_air(page, live)
    mission = live.flight.simulation.mission
    assert in_flight(live, lambda: mission.uav.arrived)
    start = mission.uav.target.copy()
    assert page_shows(page, lambda: np.allclose(live.controls.handles.nodes["uav"].position, start))
    for _ in range(5):  # until the page has drawn it there
        let_frames_pass(page, 10)
        (client,) = live.server.get_clients().values()
        x, y = on_screen(page, client.camera, start + np.array((0.0, 0.0, 0.4)))
        page.mouse.move(x, y)
        page.mouse.down()
        for step in range(1, 6):
            let_frames_pass(page, 2)
            page.mouse.move(x, y - 8 * step)
        page.mouse.up()
        if page_shows(page, lambda: mission.uav.target[2] > start[2] + 0.1, frames=100):
            break
    assert mission.uav.target[2] > start[2] + 0.1
    assert mission.uav.target[:2] == pytest.approx(start[:2], abs=0.02)


def let_frames_pass(page, count):
    """Give the page time to draw so often."""
    end = page.evaluate("window.tetherlabFrames") + count
    page.wait_for_function("end => window.tetherlabFrames >= end", arg=end)


def on_screen(page, camera, point):
    """Pixel of a point of the scene [m], (3,)."""
    box = page.locator("canvas").first.bounding_box()
    forward = np.asarray(camera.look_at) - np.asarray(camera.position)
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, camera.up_direction)
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    away = np.asarray(point) - np.asarray(camera.position)
    scale = 0.5 * box["height"] / math.tan(0.5 * camera.fov) / (away @ forward)
    return (
        box["x"] + 0.5 * box["width"] + scale * (away @ right),
        box["y"] + 0.5 * box["height"] - scale * (away @ up),
    )


def test_time_stands_still_and_goes_step_by_step(flown):
    live, page, _ = flown
    page.get_by_label("Pause").check()
    assert page_shows(page, lambda: live.flight.paused)
    let_rounds_pass(live.flight, 3)
    before = live.flight.simulation.time
    let_rounds_pass(live.flight, 5)
    assert live.flight.simulation.time == before
    page.get_by_role("button", name="Single step").click()
    assert page_shows(page, lambda: live.flight.simulation.time > before)
    assert live.flight.simulation.time == pytest.approx(before + 0.01)
    page.get_by_label("Pause").uncheck()
    assert page_shows(page, lambda: live.flight.simulation.time > before + 1.0)


def let_rounds_pass(flight, count):
    """Give the flight's thread time to do so often what it does between two pictures."""
    for _ in range(count):
        done = threading.Event()
        flight.ask(lambda _, done=done: done.set())
        assert comes_true(done.is_set)


def test_the_plan_of_the_scenario_is_flown(flown):
    live, page, _ = flown
    before = live.flight.simulation
    page.get_by_role("button", name="Fly the plan").click()
    assert page_shows(page, lambda: live.flight.simulation is not before)
    assert in_flight(
        live, lambda: any("target 1 of" in event.sentence for event in live.flight.simulation.events)
    )


def test_a_recording_becomes_a_run_with_its_report(flown):
    live, page, folder = flown
    page.get_by_role("button", name="Start recording").click()
    in_the_air(page, live)
    page.get_by_role("button", name="Stop and save").click()
    page.get_by_text("saved in").wait_for()
    place = max(folder.iterdir())
    log = tl.Log.load(place)
    assert log["uav"]["z_m"][-1] > log["uav"]["z_m"][0] + 0.8
    assert "<iframe" in (place / "report.html").read_text()


def test_reset_keeps_a_recording_and_nothing_is_no_recording(flown):
    live, page, folder = flown
    page.get_by_role("button", name="Start recording").click()
    in_the_air(page, live)
    before = set(folder.iterdir())
    page.get_by_role("button", name="Reset").click()
    assert comes_true(
        lambda: any((place / "report.html").exists() for place in set(folder.iterdir()) - before)
    )
    page.get_by_label("Pause").check()
    assert page_shows(page, lambda: live.flight.paused)
    page.get_by_role("button", name="Start recording").click()
    page.get_by_role("button", name="Stop and save").click()
    page.get_by_text("nothing was recorded").wait_for()
    page.get_by_label("Pause").uncheck()


def test_what_was_flown_by_hand_can_be_run_again(flown):
    live, page, folder = flown
    in_the_air(page, live)
    for name in ("+x", "+x", "+x", "up"):
        page.get_by_role("button", name=name, exact=True).first.click()
    page.get_by_role("button", name="Save what I flew").click()
    page.get_by_text("fly it again").wait_for()
    last = live.flight.simulation.mission.uav.target.copy()
    log = tl.run(max(folder.iterdir()) / "flown_vertical.yaml")
    assert log.outcome is tl.Outcome.COMPLETED
    end = [log["uav"][name][-1] for name in ("x_m", "y_m", "z_m")]
    assert end == pytest.approx(last, abs=0.55)  # where a target counts as reached
    assert log["targets"]["uav_x_m"][-1] == pytest.approx(last[0])


def test_what_is_said_is_text_and_never_markup(flown):
    live, page, _ = flown
    said = "a name <img src=x> & more"

    def refuse(_):
        raise tl.InputError(said)

    live.flight.ask(refuse)
    page.get_by_text(said).wait_for()
    assert page.locator("img[src=x]").count() == 0


def test_several_people_watch_and_nobody_has_to(browser, flown):
    live, page, _ = flown
    with opened(browser, address(live)) as second:  # who comes later sees it as it is
        in_the_air(page, live)
        second.get_by_text("takes off").wait_for()
        assert len(live.server.get_clients()) == 2
    assert page_shows(page, lambda: len(live.server.get_clients()) == 1)
    before = live.flight.simulation.time
    assert comes_true(lambda: live.flight.simulation.time > before + 1.0)


@pytest.fixture(scope="module")
def other_page(browser):
    """A page of another origin, in the same browser."""

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<title>another page</title>")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with opened_page(browser, f"http://127.0.0.1:{server.server_port}/") as page:
        yield page
    server.shutdown()
    server.server_close()


def test_another_page_of_the_same_browser_cannot_fly(desk, other_page):
    live, _, _ = desk
    with_token = address(live)
    for place in (with_token, f"http://127.0.0.1:{live.server.get_port()}/"):
        found = other_page.evaluate(
            """([place, protocol]) => new Promise(done => {
                const socket = new WebSocket(place.replace("http", "ws"), [protocol]);
                socket.onopen = () => done("opened"); socket.onerror = () => done("refused"); })""",
            [place, f"viser-v{viser.__version__}"],
        )
        assert found == "refused"
    assert len(live.server.get_clients()) == 1


def test_another_page_cannot_hide_the_viewer_in_a_frame(desk, other_page):
    live, _, _ = desk
    other_page.evaluate(
        """place => new Promise(done => {
            const frame = document.createElement("iframe"); frame.src = place; frame.onload = done;
            document.body.append(frame); })""",
        address(live),
    )
    assert "Take off" not in other_page.frames[-1].content()
    assert other_page.frames[-1].locator("#root").count() == 0
