"""A drone swings a tether, carries it over a wall, sinks behind it; then the winch pulls the tether taut.

Each end is moved by us and answers with a force. The wall holds part of the pull back by friction, so the
two ends feel different forces: the capstan law, measured here, is what `check` asserts.
"""

import time

import numpy as np
from scipy.interpolate import PchipInterpolator

import tetherlab as tl

WALL = tl.shapes.Box(lower=(3.0, -2.0, 0.0), upper=(3.3, 2.0, 2.4), name="wall")
WORLD = tl.World([tl.shapes.Plane(name="ground"), WALL])
SPEC = tl.TetherSpec(
    linear_density=0.03,
    diameter=0.008,
    axial_stiffness=3e3,
    axial_damping=30.0,
    bending_stiffness=1e-3,
    friction=0.4,
)
BASE = np.array((0.0, 0.0, 0.8))  # of the winch [m]
TIMES = (-1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.2, 7.0, 8.6, 13.0)  # when the drone is where [s]
X, Z = (1.5, 1.5, 2, 1, 2, 2.2, 3.4, 5.4, 5.9, 5.9), (2.6, 2.6, 2.7, 2.7, 2.7, 3, 3.5, 2.6, 0.5, 0.5)
DRONE = PchipInterpolator(TIMES, np.stack([X, np.zeros(10), Z], axis=1))  # [m]
PHASES = {"swing": 0.0, "carry over": 3.0, "sink behind": 7.2, "reel in": 8.8}  # from when [s]
MOMENTS = (0.0, 2.0, 4.2, 5.6, 8.0, 13.0)  # drawn [s]
TAUT = 6.92  # length at which the tether is tight over the wall [m]


def reel_speed(t, length):
    """What the winch does: wait, pay out, wait, reel in, at last gently [m/s]; > 0 pays out."""
    if t > 8.8:
        return -0.7 if length > TAUT + 0.2 else -0.15 if length > TAUT else -0.015
    return 1.1 if 3.0 < t < 7.2 else 0.0


def main(show=True):
    """Run the story; returns what happened, one row per 20 ms."""
    tether = tl.Tether(SPEC, base=BASE, end=DRONE(0.0), length=3.3, world=WORLD)
    tether.copy().step(0.02)  # compiles, or reads what was compiled before
    rows, shapes, touched, dt, clock = [], [], [], 0.02, time.process_time()
    while tether.time < TIMES[-1] - 1e-9:
        t = tether.time + dt
        reel = reel_speed(t, tether.length)
        forces = tether.step(dt, end=DRONE(t), end_velocity=DRONE(t, 1), reel_speed=reel)
        energy = tether.energy
        pulls = np.linalg.norm(forces.on_base), np.linalg.norm(forces.on_end)
        rows.append((t, *pulls, tether.length, energy.total + energy.dissipated - energy.work))
        shapes.append((tether.nodes, tether.tensions))
        touched.append({contact.object for contact in tether.contacts})
    spent = time.process_time() - clock
    result = {"rows": np.array(rows), "shapes": shapes, "touched": touched, "speed": TIMES[-1] / spent}
    if show:
        report(result)
    return result


def capstan(result):
    """Ratio of the pulls before and behind the wall over the last second, and what friction allows.

    The tether itself weighs: at the top of the wall it pulls more than at an end below, by the weight of as
    much tether as the end is lower. Friction allows exp(friction * turn).
    """
    rows, nodes = result["rows"], result["shapes"][-1][0]
    before, after = nodes[nodes[:, 0] < 3.0], nodes[nodes[:, 0] > 3.3]
    way_in, way_out = before[-1] - before[-3], after[2] - after[0]
    cosine = way_in @ way_out / np.linalg.norm(way_in) / np.linalg.norm(way_out)
    pulls = rows[rows[:, 0] > TIMES[-1] - 1.0, 1:3].mean(axis=0)
    winch, drone = pulls + SPEC.linear_density * WORLD.gravity * (WALL.upper[2] - nodes[[0, -1], 2])
    return winch / drone, np.exp(SPEC.friction * np.arccos(cosine))


def report(result):
    """A table of what happened, and the picture."""
    import picture
    from rich.console import Console
    from rich.table import Table

    table = Table(
        "phase", r"length \[m]", r"winch \[N]", r"drone \[N]", "touches", title="tension at both ends"
    )
    rows, stops = result["rows"], [*list(PHASES.values())[1:], TIMES[-1]]
    for (name, start), stop in zip(PHASES.items(), stops, strict=True):
        part = np.flatnonzero((rows[:, 0] > start) & (rows[:, 0] <= stop))
        spans = [f"{rows[part, k].min():.2f} to {rows[part, k].max():.2f}" for k in (1, 2)]
        touched = sorted({name for i in part for name in result["touched"][i]})
        table.add_row(name, f"{rows[part[-1], 3]:.2f}", *spans, ", ".join(touched) or "nothing")
    Console().print(table)
    ratio, allowed = capstan(result)
    print(f"pulled taut, pull at the wall from the winch / drone = {ratio:.3f}; capstan law {allowed:.3f}")
    print(f"energy missing from the books after the swing: {np.ptp(rows[rows[:, 0] < 2.9, 4]):.1e} J")
    print(f"simulated at {result['speed']:.0f} times real time")
    run, corners = (rows, result["shapes"]), ((-0.9, -0.25), (7.6, 3.95))
    print("picture:", picture.draw_story("hanging_tether", WORLD, corners, run, MOMENTS, PHASES))


def check(result):
    """Energy is conserved in the books while swinging, and friction at the wall follows the capstan law."""
    rows = result["rows"]
    assert np.ptp(rows[rows[:, 0] < 2.9, 4]) < 1e-3
    ratio, allowed = capstan(result)
    assert 0.8 < np.log(ratio) / np.log(allowed) < 1.15  # it trembles, so both angle and pull do
    assert np.isclose(rows[-1, 3], TAUT, atol=0.05)
    assert {"wall", "ground"} <= set.union(*result["touched"])


if __name__ == "__main__":
    check(main())
