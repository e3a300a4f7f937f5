"""A viser server that answers its user alone, and that no client can stop or fill.

Viser has no hook for this. `ViserServer.__init__` and `WebsockServer._background_worker` build its server;
both run here as copies that see another `WebsockServer`, `websockets.asyncio.server.serve` and
`_message_consumer`. Viser itself stays as it is.
"""

from __future__ import annotations

import asyncio
import time
import types
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple

import viser
import websockets
from viser import infra
from viser.infra import _infra
from websockets.asyncio.server import ServerConnection, serve
from websockets.frames import CloseCode
from websockets.http11 import Request, Response

from tetherlab.view import client_messages
from tetherlab.view.access import HEADERS, Access, path_behind_token, security_headers, with_port

PROTOCOL = f"viser-v{viser.__version__}"
UNKNOWN = f"viser {viser.__version__} cannot be guarded, install 1.1.1"


class Limits(NamedTuple):
    """What one client may do, and how many there may be. A page sends less than 100 messages per second."""

    message_size: int = 2**16  # [bytes]
    message_rate: float = 200.0  # [1/s]; a client that sends more is disconnected
    message_burst: float = 1000.0  # messages at once
    click_rate: float = 20.0  # [1/s]; more clicks are ignored
    click_burst: float = 40.0
    clients: int = 32
    opening: int = 64  # connections that have not become a client
    unread_time: float = 20.0  # a client that reads nothing for so long is disconnected [s]
    pong_time: float = 60.0  # or that does not answer [s]
    close_time: float = 2.0  # for its last word when it is disconnected [s]


class GuardedServer(viser.ViserServer):
    """A viser server behind an `Access`."""

    def __init__(self, host: str, port: int, access: Access, limits: Limits | None = None) -> None:
        self.access = access
        gate = self.gate = _Gate(self, limits or Limits())
        guarded = types.SimpleNamespace(server=types.SimpleNamespace(serve=gate.serve))
        worker = _seeing(
            _infra.WebsockServer._background_worker,
            websockets=_changed(websockets, asyncio=guarded),
            _message_consumer=gate.consume,
        )
        server = type("GuardedWebsockServer", (_infra.WebsockServer,), {"_background_worker": worker})
        build = _seeing(viser.ViserServer.__init__, infra=_changed(infra, WebsockServer=server))
        build(self, host=host, port=port, verbose=False)
        if not gate.used:
            self.stop()
            raise RuntimeError(f"{UNKNOWN}: it listens by itself")
        gate.ready = True

    def address(self, name: str = "127.0.0.1") -> str:
        """Where its page is opened, under a name of this machine. Whoever has it can fly."""
        return f"http://{with_port(name, self.get_port())}/{self.access.token}/"


def _changed(module: Any, **changes: Any) -> Any:
    """A stand-in for a module."""
    return types.SimpleNamespace(**{**vars(module), **changes})


