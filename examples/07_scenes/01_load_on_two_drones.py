"""Two drones carry a load: a body with two tethers, each from a drone's hook to an eye of the load."""

import numpy as np

import tetherlab as tl


def main(show=True):
    """Lift the load off the ground, carry it sideways, and wait for its swing; returns the simulation."""
    scene = tl.Scene(tl.World([tl.shapes.Plane(name="ground")]))
    box = tl.RigidBody(mass=0.5, inertia=(2e-3, 2e-3, 2e-3), radius=0.1)
    load = scene.add_body(box, name="load", position=(0.0, 0.0, 0.1))
    for name, x in (("left", -0.8), ("right", 0.8)):
        drone = scene.add_robot("x500", name=name, position=(x, 0.0, 1.6))
        eye = load.site((0.05 * np.sign(x), 0.0, 0.1))
        scene.add_tether("paper", name=f"{name}_sling", start=drone.site("hook"), end=eye, length=1.8)
    sim = tl.Simulation(scene)
    shots = {}
    for moment, x, z in ((2.0, 0.0, 1.6), (6.0, 0.0, 3.0), (14.0, 2.0, 3.0)):
        sim.command("left", position=(x - 0.8, 0.0, z))
        sim.command("right", position=(x + 0.8, 0.0, z))
        sim.run(until=moment)
        shots[moment] = [sim["left_sling"].nodes, sim["right_sling"].nodes]
    if show:
        import picture

        tables = {name: sim.log[name] for name in ("left_sling", "right_sling")}
        print("picture:", picture.draw("load_on_two_drones", shots, tables))
    return sim


def check(sim):
    """The load hangs between the drones, and both slings together carry its weight."""
    middle = 0.5 * (sim["left"].position + sim["right"].position)
    assert np.linalg.norm((sim["load"].position - middle)[:2]) < 0.4
    table = {name: sim.log[name] for name in ("left_sling", "right_sling")}
    late = table["left_sling"]["time_s"] > 10.0
    lift = -sum(rows["force_end_z_N"][late].mean() for rows in table.values())
    assert abs(lift + 0.5 * 9.80665) < 0.3


if __name__ == "__main__":
    check(main())
