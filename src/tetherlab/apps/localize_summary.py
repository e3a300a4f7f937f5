"""What came of a log: how many rows, how sure, how wrong where the truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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
FEW = 0.5  # share of errors within their ellipsoids below which one is told so
FLAT = 1e-14  # of the largest variance: less is none


class Outcome(NamedTuple):
    """The estimates of a log and the truth beside them."""

    name: str
    method: str
    table: Table  # estimates
    truth: Array  # [m], (n, 3); NaN where it is not known
    base: Array  # where the tether leaves the base [m], (n, 3); NaN where it is not told
    skipped: int  # lines
    unheard: str  # a sentence about sensors that never spoke
    lines: int  # below the header, those that were skipped among them

    @classmethod
    def of(cls, log: Path, method: str, source: SensorLog, rows: Any, places: Any) -> Outcome:
        """From what was gathered line by line; places: truth and base of each row."""
        from tetherlab.apps.run_folder import truth_of_run

        count = len(places) // 6
        table = Table.from_rows(
            COLUMNS["estimates"], np.frombuffer(rows).reshape(-1, len(COLUMNS["estimates"]))[:count]
        )
        truth, base = np.frombuffer(places)[: 6 * count].reshape(-1, 2, 3).transpose(1, 0, 2)
        if log.is_dir():
            truth = truth_of_run(log, table["stamp_s"])
        return cls(log.name, method, table, truth, base, source.skipped, source.unheard, source.rows)

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Estimates by which one may fly, (n,)."""
        codes = [code for code, status in enumerate(STATUSES) if status.usable]
        return np.isin(self.table["status"], codes)

    @property
    def most_skipped(self) -> bool:
        """Whether what is left is no picture of the log."""
        return 2 * self.skipped > self.lines


def print_summary(console: Console, outcome: Outcome) -> None:
    """Rows, statuses with their sentences, deviations, and errors."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Shown

    table, count = outcome.table, len(outcome.table)
    time = table["time_s"]
    bad = outcome.skipped
    skipped = f", {bad} of {outcome.lines} lines skipped" if bad else ""
    console.print(
        f"{outcome.name}: {count} rows in {time[-1] - time[0]:.1f} s, method {outcome.method}{skipped}",
        highlight=False,
        markup=False,
    )
    shown = Shown("status", "rows", "meaning", box=SIMPLE_HEAD)
    shown.columns[1].justify = "right"
    for code, status in enumerate(STATUSES):
        rows = int(np.sum(table["status"] == code))
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
    usable = outcome.usable
    table = outcome.table
    if not usable.any():
        return [*found, "No estimate is good enough to fly by."]
    matrices = covariances(table)[usable]
    x, y, z = np.median(np.sqrt(np.diagonal(matrices, axis1=1, axis2=2)), axis=0)
    found.append(f"median standard deviation: x {x:.3f} m, y {y:.3f} m, z {z:.3f} m")
    apart = (table.rows(*POSITION) - outcome.truth)[usable]
    known = np.isfinite(apart).all(axis=1)
    if known.any():
        apart, matrices = apart[known], matrices[known]
        error = np.linalg.norm(apart, axis=1)
        found.append(
            f"error: RMSE {np.sqrt(np.mean(error**2)):.3f} m, median {np.median(error):.3f} m, largest "
            f"{error.max():.3f} m, over {len(error)} usable rows with known truth"
        )
        share = float(np.mean(_squared_distance(apart, matrices) < INSIDE))
        found.append(f"inside the ellipsoid that should hold 95 %: {100.0 * share:.0f} %")
        if share < FEW:
            found.append(
                "The error is larger than this method claims: what it assumes does not hold here. It knows "
                "the noise of its sensors as it was told; not stretch, waves, nor what calibration leaves."
            )
    return found
