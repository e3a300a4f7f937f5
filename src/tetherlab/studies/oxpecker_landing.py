"""Landings of paper 003 along the tether: its switched field and a continuous one, from the same starts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import TaskStatus
from tetherlab.contracts.log import Log
from tetherlab.missions.landing import LandingSettings
from tetherlab.missions.landing_field import NEAR, landing_field, landing_lift
from tetherlab.missions.landing_switched import switched_field
from tetherlab.report.landing_figure import draw_fields, draw_landing, draw_landings
from tetherlab.studies.oxpecker_landing_flight import Landed, Start, land
from tetherlab.studies.rows import Row
from tetherlab.studies.workers import on_all_cores

KINDS = ("switched", "continuous")
COUNT = 200  # of starts
LOW_COUNT = 24  # of starts where the cable lies on the ground
TRACED = 10  # landings that are drawn, as in Figure 16
PAPER_LANDINGS = 10  # section 5.2: all succeeded
OFF_MAX = 0.10  # from the centre, of a landing that counts [m]
REACH = 12.0  # of the tether in the picture of the fields [m]
SEED = 7


def starts(count: int, seed: int = SEED) -> list[Start]:
    """Within the tether, 15 to 89 degrees above the platform, each quantity spread evenly over its range."""
    spread = _spread(count, 8, seed)
    found = []
    for i, (far, high, side, slack, wind, from_where, room, turn) in enumerate(spread):
        distance, elevation = _within(far, 1.0, 12.0), math.radians(_within(high, 15.0, 89.0))
        found.append(
            Start(
                distance=distance,
                elevation=elevation,
                azimuth=math.tau * side,
                slack=_within(slack, 1.005, 1.03),
                wind=_within(wind, 0.0, 5.0),
                wind_azimuth=math.tau * from_where,
                ceiling=distance * math.sin(elevation) + _within(room, 3.0, 9.0),
                slope=math.radians((0.0, 5.0, 5.0)[i % 3]),
                levelled=i % 3 != 2,
                yaw=math.tau * turn,
                seed=seed + i,
            )
        )
    return found


def low_starts(count: int, seed: int = SEED) -> list[Start]:
    """Lower than that, with so much cable out that it lies on the ground."""
    found = []
    for i, (far, high, side, slack, wind) in enumerate(_spread(count, 5, seed)):
        distance = _within(far, 3.0, 12.0)
        lowest = math.asin(0.35 / distance)  # clear of the ground
        found.append(
            Start(
                distance=distance,
                elevation=_within(high, lowest, math.radians(15.0)),
                azimuth=math.tau * side,
                slack=_within(slack, 1.12, 1.24),
                wind=_within(wind, 0.0, 5.0),
                seed=seed + i,
            )
        )
    return found


def run(
    add: Callable[[Row], None],
    say: Callable[[str], None] = lambda text: None,
    keep: Callable[[str, Log], None] | None = None,
    picture: Callable[[str, Any], None] = lambda name, figure: None,
) -> None:
    """Both fields from many starts, low starts, and ten landings drawn as in Figures 16 and 17."""
    picture("landing_fields", draw_fields({"switched": _switched_at, "continuous": _continuous_at}, REACH))
    found = fly_all(starts(COUNT), say)
    for row in rows(found):
        add(row)
    for row in low_rows(fly_all(low_starts(LOW_COUNT), say)):
        add(row)
    for kind, landings in found.items():
        picture(f"landings_{kind}", draw_landings([landed.trace for landed in landings[:TRACED]]))
    longest = max(range(TRACED), key=lambda i: found["switched"][i].duration)
    for kind, landings in found.items():
        picture(f"landing_{kind}", draw_landing(landings[longest].trace, landings[longest].actions))


def fly_all(from_here: Sequence[Start], say: Callable[[str], None]) -> dict[str, list[Landed]]:
    """Each start with each field."""
    found: dict[str, list[Landed]] = {kind: [] for kind in KINDS}
    jobs = [(start, kind) for start in from_here for kind in KINDS]
    for (_, kind), landed in on_all_cores(_land, jobs):
        found[kind].append(landed)
        say(f"landing {len(found[kind])} of {len(from_here)}, {kind} field")
    return found


def _land(job: tuple[Start, str]) -> Landed:
    start, kind = job
    return land(start, kind)


def rows(found: Mapping[str, Sequence[Landed]]) -> list[Row]:
    """What the starts came to."""
    made: list[Row] = []
    for kind, landings in found.items():
        first = landings[:PAPER_LANDINGS]
        counted = f"landed, of {len(landings)} starts"
        values: dict[str, tuple[str, float]] = {
            counted: ("%", 100.0 * float(np.mean([_well(x) for x in landings]))),
            "farthest from the centre": ("m", max(x.off_center for x in landings)),
            "from the centre, median": ("m", float(np.median([x.off_center for x in landings]))),
            "farthest from the centre at rest": ("m", max(x.off_at_rest for x in landings)),
            "largest tension": ("N", max(x.tension_max for x in landings)),
            "largest tension at rest": ("N", max(x.tension_at_rest for x in landings)),
            "nearest to the ceiling": ("m", min(x.headroom_min for x in landings)),
            "most tether beyond that of the start": ("m", max(x.length_more for x in landings)),
            "time to land, median": ("s", float(np.median([x.duration for x in landings]))),
        }
        name = f"landing, {kind} field"
        made.append(Row("oxpecker", f"{name}: landed, of ten", "", PAPER_LANDINGS, sum(map(_well, first))))
        made += [Row("oxpecker", f"{name}: {key}", unit, None, here) for key, (unit, here) in values.items()]
    slow, fast = (np.array([x.duration for x in found[kind]]) for kind in KINDS)
    ratio = "landing time, switched over continuous field: "
    made.append(Row("oxpecker", f"{ratio}median of the ratios", "", None, float(np.median(slow / fast))))
    made.append(
        Row("oxpecker", f"{ratio}ratio of the medians", "", None, float(np.median(slow) / np.median(fast)))
    )
    return made


def low_rows(found: Mapping[str, Sequence[Landed]]) -> list[Row]:
    """What low starts came to; who does not land says why."""
    made = []
    for kind, landings in found.items():
        refused = [x.reason for x in landings if x.status is TaskStatus.FAILED]
        good = 100.0 * float(np.mean([_well(x) for x in landings]))
        told = "; ".join(sorted(set(refused)))
        name = f"low starts, {kind} field"
        made.append(Row("oxpecker", f"{name}: landed, of {len(landings)}", "%", None, good))
        made.append(Row("oxpecker", f"{name}: refused", "", None, float(len(refused)), told))
    return made


def _switched_at(level: float, rise: float) -> tuple[float, float]:
    """Velocity outwards and up where a straight tether ends, over its base [m/s]."""
    velocity = switched_field(_straight(level, rise), height=rise)
    return float(velocity[0]), float(velocity[2])


def _continuous_at(level: float, rise: float) -> tuple[float, float]:
    """The same, as a direction."""
    near = NEAR * LandingSettings().slow_down_height
    direction = landing_field(_straight(level, rise), landing_lift(math.hypot(level, rise), near))
    return float(direction[0]), float(direction[2])


def _straight(level: float, rise: float) -> NDArray[np.float64]:
    return np.array((level, 0.0, rise)) / math.hypot(level, rise)


def _well(landed: Landed) -> bool:
    """On the platform, unharmed."""
    return landed.status is TaskStatus.DONE and not landed.outcome and landed.off_center < OFF_MAX


def _spread(count: int, dimension: int, seed: int) -> NDArray[np.float64]:
    """Points of the unit cube of which each coordinate is spread evenly (a Latin hypercube), (count, n)."""
    random = np.random.default_rng(seed)
    cells = np.array([random.permutation(count) for _ in range(dimension)]).T
    return (cells + random.uniform(size=cells.shape)) / count


def _within(share: float, low: float, high: float) -> float:
    return float(low + share * (high - low))
