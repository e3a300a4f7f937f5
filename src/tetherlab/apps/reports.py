"""The commands `tetherlab report` and `tetherlab compare`: saved runs as a page and as a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from tetherlab.contracts.log import Log


def report(run: Path, /, *, compare: Path | None = None, html: Path | None = None) -> None:
    """Write the report of a saved run as one HTML page.

    Example: tetherlab report runs/vertical-1

    Parameters
    ----------
    run
        Folder of the run.
    compare
        Folder of another run, which is laid over the first in every graph.
    html
        The page to write; report.html in the folder of the run unless given.
    """
    from tetherlab.apps.report_page import write_page
    from tetherlab.apps.written_files import make_room
    from tetherlab.contracts.log import Log

    log = Log.load(run)
    other = None if compare is None else Log.load(compare)
    make_room(page := html or run / "report.html")
    print(f"wrote {write_page(log, page, other)}")


def compare(run: Path, other: Path, /, *, html: Path | None = None) -> None:
    """Print the metrics of two saved runs side by side.

    Example: tetherlab compare runs/vertical-1 runs/vertical-2 --html compared.html

    Parameters
    ----------
    run
        Folder of the run to which the other is compared.
    other
        Folder of the other run.
    html
        Write a page with both runs in every graph as well.
    """
    from rich.console import Console

    from tetherlab.apps.written_files import make_room
    from tetherlab.contracts.log import Log

    log, second = Log.load(run), Log.load(other)
    if html is not None:
        make_room(html)
    Console(markup=False).print(comparison_table(log, second, (run.name, other.name)))
    if html is not None:
        from tetherlab.apps.report_page import write_page

        print(f"wrote {write_page(log, html, second)}")


def comparison_table(log: Log, other: Log, names: tuple[str, str]) -> Table:
    """The metrics of two runs for the terminal."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from tetherlab.metrics.comparison import metric_rows, number, percent

    table = Table(box=SIMPLE_HEAD, show_edge=False)
    table.add_column("metric", no_wrap=True)
    for name in (*names, "difference"):
        table.add_column(name, justify="right", overflow="fold")
    outcomes = [run.outcome.name if run.outcome else "–" for run in (log, other)]
    table.add_row("outcome", *outcomes, "", end_section=True)
    for row in metric_rows(log, other):
        table.add_row(row.name, number(row.value), number(row.other), percent(row.difference))
    return table
