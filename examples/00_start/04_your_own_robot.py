"""Couple the tether to your own simulator: a drone lighter than its tether, with its own integrator.

The tether answers a motion with a force. Using the force of the last step makes a light drone shake. Instead
ask a copy what would happen if the drone coasted, and let `forces.damping_end` say how the force answers when
it does not: one linear solve, as good as if the drone were part of the tether's own.
"""

import numpy as np

import tetherlab as tl

SPEC = tl.TetherSpec(linear_density=0.067, diameter=0.008)
MASS, GRAVITY, DT = 0.1, np.array((0.0, 0.0, -9.80665)), 0.01  # [kg], [m/s^2], [s]
START, GOAL = np.array((3.0, 0.0, 4.0)), np.array((4.5, 0.0, 5.0))  # [m]


def fly(implicit, duration=8.0):
    """Your simulator; returns rows of time, position (3), thrust (3), force of the tether (3)."""
    tether = tl.Tether(SPEC, base=(0.0, 0.0, 0.5), end=START, length=7.2)
    p, v, wanted, rows = START.copy(), np.zeros(3), START.copy(), []
    forces = tether.step(DT)
    integral = -forces.on_end
    while tether.time < duration - 1e-9:
        wanted += np.clip(GOAL - wanted, -0.5 * DT, 0.5 * DT)
        integral += 4.0 * (wanted - p) * DT
        thrust = integral + 8.0 * (wanted - p) - 6.0 * v - MASS * GRAVITY
        pull, damping = forces.on_end, np.zeros((3, 3))
        if implicit:
            pull, damping = tether.copy().step(DT, end=p + DT * v, end_velocity=v).on_end, forces.damping_end
        # m dv = dt (thrust + weight + pull - damping dv / 2), since the mean velocity is v + dv / 2
        dv = np.linalg.solve(MASS * np.eye(3) + DT / 2 * damping, DT * (thrust + MASS * GRAVITY + pull))
        p, v = p + DT * (v + dv / 2), v + dv
        forces = tether.step(DT, end=p, end_velocity=v)
        rows.append((tether.time, *p, *thrust, *forces.on_end))
    return np.array(rows)


def main(show=True):
    """Fly with and without."""
    calm, naive = fly(implicit=True), fly(implicit=False)
    if show:
        import matplotlib.pyplot as plt
        import picture

        runs = {"force of the last step": naive, "with damping_end": calm}
        figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
        heights = {name: (rows[:, 0], rows[:, 3]) for name, rows in runs.items()}
        pulls = {name: (rows[:, 0], np.linalg.norm(rows[:, 7:], axis=1)) for name, rows in runs.items()}
        picture.draw_curves(left, "height of the drone [m]", heights)
        picture.draw_curves(right, "pull of the tether [N]", pulls)
        print("picture:", picture.save(figure, "your_own_robot"))
    return calm, naive


def check(result):
    """The calm drone carries its own weight and what it holds; the naive one feels a force that shakes."""
    calm, naive = ({"row": rows[-1], "shake": abs(np.diff(rows[-200:, 9])).max()} for rows in result)
    assert np.allclose(calm["row"][1:4], GOAL, atol=0.1)
    assert np.allclose(calm["row"][4:7] + calm["row"][7:] + MASS * GRAVITY, 0.0, atol=0.1)
    assert naive["shake"] > 100.0 * calm["shake"]


if __name__ == "__main__":
    check(main())
