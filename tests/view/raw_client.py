"""A program that speaks to the viewer as its page does, or as no page would."""

import contextlib
import socket
import threading
from urllib.parse import urlsplit

import msgspec
import viser
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

CAMERA = {
    "type": "ViewerCameraMessage", "wxyz": (1, 0, 0, 0), "position": (3, 0, 1), "fov": 0.9, "near": 0.01,
    "far": 1000.0, "image_height": 700, "image_width": 1100, "look_at": (0, 0, 0), "up_direction": (0, 0, 1),
}  # fmt: skip
PATIENCE = 60.0  # [s]


def websocket(address, *, origin=None, sock=None, protocol=f"viser-v{viser.__version__}", **options):
    """A connection of the library websockets. address: of the page."""
    uri = address.replace("http://", "ws://").rstrip("/")
    return connect(
        uri, origin=origin, subprotocols=[protocol], sock=sock, compression=None,
        max_size=None, open_timeout=PATIENCE, close_timeout=1.0, **options,
    )  # fmt: skip


class Client:
    """Reads all that comes, unless told otherwise."""

    def __init__(self, live, reads=True):
        self._server, sock = live.server, None
        if not reads:
            place = urlsplit(live.server.address())
            sock = socket.socket()
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.connect((place.hostname, place.port))
        self.connection = websocket(live.server.address(), sock=sock, max_queue=16 if reads else 1)
        self.received = 0
        if reads:
            threading.Thread(target=self._read, daemon=True).start()
        self.say(**CAMERA)

    def _read(self):
        with contextlib.suppress(ConnectionClosed):
            for _ in self.connection:
                self.received += 1

    @property
    def closed(self):
        """Whether the server ended it."""
        return self.connection.close_code is not None

    def say(self, **content):
        self.connection.send(msgspec.msgpack.encode(content))

    def set(self, uuid, value):
        """A control of the panel."""
        self.say(type="GuiUpdateMessage", uuid=uuid, updates={"value": value})

    def operate(self, handle, value):
        """A control of the panel, by its handle."""
        self.set(handle._impl.uuid, value)

    def press(self, label):
        """A button."""
        (uuid,) = (
            uuid
            for uuid, handle in self._server.gui._gui_input_handle_from_uuid.items()
            if handle.label == label
        )
        self.set(uuid, True)

    def drag(self, name, position, wxyz=(1, 0, 0, 0)):
        """A handle in the scene, and let it go."""
        self.say(type="TransformControlsDragStartMessage", name=name, owner="")
        self.say(type="TransformControlsUpdateMessage", name=name, owner="", wxyz=wxyz, position=position)
        self.say(type="TransformControlsDragEndMessage", name=name, owner="")

    def close(self):
        self.connection.close()
