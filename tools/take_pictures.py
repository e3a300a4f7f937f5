"""`make pictures`: what the browser shows of the viewer and of a report, for README and docs.

Example: python tools/take_pictures.py, which needs chromium and the package playwright.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

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
        for take in (take_live, take_replay, take_report, take_canopy, take_load, take_winches):
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


def take_load(browser: Browser) -> None:
    """Two drones that have lifted a load, on the page of their scene."""
    scene = tl.Scene(tl.World([tl.shapes.Plane(name="ground")]))
    box = tl.RigidBody(mass=0.5, inertia=(2e-3, 2e-3, 2e-3), radius=0.1)
    load = scene.add_body(box, name="load", position=(0.0, 0.0, 0.1))
    for name, side in (("left", -1.0), ("right", 1.0)):
        drone = scene.add_robot("x500", name=name, position=(0.8 * side, 0.0, 1.6))
        eye = load.site((0.05 * side, 0.0, 0.1))
        scene.add_tether("paper", name=f"{name}_sling", start=drone.site("hook"), end=eye, length=1.8)
    goals = {"left": ((-0.8, 0.0, 2.4), (-0.4, 0.0, 2.4)), "right": ((0.8, 0.0, 2.4), (1.2, 0.0, 2.4))}
    _take_scene(browser, scene, "load on two drones", goals, "scene_load")


def take_winches(browser: Browser) -> None:
    """A drone on two ground winches."""
    scene = tl.Scene(tl.World([tl.shapes.Plane(name="ground")]))
    drone = scene.add_robot("x500", name="drone", position=(0.0, 0.0, 2.0))
    for name, x in (("west", -2.0), ("east", 2.0)):
        post = scene.add_hand(name=f"{name}_post", position=(x, 0.0, 0.3))
        scene.add_tether(
            "paper", name=name, start=post.site(), end=drone.site("hook"), length=12.0, paid_out=2.9
        )
    _take_scene(
        browser,
        scene,
        "drone on two winches",
        {"drone": ((-0.3, 0.2, 2.2), (0.5, -0.3, 2.0))},
        "scene_winches",
    )


def _take_scene(
    browser: Browser, scene: tl.Scene, name: str, goals: dict[str, tuple[Any, ...]], picture: str
) -> None:
    """A scene on its page; goals: places to which each robot goes, 5 s each [m]."""
    folder = Path(tempfile.mkdtemp())
    live = LivePage(
        make_server("127.0.0.1", 0),
        lambda: tl.Simulation(scene),
        lambda: RunFolder.numbered("scene", folder),
        name,
    )
    live.start()
    with opened(browser, address(live)) as page:
        page.get_by_text("Clock").first.wait_for()
        for turn in range(2):
            for robot, places in goals.items():
                live.flight.command(robot, position=places[turn])
            comes_true(lambda turn=turn: live.flight.simulation.time > 5.0 * (turn + 1))
        save(page, picture)
    live.stop()


if __name__ == "__main__":
    sys.exit(main())
