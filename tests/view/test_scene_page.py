"""Any scene on its page: what is drawn, what people can do with each part, and what it leaves behind."""

import numpy as np
import pytest
from raw_client import Client

import tetherlab as tl
from tetherlab.assembly.hanging import hang_robot
from tetherlab.contracts.errors import SimulationError
from tetherlab.contracts.run_folders import RunFolder
from tetherlab.math.rotation import matrix_from_quaternion
from tetherlab.plant.branch import Branch
from tetherlab.view.chart_rows import charts_of, scene_charts
from tetherlab.view.client_messages import FAR
from tetherlab.view.contacts import MovingShapes
from tetherlab.view.live_frame import Looker
from tetherlab.view.live_page import LivePage
from tetherlab.view.record import Record
from tetherlab.view.replay_page import ReplayPage
from tetherlab.view.server import make_server, stop_server
from tetherlab.view.share import replay_page
from tetherlab.view.stage import Stage
from tetherlab.view.watching import CHROMIUM, address, chromium, comes_true, opened, page_shows

HANGS = 0.5  # thrust of the hanging robot [N]


def yard():
    """A drone on the deck of a rover, a weight on a cord from a hand, a robot in a tree, and a branch."""
    scene = tl.Scene(tl.World([tl.shapes.Plane(name="ground")]))
    ugv = scene.add_robot("paper_ugv", name="ugv", position=(0, 0, 0))
    uav = scene.add_robot("x500", name="uav", on=ugv.site("deck"))
    scene.add_tether(
        "paper", name="main", start=ugv.site("winch"), end=uav.site("hook"), length=18, paid_out=0.7
    )
    crane = scene.add_hand(name="crane", position=(0.0, 3.0, 2.5))
    ball = tl.RigidBody(mass=0.5, inertia=(2e-3, 2e-3, 2e-3), radius=0.1)
    weight = scene.add_body(ball, name="weight", position=(0.0, 3.0, 1.5))
    scene.add_tether("paper", name="cord", start=crane.site(), end=weight.site(), length=1.0)
    tree = scene.add_hand(name="tree", position=(3.0, 3.0, 3.0))
    hang_robot(scene, "avocado", name="robin", anchor=tree.site(), start=0.8, thrust=HANGS)
    scene.add_branch(
        Branch(
            name="twig", root=(3.3, 3.0, 2.5), tip=(4.0, 3.0, 2.7), radius=0.02, stiffness=5.0, damping=0.1,
            inertia=0.02, bent=(0.2, 0.0),
        )
    )  # fmt: skip
    return scene


@pytest.fixture(scope="module")
def run():
    simulation = tl.Simulation(yard())
    simulation.command("uav", take_off=True)
    simulation.run(until=2.0)
    return simulation


@pytest.fixture
def live(tmp_path):
    scene = yard()
    page = LivePage(
        make_server("127.0.0.1", 0),
        lambda: tl.Simulation(scene),
        lambda: RunFolder.numbered("run", tmp_path),
        "yard",
    )
    page.flight.speed = 4.0
    page.start()
    yield page
    page.stop()


@pytest.fixture
def client(live):
    client = Client(live)
    assert comes_true(lambda: len(live.server.get_clients()) == 1)
    yield client
    client.close()


def soon(live, condition):
    """Whether something becomes so within a minute of the simulation."""
    return comes_true(condition, lambda: live.flight.simulation.time, within=60.0)


def part(live, name):
    """A part as it is now."""
    return live.flight.simulation[name]


def test_the_last_frame_of_a_log_is_that_of_its_simulation(run):
    told, live = Record(run.log, run.scene).at(2.0), Looker(run).frame(run)
    assert told.poses.keys() == live.poses.keys() == set(run.scene.parts)
    for name, pose in live.poses.items():
        assert np.allclose(told.poses[name].position, pose.position, atol=1e-6), name
        assert abs(told.poses[name].wxyz @ pose.wxyz) == pytest.approx(1.0, abs=1e-9), name
    for name, strand in live.tethers.items():
        assert told.tethers[name].length == pytest.approx(strand.length)
        assert np.allclose(told.tethers[name].points[[0, -1]], strand.points[[0, -1]], atol=1e-6), name
        assert told.tethers[name].tension.max() == pytest.approx(strand.tension.max(), rel=0.05)


