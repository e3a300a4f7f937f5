"""The study of paper 004: robots that physically help each other, and how a team finds out what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tetherlab.contracts.log import Log
from tetherlab.studies import (
    cooperative_carried_out,
    cooperative_flight,
    cooperative_general,
    cooperative_pictures,
    cooperative_plans,
    cooperative_speed,
)
from tetherlab.studies.rows import Row, published


def run(
    add: Callable[[Row], None],
    say: Callable[[str], None] = lambda text: None,
    keep: Callable[[str, Log], None] | None = None,
    picture: Callable[[str, Any], None] = lambda name, figure: None,
) -> None:
    """Plans of three teams, times, the same by a general planner, Figures 3 and 5 to 8; plans carried out.

    add: gets each row as soon as it is known. say: a line of progress. keep: gets logs of plans carried out.
    picture: gets figures by name.
    """
    say("plans of three teams")
    cooperative_plans.run(published("cooperative"), add)
    say("times")
    cooperative_speed.run(add, say)
    say("a general planner")
    cooperative_general.run(add, say)
    say("figures")
    cooperative_pictures.run(picture)
    say("plans carried out")
    cooperative_carried_out.run(add, say, keep, picture)
    cooperative_flight.run(add, say)
