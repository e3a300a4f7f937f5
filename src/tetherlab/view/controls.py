"""What people can do on a page besides running the clock: nothing, unless a kind of simulation adds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tetherlab.view.frame import Frame

if TYPE_CHECKING:
    from tetherlab.view.live_page import LivePage


class Controls:
    """Controls of a page."""

    def __init__(self, page: LivePage) -> None:
        self.page = page

    def add_first(self, gui: Any) -> None:
        """Folders before the clock."""

    def add_to_clock(self, gui: Any) -> None:
        """Buttons in the folder of the clock."""

    def add_behind(self, gui: Any) -> None:
        """Folders behind the clock."""

    def add_to_record(self, gui: Any) -> None:
        """Buttons in the folder of recordings."""

    def begun(self) -> None:
        """The simulation began again."""

    def refresh(self, frame: Frame) -> None:
        """Called in the run's thread a few times per second: show what changed by itself."""

    def status(self, frame: Frame) -> str:
        """What the status line says behind the time."""
        lengths = [strand.length for strand in frame.tethers.values() if strand.length is not None]
        return f", {lengths[0]:.2f} m of tether" if len(lengths) == 1 else ""