def test_stations_of_a_log_lie_on_the_tether(run):
    nodes, shown = run["main"].nodes, Record(run.log, run.scene).at(2.0).tethers["main"].points
    assert len(shown) == 41
    starts, ways = nodes[:-1], np.diff(nodes, axis=0)
    share = ((shown[:, None] - starts) * ways).sum(axis=2) / (ways**2).sum(axis=1)
    apart = np.linalg.norm(shown[:, None] - starts - np.clip(share, 0, 1)[:, :, None] * ways, axis=2)
    assert apart.min(axis=1).max() < 1e-9
    taut = Record(run.log, run.scene).at(2.0).tethers["cord"].points
    assert np.linalg.norm(np.diff(taut, axis=0), axis=1) == pytest.approx(1.0 / 40.0, rel=0.01)


def test_rotors_stand_still_until_a_drone_takes_off():
    simulation = tl.Simulation(yard())
    assert Looker(simulation).frame(simulation).idle == {"uav"}
    simulation.command("uav", take_off=True)
    simulation.step()
    assert not Looker(simulation).frame(simulation).idle


def test_a_recorded_tether_touches_a_deck_where_it_is(run):
    rover = next(part for part in Looker(run).inventory.parts if part.name == "ugv")
    pose = Record(run.log, run.scene).at(0.0).poses["ugv"]
    top = run.scene.at(run.scene.parts["ugv"].site("deck"))
    for height, count in ((0.0, 1), (0.01, 0)):
        points = top + np.array([(-0.1, 0.0, height), (0.1, 0.0, height)])
        assert len(MovingShapes([rover]).touched(points, {"ugv": pose}, 0.003, ())) == count


def test_a_log_without_its_scene_is_shown_all_the_same(run):
    frame = Record(run.log).at(1.0)
    assert {"uav", "ugv", "weight", "robin", "twig"} <= frame.poses.keys()
    assert frame.tethers.keys() == {"main", "cord", "robin_tether"}


def test_everything_is_drawn_where_it_is(run):
    server = make_server("127.0.0.1", 0)
    try:
        stage = Stage(server.scene, [Record(run.log, run.scene)])
        stage.show(0.0)
        (actors,) = stage.actors
        low = actors.nodes["uav"].position[2]
        stage.show(2.0)
        assert actors.nodes["uav"].position[2] > low + 0.3
        for name in run.scene.parts:
            assert actors.nodes[name].visible, name
            assert np.allclose(actors.nodes[name].position, run[name].position, atol=1e-6), name
        assert all(line.line is not None for line in actors.tethers.values())
        assert len({actors.colors[name] for name in ("ugv", "uav", "robin", "weight")}) == 4
    finally:
        stop_server(server)


def test_a_branch_of_a_scene_is_drawn_from_root_to_tip(run):
    pose = Looker(run).frame(run).poses["twig"]
    (capsule,) = next(part for part in Looker(run).inventory.parts if part.name == "twig").shapes
    tip = pose.position + matrix_from_quaternion(pose.wxyz) @ np.asarray(capsule.end)
    assert np.linalg.norm(tip - pose.position) == pytest.approx(np.hypot(0.7, 0.2))
    assert tip[2] > pose.position[2] + 0.1


def test_charts_have_a_line_for_each_tether_and_what_moves(run):
    charts, rows = charts_of(Record(run.log, run.scene))
    assert charts == scene_charts(Looker(run).inventory)
    looker = Looker(run)
    now = looker.moment(run, looker.frame(run))
    assert len(now) == rows.shape[1] - 1 == sum(len(chart.lines) for chart in charts)
    assert rows[-1, 1:] == pytest.approx(now, rel=1e-3, abs=1e-3)


