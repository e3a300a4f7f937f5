"""AVOCADO leans its tether on a branch: the branch becomes its anchor, and the tether gets shorter at once.

The robot hangs on 1.5 m of tether. It leans aside with 2.5 N, the tether comes to rest on a branch half a
metre below the anchor, and from there on it swings on the free part alone. The branch bends under the pull.
The angles at rest are those of the analytic model, which knows nothing of branches: they do not depend on the
length. After 12 s the thrust ends, and the tether leaves the branch again.
"""

import numpy as np

import tetherlab as tl
from tetherlab.assembly.canopy_run import CanopyRun
from tetherlab.plant.branch import Branch
from tetherlab.plant.hanging import hanging
from tetherlab.vehicles.avocado import AvocadoCommand, AvocadoRobotSpec, equilibrium

SPEC = AvocadoRobotSpec()
LENGTH, THRUST, UNTIL = 1.5, 2.5, 12.0  # [m], [N], [s]
BRANCH = Branch(
    name="branch", root=(0.1, -0.6, -0.5), tip=(0.1, 0.6, -0.5), radius=0.02, friction=0.5,
    stiffness=60.0, damping=1.0, inertia=0.2,
)  # fmt: skip


def lean(time, state):
    """A thrust that damps the swing, and a torque that holds the heading."""
    wanted = THRUST if time < UNTIL else 0.3
    turn = state.heading + state.psi
    torque = -0.02 * turn - 0.01 * (state.heading_rate + state.psi_rate)
    return AvocadoCommand(thrust=max(wanted - 1.5 * state.theta_rate, 0.05), torque=torque)


def main(show=True):
    """Lean, and let go; returns the log."""
    log = CanopyRun(SPEC, tl.World(), lean, hanging(SPEC, LENGTH), 20.0, branches=[BRANCH]).run()
    if show:
        print(log.outcome_sentence)
        print("picture:", draw(log))
    return log


def draw(log):
    """Free length and angles over time."""
    from pathlib import Path

    import matplotlib.pyplot as plt

    robot = log["robot"]
    figure, (lengths, angles) = plt.subplots(2, 1, sharex=True, figsize=(8, 6), layout="constrained")
    lengths.plot(robot["time_s"], robot["length_m"], label="paid out")
    lengths.plot(robot["time_s"], robot["free_length_m"], label="free")
    lengths.set(ylabel="length [m]", ylim=(0.0, None))
    for name, color in (("theta", "C0"), ("phi", "C1")):
        angles.plot(robot["time_s"], robot[f"{name}_deg"], color=color, label=name)
        angles.axhline(np.degrees(getattr(equilibrium(SPEC, THRUST), name)), color=color, ls=":", lw=1)
    angles.set(xlabel="time [s]", ylabel="angle [°]")
    for axes in (lengths, angles):
        axes.legend(frameon=False)
    path = Path("runs") / "over_a_branch.png"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=120)
    return path


def check(log):
    """On the branch the free length is what geometry leaves of it, and the angles are the analytic ones."""
    robot = log["robot"]
    time = robot["time_s"]
    rests = (time > UNTIL - 2.0) & (time < UNTIL)
    assert (robot["hangs_from"][rests] == 0).all()
    assert np.allclose(robot["free_length_m"][rests], LENGTH - np.hypot(0.1, 0.5), atol=0.02)
    wanted = equilibrium(SPEC, THRUST)
    assert np.allclose(robot["theta_deg"][rests], np.degrees(wanted.theta), atol=0.5)
    assert np.allclose(robot["phi_deg"][rests], np.degrees(wanted.phi), atol=0.5)
    assert np.abs(log["branches"]["branch_sideways_deg"][rests]).min() > 0.1
    assert robot["hangs_from"][-1] == -1 and abs(robot["free_length_m"][-1] - LENGTH) < 0.01


if __name__ == "__main__":
    check(main())
