"""The study of paper 001: AVOCADO, a robot that hangs in a tree canopy and is pushed by two propellers."""

from collections.abc import Callable
from typing import Any

from tetherlab.contracts.log import Log
from tetherlab.studies import avocado_contact, avocado_courses, avocado_statics, avocado_steps
from tetherlab.studies.rows import Row, published


def run(
    add: Callable[[Row], None],
    say: Callable[[str], None] = lambda text: None,
    keep: Callable[[str, Log], None] | None = None,
    picture: Callable[[str, Any], None] = lambda name, figure: None,
) -> None:
    """Figures 4, 5, 7, 8, 9 and 10, and Table II.

    add: gets each row as soon as it is known. say: a line of progress. keep: gets the log of each run in the
    plant. picture: gets figures by name.
    """
    paper = published("avocado")
    say("at rest, swinging, turning over")
    avocado_statics.run(paper, add, picture)
    say("steps and a run in space")
    avocado_steps.run(paper["steps"], add, picture)
    avocado_courses.run(paper["tracking"], add, say, keep, picture)
    avocado_contact.run(paper["release"], add, say, keep, picture)
