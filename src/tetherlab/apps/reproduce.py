"""The command `tetherlab reproduce`: a paper's tables beside what is measured here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

    from tetherlab.contracts.log import Log
    from tetherlab.studies.rows import Row


def reproduce(
    study: Literal["avocado", "cooperative", "marsupial", "oxpecker", "tether_inertial"],
    /,
    *,
    json: Path | None = None,
    folder: Path | None = None,
) -> None:
    """Repeat the experiments of a paper and print its tables beside ours.

    Example: tetherlab reproduce marsupial --json marsupial.json

    Rows are written as they are found; Ctrl-C prints those so far. It takes half a minute (cooperative), some
    minutes (marsupial), a quarter of an hour (avocado), half an hour (tether_inertial) or an hour (oxpecker).

    Parameters
    ----------
    study
        The paper: avocado is the canopy robot of Kirchgeorg et al., cooperative the planner of Sebok and
        Tanner, marsupial the simulator of Maese, Caballero and Merino, oxpecker the mine inspection of
        Martinez Rocamora et al., tether_inertial the localisation of van Loon.
    json
        Write the rows to this file as well: {study, quantity, unit, paper, here, note}.
    folder
        Save the logs of all runs and the figures here as well; a folder that holds no runs yet.
    """
    from contextlib import nullcontext
    from importlib import import_module

    from rich.console import Console

    from tetherlab.apps.written_files import make_room
    from tetherlab.contracts.errors import InputError
    from tetherlab.contracts.log import HEAD
    from tetherlab.contracts.run_folders import RunFolder, keep_run
    from tetherlab.report.figure_file import write_figure
    from tetherlab.studies.rows import write_json

    if json is not None:
        make_room(json)
    if folder is not None and any(folder.glob(f"*/{HEAD}")):
        raise InputError(f"{folder}: holds runs already, which are not overwritten; name another folder")
    console = Console(markup=False)
    found: dict[str, Row] = {}

    def add(row: Row) -> None:
        found[row.quantity] = row
        if json is not None:
            write_json(list(found.values()), json)

    def keep(name: str, log: Log) -> None:
        if folder is not None:
            place, trouble = keep_run(log, lambda: RunFolder.at(folder / name))
            if trouble:
                console.print(f"{trouble}; the run was saved in {place}", soft_wrap=True)

    def picture(name: str, figure: Figure) -> None:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            write_figure(figure, folder / f"{name}.svg")

    try:
        with (
            nullcontext() if folder is None else RunFolder.at(folder),
            console.status("compiling (the first time takes a minute)") as status,
        ):
            import_module(f"tetherlab.studies.{study}").run(
                add, status.update, keep if folder else None, picture
            )
    except KeyboardInterrupt:
        console.print("stopped; the rows so far:")
    finally:  # also of a study that breaks
        rows = list(found.values())
        console.print(rich_table(rows))
        for number, note in enumerate(notes(rows), 1):
            console.print(f"[{number}] {note}", highlight=False)
    if json is not None:
        console.print(f"rows: {json}")


def notes(rows: Sequence[Row]) -> list[str]:
    """The notes of all rows, each once, in their order."""
    return list(dict.fromkeys(row.note for row in rows if row.note))


def rich_table(rows: Sequence[Row]) -> Table:
    """For the terminal; notes are numbered and stand below."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from tetherlab.metrics.comparison import number

    numbers = {note: str(i) for i, note in enumerate(notes(rows), 1)}
    table = Table(box=SIMPLE_HEAD, show_edge=False)
    table.add_column("quantity", overflow="fold")
    for name in ("unit", "paper", "here", "difference", "note"):
        table.add_column(name, justify="left" if name == "unit" else "right", no_wrap=True)
    for row in rows:
        difference = "–" if row.difference is None else f"{100.0 * row.difference:+.1f} %"
        table.add_row(
            row.quantity, row.unit, number(row.paper), number(row.here), difference, numbers.get(row.note, "")
        )
    return table
