"""Odometry and maps of paper 003, with what was promised of them; a quarter of an hour."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from tetherlab.studies import oxpecker_flown, oxpecker_mapping
from tetherlab.studies.rows import Row as Found
from validation.repeated import Promise, repeat
from validation.table import Study, at_least, at_most

CAPTIONS = {
    "odometry": "Error of odometry alone and fused, flight by flight.",
    "map_error": "The map of a face, coloured by its distance to the true rock.",
    "changes": "What two maps of the face tell of pieces that fell off in between.",
}


def promise(name: str) -> Promise | None:
    """What a row must reach, if anything."""
    if name in ("odometry, 3-D mean error: visual over fused", f"{oxpecker_flown.FACE}: visual over fused"):
        return lambda q, u, v, n: at_least(q, u, 2.0, v, n)
    if name.startswith(("map: RMS", f"{oxpecker_flown.FACE}: map, RMS")):
        return lambda q, u, v, n: at_most(q, u, 0.05, v, n)
    if name == "spalls found":
        return lambda q, u, v, n: at_least(q, u, 95.0, v, n)
    if name == "false spalls, most on one face":
        return lambda q, u, v, n: at_most(q, u, 1.0, v, n)
    return None


def _both(
    add: Callable[[Found], None], say: Callable[[str], None], picture: Callable[[str, Any], None]
) -> None:
    oxpecker_mapping.run(add, say, picture=picture)
    oxpecker_flown.run(add, say)


def run(say: Callable[[str], None]) -> Study:
    """Fly, map and compare."""
    rows, pictures, remarks = repeat(SimpleNamespace(run=_both), say, promise, CAPTIONS, "mapping")
    return Study(
        title="Mapping",
        model=(
            "Prescribed flights along faces of random mines with the sensors as they are; odometry alone and "
            "fused with radio, altimeter and tether; maps by registered keyframes; two maps compared. One "
            "face is flown along by the mission itself, its tether in the plant, and mapped by the run."
        ),
        truth="The true flight, the true rock, pieces of known size; beside it what the paper prints.",
        rows=rows,
        pictures=pictures,
        text=remarks,
    )
