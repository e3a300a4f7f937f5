"""A table of a run: named columns of numbers over time."""

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError

Array = NDArray[np.float64]

NAME = re.compile(r"\w+")
SHOWN_ROWS, SHOWN_COLUMNS = 6, 9  # in a notebook


class Table:
    """Columns of equal length, `table["x_m"]`, each (n,); the first one is `time_s` and never decreases."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        """columns: name -> n numbers; the name carries the unit."""
        self._columns = {name: _column(name, values) for name, values in columns.items()}
        if self.columns[:1] != ("time_s",):
            raise InputError(
                f"the first column of a table must be 'time_s', got {', '.join(list(columns)[:9]) or 'none'}"
            )
        counts = {name: len(values) for name, values in self._columns.items()}
        for name, count in counts.items():
            if count != len(self):
                raise InputError(
                    f"columns of a table must be equally long, got {len(self)} of time_s, {count} of {name}"
                )
        time = self["time_s"]
        if not np.isfinite(time).all():
            row = int(np.argmin(np.isfinite(time)))
            raise InputError(f"time_s must be finite, got {time[row]} in row {row}")
        if np.any(time[1:] < time[:-1]):
            row = int(np.argmax(time[1:] < time[:-1])) + 1
            raise InputError(
                f"time_s must not decrease, got {time[row - 1]:.9g} and then {time[row]:.9g} in row {row}"
            )

    @classmethod
    def from_rows(cls, columns: Sequence[str], rows: Any) -> "Table":
        """The table of an array (n, len(columns)), which is used without a copy if it holds float64."""
        array = np.asarray(rows, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != len(columns):
            raise InputError(f"rows must have shape (n, {len(columns)}), got {array.shape}")
        if len(set(columns)) != len(columns):
            twice = next(name for name in columns if list(columns).count(name) > 1)
            raise InputError(f"the column {twice!r} is there twice; keep one")
        return cls({name: array[:, index] for index, name in enumerate(columns)})

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(self._columns)

    def __len__(self) -> int:
        return len(self._columns["time_s"])

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __getitem__(self, name: str) -> Array:
        if name not in self._columns:
            raise InputError(f"the table has no column {name!r}.{check.did_you_mean(name, self._columns)}")
        return self._columns[name]

    def rows(self, *columns: str) -> Array:
        """These columns side by side, (n, number of columns)."""
        return np.column_stack([self[name] for name in columns])

    def mask(self, keep: Any) -> "Table":
        """The rows for which `keep`, (n,) of booleans, is true."""
        keep = np.asarray(keep)
        if keep.dtype != np.bool_ or keep.shape != (len(self),):
            raise InputError(
                f"keep must be {len(self)} booleans, one for each row, got {keep.dtype} of shape {keep.shape}"
            )
        return Table({name: values[keep] for name, values in self._columns.items()})

    def to_pandas(self) -> Any:
        """The same as a pandas.DataFrame."""
        try:
            import pandas
        except ImportError:
            raise InputError(
                "to_pandas needs the package pandas, which is not installed: pip install pandas"
            ) from None
        return pandas.DataFrame(self._columns)

    def _span(self) -> str:
        if not len(self):
            return "no rows"
        time = self["time_s"]
        return f"{len(self)} row{'s' * (len(self) > 1)} from {time[0]:g} to {time[-1]:g} s"

    def __repr__(self) -> str:
        names = ", ".join(self.columns[:SHOWN_COLUMNS])
        more = len(self.columns) - SHOWN_COLUMNS
        return f"Table({self._span()}: {names}{f', and {more} more' if more > 0 else ''})"

    def _repr_html_(self) -> str:
        names = self.columns[:SHOWN_COLUMNS]
        more = len(self.columns) - len(names)
        dots = ["…"] if more else []
        half = SHOWN_ROWS // 2
        indices: list[int | None] = list(range(len(self)))
        if len(self) > SHOWN_ROWS:
            indices = [*indices[:half], None, *indices[-half:]]

        def line(tag: str, cells: Sequence[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in [*cells, *dots]) + "</tr>"

        body = [line("td", ["…" if i is None else f"{self[name][i]:.6g}" for name in names]) for i in indices]
        rest = f" × {len(self.columns)} columns"
        return f"<table>{line('th', names)}{''.join(body)}</table><p>{self._span()}{rest}</p>"


def _column(name: Any, values: Any) -> Array:
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise InputError(
            f"the name of a column must be made of letters, digits and _, got {check.shown(name)}"
        )
    try:
        column = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"column {name} must hold numbers, got {check.shown(values)}") from None
    if column.ndim != 1:
        raise InputError(f"column {name} must have one dimension, got shape {column.shape}")
    return column
