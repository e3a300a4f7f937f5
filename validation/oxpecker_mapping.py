"""Odometry and maps of paper 003, with what was promised of them; ten minutes."""

from collections.abc import Callable

from tetherlab.studies import oxpecker_mapping
from validation.repeated import Promise, repeat
from validation.table import Study, at_least, at_most

CAPTIONS = {
    "odometry": "Error of odometry alone and fused, flight by flight.",
    "map_error": "The map of a face, coloured by its distance to the true rock.",
    "changes": "What two maps of the face tell of pieces that fell off in between.",
}


def promise(name: str) -> Promise | None:
    """What a row must reach, if anything."""
    if name == "odometry, 3-D mean error: visual over fused":
        return lambda q, u, v, n: at_least(q, u, 2.0, v, n)
    if name.startswith("map: RMS"):
        return lambda q, u, v, n: at_most(q, u, 0.05, v, n)
    if name == "spalls found":
        return lambda q, u, v, n: at_least(q, u, 95.0, v, n)
    if name == "false spalls, most on one face":
        return lambda q, u, v, n: at_most(q, u, 1.0, v, n)
    return None


def run(say: Callable[[str], None]) -> Study:
    """Fly, map and compare."""
    rows, pictures, remarks = repeat(oxpecker_mapping, say, promise, CAPTIONS, "mapping")
    return Study(
        title="Mapping",
        model=(
            "Prescribed flights along faces of random mines with the sensors as they are; odometry alone and "
            "fused with radio, altimeter and tether; maps by registered keyframes; two maps compared."
        ),
        truth="The true flight, the true rock, pieces of known size; beside it what the paper prints.",
        rows=rows,
        pictures=pictures,
        text=remarks,
    )
