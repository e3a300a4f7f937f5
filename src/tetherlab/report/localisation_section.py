"""The part of the page that says how well the drone knew where it was; for localised runs only."""

from typing import Any, NamedTuple

from tetherlab.contracts.log import Log
from tetherlab.metrics.localisation import (
    LocalisationErrors,
    LocalisationSummary,
    localisation_errors,
    summarise,
)
from tetherlab.metrics.read import MissingError
from tetherlab.report.localised_run import draw_axes, draw_distance
from tetherlab.report.picture import Picture, picture

LABELS = (
    "method",
    "the drone flew by",
    "error, root mean square [m]",
    "error, 95th percentile [m]",
    "estimates inside the ellipsoid that should hold 95 %",
    "time with an estimate to fly by",
    "sensors that were not believed",
)


class LocalisationSection(NamedTuple):
    """A table with a column for each localised run, and two figures of each."""

    names: list[str]
    rows: list[tuple[str, ...]]
    pictures: list[Picture]


def localisation_section(runs: dict[str, Log]) -> LocalisationSection | None:
    """Of those among the named runs that were localised; None if there are none."""
    columns, pictures = {}, []
    for name, log in runs.items():
        try:
            found = localisation_errors(log)
            columns[name] = _column(log, summarise(found))
        except MissingError:
            continue
        pictures += _pictures(name, log, found, alone=len(runs) == 1, nth=list(runs).index(name))
    if not columns:
        return None
    return LocalisationSection(list(columns), list(zip(LABELS, *columns.values(), strict=True)), pictures)


def _pictures(name: str, log: Log, found: LocalisationErrors, *, alone: bool, nth: int) -> list[Picture]:
    of_run, ending = ("", "") if alone else (f", {name}", f"_{nth + 1}")
    return [
        picture(f"loc_error{ending}", f"Error of the estimated position{of_run}", draw_distance(log, found)),
        picture(f"loc_axes{ending}", f"Error of the estimate by axis{of_run}", draw_axes(log, found)),
    ]


def _column(log: Log, summary: LocalisationSummary) -> tuple[str, ...]:
    """The values of a run, in the order of `LABELS`."""
    section = log.scenario.get("localisation")
    section = section if isinstance(section, dict) else {}
    flown_by: dict[Any, str] = {True: "the estimate", False: "the truth; the estimator only listened"}
    doubted = [f"{name.replace('_', ' ')} {span:.1f} s" for name, span in summary.disbelieved.items()]
    return (
        str(section.get("method", "–")),
        flown_by.get(section.get("in_loop"), "–"),
        f"{summary.rmse:.3f}",
        f"{summary.error_95:.3f}",
        f"{100.0 * summary.inside:.1f} %",
        f"{100.0 * summary.usable:.1f} %",
        ", ".join(doubted) or "none",
    )
