"""A viser server, without its own words on the terminal, and how our pages look."""

import contextlib
import io
import logging
from typing import Any

import viser

CHARTS_WIDTH = 300  # [pixels]


def make_server(host: str, port: int) -> Any:
    """Serve on that address; port 0: any that is free."""
    # A browser that goes away while it connects is no news.
    logging.getLogger("websockets.server").setLevel(logging.CRITICAL)
    with contextlib.redirect_stdout(io.StringIO()):
        return viser.ViserServer(host=host, port=port, verbose=False)


def stop_server(server: Any) -> None:
    """End it."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


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
