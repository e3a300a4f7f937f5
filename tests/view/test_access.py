"""Only the viewer's own page, opened with its token, reaches the viewer."""

import http.client
from urllib.parse import urlsplit

import pytest
import websockets
from raw_client import websocket
from viser.infra import _infra
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus

from tetherlab.contracts.errors import InputError
from tetherlab.view import client_messages, guarded_server
from tetherlab.view.access import Access
from tetherlab.view.server import make_server, stop_server


@pytest.fixture(scope="module")
def server():
    made = make_server("127.0.0.1", 0)
    yield made
    stop_server(made)


def ask(server, path=None, **headers):
    """What a GET is answered, and its text. path: the page's unless given."""
    place = urlsplit(server.address())
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=60.0)
    names = {"Host": place.netloc, **headers}
    connection.putrequest("GET", place.path if path is None else path, skip_host=True)
    for name, value in names.items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response, text


def refused(address, **options):
    """The status with which a websocket is refused, and what is said."""
    with pytest.raises(InvalidStatus) as refusal:
        websocket(address, **options).close()
    return refusal.value.response.status_code, refusal.value.response.body.decode()


def test_the_page_is_served_with_its_token_under_every_name_of_the_loopback(server):
    for name in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]"):
        response, text = ask(server, Host=f"{name}:{server.get_port()}")
        assert response.status == 200 and "<title>" in text, name


@pytest.mark.parametrize("path", ["/", "/index.html", "/wrong/", "/%2e%2e/", "/?token=x"])
def test_without_the_token_nothing_is_served(server, path):
    response, text = ask(server, path)
    assert response.status == 403
    assert "<" not in text and "open the whole address" in text


def test_a_token_is_compared_whole(server):
    token = server.access.token
    for wrong in (token[:-1], token + "x", token.swapcase()):
        assert ask(server, f"/{wrong}/")[0].status == 403
    assert sentence(server.access, "127.0.0.1:80", path="/\udcff/", listening=("127.0.0.1", 80))
    assert Access("127.0.0.1").token != token


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", "0.0.0.0:{port}"]
)
def test_another_name_is_refused(server, host):
    response, text = ask(server, Host=host.format(port=server.get_port()))
    assert response.status == 403 and "--allow-host" in text


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "file://", "http://localhost:{port}"]
)
def test_another_page_is_refused(server, origin):
    origin = origin.format(port=server.get_port())  # localhost is not the 127.0.0.1 that was opened
    status, said = refused(server.address(), origin=origin)
    assert status == 403 and "only its own page may" in said
    assert ask(server, Origin=origin)[0].status == 403


def test_a_websocket_needs_the_token(server):
    place = urlsplit(server.address())
    for path in ("", "/wrong", f"/x/{server.access.token}"):
        assert refused(f"http://{place.netloc}{path}")[0] == 403
    with websocket(server.address(), origin=f"http://{place.netloc}") as opened:
        assert opened.recv(timeout=60.0)


def test_a_client_of_another_version_is_refused_without_a_word_on_the_terminal(server, capfd):
    status, said = refused(server.address(), protocol="viser-v0.0.1")
    assert status == 400 and said.startswith("This viewer speaks viser-v")
    assert capfd.readouterr() == ("", "")


def test_headers_forbid_what_the_page_does_not_need(server):
    for path in (None, "/"):
        headers = ask(server, path)[0].headers
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert "unsafe-eval" not in policy.replace("wasm-unsafe-eval", "")
        assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]


def sentence(access, host, path=None, origin=None, listening=("192.168.1.5", 8080)):
    headers = Headers({"Host": host})
    if origin is not None:
        headers["Origin"] = origin
    return access.refusal(f"/{access.token}/" if path is None else path, headers, listening)


def test_on_a_network_its_own_address_and_allowed_names_are_answered():
    access = Access("0.0.0.0", ["robot.local", "localhost:9000"])
    assert sentence(access, "192.168.1.5:8080") is None
    assert sentence(access, "Robot.local:8080", origin="http://robot.local:8080") is None
    assert sentence(access, "localhost:9000", origin="http://localhost:9000") is None
    for other in (
        "localhost:8080",
        "robot.local",
        "robot.local:9000",
        "192.168.1.6:8080",
        "evil.example:8080",
    ):
        assert sentence(access, other) is not None, other
    assert sentence(access, "[fe80::1]:8080", listening=("fe80::1", 8080, 0, 2)) is None
    assert sentence(access, "192.168.1.5", listening=("192.168.1.5", 80)) is None
    assert sentence(Access("robot.local"), "robot.local:8080") is None


def test_two_names_in_one_request_are_refused():
    access = Access("127.0.0.1")
    headers = Headers([("Host", "127.0.0.1:80"), ("Host", "evil.example")])
    assert access.refusal(f"/{access.token}/", headers, ("127.0.0.1", 80)) is not None


@pytest.mark.parametrize("name", ["", "http://robot", "a b", "robot:", "robot:0", "robot:70000", "a/b", "*"])
def test_a_name_that_is_none_is_told(name):
    with pytest.raises(InputError, match="NAME:PORT"):
        Access("0.0.0.0", [name])


def test_viser_is_still_built_as_the_guard_needs_it(server):
    assert server.gate.used
    heard = {kind.__name__ for kind in server._websock_server._incoming_handlers}
    ignored = {
        "FileTransferPart", "FileTransferStartUpload", "GuiButtonHoldMessage", "GuiFormDirtyMessage",
        "GuiFormSubmitMessage", "SceneNodeClickMessage", "SceneNodeDragMessage", "ScenePointerMessage",
        "ShareUrlDisconnect", "ShareUrlRequest",
    }  # fmt: skip
    camera = {"ViewerCameraMessage"}  # heard by each client's connection
    assert heard | camera == ignored | set(client_messages.KINDS)


def test_a_viser_that_listens_by_itself_is_not_served(monkeypatch):
    monkeypatch.setattr(guarded_server, "_seeing", lambda function, **_: function)
    with pytest.raises(RuntimeError, match=r"cannot be guarded.*listens by itself"):
        make_server("127.0.0.1", 0)


def test_a_viser_that_reads_messages_in_another_way_is_not_served(monkeypatch):
    def worker(self, ready):
        return websockets

    monkeypatch.setattr(_infra.WebsockServer, "_background_worker", worker)
    with pytest.raises(RuntimeError, match=r"cannot be guarded.*does not use _message_consumer"):
        make_server("127.0.0.1", 0)
