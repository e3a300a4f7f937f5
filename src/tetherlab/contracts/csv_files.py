"""Tables as CSV: one header line, then numbers that come back bit for bit."""

import warnings
from pathlib import Path

import numpy as np

from tetherlab.contracts.decimals import as_text
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import reading, require_short_lines
from tetherlab.contracts.files import replacing
from tetherlab.contracts.table import Table

CELLS_AT_ONCE = 100_000  # a few MB of text
HEADER_MAX = 1_000_000  # [bytes]
SENTENCE_MAX = 300  # characters


def write_csv(table: Table, path: str | Path) -> None:
    """Write every number with as many digits as it needs to come back the same."""
    rows_at_once = max(1, CELLS_AT_ONCE // len(table.columns))
    with replacing(path) as file:
        file.write(",".join(table.columns) + "\n")
        for start in range(0, len(table), rows_at_once):
            block = np.column_stack([table[name][start : start + rows_at_once] for name in table.columns])
            rounded = as_text(block)
            if rounded is not None:
                file.write(rounded.decode("ascii"))
                continue
            # Python prints a list of lists several times faster than any loop over rows formats them.
            text = str(block.tolist())
            file.write(text[2:-2].replace("], [", "\n").replace(", ", ",") + "\n")


def read_csv(path: str | Path) -> Table:
    """A table that `write_csv` wrote; what is damaged is said in one sentence."""
    path = Path(path)
    require_short_lines(path)
    with reading(path, "a table of tetherlab"):
        try:
            names, has_rows = _outline(path)
            rows = np.empty((0, len(names)))
            if has_rows:
                # A warning that there is no row below the header is an error like others.
                with warnings.catch_warnings(action="error", category=UserWarning):
                    rows = np.loadtxt(
                        path, delimiter=",", skiprows=1, ndmin=2, comments=None, encoding="utf-8"
                    )
            return Table.from_rows(names, rows)
        except (ValueError, UserWarning) as error:  # InputError is a ValueError
            raise InputError(f"{path}: damaged: {str(error).split(';')[0][:SENTENCE_MAX]}") from None


def _outline(path: Path) -> tuple[list[str], bool]:
    """Names of the columns, and whether there are rows."""
    with open(path, "rb") as file:
        header = file.readline(HEADER_MAX)
        if len(header) == HEADER_MAX:
            raise InputError(f"its first line has more than {HEADER_MAX} characters")
        has_rows = bool(file.read(1))
        file.seek(-1 if header else 0, 2)
        if file.read(1) != b"\n":
            raise InputError("the last line is cut off" if header else "the file is empty")
    return header.decode("utf-8").strip().split(","), has_rows
