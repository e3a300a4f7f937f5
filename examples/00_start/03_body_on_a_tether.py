"""A crate hangs by its corner, swings, and is let go: bodies are part of the tether's own solve.

The crate is far heavier than its tether, turns freely about its attachment, and needs no small step.
"""

import numpy as np

import tetherlab as tl

SPEC = tl.TetherSpec(linear_density=0.02, diameter=0.006, bending_stiffness=2e-3)
SIZE, MASS = np.array((0.5, 0.3, 0.3)), 4.0  # [m], [kg]
CRATE = tl.RigidBody(mass=MASS, inertia=MASS / 12 * (np.sum(SIZE**2) - SIZE**2), attachment=(0.25, 0.0, 0.15))
HOOK, LENGTH = np.array((0.0, 0.0, 3.5)), 2.0


def main(show=True):
    """Swing for six seconds, then let go; returns rows of time, pull, energy, dissipated energy, position."""
    start = HOOK + LENGTH * np.array((np.sin(0.7), 0.0, -np.cos(0.7)))
    tether = tl.Tether(SPEC, base=HOOK, end=start, length=LENGTH, world=tl.World.ground(), end_body=CRATE)
    rows, crates = [], []
    while tether.time < 6.4 - 1e-9:
        if abs(tether.time - 6.0) < 1e-9:
            tether.release("base")
        force = tether.step(0.02).on_base
        body, energy = tether.end_body, tether.energy
        rows.append((tether.time, np.linalg.norm(force), energy.total, energy.dissipated, *body["position"]))
        crates.append((tether.time, tether.nodes, body["position"], body["rotation_wxyz"]))
    if show:
        print("picture:", draw(np.array(rows), crates))
    return np.array(rows)


def draw(rows, crates):
    """The crate along its way, and its energy."""
    import matplotlib.pyplot as plt
    import picture

    figure, (side, energy) = plt.subplots(1, 2, figsize=(11, 4.8), layout="constrained")
    picture.draw_world(side, tl.World.ground(), (-2.6, -0.2), (2.6, 3.8))
    picture.draw_crates(side, [crates[k] for k in (0, 43, 66, 302, 319)], SIZE)
    books = {"energy + what damping and air took": (rows[:, 0], rows[:, 2] + rows[:, 3])}
    picture.draw_curves(energy, "energy [J]", {**books, "energy": (rows[:, 0], rows[:, 2])})
    energy.axvline(6.0, color="0.7", ls=":")
    energy.text(5.93, 5.0, "let go", ha="right", color="0.4")
    energy.set_ylim(0, 80)
    return picture.save(figure, "body_on_a_tether")


def check(rows):
    """Energy only goes where the books say, and the crate falls freely when let go."""
    assert np.ptp(rows[:, 2] + rows[:, 3]) < 1e-3 * rows[0, 2]
    falling = rows[rows[:, 0] > 6.05]
    assert np.isclose(np.polyfit(falling[:, 0], falling[:, 6], 2)[0], -9.80665 / 2, rtol=0.1)


if __name__ == "__main__":
    check(main())
