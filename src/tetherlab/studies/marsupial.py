"""The study of the marsupial paper: Maese, Caballero, Merino, a simulator of UAV, UGV and hanging tether."""

from collections.abc import Callable
from typing import Any

from tetherlab.contracts.log import Log
from tetherlab.studies import marsupial_runs, marsupial_tether
from tetherlab.studies.rows import Row, published


def run(
    add: Callable[[Row], None],
    say: Callable[[str], None] = lambda text: None,
    keep: Callable[[str, Log], None] | None = None,
    picture: Callable[[str, Any], None] = lambda name, figure: None,
) -> None:
    """Tables III and IV; `add` gets each row as soon as it is known, and again when its note is found.

    say: gets a line of progress now and then. keep: gets the log of each scenario with its name.
    """
    paper = published("marsupial")
    marsupial_runs.run(paper["scenarios"], add, say, keep)
    marsupial_tether.run(paper["catenary_error"], add, say)
