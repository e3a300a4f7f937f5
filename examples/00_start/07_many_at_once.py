"""Many tethers in one call: how hard is it if the motors stop and the drone falls into its tether?

A body of mass m falls by h, then a tether of length L and stiffness EA stops it. If nothing is lost, energy
says that the largest pull is m g + sqrt((m g)^2 + 2 m g h EA / L). A batch tries all falls and stiffnesses.
"""

import numpy as np

import tetherlab as tl

MASS, LENGTH, HOOK, DT = 2.0, 3.0, np.array((0.0, 0.0, 4.0)), 0.004  # [kg], [m], [m], [s]
FALLS = np.array((0.1, 0.3, 0.6, 1.0, 1.5, 2.0, 2.6))  # [m]
STIFFNESSES = (1e3, 3e3, 1e4)  # [N]


def hang(fall, stiffness, world):
    """A drone that still flies, as high as its fall will be deep."""
    spec = tl.TetherSpec(linear_density=0.01, diameter=0.004, axial_stiffness=stiffness, axial_damping=5.0)
    drone = HOOK - (0.0, 0.0, LENGTH - fall)
    return tl.Tether(spec, base=HOOK, end=drone, length=LENGTH, world=world)


def law(fall, stiffness):
    """The largest pull if no energy is lost [N]."""
    weight = MASS * 9.80665
    return weight + np.sqrt(weight**2 + 2.0 * weight * fall * stiffness / LENGTH)


def main(show=True):
    """Let all drones fall; returns the largest pulls (stiffness, fall) [N], and the pulls over time."""
    world = tl.World()  # a batch lives in one world
    falls, stiffnesses = (grid.ravel() for grid in np.meshgrid(FALLS, STIFFNESSES))
    tethers = [hang(fall, stiffness, world) for fall, stiffness in zip(falls, stiffnesses, strict=True)]
    for tether in tethers:
        tether.attach("end", tl.PointMass(MASS))  # from now on nobody holds the drone
    batch = tl.TetherBatch(tethers)
    pulls = []
    for _ in range(300):
        _, on_end = batch.step(DT)  # (number of tethers, 3)
        pulls.append(np.linalg.norm(on_end, axis=1))
    pulls = np.array(pulls)
    peaks = pulls.max(axis=0).reshape(len(STIFFNESSES), len(FALLS))
    if show:
        print(f"{len(batch)} falls, largest pull {peaks.max():.0f} N on a drone of {MASS * 9.80665:.0f} N")
        print("picture:", draw(peaks, pulls))
    return peaks, pulls


def draw(peaks, pulls):
    """Peaks over the height of the fall beside the law, and how the pull comes and goes."""
    import matplotlib.pyplot as plt
    import picture

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    fine, times = np.linspace(0.0, 2.7, 200), DT * np.arange(1, len(pulls) + 1)
    for k, stiffness in enumerate(STIFFNESSES):
        color = plt.get_cmap("viridis")(0.8 - 0.35 * k)
        left.plot(fine, law(fine, stiffness), color=color, lw=1)
        left.plot(FALLS, peaks[k], "o", color=color, label=f"{stiffness / 1e3:g} kN")
        right.plot(times, pulls[:, k * len(FALLS) + 3], color=color)
    left.set(xlabel="fall [m]", ylabel="largest pull [N]", xlim=(0, 2.8), ylim=(0, None))
    left.set_title("dots: simulated, lines: no energy lost", size=10)
    left.legend(title="stiffness EA", frameon=False)
    right.set(xlabel="time [s]", ylabel="pull on the drone [N]", ylim=(0, None))
    right.set_title(f"a fall of {FALLS[3]:g} m", size=10)
    picture.tidy(left, right)
    return picture.save(figure, "many_at_once")


def check(result):
    """The peaks are those of the law, but for what damping and the whipping tether take; so for one alone."""
    peaks, pulls = result
    ratio = peaks / [law(FALLS, stiffness) for stiffness in STIFFNESSES]
    assert ratio.max() < 1.05 and ratio.min() > 0.85
    single = hang(FALLS[-1], STIFFNESSES[0], tl.World())
    single.attach("end", tl.PointMass(MASS))
    alone = [np.linalg.norm(single.step(DT).on_end) for _ in range(len(pulls))]
    assert np.allclose(alone, pulls[:, len(FALLS) - 1])


if __name__ == "__main__":
    check(main())
