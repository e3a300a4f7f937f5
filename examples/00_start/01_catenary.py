"""How a tether rests between a ground robot and a drone: the more is paid out, the less the drone carries."""

from pathlib import Path

import numpy as np

import tetherlab as tl

BASE, DRONE = np.array((0.0, 0.0, 0.4)), np.array((8.0, 0.0, 5.0))  # [m]
DENSITY = 0.022  # [kg/m]
LENGTHS = (9.24, 9.4, 9.8, 10.5, 12.0)  # [m]; the straight line is 9.23 m


def main(show=True):
    """Hang the tether at each length; return the curves."""
    curves = [tl.GroundedCatenary.between(BASE, DRONE, length) for length in LENGTHS]
    if show:
        print("picture:", draw(curves, Path("runs")))
    return curves


def draw(curves, folder):
    """The shapes, and the tension at the drone over the paid-out length."""
    import matplotlib.pyplot as plt

    figure, (side, pull) = plt.subplots(1, 2, figsize=(12, 4.6), width_ratios=(1.7, 1), layout="constrained")
    lengths = np.linspace(9.235, 12.5, 400)
    tension = [tl.GroundedCatenary.between(BASE, DRONE, s).tension(s, DENSITY) for s in lengths]
    pull.plot(lengths, tension, color="0.3")
    for curve, shade in zip(curves, np.linspace(0.0, 0.85, len(curves)), strict=True):
        color, last = plt.get_cmap("viridis")(shade), curve.tension(curve.length, DENSITY)
        label = f"{curve.length:.2f} m, {last:.2f} N"
        side.plot(*curve.sample(200).T[[0, 2]], color=color, lw=2, label=label)
        pull.plot(curve.length, last, "o", color=color, ms=8)
    side.axhspan(-0.6, 0.0, color="0.9")
    side.plot(*BASE[[0, 2]], "ks", *DRONE[[0, 2]], "k^", ms=9)
    side.text(-0.25, 0.4, "robot", ha="right", va="center")
    side.text(8.2, 5.0, "drone", va="center")
    side.set(xlabel="x [m]", ylabel="height [m]", aspect="equal", ylim=(-0.6, 5.7), xlim=(-1, 9))
    side.legend(title="paid out, tension at the drone", frameon=False, loc="upper left")
    pull.set(xlabel="paid-out length [m]", ylabel="tension at the drone [N]", yscale="log")
    pull.set_yticks((1, 2, 5, 10), ("1", "2", "5", "10"))
    pull.annotate("touches the ground", (10.23, 2.05), (10.5, 3.2), arrowprops={"arrowstyle": "->"})
    folder.mkdir(exist_ok=True)
    figure.savefig(folder / "catenary.png", dpi=150)
    plt.close(figure)
    return folder / "catenary.png"


def check(curves):
    """Tension grows by the weight of the height climbed, and nothing dips below the ground."""
    for curve in curves:
        base, drone = curve.tension([0.0, curve.length], DENSITY)
        assert np.isclose(drone - base, DENSITY * 9.80665 * (DRONE[2] - BASE[2]), rtol=1e-9)
        assert curve.sample(200)[:, 2].min() > -1e-12


if __name__ == "__main__":
    check(main())
