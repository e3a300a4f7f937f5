"""Calibrations as a picture: samples and law, and below them what the law leaves over."""

from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.figure import Figure, SubFigure

from tetherlab.report.style import BLUE, GREY, STYLE, VERMILION, WIDTH
from tetherlab.sensors.calibration import SENSORS
from tetherlab.sensors.calibration_fit import Fit

# What people read -> how it is called, its factor; residuals are small and get a unit of their own.
VALUE = {"rad": ("deg", 180.0 / np.pi), "m": ("m", 1.0), "N": ("N", 1.0)}
SMALL = {"rad": ("deg", 180.0 / np.pi), "m": ("mm", 1e3), "N": ("N", 1.0)}
INPUT = {
    "adc / reference_adc": "adc / reference_adc [-]",
    "adc": "adc [counts]",
    "counts": "encoder [counts]",
}


def draw_calibration(fits: Sequence[Fit]) -> Figure:
    """One sensor beside the other, two in a row."""
    columns = min(len(fits), 2)
    rows = -(-len(fits) // 2)
    with matplotlib.rc_context(STYLE):
        size = (WIDTH if columns == 1 else 1.5 * WIDTH, 5.2 * rows)
        figure = Figure(figsize=size, layout="constrained")
        parts = np.ravel(figure.subfigures(rows, columns, squeeze=False))
        for part, fit in zip(parts, fits, strict=False):
            _draw(part, fit)
    return figure


def _draw(part: SubFigure, fit: Fit) -> None:
    law, samples, kept = fit.law, fit.samples, fit.kept
    unit, factor = VALUE[law.unit]
    small, fine = SMALL[law.unit]
    above, below = part.subplots(2, 1, sharex=True, height_ratios=(3, 1.4))
    reach = np.linspace(samples.inputs.min(), samples.inputs.max(), 200)
    line, width = law.value(reach), fit.line_confidence(reach)
    new = fit.reading_confidence(reach)
    above.fill_between(reach, factor * (line - width), factor * (line + width), color=BLUE, alpha=0.25, lw=0)
    above.plot(reach, factor * line, color=BLUE, label=f"{law.law} law")
    below.axhline(0.0, color=BLUE)
    below.fill_between(reach, -fine * width, fine * width, color=BLUE, alpha=0.3, lw=0, label="law, 95 %")
    for side in (-1.0, 1.0):
        label = "one reading, 95 %" if side > 0.0 else None
        below.plot(reach, side * fine * new, color=GREY, lw=1.0, ls=(0, (4, 2)), label=label)
    dot = {"ls": "", "marker": "o", "ms": 4, "color": GREY, "mec": "white", "mew": 0.5}
    above.plot(samples.inputs[kept], factor * samples.values[kept], label=f"{kept.sum()} samples", **dot)
    below.plot(samples.inputs[kept], fine * fit.residuals[kept], **dot)
    if not kept.all():
        cross = {"ls": "", "marker": "x", "ms": 7, "mew": 1.8, "color": VERMILION}
        label = f"{(~kept).sum()} rejected"
        above.plot(samples.inputs[~kept], factor * samples.values[~kept], label=label, **cross)
        _mark_rejected(below, fit, fine, float(new.max()))
    above.set_title(fit.sensor.replace("_", " "), loc="left", fontweight="bold")
    above.set_ylabel(f"{SENSORS[fit.sensor].quantity} [{unit}]")
    below.set_ylabel(f"residual [{small}]")
    below.set_xlabel(INPUT[law.input])
    above.margins(x=0.03)
    found = [axes.get_legend_handles_labels() for axes in (above, below)]
    above.legend(found[0][0] + found[1][0], found[0][1] + found[1][1], loc="best")
    part.align_ylabels([above, below])


def _mark_rejected(axes, fit: Fit, fine: float, width: float) -> None:  # type: ignore[no-untyped-def]
    """Outliers would squeeze the residuals to a line: those far off are marked at the edge of the panel."""
    limit = 2.2 * fine * width
    axes.set_ylim(-limit, limit)
    for input, residual in zip(fit.samples.inputs[~fit.kept], fine * fit.residuals[~fit.kept], strict=True):
        inside = abs(residual) < limit
        marker = "x" if inside else ("^" if residual > 0.0 else "v")
        at = residual if inside else np.copysign(0.93 * limit, residual)
        axes.plot(input, at, ls="", marker=marker, ms=7, mew=1.8, color=VERMILION)
