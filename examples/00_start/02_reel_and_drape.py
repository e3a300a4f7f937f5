"""A winch hoists a weight over a beam and lowers it again: friction helps one way and hinders the other.

Hoisting, the winch pulls with exp(friction * turn) times the weight; lowering, with exp(-friction * turn).
"""

import numpy as np

import tetherlab as tl

BEAM = tl.shapes.Cylinder(start=(2.0, -1.0, 3.0), end=(2.0, 1.0, 3.0), radius=0.1, friction=0.25, name="beam")
WORLD = tl.World([tl.shapes.Plane(name="ground"), BEAM])
SPEC = tl.TetherSpec(linear_density=0.02, diameter=0.006, axial_stiffness=5e3, axial_damping=50.0)
WEIGHT = tl.PointMass(1.5, radius=0.08)
WINCH, OVER, LOAD = (0.0, 0.0, 0.3), (1.95, 0.0, 3.12), (2.103, 0.0, 1.0)  # [m]
PHASES = {"rest": 0.0, "hoist": 1.0, "hold": 3.5, "lower": 4.5}  # from when [s]
SPEEDS = {"rest": 0.0, "hoist": -0.4, "hold": 0.0, "lower": 0.4}  # of the reel [m/s]


def main(show=True):
    """Hoist, hold and lower; returns rows of time, both pulls and length, and the shapes."""
    shape = np.array((WINCH, OVER, (2.103, 0.0, 3.08), LOAD))
    length = 0.992 * np.linalg.norm(np.diff(shape, axis=0), axis=1).sum()  # the corners are cut
    tether = tl.Tether(SPEC, base=WINCH, end=LOAD, length=length, shape=shape, world=WORLD, end_body=WEIGHT)
    rows, shapes = [], []
    while tether.time < 7.0 - 1e-9:
        phase = [name for name, start in PHASES.items() if tether.time >= start - 1e-9][-1]
        forces = tether.step(0.02, reel_speed=SPEEDS[phase])
        pulls = np.linalg.norm(forces.on_base), np.linalg.norm(forces.on_end)
        rows.append((tether.time, *pulls, tether.length))
        shapes.append((tether.nodes, tether.tensions))
    rows = np.array(rows)
    if show:
        import picture

        for name, ratio, law in capstan(rows, shapes):
            print(f"{name}: the winch pulls {ratio:.3f} times what hangs there, capstan law {law:.3f}")
        corners, run = ((-2.4, -0.2), (5.4, 3.5)), (rows, shapes)
        path = picture.draw_story("reel_and_drape", WORLD, corners, run, (0.5, 3.6), PHASES, "load")
        print("picture:", path)
    return rows, shapes


def capstan(rows, shapes):
    """(phase, ratio of the pulls, exp(+-friction * turn)) while the tether runs over the beam."""
    found = []
    for name, start, stop, sign in (("hoisting", 2.0, 3.4, 1.0), ("lowering", 5.5, 6.9, -1.0)):
        now = (rows[:, 0] > start) & (rows[:, 0] < stop)
        nodes = shapes[int(np.flatnonzero(now)[-1])][0]
        near = nodes[nodes[:, 0] < 1.8][-1] - nodes[nodes[:, 0] < 1.8][-2]
        turn = np.arctan2(near[2], near[0]) + np.pi / 2  # the load hangs straight down
        # The tether itself weighs: what pulls at the beam is more than at an end below it.
        winch, load = rows[now, 1:3].mean(axis=0) + SPEC.linear_density * 9.80665 * (3.1 - nodes[[0, -1], 2])
        found.append((name, winch / load, np.exp(sign * BEAM.friction * turn)))
    return found


def check(result):
    """The capstan law, both ways."""
    for _, ratio, law in capstan(*result):
        assert abs(ratio / law - 1.0) < 0.03


if __name__ == "__main__":
    check(main())
