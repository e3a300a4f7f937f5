"""`tetherlab workspace`: where AVOCADO can go, and how safely."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

if TYPE_CHECKING:
    from tetherlab.control.avocado import Workspace


def workspace(
    *,
    mass_kg: float | None = None,
    mass_arm_m: float | None = None,
    thrust_arm_m: float | None = None,
    motor_arm_m: float | None = None,
    thrust_max_N: Annotated[float | None, Parameter(name="--thrust-max-N")] = None,
    length_m: float = 1.0,
    out: Path | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Say which cone AVOCADO reaches, where it turns over, and what is left at each thrust.

    Example: tetherlab workspace --mass-kg 0.9 --thrust-max-N 8 --out workspace.svg

    What is not given is that of the paper's robot. The moments of inertia grow with the mass.

    Parameters
    ----------
    mass_kg
        Of the robot.
    mass_arm_m
        From the point where the tether is tied to the centre of mass, l_g.
    thrust_arm_m
        From there to the line of the thrust, l_Th.
    motor_arm_m
        From the axis of the robot to each motor.
    thrust_max_N
        Of both motors.
    length_m
        Of tether, at which steps of the thrust and the recovery are measured.
    out
        Picture to write, as SVG, PNG or PDF.
    json
        Print numbers for programs instead of a table.
    """
    from json import dumps

    from tetherlab.contracts import check
    from tetherlab.control.avocado import workspace as compute
    from tetherlab.vehicles.avocado import AvocadoSpec

    given = {
        "mass": ("--mass-kg", mass_kg),
        "mass_arm": ("--mass-arm-m", mass_arm_m),
        "thrust_arm": ("--thrust-arm-m", thrust_arm_m),
        "motor_arm": ("--motor-arm-m", motor_arm_m),
        "thrust_max": ("--thrust-max-N", thrust_max_N),
    }
    values = {name: check.positive(flag, value) for name, (flag, value) in given.items() if value is not None}
    if "mass" in values:
        table = AvocadoSpec()
        for name in ("inertia_x", "inertia_y", "inertia_z"):
            values[name] = getattr(table, name) * values["mass"] / table.mass
    length = check.positive("--length-m", length_m)
    if out is not None:
        from tetherlab.report.figure_file import check_figure_path

        check_figure_path(out)
    found = compute(AvocadoSpec(**values), length)
    print(dumps(as_document(found), indent=2) if json else as_text(found))
    if out is not None:
        from tetherlab.report.figure_file import write_figure
        from tetherlab.report.workspace_figure import draw_workspace

        write_figure(draw_workspace(found), out)
        if not json:
            print(f"picture: {out}")


def as_document(found: Workspace) -> dict[str, Any]:
    """Numbers with units in their names; a time that never comes, or is not measured, is null."""
    import math

    import numpy as np

    return {
        "length_m": found.tether_length,
        "theta_max_deg": math.degrees(found.theta_max),
        "radius_m": found.radius,
        "thrust_widest_N": found.thrust_widest,
        "thrust_limit_N": found.thrust_limit,
        "thrust_step_N": found.thrust_step,
        "theta_step_deg": math.degrees(found.theta_step),
        "thrust_N": found.thrust.tolist(),
        "theta_deg": np.degrees(found.theta).tolist(),
        "pitch_deg": np.degrees(found.pitch).tolist(),
        "thrust_margin_N": found.thrust_margin.tolist(),
        "theta_margin_deg": np.degrees(found.theta_margin).tolist(),
        "torque_Nm": found.torque.tolist(),
        "recovery_s": [time if math.isfinite(time) else None for time in found.recovery.tolist()],
        "recovery_up_to_deg": math.degrees(found.theta_held),
    }


def as_text(found: Workspace) -> str:
    """A few sentences and a table."""
    import math

    step = found.thrust_step
    if step is None:
        turns = "No step of the thrust turns it over."
    else:
        turns = (
            f"A thrust put on at once turns it over from {step:.2f} N on: by steps it reaches "
            f"{math.degrees(found.theta_step):.1f} deg."
        )
    lines = [
        f"The tether reaches {math.degrees(found.theta_max):.1f} deg at {found.thrust_widest:.2f} N: a cone "
        f"of {found.radius:.2f} m radius at {found.tether_length:g} m.",
        turns,
        f"Beyond {found.thrust_limit:.2f} N there is no rest.",
        "",
        "thrust  theta  pitch   left to the limit    torque  recovery",
        "   [N]  [deg]  [deg]     [N]  [deg]        [mN m]  [s]",
    ]
    for k in range(len(found.thrust)):
        time = found.recovery[k]
        back = "–" if math.isnan(time) else f"{time:.2f}" if math.isfinite(time) else "never"
        angles = [math.degrees(row[k]) for row in (found.theta, found.pitch, found.theta_margin)]
        lines.append(
            f"{found.thrust[k]:6.2f}  {angles[0]:5.1f}  {angles[1]:5.1f}  {found.thrust_margin[k]:6.2f}  "
            f"{angles[2]:5.1f}        {1e3 * found.torque[k]:6.1f}  {back}"
        )
    if any(math.isnan(time) for time in found.recovery):
        held = math.degrees(found.theta_held)
        lines.append(f"–: beyond {held:.1f} deg, the largest angle that the model's controller holds.")
    return "\n".join(lines)
