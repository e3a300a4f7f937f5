"""The workspace of AVOCADO as a picture: its cone, its angles over thrust, and what is left."""

import math

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Wedge

from tetherlab.control.avocado.workspace import Workspace
from tetherlab.report.style import BLUE, GREY, LIMIT, ORANGE, PURPLE, STYLE, VERMILION, WIDTH
from tetherlab.vehicles.avocado.statics import equilibrium


def draw_workspace(found: Workspace) -> Figure:
    """Cone and angles above, torque and recovery below."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(1.35 * WIDTH, 7.0), layout="constrained")
        (cone, angles), (torque, recovery) = figure.subplots(2, 2)
        _draw_cone(cone, found)
        _draw_angles(angles, found)
        torque.plot(found.thrust, 1e3 * found.torque, color=BLUE, marker="o", markersize=3)
        torque.set(title="Torque left to turn", xlabel="thrust [N]", ylabel="torque [mN m]")
        torque.set_ylim(0.0, 1.1e3 * float(found.torque.max()))
        back = np.isfinite(found.recovery)
        recovery.plot(found.thrust[back], found.recovery[back], color=BLUE, marker="o", markersize=3)
        if np.isposinf(found.recovery).any():
            lost = found.thrust[np.isposinf(found.recovery)]
            recovery.plot(lost, np.zeros(len(lost)), "x", color=VERMILION, label="does not come back")
            recovery.legend()
        recovery.set(title="Back to 1° after a knock by 10°", xlabel="thrust [N]", ylabel="time [s]")
        recovery.set_ylim(0.0, 1.2 * float(max(found.recovery[back], default=1.0)))
        for axes in (angles, torque, recovery):
            axes.set_xlim(0.0, min(found.thrust_limit, 1.1 * found.spec.thrust_max))
            _mark_limits(axes, found, labelled=axes is angles)
        angles.legend(loc="upper left")
        spec = found.spec
        ratio = spec.mass_arm / spec.thrust_arm
        figure.suptitle(
            f"{spec.mass:g} kg, $l_g / l_{{Th}}$ = {ratio:.3g}, up to {spec.thrust_max:g} N, "
            f"tether {found.tether_length:g} m"
        )
    return figure


def _draw_cone(axes: Axes, found: Workspace) -> None:
    """Seen from the side, the anchor above."""
    length, wide, safe = found.tether_length, math.degrees(found.theta_max), math.degrees(found.theta_step)
    parts = [(-90.0 - safe, -90.0 + safe, BLUE, f"by a step of the thrust, up to {safe:.1f}°")]
    if wide > safe:
        parts.append((-90.0 - wide, -90.0 - safe, ORANGE, f"at rest, up to {wide:.1f}°"))
        parts.append((-90.0 + safe, -90.0 + wide, ORANGE, ""))
    for start, end, color, label in parts:
        axes.add_patch(
            Wedge((0.0, 0.0), length, start, end, color=color, alpha=0.4, label=label, linewidth=0)
        )
    axes.plot(0.0, 0.0, marker="s", color="black", markersize=5)
    reach = 1.1 * length * max(math.sin(found.theta_max), 0.3)
    axes.set(xlim=(-reach, reach), ylim=(-1.08 * length, 0.1 * length), aspect="equal")
    axes.set(title="Reachable cone", xlabel="to the side [m]", ylabel="height over the anchor [m]")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16))


def _draw_angles(axes: Axes, found: Workspace) -> None:
    thrusts = np.linspace(0.0, min(found.thrust_limit, found.spec.thrust_max), 200)
    rests = np.degrees([equilibrium(found.spec, float(thrust)) for thrust in thrusts])
    axes.plot(thrusts, rests[:, 0], color=BLUE, label="tether θ")
    axes.plot(thrusts, rests.sum(axis=1), color=VERMILION, linestyle=(0, (4, 2)), label="robot θ + φ")
    axes.set(title="Angles at rest", xlabel="thrust [N]", ylabel="angle [°]", ylim=(0.0, 92.0))


def _mark_limits(axes: Axes, found: Workspace, *, labelled: bool) -> None:
    step = found.thrust_step
    if step is not None:
        axes.axvline(step, color=GREY, linestyle=":", label=f"step turns over: {step:.2f} N" * labelled)
    axes.axvline(found.thrust_widest, label=f"largest angle: {found.thrust_widest:.2f} N" * labelled, **LIMIT)
    axes.axvspan(found.thrust_widest, found.thrust_limit, color=PURPLE, alpha=0.08, linewidth=0)