def _seeing(function: Any, **names: Any) -> Any:
    """A copy of a function that finds these under the names of its module."""
    unused = names.keys() - _names_in(function.__code__)
    if unused:
        raise RuntimeError(f"{UNKNOWN}: {function.__qualname__} does not use {', '.join(unused)}")
    copy = types.FunctionType(
        function.__code__,
        {**function.__globals__, **names},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def _names_in(code: types.CodeType) -> set[str]:
    """All names of its module that a function uses, or a function inside it."""
    inner = (each for each in code.co_consts if isinstance(each, types.CodeType))
    return set(code.co_names).union(*map(_names_in, inner))


class _Allowance:
    """So many at once, and so many per second."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst, self._left, self._counted = rate, burst, burst, time.monotonic()

    def take(self) -> bool:
        now = time.monotonic()
        self._left = min(self._left + self._rate * (now - self._counted), self._burst)
        self._counted = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


class _Connection(ServerConnection):
    """A connection that knows what its client did; it ends when the client does not read."""

    def __init__(self, gate: _Gate, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        limits = gate.limits
        self._gate, self._unread = gate, 0  # [bytes]
        self._check: asyncio.TimerHandle | None = None
        self.messages = _Allowance(limits.message_rate, limits.message_burst)
        self.clicks = _Allowance(limits.click_rate, limits.click_burst)
        self.spoke = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._gate.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_check()
        self._gate.lost(self)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        self._stop_check()
        super().resume_writing()

    def _watch(self) -> None:
        self._unread = self.transport.get_write_buffer_size()
        self._check = self.loop.call_later(self._gate.limits.unread_time, self._require_progress)

    def _require_progress(self) -> None:
        if self.transport.get_write_buffer_size() >= self._unread:
            self.transport.abort()
        else:
            self._watch()

    def _stop_check(self) -> None:
        if self._check is not None:
            self._check.cancel()
            self._check = None


class _Gate:
    """All connections of a server; used in its event loop only."""

    def __init__(self, server: GuardedServer, limits: Limits) -> None:
        self.limits = limits
        self.used = self.ready = False  # whether viser serves through this gate; has a scene and a panel
        self._server = server
        self._opening: dict[_Connection, None] = {}  # in the order in which they came
        self._clients: dict[_Connection, None] = {}

    def serve(self, handler: Any, host: str, port: int, *, process_request: Any, **options: Any) -> serve:
        """In place of `websockets.asyncio.server.serve`."""
        self.used = True
        options |= {
            "max_size": self.limits.message_size,
            "process_request": partial(self._admit, process_request),
            "create_connection": partial(_Connection, self),
            "ping_timeout": self.limits.pong_time,
            "close_timeout": self.limits.close_time,
            "server_header": None,
        }
        return serve(handler, host, port, **options)

    async def consume(self, websocket: _Connection, handle: Callable[[Any], None], _: Any) -> None:
        """In place of viser's `_message_consumer`."""
        while True:
            raw = await websocket.recv()  # raises once the connection is closed
            if not websocket.messages.take():
                await websocket.close(CloseCode.POLICY_VIOLATION, "too many messages")
                continue
            try:
                message = client_messages.read(raw, self._server) if self.ready else None
            except client_messages.UnreadableError:
                await websocket.close(CloseCode.INVALID_DATA, "not a message of this viewer")
                continue
            websocket.spoke = True
            if message is None:
                continue
            if not client_messages.is_click(message, self._server) or websocket.clicks.take():
                handle(message)

    def opened(self, connection: _Connection) -> None:
        """Called with each new connection; the oldest that does not go on makes room."""
        if len(self._opening) >= self.limits.opening:
            oldest = next(iter(self._opening))
            del self._opening[oldest]
            oldest.transport.abort()
        self._opening[connection] = None

    def lost(self, connection: _Connection) -> None:
        """Called with each connection that has ended."""
        self._opening.pop(connection, None)
        self._clients.pop(connection, None)

    def _admit(self, serve_file: Any, connection: _Connection, request: Request) -> Response | None:
        """Refuse a request, serve a file, or let a client in (None)."""
        access, headers = self._server.access, request.headers
        refusal = access.refusal(request.path, headers, connection.transport.get_extra_info("sockname"))
        if refusal is not None:
            return _refuse(connection, HTTPStatus.FORBIDDEN, refusal)
        if "websocket" in (value.lower() for value in headers.get_all("Upgrade")):
            return self._let_in(connection, headers.get_all("Sec-WebSocket-Protocol"))
        response: Response = serve_file(connection, replace(request, path=path_behind_token(request.path)))
        response.headers.update(security_headers(headers["Host"]))
        return response

    def _let_in(self, connection: _Connection, protocols: list[str]) -> Response | None:
        if protocols != [PROTOCOL]:
            return _refuse(connection, HTTPStatus.BAD_REQUEST, f"This viewer speaks {PROTOCOL}.")
        if len(self._clients) >= self.limits.clients:
            silent = next((client for client in self._clients if not client.spoke), None)
            if silent is None:
                many = f"This viewer has {self.limits.clients} clients already: close another page first."
                return _refuse(connection, HTTPStatus.SERVICE_UNAVAILABLE, many)
            silent.transport.abort()
            del self._clients[silent]
        self._opening.pop(connection, None)
        self._clients[connection] = None
        return None


def _refuse(connection: ServerConnection, status: HTTPStatus, sentence: str) -> Response:
    response = connection.respond(status, f"{sentence}\n")
    response.headers.update(HEADERS)
    return response
