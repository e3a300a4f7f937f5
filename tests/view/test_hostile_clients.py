"""A client that sends nonsense, floods or does not read harms only itself: others go on flying."""

import contextlib
import math
import socket
import threading
from types import SimpleNamespace
from urllib.parse import urlsplit

import msgspec
import numpy as np
import pytest
from raw_client import CAMERA, Client, websocket
from websockets.exceptions import ConnectionClosed, InvalidStatus

import tetherlab as tl
from synthetic_runs import circling
from tetherlab.view import client_messages
from tetherlab.view.guarded_server import Limits
from tetherlab.view.live_page import LivePage
from tetherlab.view.live_run import ASKED_MAX
from tetherlab.view.replay_page import ReplayPage
from tetherlab.view.server import make_server
from tetherlab.view.watching import comes_true

NONSENSE = (
    1e308, -1e308, math.nan, math.inf, -math.inf, 2**63, "x", "1e308", "<b>", b"\0", [], [1.0, 2.0], [[0]],
    {}, {"value": 1}, None,
)  # fmt: skip
LIMITS = Limits(unread_time=1.0, close_time=0.2, clients=8, opening=16)


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    """A flight on its page."""
    scenario = tl.Scenario.load("vertical", {"mission.uav_speed_m_per_s": 0.4})
    tl.Simulation(scenario).step()  # compiles
    folder = tmp_path_factory.mktemp("flown")
    page = LivePage(
        make_server("127.0.0.1", 0, limits=LIMITS),
        lambda: tl.Simulation(scenario),
        lambda: folder / f"run-{len(list(folder.iterdir())) + 1}",
        "vertical",
    )
    page.flight.speed = 4.0
    page.start()
    yield page
    page.stop()


@pytest.fixture
def user(live):
    """Someone who watched before, and still flies afterwards."""
    client = Client(live)
    assert comes_true(lambda: len(live.server.get_clients()) == 1)
    yield client
    assert flies(live, client)
    client.close()
    assert comes_true(lambda: not live.server.get_clients())


@pytest.fixture
def other(live, user):
    """The one who misbehaves."""
    client = Client(live)
    yield client
    client.close()


def flies(live, client):
    """Whether a client can let the drone take off, and is shown that."""
    before, shown = live.flight.simulation, client.received
    live.flight.paused, live.flight.speed = False, 4.0
    client.press("Reset")
    if not comes_true(lambda: live.flight.simulation is not before):
        return False
    client.press("Take off")
    state = live.flight.simulation.state
    low = state.deck[2]
    rises = comes_true(lambda: state.uav.position[2] > low + 0.3)
    return rises and not client.closed and comes_true(lambda: client.received > shown + 5)


def controls(live):
    return live.server.gui._gui_input_handle_from_uuid


def test_no_value_of_a_control_is_out_of_its_range(live, other):
    before = {uuid: handle.value for uuid, handle in controls(live).items()}
    for value in NONSENSE:
        for uuid in controls(live):
            other.set(uuid, value)
    assert answered(other, live)
    for uuid, handle in controls(live).items():
        if hasattr(handle, "min"):
            assert handle.min <= handle.value <= handle.max, handle.label
            assert type(handle.value) is type(before[uuid])
        elif handle.label == "winch":
            assert handle.value in handle.options  # it follows its sliders
        else:
            assert handle.value == before[uuid], handle.label
    assert np.isfinite(live.flight.simulation.wind.velocity).all()


def answered(client, live):
    """Whether all that a client said before was handled."""
    answered.count += 1
    fov = 0.5 + 1e-3 * answered.count
    client.say(**{**CAMERA, "fov": fov})
    return comes_true(lambda: any(each.camera.fov == fov for each in live.server.get_clients().values()))


answered.count = 0


def test_a_replay_plays_on_after_nonsense(capfd):
    page = ReplayPage(make_server("127.0.0.1", 0), [circling(20.0)])
    page.start()
    user, other = Client(page), Client(page)
    try:
        for value in NONSENSE:
            for uuid in controls(page):
                other.set(uuid, value)
            other.say(**{**CAMERA, "position": value})
        assert answered(other, page)
        (camera,) = (uuid for uuid, each in controls(page).items() if each.label == "camera")
        user.set(camera, "follows the drone")
        user.press("Play")
        assert comes_true(lambda: page.playing)
        before = page.time
        assert 0.0 <= before <= page.duration
        assert comes_true(lambda: page.time != before)
    finally:
        user.close()
        other.close()
        page.stop()
    assert "Traceback" not in capfd.readouterr().err


def test_only_the_value_of_a_control_can_be_set(live, other):
    for uuid, handle in controls(live).items():
        label, callbacks = handle.label, handle._impl.update_cb
        for name in ("label", "visible", "update_cb", "sync_cb", "uuid"):
            other.say(type="GuiUpdateMessage", uuid=uuid, updates={name: "x"})
        assert answered(other, live)
        assert (handle.label, handle._impl.update_cb) == (label, callbacks)


