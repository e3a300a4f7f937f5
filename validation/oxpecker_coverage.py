"""Faces of random mines, swept by sensors on board, with what was promised of that; ten minutes."""

from collections.abc import Callable

from tetherlab.studies import oxpecker_coverage
from validation.repeated import Promise, repeat
from validation.table import Study, at_least, at_most

COUNT = float(oxpecker_coverage.COUNT)
PROMISED: dict[str, Promise] = {
    "completed": lambda q, u, v, n: at_least(q, u, COUNT, v, n),
    "seen, least": lambda q, u, v, n: at_least(q, u, 99.0, v, n),
    "overlap of rows, least": lambda q, u, v, n: at_least(q, u, 30.0, v, n),
    "distance to the wall off by, at most": lambda q, u, v, n: at_most(q, u, 0.2, v, n),
}


def run(say: Callable[[str], None]) -> Study:
    """Sweep them."""
    captions = {"coverage": "How many pictures show each part of the first face."}
    rows, pictures, remarks = repeat(
        oxpecker_coverage, say, lambda name: PROMISED.get(name.partition(": ")[2]), captions, "oxpecker"
    )
    return Study(
        title="Coverage of unknown walls",
        model=(
            "`tetherlab run oxpecker` with a bumpy face of 20 x 8 m: driven to it, flown by depth camera, "
            "range finders and drifting odometry alone, landed along the tether."
        ),
        truth="The true face in cells of 0.1 m, the true pose of each picture, points of the true rock.",
        rows=rows,
        pictures=pictures,
        text=remarks,
    )
