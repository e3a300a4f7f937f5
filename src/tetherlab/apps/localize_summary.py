"""What came of a log: how many rows, how sure, how wrong where the truth is known."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.columns import COLUMNS, POSITION
from tetherlab.contracts.estimate_rows import STATUSES, covariances
from tetherlab.contracts.table import Table
from tetherlab.metrics.localisation import INSIDE

if TYPE_CHECKING:
    from rich.console import Console

    from tetherlab.apps.sensor_log import SensorLog

Array = NDArray[np.float64]
USABLE = np.array([status.usable for status in STATUSES])
FEW = 0.5  # share of errors within their ellipsoids below which one is told so
FLAT = 1e-14  # of the largest variance: less is none


class Outcome:
    """What the estimates of a log come to, and the truth beside them, gathered block by block."""

    def __init__(self, name: str, method: str, truth: Callable[[Array], Array] | None, whole: bool) -> None:
        """truth: of some times; None: it comes with the rows. whole: keep all rows, for a figure."""
        self.name, self.method = name, method
        self._truth_at, self._whole = truth, whole
        self.count = 0  # rows
        self.begin = self.end = np.nan  # when the first and the last came [s]
        self.statuses = np.zeros(len(STATUSES), int)  # rows of each
        self._variances = array("d")  # of x, y and z in usable rows [m^2]
        self._errors = array("d")  # of usable rows with known truth [m]
        self.inside = 0  # of these, within the ellipsoid that should hold 95 %
        self._rows = array("d")  # the estimates, truth and base of each, if they are kept
        self.skipped, self.lines = 0, 0  # lines; below the header, those that were skipped among them
        self.unheard = ""  # a sentence about sensors that never spoke

    def add(self, rows: Array, places: Array) -> None:
        """Estimates (n, columns), truth and base beside them [m], (n, 6); NaN where they are not known."""
        table = Table.from_rows(COLUMNS["estimates"], rows)
        if not self.count:
            self.begin = table["time_s"][0]
        self.end = table["time_s"][-1]
        self.count += len(table)
        codes = table["status"].astype(int)
        self.statuses += np.bincount(codes, minlength=len(STATUSES))
        if self._truth_at is not None:
            places[:, :3] = self._truth_at(table["stamp_s"])
        if self._whole:
            _append(self._rows, np.hstack((rows, places)))
        usable = USABLE[codes]
        matrices = covariances(table)[usable]
        _append(self._variances, np.diagonal(matrices, axis1=1, axis2=2))
        apart = (table.rows(*POSITION) - places[:, :3])[usable]
        known = np.isfinite(apart).all(axis=1)
        apart, matrices = apart[known], matrices[known]
        _append(self._errors, np.linalg.norm(apart, axis=1))
        self.inside += int(np.sum(_squared_distance(apart, matrices) < INSIDE))

    def end_with(self, source: SensorLog) -> None:
        """The log was read to its end, or as far as it was."""
        self.skipped, self.unheard, self.lines = source.skipped, source.unheard, source.rows

    @property
    def deviations(self) -> tuple[float, ...]:
        """Median standard deviations of x, y and z in usable rows [m]; empty if there are none."""
        variances = np.frombuffer(self._variances).reshape(-1, 3)
        return tuple(float(np.median(np.sqrt(axis))) for axis in variances.T) if len(variances) else ()

    @property
    def errors(self) -> Array:
        """Of usable rows with known truth [m]."""
        return np.frombuffer(self._errors)

    @property
    def kept(self) -> tuple[Table, Array, Array]:
        """All estimates, and truth and base beside them [m], (n, 3) each."""
        width = len(COLUMNS["estimates"])
        rows = np.frombuffer(self._rows).reshape(-1, width + 6)
        return Table.from_rows(COLUMNS["estimates"], rows[:, :width]), rows[:, -6:-3], rows[:, -3:]

    @property
    def most_skipped(self) -> bool:
        """Whether what is left is no picture of the log."""
        return 2 * self.skipped > self.lines


def _append(values: array[float], more: Array) -> None:
    values.frombytes(np.ascontiguousarray(more, np.float64).tobytes())


def print_summary(console: Console, outcome: Outcome) -> None:
    """Rows, statuses with their sentences, deviations, and errors."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Shown

    count, bad, duration = outcome.count, outcome.skipped, outcome.end - outcome.begin
    skipped = f", {bad} of {outcome.lines} lines skipped" if bad else ""
    console.print(
        f"{outcome.name}: {count} rows in {duration:.1f} s, method {outcome.method}{skipped}",
        highlight=False,
        markup=False,
    )
    shown = Shown("status", "rows", "meaning", box=SIMPLE_HEAD)
    shown.columns[1].justify = "right"
    for rows, status in zip(outcome.statuses, STATUSES, strict=True):
        if rows:
            shown.add_row(status.name, f"{100.0 * rows / count:.1f} %", status.value)
    console.print(shown)
    if outcome.most_skipped:
        console.print(
            f"Most lines were left out, {bad} of {outcome.lines}: what is left says little about the log. "
            "Are its lines in the order of their times, and its columns in the units of their names?",
            highlight=False,
            soft_wrap=True,
        )
    for sentence in sentences(outcome):
        console.print(sentence, highlight=False, soft_wrap=True)


def _squared_distance(apart: Array, matrices: Array) -> Array:
    """Of errors (n, 3) in deviations of their covariances (n, 3, 3), squared; infinite where one has none."""
    spread, axes = np.linalg.eigh(matrices)
    along = np.einsum("nji,nj->ni", axes, apart) ** 2
    flat = spread <= FLAT * spread[:, -1:]
    parts = along / np.where(flat, np.nan, spread)
    return np.where(flat, np.where(along > 0.0, np.inf, 0.0), parts).sum(axis=1)


def sentences(outcome: Outcome) -> list[str]:
    """What the numbers say."""
    found = [outcome.unheard] if outcome.unheard else []
    if not outcome.deviations:
        return [*found, "No estimate is good enough to fly by."]
    x, y, z = outcome.deviations
    found.append(f"median standard deviation: x {x:.3f} m, y {y:.3f} m, z {z:.3f} m")
    error = outcome.errors
    if len(error):
        found.append(
            f"error: RMSE {np.sqrt(np.mean(error**2)):.3f} m, median {np.median(error):.3f} m, largest "
            f"{error.max():.3f} m, over {len(error)} usable rows with known truth"
        )
        share = outcome.inside / len(error)
        found.append(f"inside the ellipsoid that should hold 95 %: {100.0 * share:.0f} %")
        if share < FEW:
            found.append(
                "The error is larger than this method claims: what it assumes does not hold here. It knows "
                "the noise of its sensors as it was told; not stretch, waves, nor what calibration leaves."
            )
    return found