def test_a_handle_cannot_be_dragged_to_where_nothing_is(live, other):
    other.press("Take off")
    assert comes_true(lambda: live.flight.simulation.mission.armed)
    for name in ("/handle_uav", "/handle_ugv"):
        for value in NONSENSE:
            other.drag(name, (0.0, 0.0, value))
            other.drag(name, (0.0, 0.0, 1.0), wxyz=(value, 0, 0, 0))
        other.drag(name, "abc")
        other.drag(name, (1.0, 2.0))
    other.drag("/nosuch", (0.0, 0.0, 1.0))
    assert answered(other, live)
    for handle in live.controls.handles.nodes.values():
        assert handle.position.shape == (3,) and np.abs(handle.position).max() <= client_messages.FAR
        assert handle.wxyz == pytest.approx((1.0, 0.0, 0.0, 0.0))
    mission = live.flight.simulation.mission
    assert np.isfinite((mission.uav.target, mission.ugv.target)).all()


@pytest.mark.parametrize("field", [name for name in CAMERA if name != "type"])
def test_a_camera_that_is_none_is_ignored(field):
    server = SimpleNamespace()
    assert client_messages.read(msgspec.msgpack.encode(CAMERA), server) is not None
    for value in (*NONSENSE, (math.nan,) * 3, (0.0,) * 4, (1e308,) * 3, (1.0,) * 5):
        found = client_messages.read(msgspec.msgpack.encode({**CAMERA, field: value}), server)
        assert found is None, value


@pytest.mark.parametrize(
    "name",
    ["ShareUrlRequest", "FileTransferStartUpload", "RunJavascriptMessage", "SceneNodeClickMessage", "x"],
)
def test_what_no_page_of_ours_says_is_ignored(name):
    assert client_messages.read(msgspec.msgpack.encode({"type": name}), SimpleNamespace()) is None


@pytest.mark.parametrize(
    "frame",
    [b"", b"\xc1", b"garbage", "text", msgspec.msgpack.encode([1, 2]), msgspec.msgpack.encode({"type": 3}),
     b"\x91" * 5000, b"\0" * (LIMITS.message_size + 1)],
    ids=["empty", "invalid", "garbage", "text", "list", "number", "nested", "huge"],
)  # fmt: skip
def test_who_sends_garbage_is_disconnected(live, other, frame):
    with contextlib.suppress(ConnectionClosed):
        other.connection.send(frame)
    assert comes_true(lambda: other.closed)
    assert other.connection.close_code in (1007, 1009)


def test_who_floods_is_disconnected(live, other):
    (wind,) = (uuid for uuid, handle in controls(live).items() if handle.label == "wind [m/s]")
    with contextlib.suppress(ConnectionClosed):
        for k in range(20 * int(LIMITS.message_burst)):
            other.set(wind, 0.1 * (k % 50))
    assert comes_true(lambda: other.closed)
    assert other.connection.close_code == 1008


def test_clicks_without_end_are_ignored(live, other):
    clicks = []
    (hold,) = (handle for handle in controls(live).values() if handle.label == "Hold")
    hold.on_click(clicks.append)
    for _ in range(int(0.5 * LIMITS.message_burst)):
        other.press("Hold")
    assert answered(other, live)
    assert comes_true(lambda: len(clicks) >= LIMITS.click_burst)
    assert len(clicks) < 0.4 * LIMITS.message_burst


def test_who_never_reads_is_disconnected(live, user):
    other = Client(live, reads=False)
    assert comes_true(lambda: len(live.server.get_clients()) == 2)
    scene = live.server.scene
    points = np.zeros((1_000_000, 3), np.float32)  # more than the sockets can hold

    def gone():
        cloud = scene.add_point_cloud("/much", points, colors=(0, 0, 0), point_size=0.01)
        cloud.remove()
        return len(live.server.get_clients()) == 1

    assert comes_true(gone)
    with contextlib.suppress(ConnectionClosed, OSError):
        other.connection.socket.close()


def test_connections_without_end_leave_room_for_others(live, user):
    place = urlsplit(live.server.address())
    with contextlib.ExitStack() as stack:
        silent = [
            stack.enter_context(socket.create_connection((place.hostname, place.port), timeout=60.0))
            for _ in range(10 * LIMITS.opening)  # that never ask for anything
        ]
        for _ in range(3 * LIMITS.clients):  # that come in and say nothing
            stack.callback(websocket(live.server.address()).socket.close)
        inside = live.server._websock_server._live_connections
        assert comes_true(lambda: len(inside) <= LIMITS.clients)
        assert comes_true(lambda: sum(map(held, silent)) <= LIMITS.opening)
        late = Client(live)
        assert flies(live, late)
        late.close()


def held(connection):
    """Whether the server has not closed it."""
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


def test_one_client_too_many_is_told(live, user):
    clients = [Client(live) for _ in range(LIMITS.clients - 1)]
    assert comes_true(lambda: len(live.server.get_clients()) == LIMITS.clients)
    with pytest.raises(InvalidStatus) as refusal:
        websocket(live.server.address())
    assert refusal.value.response.status_code == 503
    assert b"close another page first" in refusal.value.response.body
    for client in clients:
        client.close()
    assert comes_true(lambda: len(live.server.get_clients()) == 1)


def test_commands_without_end_do_not_stop_the_flight(live):
    flight, before, enough = live.flight, live.flight.simulation.time, threading.Event()

    def again(_):
        if not enough.is_set():
            flight.ask(again)

    flight.ask(again)
    went_on = comes_true(lambda: flight.simulation.time > before + 0.5)
    for _ in range(5000):
        flight.ask(lambda _: None)
    waiting = len(flight._asked)
    enough.set()
    assert went_on and waiting <= ASKED_MAX
