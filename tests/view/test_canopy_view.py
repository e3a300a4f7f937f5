"""A robot in the canopy in the viewer: from its log, from a simulation, and on the page that runs it."""

import math

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.contracts.run_folders import RunFolder
from tetherlab.plant.branch import Branch
from tetherlab.view.canopy_live import CanopyLivePage
from tetherlab.view.canopy_record import Bends, CanopyRecord, canopy_frame, record_of
from tetherlab.view.charts import CANOPY_CHARTS, width
from tetherlab.view.frame import Record
from tetherlab.view.replay_page import canopy_rows, moments
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


def test_a_log_tells_its_kind(log):
    assert isinstance(record_of(log), CanopyRecord)
    team = tl.Log(tables={"uav": tl.Table({"time_s": [0.0], "x_m": [0.0], "y_m": [0.0], "z_m": [0.0]})})
    assert type(record_of(team)) is Record


def test_the_last_frame_of_a_log_is_that_of_its_simulation(run, log):
    record = record_of(log)
    told, live = record.at(8.0), canopy_frame(run, record.bends)
    for name in ("tether", "tension", "contacts", "thrust", "bends"):
        assert np.allclose(getattr(told, name), getattr(live, name), atol=1e-5), name
    assert np.allclose(told.robot.position, live.robot.position, atol=1e-6)
    assert abs(told.robot.wxyz @ live.robot.wxyz) == pytest.approx(1.0, abs=1e-6)
    assert told.length == pytest.approx(live.length)
    assert np.allclose(told.tether[0], told.robot.position, atol=1e-5)
    assert np.allclose(told.tether[-1], 0.0, atol=1e-5)


def test_contact_is_marked_where_the_tether_bends(log):
    record = record_of(log)
    assert len(record.at(0.0).contacts) == 0
    (point,) = record.at(8.0).contacts
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
    bends = Bends([branch])
    left = bends.rotation(0, np.array([math.radians(30.0), 0.0])) @ [1.0, 0.0, 0.0]
    up = bends.rotation(0, np.array([0.0, math.radians(30.0)])) @ [1.0, 0.0, 0.0]
    assert left == pytest.approx([math.cos(math.radians(30)), 0.5, 0.0])
    assert abs(up[2]) == pytest.approx(0.5)
    tether = np.array([[1.8, 0.5, 2.1], [1.8, 0.5, 1.0]])
    assert len(bends.touched(tether, np.zeros((1, 2)))) == 0
    assert len(bends.touched(tether, np.array([[math.atan(0.5 / 0.8), 0.0]]))) == 1


def test_moments_to_jump_to_are_contacts_and_the_end(log):
    said = [what for _, what in moments(record_of(log))]
    assert "the robot hangs from branch" in said
    assert any(what.startswith("largest tension") for what in said)


def test_charts_have_a_number_for_each_line(log):
    rows = canopy_rows(record_of(log))
    assert rows.shape == (len(log["robot"]), 1 + width(CANOPY_CHARTS))
    assert np.isfinite(rows).all()
    assert rows[-1, 1] == pytest.approx(log["robot"]["theta_deg"][-1])


def test_everything_is_drawn_and_moves(log):
    server = make_server("127.0.0.1", 0)
    try:
        stage = Stage(server.scene, [record_of(log)])
        stage.show(0.0)
        (robot,) = stage.teams
        before = (robot._node.position.copy(), robot._branches[0].wxyz.copy())
        assert not robot._arrows[0].visible
        stage.show(8.0)
        assert not np.allclose(robot._node.position, before[0])
        assert not np.allclose(robot._branches[0].wxyz, before[1])
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
    page = CanopyLivePage(
        make_server("127.0.0.1", 0),
        lambda: tl.CanopySimulation("canopy_branch"),
        lambda: RunFolder.at(tmp_path / "r"),
        "mine",
    )
    try:
        page._advance(0.1)
        assert page.simulation.time == pytest.approx(0.1)
        page._advance(60.0)  # it does not try to catch up
        assert page.simulation.time == pytest.approx(0.3)
        page._toggle()
        page._advance(0.1)
        assert page.simulation.time == pytest.approx(0.3)
        page._save()
        assert tl.Log.load(tmp_path / "r").name == "mine"
        assert (tmp_path / "r" / "report.html").exists() and page.recordings == [tmp_path / "r"]
        page._reset()
        assert page.simulation.time == 0.0
        page._show()
    finally:
        page.stop()
