"""`make pictures`: what the browser shows of the viewer and of a report, for README and docs.

Example: python tools/take_pictures.py, which needs chromium and the package playwright.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page

import tetherlab as tl
from tetherlab.contracts.run_folders import RunFolder
from tetherlab.report import write_report
from tetherlab.view.live_page import LivePage
from tetherlab.view.replay_page import ReplayPage
from tetherlab.view.server import make_server
from tetherlab.view.share import replay_page
from tetherlab.view.watching import CHROMIUM, LAPTOP, address, chromium, comes_true, opened

FIGURES = Path(__file__).parents[1] / "docs" / "figures"


def main() -> int:
    """Take all pictures."""
    if CHROMIUM is None:
        print("there is no chromium to take pictures with: install Debian's package", file=sys.stderr)
        return 1
    with chromium() as browser:
        for take in (take_live, take_replay, take_report, take_canopy):
            print(f"{take.__name__} ...", flush=True)
            take(browser)
    return 0


def save(page: Page, name: str) -> None:
    """Write docs/figures/NAME.png when the scene has settled."""
    for frame in page.frames:
        if frame.get_by_text("Software WebGL").count():  # viser's word about machines without graphics
            frame.locator(".mantine-Notification-closeButton").first.click()
    page.mouse.move(LAPTOP[0] // 2, 10)
    page.wait_for_timeout(10_000)
    page.screenshot(path=FIGURES / f"{name}.png")


def take_live(browser: Browser) -> None:
    """A flight by hand in the theatre, some seconds after take-off."""
    scenario = tl.Scenario.load("theatre")
    tl.Simulation(scenario).step()
    folder = Path(tempfile.mkdtemp())
    live = LivePage(
        make_server("127.0.0.1", 0),
        lambda: tl.Simulation(scenario),
        lambda: RunFolder.numbered("theatre", folder),
        "theatre",
    )
    live.start()
    with opened(browser, address(live)) as page:
        page.get_by_role("button", name="Take off").click()
        comes_true(lambda: live.flight.simulation.time > 8.0)
        for _ in range(4):
            page.get_by_role("button", name="+x").first.click()
        comes_true(lambda: live.flight.simulation.time > 16.0)
        save(page, "viewer_live")
    live.stop()


def take_replay(browser: Browser) -> None:
    """The tether over a wall."""
    log = tl.run("wall")
    shown = ReplayPage(make_server("127.0.0.1", 0), [log])
    shown.start()
    with opened(browser, address(shown)) as page:
        page.get_by_role("button", name="Play").wait_for()
        shown.seek(0.8 * shown.duration)
        save(page, "viewer_replay")
    shown.stop()


def take_report(browser: Browser) -> None:
    """A report with its replay, from disk."""
    log = tl.run("theatre")
    folder = Path(tempfile.mkdtemp())
    path = write_report(log, folder / "report.html", replay=replay_page(log))
    with opened(browser, f"file://{path}") as page:
        frame = page.frame_locator("iframe")
        frame.locator("canvas").first.wait_for()
        page.locator("iframe").scroll_into_view_if_needed()
        save(page, "viewer_report")


def take_canopy(browser: Browser) -> None:
    """AVOCADO on its way through the hoop."""
    log = tl.run("canopy_indoor")
    shown = ReplayPage(make_server("127.0.0.1", 0), [log])
    shown.start()
    with opened(browser, address(shown)) as page:
        page.get_by_role("button", name="Play").wait_for()
        shown.seek(70.0)
        save(page, "canopy_replay")
    shown.stop()


if __name__ == "__main__":
    sys.exit(main())
