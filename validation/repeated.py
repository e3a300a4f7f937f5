"""A paper's study repeated: its rows with what was promised of them, its remarks, and its pictures."""

from collections.abc import Callable, Mapping
from typing import Any

from tetherlab.report.figure_file import write_figure
from tetherlab.studies.rows import Row as Found
from validation.table import FIGURES, Picture, Row, number

Promise = Callable[[str, str, float, str], Row]  # of quantity, unit, value and note


def repeat(
    study: Any,
    say: Callable[[str], None],
    promise: Callable[[str], Promise | None],
    captions: Mapping[str, str],
    prefix: str,
) -> tuple[list[Row], list[Picture], str]:
    """Run a module of `tetherlab.studies`: rows, pictures called prefix_NAME.svg, and remarks on the rows."""
    found: dict[str, Found] = {}
    pictures: list[Picture] = []

    def add(row: Found) -> None:
        found[row.quantity] = row

    def picture(name: str, figure: Any) -> None:
        file = f"{prefix}_{name}.svg"
        write_figure(figure, FIGURES / file)
        pictures.append(Picture(file, captions[name]))

    study.run(add, say, picture=picture)
    rows = list(found.values())
    remarks = list(dict.fromkeys(row.note for row in rows if row.note))
    judged = [_judged(row, promise(row.quantity), remarks) for row in rows]
    return judged, pictures, "\n".join(f"{k}. {remark}" for k, remark in enumerate(remarks, 1))


def _judged(row: Found, promise: Promise | None, remarks: list[str]) -> Row:
    """The row of the page; its note tells which remark belongs to it."""
    paper = "" if row.paper is None else f"paper: {number(row.paper)}"
    remark = f"remark {remarks.index(row.note) + 1}" if row.note else ""
    if promise is None:
        return Row(row.quantity, row.unit, paper, number(row.here), None, remark)
    return promise(row.quantity, row.unit, row.here, "; ".join(filter(None, (paper, remark))))
