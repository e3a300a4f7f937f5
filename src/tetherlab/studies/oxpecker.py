"""The study of paper 003: a drone on a power cable that inspects the pillars of a mine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tetherlab.contracts.log import Log
from tetherlab.studies import (
    oxpecker_coverage,
    oxpecker_flown,
    oxpecker_landing,
    oxpecker_mapping,
    oxpecker_tour,
)
from tetherlab.studies.rows import Row
from tetherlab.vehicles.power import Cable, transfer

CABLE = {"current": 18.8, "drop": 6.6, "loss": 123.5}  # section 3.2.1 [A], [V], [W]


def run(
    add: Callable[[Row], None],
    say: Callable[[str], None] = lambda text: None,
    keep: Callable[[str, Log], None] | None = None,
    picture: Callable[[str, Any], None] = lambda name, figure: None,
) -> None:
    """Cable, odometry and maps, coverage, landings, and tours of ten pillars.

    add: gets each row as soon as it is known. say: a line of progress. picture: gets figures by name.
    """
    say("the cable")
    cable(add)
    say("odometry and maps")
    oxpecker_mapping.run(add, say, keep, picture)
    oxpecker_flown.run(add, say)
    oxpecker_landing.run(add, say, keep, picture)
    oxpecker_coverage.run(add, say, picture=picture)
    oxpecker_tour.run(add, say)


def cable(add: Callable[[Row], None]) -> None:
    """15 m of 16 AWG, 38.4 V, 600 W at the drone."""
    found = transfer(38.4, Cable().resistance_at(), 600.0)
    values = {"current": ("A", found.current), "drop": ("V", found.drop), "loss": ("W", found.loss)}
    for name, (unit, value) in values.items():
        add(Row("oxpecker", f"cable: {name}", unit, CABLE[name], value))
