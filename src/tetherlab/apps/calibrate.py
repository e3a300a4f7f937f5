"""The command `tetherlab calibrate`: laws of real sensors from samples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cyclopts import App

from tetherlab.apps.calibrate_design import budget, tether

if TYPE_CHECKING:
    from rich.table import Table

    from tetherlab.sensors.calibration_fit import Fit

HELP = """Find the laws of a tether's sensors from samples, or design its tether and sensors.

Example: tetherlab calibrate angles samples.csv --axis base_elevation --out calibration.yaml
"""
OUTLIERS = 5  # whose lines are shown; the calibration lists all
calibrate = App(name="calibrate", help=HELP)
for command in (tether, budget):
    calibrate.command(command)


@calibrate.command
def angles(
    samples: Path, /, *, axis: str | None = None, out: Path | None = None, figure: Path | None = None
) -> None:
    """Find the law of angle sensors: angle = gain * adc / reference_adc + offset.

    Example: tetherlab calibrate angles samples.csv --axis base_elevation --out my.yaml --figure fit.svg

    Parameters
    ----------
    samples
        CSV file with the columns adc, reference_adc and angle_deg (or angle_rad), and possibly axis.
    axis
        base_azimuth, base_elevation, drone_azimuth or drone_elevation, where the file has no column axis.
    out
        Calibration to write; sensors that it holds already are kept.
    figure
        Picture of the fit to write, as SVG, PNG or PDF.
    """
    _calibrate("angle", samples, axis, out, figure)


@calibrate.command
def length(samples: Path, /, *, out: Path | None = None, figure: Path | None = None) -> None:
    """Find the law of the length sensor: length = gain * counts + offset.

    Example: tetherlab calibrate length samples.csv --out calibration.yaml --figure fit.svg

    Parameters
    ----------
    samples
        CSV file with the columns counts and length_m (or length_cm, length_mm).
    out
        Calibration to write; sensors that it holds already are kept.
    figure
        Picture of the fit to write, as SVG, PNG or PDF.
    """
    _calibrate("length", samples, None, out, figure)


@calibrate.command
def tension(samples: Path, /, *, out: Path | None = None, figure: Path | None = None) -> None:
    """Find the law of the tension sensor: tension = curvature * x² + gain * x + offset.

    x is adc, or adc / reference_adc where the file has both.

    Example: tetherlab calibrate tension samples.csv --out calibration.yaml --figure fit.svg

    Parameters
    ----------
    samples
        CSV file with the columns adc and tension_N, and possibly reference_adc.
    out
        Calibration to write; sensors that it holds already are kept.
    figure
        Picture of the fit to write, as SVG, PNG or PDF.
    """
    _calibrate("tension", samples, None, out, figure)


def _calibrate(quantity: str, path: Path, axis: str | None, out: Path | None, figure: Path | None) -> None:
    from rich.console import Console

    from tetherlab.apps.written_files import save_file
    from tetherlab.sensors.calibration import Calibration
    from tetherlab.sensors.calibration_fit import fit_samples
    from tetherlab.sensors.calibration_samples import read_samples

    if figure is not None:
        from tetherlab.report.figure_file import check_figure_path

        check_figure_path(figure)
    before = Calibration.load(out) if out is not None and out.exists() else Calibration()
    fits = [fit_samples(samples) for samples in read_samples(path, quantity, axis)]
    console = Console(highlight=False, markup=False)
    for fit in fits:
        console.print(fit_table(fit))
        for doubt in fit.doubts if fit.law.is_monotonic else ():  # else an error that says so follows
            console.print(f"warning: {fit.sensor}: {doubt}", style="yellow", soft_wrap=True)
    if figure is not None:
        from tetherlab.report.calibration_figure import draw_calibration
        from tetherlab.report.figure_file import write_figure

        print(f"figure:      {write_figure(draw_calibration(fits), figure)}")
    laws = {fit.sensor: fit.law for fit in fits}
    merged = before.having(laws)  # refuses a law that cannot be read both ways
    if out is None:
        print("calibration: not written; add --out calibration.yaml to keep it")
        return
    out = save_file(out, merged.save)
    new = ", ".join(f"{name} (replaced)" if name in before.sensors else name for name in laws)
    others = [name for name in before.sensors if name not in laws]
    kept = f"; kept {', '.join(others)}" if others else ""
    print(f"calibration: {out}: wrote {new}{kept}")


def fit_table(fit: Fit) -> Table:
    """A fit for the terminal."""
    import numpy as np
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from tetherlab.sensors.calibration import LAWS

    law = fit.law
    unit, factor = ("deg", 180.0 / np.pi) if law.unit == "rad" else (law.unit, 1.0)
    per = {"counts": "count", "adc": "count"}.get(law.input, "")
    units = [unit, f"{unit}/{per}" if per else unit, f"{unit}/{per}²" if per else unit]
    power = {"offset": "", "gain": " · x", "curvature": " · x²"}
    names = LAWS[law.law][::-1]
    formula = " + ".join(name + power[name] for name in names)
    title = f"{fit.sensor} = {formula}, x = {law.input}"
    table = Table(box=SIMPLE_HEAD, show_edge=False, title=title, title_justify="left", title_style="bold")
    for name, justify in (("quantity", "left"), ("value", "right"), ("95 %", "right"), ("unit", "left")):
        # Where there is little room, names of files and lists of lines give way, not the numbers.
        table.add_column(name, justify=justify, no_wrap=name != "unit", overflow="fold")  # type: ignore[arg-type]
    rows = zip(LAWS[law.law], law.coefficients, fit.confidence, units, strict=False)
    for name, value, half, words in reversed(list(rows)):
        table.add_row(name, f"{factor * value:.6g}", f"± {factor * half:.2g}", words)
    low, high = law.input_range
    ends = fit.line_confidence(np.array(law.input_range)).max()
    new = fit.reading_confidence(np.array(law.input_range)).max()
    table.add_row("noise of one reading (1 σ)", f"{factor * law.residual_deviation:.3g}", "", unit)
    table.add_row("law at the ends of the range", "", f"± {factor * ends:.2g}", unit)
    table.add_row("one reading there", "", f"± {factor * new:.2g}", unit)
    table.add_row("sampled from", f"{factor * law.value(low):.4g}", "", f"{unit}  (x = {low:.6g})")
    table.add_row("sampled to", f"{factor * law.value(high):.4g}", "", f"{unit}  (x = {high:.6g})")
    table.add_row("samples used", f"{fit.kept.sum()} of {law.samples}", "", f"of {law.file}")
    if law.rejected_lines:
        count = len(law.rejected_lines)
        lines = ", ".join(map(str, law.rejected_lines[:OUTLIERS]))
        more = f" and {count - OUTLIERS} more" if count > OUTLIERS else ""
        table.add_row("outliers rejected", f"{count}", "", f"line{'s' * (count > 1)} {lines}{more}")
    return table
