"""A team that carried out a plan in the viewer: its world, its robots, and a camera outside of the wall."""

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.view.record import Record
from tetherlab.view.replay_page import ReplayPage, moments
from tetherlab.view.server import make_server, stop_server
from tetherlab.view.stage import Stage

WALL = [0.9, -2, 1.1, 0.5]  # between the rover and the drone: the middle of both ways is inside


@pytest.fixture(scope="module")
def log():
    drive = [[1.5, -1.9], [1.7, -1.9]]
    return tl.run(
        {
            "plane": {"bounds_m": [-2, -2, 2, 2], "obstacles": [{"box_m": WALL}]},
            "agents": {
                "rover": {"start_m": [1.5, -1.9], "can": {"drive": {}, "winch": {"length_m": 8.0}}},
                "drone": {"start_m": [0.4, -1.8], "radius_m": 0.2, "can": {"fly": {}}},
            },
            "goal": {"rover": {"at_m": [1.7, -1.9]}},
            "cost_m": 1,
            "steps": [{"label": "a", "agent": "rover", "sentence": "it drives", "cost_m": 1, "way_m": drive}],
        }
    )


def test_the_world_is_that_of_the_plan_without_what_would_hide_it(log):
    record = Record(log)
    assert record.inventory.planar
    world = record.inventory.world
    assert world.names == ("floor", "obstacle_0")
    assert world.distance(np.array([1.0, 0.0, 0.0])) < 0.0 < world.distance(np.array([1.0, 1.0, 0.0]))
    assert record._touching(np.array([[1.101, 0.0, 0.0], [1.3, 0.0, 0.0]]), 0.005).tolist() == [True, False]
    assert "a: it drives" in [text for _, text in moments(record)]


def test_robots_are_drawn_and_the_camera_is_outside_of_the_wall(log):
    server = make_server("127.0.0.1", 0)
    try:
        stage = Stage(server.scene, [Record(log)])
        stage.show(0.0)
        (actors,) = stage.actors
        assert actors.nodes["ugv"].position == pytest.approx([1.5, 0.0, -2.0], abs=0.01)
        stage.show(60.0)
        assert actors.nodes["ugv"].position == pytest.approx([1.7, 0.0, -2.0], abs=0.02)
        stage.look_at_all(server.initial_camera)
        away = np.asarray(server.initial_camera.position) - server.initial_camera.look_at
        assert np.linalg.norm(away) > 2.0
    finally:
        stop_server(server)


def test_it_is_replayed(log):
    page = ReplayPage(make_server("127.0.0.1", 0), [log])
    try:
        page.seek(1.0)
        assert "ugv" in page.stage.frames[0].poses
    finally:
        stop_server(page.server)
