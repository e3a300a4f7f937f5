"""A client that has the token saves one folder at a time, with a pause between two."""

import time

import pytest
from raw_client import Client

import tetherlab as tl
from tetherlab.contracts.run_folders import RunFolder
from tetherlab.view.live_page import LivePage
from tetherlab.view.server import make_server
from tetherlab.view.watching import comes_true

LAST, LONG = 2.0, 40  # how long a client clicks without a pause [s], and how often at most


@pytest.fixture
def live(tmp_path):
    page = LivePage(
        make_server("127.0.0.1", 0),
        lambda: tl.Simulation("vertical"),
        lambda: RunFolder.numbered("run", tmp_path / "runs"),
        "vertical",
    )
    page.flight.speed = 4.0
    (tmp_path / "runs").mkdir()
    page.start()
    yield page
    page.stop()


@pytest.fixture
def client(live):
    client = Client(live)
    assert comes_true(lambda: len(live.server.get_clients()) == 1)
    yield client
    client.close()


def folders(tmp_path):
    return list((tmp_path / "runs").iterdir())


def click(client, *labels):
    """Click again and again; returns how long it took [s]."""
    began = time.monotonic()
    for _ in range(LONG):
        for label in labels:
            client.press(label)
            time.sleep(LAST / LONG / len(labels))
    return time.monotonic() - began


def test_what_was_flown_is_saved_once_however_often_one_clicks(live, client, tmp_path):
    client.press("Take off")
    client.drag("/handle_uav", (0.5, 0.0, 1.5))
    assert comes_true(lambda: live.flight.simulation.time > 0.5 and live.flight.flown.waypoints)
    took = click(client, "Save what I flew")
    assert comes_true(lambda: live.recorder._said.content != "")
    assert 1 <= len(folders(tmp_path)) <= 1 + took / 3.0
    assert "wait" in live.recorder._said.content


def test_a_recording_that_may_not_be_saved_yet_goes_on(live, client, tmp_path):
    live.saves.begin()  # one is under way
    client.press("Start recording")
    assert comes_true(lambda: live.flight.simulation.recording)
    began = live.flight.simulation.time
    assert comes_true(lambda: live.flight.simulation.time > began + 0.2)
    before = live.flight.simulation
    for label in ("Stop and save", "Reset", "Fly the plan"):
        live.recorder.tell("")
        client.press(label)
        assert comes_true(lambda: "still being written" in live.recorder._said.content)
        assert "the recording goes on" in live.recorder._said.content
    assert live.flight.simulation is before and before.recording
    assert folders(tmp_path) == [] and live.recordings == []
    live.saves.end()
    live.saves._ended = float("-inf")  # long ago
    client.press("Reset")
    assert comes_true(lambda: len(live.recordings) == 1)
    assert tl.Log.load(live.recordings[0]).duration > 0.2
    assert live.flight.simulation is not before


def test_the_last_recording_is_kept_at_the_end_though_one_was_just_saved(live, client, tmp_path):
    client.press("Start recording")
    assert comes_true(lambda: live.flight.simulation.recording)
    began = live.flight.simulation.time
    assert comes_true(lambda: live.flight.simulation.time > began + 0.2)
    live.saves.begin()
    live.saves.end()
    live.stop()
    assert len(live.recordings) == 1


def test_a_run_in_the_canopy_is_saved_once(tmp_path):
    page = LivePage(
        make_server("127.0.0.1", 0),
        lambda: tl.CanopySimulation("canopy_branch"),
        lambda: RunFolder.numbered("run", tmp_path),
        "mine",
    )
    recorder, simulation = page.recorder, page.flight.simulation
    try:
        page.flight._advance(0.1)
        for _ in range(3):
            recorder._keep_all(simulation)
        recorder.finish()
        recorder._keep_all(simulation)
        assert "the last save has just been written: wait" in recorder._said.content
        assert len(page.recordings) == 1
    finally:
        page.stop()
