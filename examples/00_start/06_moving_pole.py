"""Obstacles may move: a pole comes up under a hanging tether, lifts it, carries it sideways, and sinks.

`World.place` says where an object is now and how fast it moves; the next step takes it along. What it feels
is `reaction_on`: with the two ends it carries the weight of the tether and nothing else, since all is slow.
"""

import numpy as np
from scipy.interpolate import PchipInterpolator

import tetherlab as tl

# The shapes of an object that is placed are given in its own frame: here the pole lies round its origin.
POLE = tl.shapes.Capsule(start=(0, -1, 0), end=(0, 1, 0), radius=0.15, friction=0.4, name="pole")
SPEC = tl.TetherSpec(linear_density=0.1, diameter=0.012, bending_stiffness=5e-3, bending_damping=5e-4)
ENDS, LENGTH, DT = np.array(((-2.0, 0.0, 1.5), (2.0, 0.0, 1.5))), 5.0, 0.02  # [m], [m], [s]
TIMES, X, Z = (-1.0, 0.0, 4.0, 5.0, 8.0, 12.0), (0, 0, 0, 0, 0.8, 0.8), (-1, -0.6, 1.2, 1.2, 1.2, -0.6)
WAY = PchipInterpolator(TIMES, np.stack([X, np.zeros(6), Z], axis=1))  # of the pole [m]
MOMENTS = (0.0, 2.6, 5.0, 8.0)  # drawn [s]


def main(show=True):
    """Move the pole; returns rows of time, force on the pole (3), force on both ends (3), and shapes."""
    world = tl.World([POLE])
    world.place("pole", position=WAY(0.0))
    tether = tl.Tether(SPEC, base=ENDS[0], end=ENDS[1], length=LENGTH, world=world)
    rows, shapes = [], []
    while tether.time < TIMES[-1] - 1e-9:
        now, then = WAY(tether.time), WAY(tether.time + DT)
        world.place("pole", position=now, velocity=(then - now) / DT)
        forces = tether.step(DT)
        on_pole, _ = tether.reaction_on("pole")
        rows.append((tether.time, *on_pole, *(forces.on_base + forces.on_end)))
        shapes.append((then, tether.nodes, tether.tensions))
    rows = np.array(rows)
    if show:
        print("picture:", draw(rows, shapes))
    return rows, shapes


def draw(rows, shapes):
    """The tether on the pole at some moments, and who carries its weight."""
    import matplotlib.pyplot as plt
    import picture

    figure, (side, shares) = plt.subplots(2, 1, figsize=(9, 8), height_ratios=(1.5, 1), layout="constrained")
    tension_max = max(tensions.max() for _, _, tensions in shapes)
    for moment in MOMENTS:
        pole, nodes, tensions = shapes[min(int(moment / DT), len(shapes) - 1)]
        side.add_patch(plt.Circle(pole[[0, 2]], POLE.radius, fc=picture.SOLID, ec=picture.EDGE))
        side.text(*pole[[0, 2]], f"{moment:g} s", ha="center", va="center", size=8, zorder=4)
        lines = picture.draw_tether(side, nodes, tensions, tension_max)
    side.plot(*ENDS.T[[0, 2]], "s", ms=9, color=picture.BASE, zorder=4)
    side.set(xlabel="x [m]", ylabel="height [m]", aspect="equal", xlim=(-2.6, 2.6), ylim=(-0.9, 1.8))
    figure.colorbar(lines, ax=side, label="tension [N]", pad=0.01)
    curves = {"on the pole": (rows[:, 0], -rows[:, 3]), "on both ends": (rows[:, 0], -rows[:, 6])}
    picture.draw_curves(shares, "carried [N]", curves)
    weight = SPEC.linear_density * LENGTH * 9.80665
    shares.axhline(weight, color="0.6", ls=":")
    shares.text(4.0, weight, "weight of the tether", va="bottom", color="0.4", size=9)
    return picture.save(figure, "moving_pole")


def check(result):
    """Pole and ends carry the weight together, the pole nearly half while up, and none when it is gone."""
    rows, shapes = result
    weight = SPEC.linear_density * LENGTH * 9.80665
    assert np.isclose(-(rows[:, 3] + rows[:, 6]).mean(), weight, rtol=0.01)
    up, gone = (rows[:, 0] > 4.0) & (rows[:, 0] < 8.0), rows[:, 0] > 11.5
    assert 0.45 < -rows[up, 3].mean() / weight < 0.5 and not rows[gone, 1:4].any()
    for pole, nodes, _ in shapes:
        assert np.linalg.norm((nodes - pole)[:, [0, 2]], axis=1).min() > POLE.radius


if __name__ == "__main__":
    check(main())
