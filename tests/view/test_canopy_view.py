"""A robot in the canopy in the viewer: from its log, from a simulation, and on the page that runs it."""

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.contracts.run_folders import RunFolder
from tetherlab.math.rotation import matrix_from_quaternion
from tetherlab.plant.branch import Branch
from tetherlab.view.chart_rows import charts_of
from tetherlab.view.charts import CANOPY_CHARTS, width
from tetherlab.view.contacts import MovingShapes
from tetherlab.view.live_frame import Looker
from tetherlab.view.live_page import LivePage
from tetherlab.view.parts import Part
from tetherlab.view.placing import bent_branch
from tetherlab.view.record import Record
from tetherlab.view.replay_page import moments
from tetherlab.view.server import make_server, stop_server
from tetherlab.view.share import replay_page
from tetherlab.view.stage import Stage

FLIES = {"run.duration_s": 8.0, "references[2].time_s": 5.0}


@pytest.fixture(scope="module")
def run():
    simulation = tl.CanopySimulation("canopy_branch", FLIES)
    simulation.run()
    return simulation


@pytest.fixture(scope="module")
def log(run):
    return run.log


def test_the_last_frame_of_a_log_is_that_of_its_simulation(run, log):
    told, live = Record(log).at(8.0), Looker(run).frame(run)
    for name in ("points", "tension", "contacts"):
        both = [getattr(frame.tethers["tether"], name) for frame in (told, live)]
        assert len(both[0]) and np.allclose(*both, atol=1e-5), name
    assert told.thrusts["robot"] == pytest.approx(live.thrusts["robot"])
    assert told.poses.keys() == live.poses.keys() == {"robot", "branch", "anchor"}
    for name, pose in told.poses.items():
        assert np.allclose(pose.position, live.poses[name].position, atol=1e-6), name
        assert abs(pose.wxyz @ live.poses[name].wxyz) == pytest.approx(1.0, abs=1e-6), name
    assert told.tethers["tether"].length == pytest.approx(live.tethers["tether"].length)


def test_the_tether_leaves_the_drawn_robot_at_its_spool(run, log):
    frame, spec = Record(log).at(8.0), run.scenario.spec
    P = (
        frame.poses["robot"].position
        + matrix_from_quaternion(frame.poses["robot"].wxyz)[:, 2] * spec.mass_arm
    )
    assert np.allclose(frame.tethers["tether"].points[0], P, atol=1e-5)
    assert np.allclose(frame.tethers["tether"].points[-1], 0.0, atol=1e-5)


def test_contact_is_marked_where_the_tether_bends(log):
    record = Record(log)
    assert len(record.at(0.0).tethers["tether"].contacts) == 0
    (point,) = record.at(8.0).tethers["tether"].contacts
    assert np.linalg.norm(point[[0, 2]] - [0.13, -0.483]) < 0.05
    assert abs(point[1]) < 0.01


def test_a_bent_branch_points_where_it_is_bent_to():
    branch = Branch(
        name="b",
        root=(1.0, 0.0, 2.0),
        tip=(2.0, 0.0, 2.0),
        radius=0.02,
        stiffness=1.0,
        damping=0.0,
        inertia=1.0,
    )

    def along(*bent):
        return matrix_from_quaternion(bent_branch(branch, np.radians(bent)).wxyz) @ [1.0, 0.0, 0.0]

    assert along(30.0, 0.0) == pytest.approx([np.cos(np.radians(30.0)), 0.5, 0.0])
    assert abs(along(0.0, 30.0)[2]) == pytest.approx(0.5)
    part = Part(name="b", word="branch", look=branch, shapes=(branch.shape,))
    tether = np.array([[1.8, 0.5, 2.1], [1.8, 0.5, 1.0]])
    for angle, count in ((0.0, 0), (np.arctan(0.5 / 0.8), 1)):
        poses = {"b": bent_branch(branch, np.array([angle, 0.0]))}
        assert len(MovingShapes([part]).touched(tether, poses, 0.003, ())) == count
        assert len(MovingShapes([part]).touched(tether, poses, 0.003, ("b",))) == 0


def test_moments_to_jump_to_are_contacts_and_the_end(log):
    said = [what for _, what in moments(Record(log))]
    assert "the robot hangs from branch" in said
    assert any(what.startswith("largest tension") for what in said)


def test_charts_have_a_number_for_each_line(log):
    charts, rows = charts_of(Record(log))
    assert charts is CANOPY_CHARTS
    assert rows.shape == (len(log["robot"]), 1 + width(CANOPY_CHARTS))
    assert np.isfinite(rows).all()
    assert rows[-1, 1] == pytest.approx(log["robot"]["theta_deg"][-1])


def test_everything_is_drawn_and_moves(log):
    server = make_server("127.0.0.1", 0)
    try:
        stage = Stage(server.scene, [Record(log)])
        stage.show(0.0)
        (actors,) = stage.actors
        (robot,) = actors._drawn
        nodes = actors.nodes
        before = (nodes["robot"].position.copy(), nodes["branch"].wxyz.copy())
        assert not robot._arrows[0].visible
        stage.show(8.0)
        assert not np.allclose(nodes["robot"].position, before[0])
        assert not np.allclose(nodes["branch"].wxyz, before[1])
        assert robot._arrows[0].visible
        arrow = np.diff(robot._arrows[0].points[0], axis=0)[0]
        assert arrow == pytest.approx([0.12 * log["robot"]["thrust_left_N"][-1], 0.0, 0.0], abs=1e-5)
        assert stage.bounds[1][2] == 0.0  # the anchor is in view
    finally:
        stop_server(server)


def test_a_replay_is_one_page(log):
    replay = replay_page(log)
    assert replay is not None and "robot" in replay.legend and "rover" not in replay.legend
    assert len(replay.html) > 100_000


def test_the_live_page_plays_pauses_saves_and_begins_again(tmp_path):
    page = LivePage(
        make_server("127.0.0.1", 0),
        lambda: tl.CanopySimulation("canopy_branch"),
        lambda: RunFolder.at(tmp_path / "r"),
        "mine",
    )
    run = page.flight
    try:
        assert run.simulation.time == 0.0
        run._advance(0.1)
        assert run.simulation.time == pytest.approx(0.1)
        run.step_once()
        run._do_what_was_asked()
        assert run.simulation.time == pytest.approx(0.11) and run.paused
        run.ask(page.recorder._keep_all)
        run._do_what_was_asked()
        page.recorder.finish()
        assert tl.Log.load(tmp_path / "r").name == "mine"
        assert (tmp_path / "r" / "report.html").exists() and page.recordings == [tmp_path / "r"]
        page.reset()
        run._do_what_was_asked()
        assert run.simulation.time == 0.0
        page._show(run)
    finally:
        page.stop()
