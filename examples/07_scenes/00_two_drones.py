"""Two drones joined by a tether: no ground station, one solve for both."""

import numpy as np

import tetherlab as tl


def main(show=True):
    """Hover, then one of them flies off and the other holds its place; returns the simulation."""
    scene = tl.Scene(tl.World([tl.shapes.Plane(name="ground")]))
    left = scene.add_robot("x500", name="left", position=(0.0, 0.0, 3.0))
    right = scene.add_robot("x500", name="right", position=(2.0, 0.0, 3.0))
    scene.add_tether("paper", name="rope", start=left.site("hook"), end=right.site("hook"), length=3.0)
    sim = tl.Simulation(scene, seed=1)
    shots = {}
    for moment, target in ((3.0, (2.0, 0.0, 3.0)), (7.0, (1.2, 0.0, 4.5)), (12.0, (2.4, 0.0, 2.2))):
        sim.command("right", position=target)
        sim.run(until=moment)
        shots[moment] = [sim["rope"].nodes]
    if show:
        import picture

        print("picture:", picture.draw("two_drones", shots, {"rope": sim.log["rope"]}))
    return sim


def check(sim):
    """Both are where they should be, and the tether hangs between them as a catenary does."""
    assert np.abs(sim["left"].position - (0.0, 0.0, 3.0)).max() < 0.03
    assert np.abs(sim["right"].position - (2.4, 0.0, 2.2)).max() < 0.03
    start, end = sim["rope"].nodes[[0, -1]]
    curve = tl.Catenary.between(start, end, 3.0)
    expected = float(curve.tension(0.0, 0.067, 9.80665))
    assert abs(np.linalg.norm(sim["rope"].force_start) - expected) < 0.05 * expected


if __name__ == "__main__":
    check(main())
