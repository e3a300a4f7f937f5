"""Any scene on a page: fly two drones that carry a load by hand, and save what happened with its replay."""

import tempfile
import time
from pathlib import Path

import numpy as np

import tetherlab as tl
from tetherlab.contracts.run_folders import RunFolder
from tetherlab.view.live_page import LivePage
from tetherlab.view.record import Record
from tetherlab.view.server import make_server


def build():
    """Two drones, and a load on a sling from each; returns the scene."""
    scene = tl.Scene(tl.World([tl.shapes.Plane(name="ground")]))
    box = tl.RigidBody(mass=0.5, inertia=(2e-3, 2e-3, 2e-3), radius=0.1)
    load = scene.add_body(box, name="load", position=(0.0, 0.0, 0.1))
    for name, x in (("left", -0.8), ("right", 0.8)):
        drone = scene.add_robot("x500", name=name, position=(x, 0.0, 1.6))
        eye = load.site((0.05 * np.sign(x), 0.0, 0.1))
        scene.add_tether("paper", name=f"{name}_sling", start=drone.site("hook"), end=eye, length=1.8)
    return scene


def main(show=True):
    """Serve the page until Ctrl-C; without `show`, lift the load as its panels do, and record that."""
    scene = build()
    folder = Path("runs") if show else Path(tempfile.mkdtemp())
    page = LivePage(
        make_server("127.0.0.1", 8080 if show else 0),
        lambda: tl.Simulation(scene),
        lambda: RunFolder.numbered("two_drones", folder),
        "load on two drones",
    )
    page.start()
    try:
        print(f"open {page.server.address('localhost')} in a browser; Ctrl-C ends")
        while show:
            time.sleep(1.0)
        page.flight.ask(lambda simulation: simulation.start_recording())
        page.flight.speed = 10.0
        for name, x in (("left", -0.8), ("right", 0.8)):
            page.flight.command(name, position=(x, 0.0, 3.0))
        while page.flight.simulation.time < 5.0:
            time.sleep(0.05)
    except KeyboardInterrupt:
        pass
    finally:
        page.stop()
    return scene, page.recordings


def check(result):
    """The load was lifted, and the record of it can be replayed."""
    scene, (folder,) = result
    record = Record(tl.Log.load(folder), scene)
    first, last = record.at(record.start), record.at(record.end)
    assert last.poses["load"].position[2] > first.poses["load"].position[2] + 0.8
    assert set(last.tethers) == {"left_sling", "right_sling"}
    assert "<iframe" in (folder / "report.html").read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
