"""`tetherlab calibrate tether` and `budget`: how light a tether may be, which sensor to improve."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

if TYPE_CHECKING:
    from rich.table import Table

    from tetherlab.estimation.design import ErrorBudget
    from tetherlab.estimation.sensing import SensorNoise


def tether(
    *,
    friction_N: Annotated[float, Parameter(name="--friction-N")] = 0.029,
    length_min_m: float = 0.2,
    gravity_m_per_s2: float | None = None,
    tension_N: Annotated[float, Parameter(name="--tension-N")] = 3.5,
) -> None:
    """Say how light a tether may be that still moves its angle sensors.

    Example: tetherlab calibrate tether --friction-N 0.029 --length-min-m 0.2 --gravity-m-per-s2 3.71

    Parameters
    ----------
    friction_N
        Force at which an angle sensor begins to move.
    length_min_m
        Of the tether on one side of its lowest point: half of the shortest that is flown.
    gravity_m_per_s2
        Of another place, beside the Earth; that of Mars unless given.
    tension_N
        That the winch keeps.
    """
    import math

    from tetherlab.estimation.design import lightest_tether
    from tetherlab.estimation.sensing import SensorNoise

    here = lightest_tether(friction_N, length_min_m, tension=tension_N)
    there = lightest_tether(
        friction_N,
        length_min_m,
        tension=tension_N,
        gravity=3.71 if gravity_m_per_s2 is None else gravity_m_per_s2,
    )
    name = "Mars" if gravity_m_per_s2 is None else "there"
    noise = SensorNoise().elevation_base
    still, enough = math.degrees(noise), here.tension_for(noise)
    print(f"""By weight: {friction_N:g} N of friction, {length_min_m:g} m of tether on one side, F = rho L g
  Earth ({here.gravity:.3g} m/s²): at least {1e3 * here.linear_density:.3g} g/m
  {name:5} ({there.gravity:.3g} m/s²): at least {1e3 * there.linear_density:.3g} g/m
  The weight alone must move the sensor, whatever pulls besides. As there is always some tension,
  this asks for more than is needed; a tether that heavy is safe if the drone can carry it.

By tension: {tension_N:g} N, whatever the gravity, sin(lag) = F / T
  friction may hold a sensor back by {math.degrees(here.lag):.2g} deg
  to keep that below the noise of elevation_base, {still:.2g} deg: at least {enough:.2g} N
  to keep it below 0.1 rad, beyond which estimators answer SLACK: at least {here.tension_for(0.1):.2g} N""")


def budget(
    *,
    length_m: float,
    tension_N: Annotated[float, Parameter(name="--tension-N")] = 3.5,
    linear_density_kg_per_m: float = 0.022,
    gravity_m_per_s2: float = 9.80665,
    noise: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    calibration: Path | None = None,
    figure: Path | None = None,
) -> None:
    """Say which sensor to improve first: the share of each in the error of the position.

    Example: tetherlab calibrate budget --length-m 4 --noise elevation_end_deg=0.5 --figure budget.svg

    Parameters
    ----------
    length_m
        Of tether at most.
    tension_N
        That the winch keeps at the base.
    linear_density_kg_per_m
        Of the tether.
    gravity_m_per_s2
        Where it hangs.
    noise
        Standard deviation of a sensor: length_m, azimuth_deg, elevation_base_deg or elevation_end_deg, or
        angles in _rad; KEY=VALUE, may be given several times. Others as in Table II of the paper.
    calibration
        Take standard deviations from this file, which `tetherlab calibrate` wrote.
    figure
        Picture of the workspace to write, as SVG, PNG or PDF.
    """
    from rich.console import Console

    from tetherlab.apps.noise_options import parse_noise
    from tetherlab.estimation.design import SENSORS, error_budget
    from tetherlab.estimation.sensing import Sensing, SensorNoise
    from tetherlab.sensors.calibration import Calibration

    given = {} if calibration is None else Calibration.load(calibration).noise()
    deviations = SensorNoise(**{**given, **parse_noise(noise, SENSORS)})
    sensing = Sensing(linear_density=linear_density_kg_per_m, gravity=gravity_m_per_s2, noise=deviations)
    if figure is not None:
        from tetherlab.report.figure_file import check_figure_path

        check_figure_path(figure)
    result = error_budget(length_m, tension=tension_N, sensing=sensing)
    Console(highlight=False, markup=False).print(budget_table(result, deviations))
    first = result.improve_first
    print(
        f"Improve {first} first: were it perfect, the error would be {100.0 * result.without(first):.2g} cm "
        f"instead of {100.0 * result.root_mean_square:.2g} cm (root mean square over the workspace)."
    )
    if figure is not None:
        from tetherlab.report.budget_figure import draw_budget
        from tetherlab.report.figure_file import write_figure

        print(f"figure: {write_figure(draw_budget(result), figure)}")


def budget_table(result: ErrorBudget, noise: SensorNoise) -> Table:
    """An error budget for the terminal."""
    import math

    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from tetherlab.estimation.design import SENSORS

    table = Table(box=SIMPLE_HEAD, show_edge=False)
    table.add_column("sensor", no_wrap=True)
    for name in ("noise (1 σ)", "share of variance", "leads in", "error if perfect"):
        table.add_column(name, justify="right")
    for name in SENSORS:
        value = getattr(noise, name)
        shown = f"{1e3 * value:.3g} mm" if name == "length" else f"{math.degrees(value):.3g} deg"
        area, share = 100.0 * result.area[name], 100.0 * result.share[name]
        perfect = f"{100.0 * result.without(name):.2f} cm"
        table.add_row(name, shown, f"{share:.1f} %", f"{area:.0f} % of cells", perfect)
    return table
