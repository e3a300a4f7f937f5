"""A viser server, without its own words on the terminal."""

import contextlib
import io
from typing import Any

import viser


def make_server(host: str, port: int) -> Any:
    """Serve on that address; port 0: any that is free."""
    with contextlib.redirect_stdout(io.StringIO()):
        return viser.ViserServer(host=host, port=port, verbose=False)
