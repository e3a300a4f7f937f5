"""The metrics of one log, or of two side by side."""

import math
from typing import NamedTuple

from tetherlab.contracts.columns import unit_of, without_unit
from tetherlab.contracts.log import Log
from tetherlab.metrics import (
    CANOPY_METRICS,
    METRICS,
    NAMED,
    POWER_METRICS,
    STEP_METRICS,
    WALL_METRICS,
    all_metrics,
)


class MetricRow(NamedTuple):
    """A metric as people read it; what a log does not give is None."""

    name: str  # as in metrics.json
    word: str  # the name without its unit
    meaning: str
    unit: str
    value: float | None
    other: float | None
    difference: float | None  # of the other from the first [%]


def metric_rows(log: Log, other: Log | None = None) -> list[MetricRow]:
    """All metrics that either log has, in the order of the registry; own ones of a user come last."""
    ours = known_metrics(log)
    theirs = {} if other is None else known_metrics(other)
    known = (*METRICS, *WALL_METRICS, *POWER_METRICS, *CANOPY_METRICS, *STEP_METRICS)
    meanings = {metric.name: metric.meaning for metric in known}
    names = [name for name in meanings if name in ours or name in theirs]
    names += [name for name in {**ours, **theirs} if name not in meanings]
    meanings |= {
        name: meaning.format(without_unit(name).removeprefix(begin))
        for name in names
        for begin, meaning in NAMED.items()
        if name.startswith(begin)
    }
    return [_row(name, meanings.get(name, ""), ours.get(name), theirs.get(name)) for name in names]


def known_metrics(log: Log) -> dict[str, float]:
    """The metrics that the log carries, or, of a log without any, those that it can give."""
    return {name: value for name, value in (log.metrics or all_metrics(log)).items() if math.isfinite(value)}


def _row(name: str, meaning: str, value: float | None, other: float | None) -> MetricRow:
    difference = None
    if value is not None and other is not None and value != 0.0:
        difference = 100.0 * (other - value) / abs(value)
    return MetricRow(name, without_unit(name), meaning, unit_of(name), value, other, difference)


def number(value: float | None) -> str:
    """Four digits; whole numbers without a point; rounding errors as zero; a dash for what is not known."""
    if value is None:
        return "–"
    if abs(value) >= 1000.0 or abs(value - round(value)) < 1e-9:
        return f"{value:.0f}"
    return f"{value:.4g}"


def percent(value: float | None) -> str:
    """A difference with its sign."""
    return "–" if value is None else f"{value:+.1f} %"
