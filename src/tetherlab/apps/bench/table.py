"""The rows of a bench as a table for the terminal, Markdown for the docs, and JSON for programs."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.table import Table

from tetherlab.apps.bench.compare import Row

CAPTION = (
    "shape: mean distance of 41 stations from the converged solution, % of the length; tension: rms error at "
    "the moving end; noise: of that tension while the end rests; speed: simulated s per CPU s, one thread, "
    "median of the rounds"
)
_TEXT = {"engine", "setting", "note"}
Columns = dict[str, Callable[[Row], str]]

_NARROW: Columns = {
    "L / l m": lambda row: f"{row.length_m:g} / {row.element_m:.2f}",
    "engine": lambda row: row.engine,
    "shape %": lambda row: _number(row.shape_error_percent),
    "tension N": lambda row: _number(row.tension_error_N),
    "noise N": lambda row: _number(row.tension_noise_N),
    "speed": lambda row: _short(row.speed),
    "ours / it": lambda row: _short(row.ratio),
    "setting": lambda row: "; ".join(filter(None, (row.note, row.setting))),
}
_WIDE: Columns = {
    "length m": lambda row: f"{row.length_m:g}",
    "element m": lambda row: f"{row.element_m:.2f}",
    "engine": lambda row: row.engine,
    "setting": lambda row: row.setting,
    "shape %": lambda row: _number(row.shape_error_percent),
    "tension N": lambda row: _number(row.tension_error_N),
    "noise N": lambda row: _number(row.tension_noise_N),
    "speed": lambda row: _spread(row.speed, row.speed_min, row.speed_max),
    "ours / it": lambda row: _spread(row.ratio, row.ratio_min, row.ratio_max),
    "note": lambda row: row.note,
}


def rich_table(rows: Sequence[Row]) -> Table:
    """For the terminal; what is too long for it is cut, and stands in full in the JSON and the Markdown."""
    table = Table(
        title="Tether engines on one scene", caption=CAPTION, caption_justify="left", box=SIMPLE_HEAD
    )
    table.show_edge = False
    table.padding = (0, 0)
    table.expand = True
    for name, cell in _NARROW.items():
        if name == "setting":
            table.add_column(name, no_wrap=True, ratio=1)
        else:
            width = max([len(name), *(len(cell(row)) for row in rows)])
            table.add_column(name, justify="left" if name in _TEXT else "right", width=width)
    for i, row in enumerate(rows):
        cells = [cell(row) for cell in _NARROW.values()]
        if i > 0 and cells[0] == _NARROW["L / l m"](rows[i - 1]):
            cells[0] = ""
        table.add_row(*cells, end_section=i + 1 < len(rows) and rows[i + 1].element_m != row.element_m)
    return table


def markdown(rows: Sequence[Row]) -> str:
    """All columns, with the lowest and highest of the rounds in brackets."""
    lines = [
        "| " + " | ".join(_WIDE) + " |",
        "|" + "|".join("---" if name in _TEXT else "---:" for name in _WIDE) + "|",
    ]
    lines += ["| " + " | ".join(cell(row) for cell in _WIDE.values()) + " |" for row in rows]
    return "\n".join(lines) + f"\n\n{CAPTION[0].upper()}{CAPTION[1:]}.\n"


def write_json(rows: Sequence[Row], path: str | Path) -> None:
    """A list of objects with the fields of `Row`."""
    Path(path).write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def _spread(middle: float | None, low: float | None, high: float | None) -> str:
    if middle is None:
        return ""
    return f"{_short(middle)} ({_short(low)} to {_short(high)})"
