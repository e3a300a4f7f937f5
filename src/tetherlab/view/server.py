"""A viser server, without its own words on the terminal, and how our pages look."""

import contextlib
import io
import logging
from collections.abc import Iterable
from html import escape
from typing import Any

from tetherlab.view.access import Access
from tetherlab.view.guarded_server import GuardedServer, Limits

CHARTS_WIDTH = 300  # [pixels]


def make_server(
    host: str = "127.0.0.1",
    port: int = 0,
    allowed_hosts: Iterable[str] = (),
    limits: Limits | None = None,
) -> GuardedServer:
    """Serve on that address; port 0: any that is free. allowed_hosts: further names of it, see `Access`."""
    access = Access(host, allowed_hosts)
    # A browser that goes away while it connects is no news.
    logging.getLogger("websockets.server").setLevel(logging.CRITICAL)
    with contextlib.redirect_stdout(io.StringIO()):
        return GuardedServer(host, port, access, limits)


def stop_server(server: Any) -> None:
    """End it."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


def text_html(*lines: str, bold: str = "", color: str = "inherit") -> str:
    """Text for the panel, shown as it is, never as markup. bold: begins it. color: of the last line."""
    *first, last = (escape(line) for line in lines)
    before = "".join(f"{line}<br>" for line in first)
    return (
        '<div style="padding:0.4em 0.8em;font-size:0.9em;overflow-wrap:anywhere">'
        f'<b>{escape(bold)}</b>{before}<span style="color:{color}">{last}</span></div>'
    )


def lay_out(server: Any, title: str) -> Any:
    """What people do on the right, charts on the left; returns the charts' place."""
    gui = server.gui
    gui.configure_theme(
        control_width="medium", show_logo=False, show_share_button=False, brand_color=(0, 114, 178)
    )
    gui.set_panel_label(f"tetherlab: {title}")
    gui.main_panel.dock_right()
    panel = gui.add_panel()
    panel.dock_left()
    panel.set_width(CHARTS_WIDTH)
    return panel.add_tab("Charts")
