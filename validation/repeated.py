"""A paper's study repeated: its rows with what was promised of them, and its pictures."""

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
) -> tuple[list[Row], list[Picture]]:
    """Run a module of `tetherlab.studies`; its pictures are called prefix_NAME.svg."""
    found: dict[str, Found] = {}
    pictures: list[Picture] = []

    def add(row: Found) -> None:
        found[row.quantity] = row

    def picture(name: str, figure: Any) -> None:
        file = f"{prefix}_{name}.svg"
        write_figure(figure, FIGURES / file)
        pictures.append(Picture(file, captions[name]))

    study.run(add, say, picture=picture)
    return [_judged(row, promise(row.quantity)) for row in found.values()], pictures


def _judged(row: Found, promise: Promise | None) -> Row:
    paper = "" if row.paper is None else f"paper: {number(row.paper)}"
    if promise is None:
        return Row(row.quantity, row.unit, paper, number(row.here), None)
    return promise(row.quantity, row.unit, row.here, paper)
