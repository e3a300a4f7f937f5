"""Decides which requests the viewer answers: those with its token, for a name under which it is served."""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import re
import secrets
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import viser
import zstandard

from tetherlab.contracts.errors import InputError

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
HTTP_PORT = 80  # browsers leave it out of the address
TOKEN_BYTES = 24
HOST_FORM = re.compile(r"(?P<name>[a-z0-9._-]+|\[[0-9a-f:.]+\])(:(?P<port>[0-9]{1,5}))?", re.IGNORECASE)
CLIENT = Path(viser.__file__).parent / "client" / "build" / "index.html"
# The client is packed: a loader decodes style and program from an attribute of its own element.
LOADER = re.compile(
    r'<script data-p="(?P<packed>[^"]*)" data-ss="(?P<style>\d+)" data-cs="(?P<code>\d+)">'
    r"(?P<loader>.*?)</script>",
    re.DOTALL,
)
BASE_88 = bytes(code for code in range(0x21, 0x7F) if chr(code) not in "\"&<>'`")


class Access:
    """The token of one viewer, and the names under which it answers."""

    def __init__(self, host: str, allowed_hosts: Iterable[str] = ()) -> None:
        """host: the address that it listens on. allowed_hosts: further NAME or NAME:PORT of browsers."""
        self.token = secrets.token_urlsafe(TOKEN_BYTES)
        self._allowed = {_checked(name) for name in allowed_hosts}
        if not _is_address(host):
            self._allowed.add(host.lower())

    def refusal(self, path: str, headers: Any, listening: tuple[Any, ...]) -> str | None:
        """Why a request is refused, in a sentence for its user; None if it is not.

        headers: of websockets. listening: address and port of this end of the connection.
        """
        hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts(*listening[:2]):
            return (
                "This viewer does not answer under this name: open the address that `tetherlab view` "
                "printed, or start it with --allow-host NAME."
            )
        host = hosts[0].lower()
        if any(origin.lower() not in (f"http://{host}", f"https://{host}") for origin in origins):
            return "Another web page asked for this viewer, and only its own page may."
        token, _ = _token_and_rest(path)
        if not hmac.compare_digest(token.encode("utf-8", "surrogateescape"), self.token.encode()):
            return "The token is missing or wrong: open the whole address that `tetherlab view` printed."
        return None

    def _hosts(self, address: str, port: int) -> set[str]:
        """What the header `Host` may say."""
        ip = ipaddress.ip_address(address.partition("%")[0])
        names = {f"[{ip}]" if ip.version == 6 else str(ip), *self._allowed}
        if ip.is_loopback:
            names.update(LOOPBACK_NAMES)
        complete = {with_port(name, port) for name in names}
        return complete | names if port == HTTP_PORT else complete


def path_behind_token(path: str) -> str:
    """The path of a file that a request asks for."""
    return f"/{_token_and_rest(path)[1]}"


def _token_and_rest(path: str) -> tuple[str, str]:
    token, _, rest = path.partition("?")[0].removeprefix("/").partition("/")
    return token, rest


def security_headers(host: str) -> dict[str, str]:
    """What a browser must not do with the page. host: that it was asked for, checked before."""
    policy = {
        "default-src": "'none'",
        "script-src": f"{' '.join(_script_hashes())} 'wasm-unsafe-eval'",
        "style-src": "'unsafe-inline'",
        "img-src": "data: blob:",
        "font-src": "data:",
        "worker-src": "blob:",
        "connect-src": f"ws://{host} wss://{host} data: blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return {
        **HEADERS,
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
    }


HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@cache
def _script_hashes() -> tuple[str, ...]:
    """Sources for a content security policy: viser's two scripts, and no other."""
    found = LOADER.search(CLIENT.read_text(encoding="utf-8"))
    if found is None:
        raise RuntimeError(f"the client of viser {viser.__version__} is packed in an unknown way")
    style, code = int(found["style"]), int(found["code"])
    packed = _from_base_88(found["packed"].encode("ascii"))
    program = zstandard.ZstdDecompressor().decompress(packed, max_output_size=style + code)[style:]
    return tuple(
        f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"
        for script in (found["loader"].encode(), program)
    )


def _from_base_88(text: bytes) -> bytes:
    """Five digits are four bytes; the last k digits are k - 1 bytes."""
    digits = text.translate(bytes.maketrans(BASE_88, bytes(range(len(BASE_88)))))
    result = bytearray()
    for start in range(0, len(digits), 5):
        value, group = 0, digits[start : start + 5]
        for digit in group:
            value = value * len(BASE_88) + digit
        result += value.to_bytes(len(group) - 1, "big")
    return bytes(result)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def with_port(name: str, port: int) -> str:
    """NAME:PORT of a name that may have another port already."""
    found = HOST_FORM.fullmatch(name)
    return name if found is not None and found["port"] else f"{name}:{port}"


def _checked(name: str) -> str:
    found = HOST_FORM.fullmatch(name)
    if found is None or (found["port"] and not 0 < int(found["port"]) < 65536):
        raise InputError(
            f"--allow-host must be a NAME or NAME:PORT, as in robot.local or localhost:9000, got {name}"
        )
    return name.lower()
