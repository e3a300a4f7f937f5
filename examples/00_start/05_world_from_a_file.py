"""Worlds are files: load one with obstacles and wind, ask it for distances, and drag a tether through it."""

from pathlib import Path

import numpy as np

import tetherlab as tl

YARD = Path(__file__).with_name("yard.yaml")
SPEC = tl.TetherSpec(linear_density=0.03, diameter=0.008, bending_stiffness=1e-3)
START, TIME = np.array((3.0, 1.4, 1.6)), 8.0  # [m], [s]


def main(show=True):
    """Carry the end past the pole and through the gate; returns world, tether, and what a typo is told."""
    world = tl.World.load(YARD)
    tether = tl.Tether(SPEC, base=(0.0, -0.8, 0.4), end=START, length=4.6, world=world)
    while tether.time < TIME - 1e-9:
        s = (tether.time + 0.02) / TIME
        way = np.array((3.0 + 5.0 * s, 1.4 * np.cos(np.pi * min(1.0, 2.5 * s) / 2), 1.6 - 0.4 * s))
        tether.step(0.02, end=way, reel_speed=0.475)
    message = ""
    try:
        tl.World.from_dict({"shapes": [{"type": "sphere", "centre_m": [0, 0, 1], "radius_m": 0.5}]})
    except tl.InputError as error:
        message = str(error)
    if show:
        print("clearance of the end:", round(world.distance(tether.nodes[-1]), 3), "m")
        print("the tether touches:", ", ".join(sorted({c.object for c in tether.contacts})) or "nothing")
        print("a typo is answered with:", message)
        print("picture:", draw(world, tether))
    return world, tether, message


def draw(world, tether):
    """From above: distance of the free space at the height of one metre, and the tether."""
    import matplotlib.pyplot as plt
    import picture

    x, y = np.linspace(-0.6, 9.0, 480), np.linspace(-2.3, 2.3, 230)
    points = np.stack(np.meshgrid(x, y, [1.0]), axis=-1).reshape(-1, 3)
    distance = world.distance(points).reshape(len(y), len(x))
    figure, axes = plt.subplots(figsize=(11, 4.9), layout="constrained")
    extent = (x[0], x[-1], y[0], y[-1])
    shades = axes.imshow(distance, cmap="Greens_r", vmin=-0.8, vmax=1.0, extent=extent, origin="lower")
    bar = figure.colorbar(
        shades, ax=axes, label="distance to the nearest obstacle or the ground [m]", pad=0.01
    )
    bar.ax.set_ylim(0.0, 1.0)
    axes.contourf(x, y, distance, levels=[-9.0, 0.0], colors=[picture.SOLID])
    axes.contour(x, y, distance, levels=[0.0], colors=[picture.EDGE])
    axes.plot(*tether.nodes.T[:2], color=picture.BASE, lw=2.5)
    axes.plot(*tether.nodes[[0, -1]].T[:2], "o", color=picture.END, ms=8)
    for x, y, name in ((2.0, -0.35, "pole"), (4.2, -0.9, "tank"), (6.12, 1.45, "gate")):
        axes.text(x, y, name, ha="center", va="center", size=9)
    axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal", title="cut one metre above the ground")
    return picture.save(figure, "world_from_a_file")


def check(result):
    """The tether bends round the pole and went through nothing; gate and typo are what they should be."""
    world, tether, message = result
    assert np.isclose(world.distance((6.125, 0.0, 1.0)), 0.8)
    assert "pole" in {contact.object for contact in tether.contacts}
    assert world.distance(tether.nodes).min() > -0.5 * SPEC.diameter
    assert "Did you mean 'center_m'?" in message


if __name__ == "__main__":
    check(main())