def test_a_replay_is_one_page_and_names_its_parts(run):
    replay = replay_page(run.log, scene=run.scene)
    assert all(name in replay.legend for name in ("uav", "ugv", "weight", "robin", "branch"))
    assert len(replay.html) > 100_000
    page = ReplayPage(make_server("127.0.0.1", 0), [run.log], scene=run.scene)
    try:
        page.seek(1.0)
        assert page.stage.frames[0].time == pytest.approx(1.0)
        assert "follows the weight" in page._camera.options
    finally:
        stop_server(page.server)


def test_a_drone_takes_off_goes_where_its_handle_is_let_go_and_drifts(live, client):
    panel = live.controls.panels["uav"]
    low = part(live, "uav").position[2]
    client.operate(panel.buttons, "Take off")
    assert soon(live, lambda: part(live, "uav").position[2] > low + 0.5)
    client.drag("/handle_uav", (0.5, 0.0, 2.0))
    assert soon(live, lambda: np.linalg.norm(part(live, "uav").position - (0.5, 0.0, 2.0)) < 0.1)
    assert comes_true(lambda: np.allclose(live.controls.handles.nodes["uav"].position, (0.5, 0.0, 2.0)))
    client.operate(panel.velocity[2], 0.3)
    assert soon(live, lambda: part(live, "uav").velocity[2] > 0.25)
    client.operate(panel.buttons, "Hold")
    assert soon(live, lambda: abs(part(live, "uav").velocity[2]) < 0.02)
    assert comes_true(lambda: panel.velocity[2].value == 0.0)


def test_what_a_robot_cannot_do_is_told_and_its_handle_goes_back(live, client):
    client.drag("/handle_uav", (0.5, 0.0, 2.0))
    assert comes_true(lambda: "rotors off" in live.flight.message)
    assert comes_true(
        lambda: np.allclose(
            live.controls.handles.nodes["uav"].position, part(live, "uav").position, atol=0.05
        )
    )
    assert soon(live, lambda: live.flight.simulation.time > 0.2)


def test_a_rover_drives_and_a_winch_reels(live, client):
    client.operate(live.controls.panels["ugv"].velocity[0], 99.0)  # beyond the slider
    assert soon(live, lambda: part(live, "ugv").velocity[0] > 0.4)
    assert live.controls.panels["ugv"].velocity[0].value == 0.5
    winch = live.controls.panels["main"]
    client.operate(winch.length, 1.4)
    assert soon(live, lambda: abs(part(live, "main").length - 1.4) < 0.02)
    assert comes_true(lambda: "keeps 1.4 m" in winch._said.content)
    client.operate(winch.speed, -0.1)
    assert soon(live, lambda: part(live, "main").length < 1.3)


def test_a_hand_follows_its_handle_slowly_and_a_cord_is_let_go(live, client):
    client.drag("/handle_crane", (0.0, 3.0, 3.0))
    assert comes_true(lambda: part(live, "crane").position[2] > 2.52)
    assert np.linalg.norm(part(live, "crane").velocity) <= 0.5 + 1e-9
    assert soon(live, lambda: part(live, "crane").position[2] == pytest.approx(3.0))
    client.operate(live.controls.panels["cord"].release, "end of weight")
    assert soon(live, lambda: part(live, "weight").position[2] < 0.2)


def test_a_hanging_robot_is_pushed_and_turned(live, client):
    panel = live.controls.panels["robin"]
    client.operate(panel.thrust, 2.0)
    client.operate(panel.torque, 0.05)
    assert soon(live, lambda: part(live, "robin").thrusts.sum() > 1.9)
    left, right = part(live, "robin").thrusts
    assert abs(left - right) > 0.1


def test_a_handle_dragged_to_where_nothing_is_stays_in_range(live, client):
    for value in (np.inf, np.nan, 1e308, -1e308, "x"):
        client.drag("/handle_crane", (0.0, 0.0, value))
    client.drag("/handle_weight", (0.0, 0.0, 1.0))  # there is no such handle
    assert soon(live, lambda: live.flight.simulation.time > 0.2)
    assert np.abs(live.controls.handles.nodes["crane"].position).max() <= FAR
    assert np.isfinite(part(live, "crane").position).all()


