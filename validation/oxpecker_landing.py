"""Landings of paper 003 along the tether, with what was promised of them; ten minutes."""

from collections.abc import Callable

from tetherlab.studies import oxpecker_landing
from tetherlab.studies.oxpecker_landing_flight import product
from validation.repeated import Promise, repeat
from validation.table import Study, at_least, at_most

Say = Callable[[str], None]
CAPTIONS = {
    "landing_fields": "Both fields in a vertical plane, as Fig. 13.",
    "landings_switched": "Ways of ten landings by the switched field, as Fig. 16d.",
    "landings_continuous": "The same ten starts by the continuous field.",
    "landing_switched": "One of them by the switched field, as Fig. 16b, 16c and 17.",
    "landing_continuous": "The same start by the continuous field.",
}


def promise(name: str) -> Promise | None:
    """What a row must reach, if anything."""
    if name.startswith("landing, ") and "landed, of" in name and name.endswith("starts"):
        return lambda q, u, v, n: at_least(q, u, 100.0, v, n)
    if name.endswith("farthest from the centre"):
        return lambda q, u, v, n: at_most(q, u, oxpecker_landing.OFF_MAX, v, n)
    if name.endswith("nearest to the ceiling"):
        return lambda q, u, v, n: at_least(q, u, 1.0, v, n)
    if name.endswith(("largest tension", "largest tension at rest")):
        return lambda q, u, v, n: at_most(q, u, product().tether.spec.strength, v, n)
    if name.endswith("median of the ratios"):
        return lambda q, u, v, n: at_least(q, u, 1.25, v, n)
    return None


def run(say: Say) -> Study:
    """Land from everywhere."""
    rows, pictures, remarks = repeat(oxpecker_landing, say, promise, CAPTIONS, "oxpecker")
    return Study(
        title="Landing along the tether",
        model=(
            f"{oxpecker_landing.COUNT} starts, 15° to 89° above the platform and up to 12 m away, by the "
            "switched field of paper 003 and by the continuous one at the same speed: the scenario oxpecker "
            "with its sensors, odometry and winch, in gusts, on slopes, below low ceilings."
        ),
        truth="The simulated team.",
        rows=rows,
        pictures=pictures,
        text=remarks,
    )
