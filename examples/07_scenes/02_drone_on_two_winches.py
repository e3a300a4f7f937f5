"""A drone on two ground winches, a loop: each pays out as far as the drone is away, or what it is told."""

import numpy as np

import tetherlab as tl


def main(show=True):
    """Fly to two places, then keep a length and a tension; returns the simulation."""
    scene = tl.Scene(tl.World([tl.shapes.Plane(name="ground")]))
    drone = scene.add_robot("x500", name="drone", position=(0.0, 0.0, 3.0))
    for name, x in (("west", -3.0), ("east", 3.0)):
        post = scene.add_hand(name=f"{name}_post", position=(x, 0.0, 0.5))
        scene.add_tether(
            "paper", name=name, start=post.site(), end=drone.site("hook"), length=12.0, paid_out=4.2
        )
    sim = tl.Simulation(scene)
    shots = {}
    sim.run(until=1.0)
    # The winches reel at 0.4 m/s at most: a drone that flies off faster pulls its tethers taut.
    for moment, velocity in ((6.0, (-0.2, 0.0, 0.0)), (14.0, (0.25, 0.0, 0.2))):
        sim.command("drone", velocity=velocity)
        sim.run(until=moment)
        shots[moment] = [sim["west"].nodes, sim["east"].nodes]
    sim.command("drone", position=(1.0, 0.0, 3.6))
    sim.command("west", length=6.0)
    sim.command("east", tension=4.0)
    sim.run(until=42.0)
    shots[42.0] = [sim["west"].nodes, sim["east"].nodes]
    if show:
        import picture

        tables = {name: sim.log[name] for name in ("west", "east")}
        print("picture:", picture.draw("drone_on_two_winches", shots, tables))
    return sim


def check(sim):
    """The drone is where it should be, with the length and the tension that were asked for."""
    assert np.abs(sim["drone"].position - (1.0, 0.0, 3.6)).max() < 0.05
    assert abs(sim["west"].length - 6.0) < 0.02
    east = sim.log["east"]
    pull = np.sqrt(sum(east[f"force_start_{axis}_N"] ** 2 for axis in "xyz"))
    assert abs(pull[east["time_s"] > 38.0].mean() - 4.0) < 0.4


if __name__ == "__main__":
    check(main())
