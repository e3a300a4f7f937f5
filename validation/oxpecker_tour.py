"""Ten pillars in a row, in ten mines, with what was promised of that; half an hour."""

from collections.abc import Callable

from tetherlab.studies import oxpecker_tour
from tetherlab.studies.rows import Row as Found
from validation.table import Row, Study, at_least, number

PROMISED = {
    "completed": float(oxpecker_tour.COUNT),
    "duration, shortest": 3600.0,
    "times real time, slowest": 10.0,
}


def run(say: Callable[[str], None]) -> Study:
    """Tour them."""
    found: list[Found] = []
    oxpecker_tour.run(found.append, say)
    rows = []
    for row in found:
        least = PROMISED.get(row.quantity.partition(": ")[2])
        if least is None:
            rows.append(Row(row.quantity, row.unit, "", number(row.here), None, row.note))
        else:
            rows.append(at_least(row.quantity, row.unit, least, row.here, row.note))
    return Study(
        title="Ten pillars unattended",
        model=(
            "`tetherlab run oxpecker_mine`: the rover drives from pillar to pillar with the drone on its "
            "deck, which sweeps a face of each with depth images of 128 x 96 at 5 Hz and lands by its "
            "tether. No map is built meanwhile (`inspection.map: false`); that takes half as long again."
        ),
        truth="The simulated team. Speed is simulated time over CPU time of one core, after compiling.",
        rows=rows,
    )
