"""Look at a page as somebody would: a browser without a window, and patience.

For tests, pictures of the docs and validation. It needs chromium, Debian's say, and the package playwright.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

CHROMIUM = shutil.which("chromium")  # None: there is none
# Without a graphics card all pixels are computed by the processor.
GRAPHICS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
LAPTOP = (1366, 768)  # [pixels]
PATIENCE = 600.0  # [s]; a machine may be busy with other things
STANDSTILL = 300.0  # a clock that has not moved for so long has stopped [s]
FRAMES = 3000  # that a page draws until it shows what it was told
LOOK_EVERY = 0.02  # [s]
COUNT_FRAMES = """
window.tetherlabFrames = 0;
(function count() { window.tetherlabFrames += 1; requestAnimationFrame(count); })();
"""


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser, to open pages in."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=GRAPHICS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(
    browser: Any,
    url: str,
    listen: Callable[[Any], None] | None = None,
    *,
    size: tuple[int, int] = LAPTOP,
    scale: float = 1.0,
) -> Iterator[Any]:
    """A page of playwright. listen: called with it before anything is loaded. scale: pixels each way."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, device_scale_factor=scale)
    page.set_default_timeout(1000.0 * PATIENCE)
    page.add_init_script(COUNT_FRAMES)
    if listen is not None:
        listen(page)
    page.goto(url)
    try:
        yield page
    finally:
        page.close()


def address(page: Any) -> str:
    """Where a `LivePage` or `ReplayPage` is served."""
    return str(page.server.address())


def comes_true(
    condition: Callable[[], bool], clock: Callable[[], float] = time.monotonic, within: float = PATIENCE
) -> bool:
    """Whether something becomes so within a time of a clock; returns as soon as it is.

    clock: the wall's, or one that is slow where the machine is: of a simulation, or the frames of a page.
    """
    passed, before, moved = 0.0, clock(), time.monotonic()
    while not condition():
        now = clock()
        if now != before:  # backwards when a simulation begins again
            passed, before, moved = passed + max(now - before, 0.0), now, time.monotonic()
        if passed > within or time.monotonic() - moved > STANDSTILL:
            return False
        time.sleep(LOOK_EVERY)
    return True


def page_shows(page: Any, condition: Callable[[], bool], frames: int = FRAMES) -> bool:
    """Whether something becomes so before a page of playwright has drawn so many frames."""
    return comes_true(condition, lambda: float(page.evaluate("window.tetherlabFrames")), frames)
