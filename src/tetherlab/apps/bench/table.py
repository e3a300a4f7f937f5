"""The rows of a bench as a table for the terminal, Markdown for the docs, and JSON for programs."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.table import Table

from tetherlab.apps.bench.compare import Row

_COLUMNS: dict[str, Callable[[Row], str]] = {
    "length m": lambda row: f"{row.length_m:g}",
    "element m": lambda row: f"{row.element_m:.2f}",
    "engine": lambda row: row.engine,
    "setting": lambda row: row.setting,
    "shape error %": lambda row: _number(row.shape_error_percent, 3),
    "tension error N": lambda row: _number(row.tension_error_N, 3),
    "tension noise N": lambda row: _number(row.tension_noise_N, 3),
    "sim s / CPU s": lambda row: _spread(row.speed, row.speed_min, row.speed_max),
    "ours / this": lambda row: _spread(row.ratio, row.ratio_min, row.ratio_max),
    "note": lambda row: row.note,
}
_TEXT = {"engine", "setting", "note"}


def rich_table(rows: Sequence[Row]) -> Table:
    """For the terminal; a line divides the element lengths."""
    table = Table(title="Tether engines on the same scene", caption=CAPTION, caption_justify="left")
    for name in _COLUMNS:
        table.add_column(name, justify="left" if name in _TEXT else "right")
    for i, row in enumerate(rows):
        last = i + 1 == len(rows) or (rows[i + 1].length_m, rows[i + 1].element_m) != (
            row.length_m,
            row.element_m,
        )
        table.add_row(*(cell(row) for cell in _COLUMNS.values()), end_section=last)
    return table


CAPTION = (
    "shape error: mean distance of 41 stations from the converged solution, % of length; "
    "tension at the moving end; speed: median (lowest to highest) of the rounds, single thread"
)


def markdown(rows: Sequence[Row]) -> str:
    """The same as a Markdown table."""
    lines = [
        "| " + " | ".join(_COLUMNS) + " |",
        "|" + "|".join("---" if name in _TEXT else "---:" for name in _COLUMNS) + "|",
    ]
    lines += ["| " + " | ".join(cell(row) for cell in _COLUMNS.values()) + " |" for row in rows]
    return "\n".join(lines) + "\n\n" + CAPTION + ".\n"


def write_json(rows: Sequence[Row], path: str | Path) -> None:
    """A list of objects with the fields of `Row`."""
    Path(path).write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _spread(middle: float | None, low: float | None, high: float | None) -> str:
    if middle is None or low is None or high is None:
        return ""
    return f"{middle:.3g} ({low:.3g} to {high:.3g})"
