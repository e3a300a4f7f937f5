"""The study of paper 004: robots that physically help each other, and how a team finds out what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tetherlab.contracts.log import Log
from tetherlab.studies import (
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
    """Plans of three teams, how long they take, the same by a general planner, and Figures 3 and 5 to 8.

    add: gets each row as soon as it is known. say: a line of progress. keep: gets nothing, as nothing is
    flown. picture: gets figures by name.
    """
    say("plans of three teams")
    cooperative_plans.run(published("cooperative"), add)
    say("times")
    cooperative_speed.run(add, say)
    say("a general planner")
    cooperative_general.run(add, say)
    say("figures")
    cooperative_pictures.run(picture)