def test_the_wind_blows_as_its_sliders_say_until_a_reset(live, client):
    client.operate(live.controls.wind.speed, 8.0)
    client.operate(live.controls.wind.way, 90)
    assert soon(live, lambda: part(live, "weight").position[1] > 3.005)
    assert comes_true(lambda: live.flight.message == "wind 8.0 m/s")
    client.press("Reset")
    assert comes_true(lambda: live.controls.wind.speed.value == 0.0)


def test_no_control_takes_a_value_beyond_its_range(live, client):
    for value in (1e308, -1e308, np.nan, np.inf, "x", [1.0], {}, None, True):
        for handle in list(live.server.gui._gui_input_handle_from_uuid.values()):
            if getattr(handle, "label", "") not in ("Start recording", "let go"):
                client.operate(handle, value)
    client.press("Reset")
    for handle in live.server.gui._gui_input_handle_from_uuid.values():
        if hasattr(handle, "min"):
            assert handle.min <= handle.value <= handle.max, handle.label
    client.operate(live._pause, False)
    assert soon(live, lambda: live.flight.simulation.time > 0.2)
    assert not client.closed


def test_a_step_that_fails_pauses_and_reset_begins_again(live, client, capsys):
    def fail(_):
        raise SimulationError("did not converge")

    live.flight.simulation.advance = fail
    assert comes_true(lambda: live.flight.paused and "did not converge" in live.flight.message)
    assert comes_true(lambda: live._pause.value)
    before = live.flight.simulation
    client.press("Reset")
    assert comes_true(lambda: live.flight.simulation is not before)
    client.operate(live._pause, False)
    assert soon(live, lambda: live.flight.simulation.time > 0.2)
    assert "did not converge" in capsys.readouterr().err


def test_time_goes_step_by_step(live, client):
    client.operate(live._pause, True)
    assert comes_true(lambda: live.flight.paused)
    rounds = live._pictures
    assert comes_true(lambda: live._pictures > rounds + 3)
    before = live.flight.simulation.time
    client.press("Single step")
    assert comes_true(lambda: live.flight.simulation.time > before)
    assert live.flight.simulation.time == pytest.approx(before + live.flight.simulation.dt)


def test_a_recording_is_a_run_with_its_replay(live, client, tmp_path):
    assert soon(live, lambda: live.flight.simulation.time > 0.5)
    client.press("Start recording")
    assert comes_true(lambda: live.flight.simulation.recording)
    began = live.flight.simulation.time
    assert soon(live, lambda: live.flight.simulation.time > began + 0.5)
    client.press("Stop and save")
    assert comes_true(lambda: "saved in" in live.recorder._said.content)
    (place,) = live.recordings
    log = tl.Log.load(place)
    assert log["uav"]["time_s"][0] >= 0.5 and log.duration >= 0.4
    assert "<iframe" in (place / "report.html").read_text()


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium: install Debian's package to run these")
@pytest.mark.xdist_group("browser")
def test_the_page_is_shown_and_flown_in_a_browser(live):
    errors = []

    def listen(page):
        # Viser prepares to sort Gaussian splats, which needs `eval`: the page forbids it and has none.
        page.on("pageerror", lambda error: "unsafe-eval" in str(error) or errors.append(str(error)))

    low = part(live, "uav").position[2]
    with chromium() as browser, opened(browser, address(live), listen, size=(1100, 700), scale=0.25) as page:
        page.get_by_role("button", name="Take off").click()
        assert page_shows(page, lambda: part(live, "uav").armed)
        assert soon(live, lambda: part(live, "uav").position[2] > low + 0.5)
        for name in ("ugv", "robin", "main", "cord", "crane"):
            page.get_by_text(name, exact=True).first.wait_for()
        page.get_by_text("uav: take_off").wait_for()
    assert errors == []
