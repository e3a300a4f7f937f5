"""Plans of UAV and UGV carried out in worlds drawn at random: a wall, often a lintel above it, a perch.

The paper carries out no plan. Whether plans hold with tether, winch and contact is asked here.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tetherlab.assembly.cooperation import Executed, Execution, carry_out
from tetherlab.planning.cooperative import plan
from tetherlab.planning.problem import Agent, Problem, Winch
from tetherlab.studies.rows import Row
from tetherlab.studies.workers import on_all_cores

STUDY = "cooperative"
WORLDS, SEED = 20, 5
RADIUS, DISC, FLOOR = 0.1, 0.2, -2.0  # of the UGV, of the UAV, height [m]
WITHIN = 0.10  # of the goal [m]
ARRIVED = f"of these, UGV within {WITHIN:g} m of its goal"
FARTHEST = "largest distance from the goal"
LINTELS = 0.7  # share of worlds that have one
BESIDE = 0.4  # and in which the goal is not straight below the perch
NOTE = (
    "worlds of 4 m drawn at random; tether with contact and friction, "
    "winch of twice the weight, swing damped by the winch alone; the paper carries out no plan"
)


@dataclass(frozen=True)
class Flown:
    """What came of one world."""

    seed: int
    symbols: str  # of the plan; empty: there was none
    error: float = math.nan  # of the UGV in the end [m]
    duration: float = math.nan  # [s]
    tension: float = math.nan  # largest at the winch [N]
    sentence: str = ""

    @property
    def arrived(self) -> bool:
        """Whether the UGV is where it should be."""
        return self.error < WITHIN


def random_world(seed: int) -> Problem:
    """A wall between a UGV and its goal, which is below a perch or beside that; to centimetres."""
    random = np.random.default_rng([SEED, seed])

    def draw(low: float, high: float) -> float:
        return round(float(random.uniform(low, high)), 2)

    half, top, middle = draw(0.1, 0.3), draw(-0.8, 0.3), draw(-0.1, 0.1)
    obstacles = [_box(middle - half, FLOOR, middle + half, top)]
    if random.random() < LINTELS:
        low, wide = top + draw(0.6, 0.8), draw(0.1, 0.4)
        obstacles.append(_box(middle - wide, low, middle + wide, min(low + draw(0.2, 0.4), 1.6)))
    across = draw(0.7, 1.0)
    perch = (round(middle - half - across, 2), round(min(top + draw(1.1, 1.5) * across, 1.7), 2))
    start = (draw(0.7, 1.5), FLOOR + RADIUS)
    ugv = Agent(
        name="ugv", start=start, radius=RADIUS, mass=5.0, drive_slope=math.radians(20.0),
        winch=Winch(length=8.0, force_max=100.0), latch=True,
    )  # fmt: skip
    uav = Agent(
        name="uav", start=(draw(0.7, 1.7), draw(-1.0, 0.0)), radius=DISC, mass=0.75,
        fly=True, land=True, perch_force=400.0,
    )  # fmt: skip
    goal = perch[0]
    if random.random() < BESIDE:
        goal = min(max(goal + draw(-0.4, 0.4), RADIUS - 1.9), middle - half - 2.0 * RADIUS)
    return Problem(
        bounds=(-2.0, FLOOR, 2.0, 2.0),
        obstacles=obstacles,
        perches=[perch],
        agents=[ugv, uav],
        goal={"ugv": (round(goal, 2), FLOOR + RADIUS)},
        name=f"world {seed}",
    )


def fly_world(seed: int, damped: bool = True) -> Flown:
    """Plan in a world, and carry it out."""
    problem = random_world(seed)
    found = plan(problem, explain=False)
    if not found.status.has_plan:
        return Flown(seed, "", sentence=found.status.value)
    return flown(seed, found.symbols, carry_out(problem, found, Execution(damped=damped)))


def flown(seed: int, symbols: str, done: Executed) -> Flown:
    """In short."""
    return Flown(
        seed=seed,
        symbols=symbols,
        error=done.errors["ugv"],
        duration=done.steps[-1].end,
        tension=max(step.tension_peak for step in done.steps),
        sentence=done.log.outcome_sentence,
    )


def with_a_plan(count: int = WORLDS) -> list[int]:
    """Numbers of the first worlds for which there is a plan.

    In some the perch is so low that a winch of twice the weight cannot pull the UGV over the corner.
    """
    numbers = (i for i in itertools.count() if plan(random_world(i), explain=False).status.has_plan)
    return list(itertools.islice(numbers, count))


def fly_worlds(numbers: Sequence[int]) -> Iterator[Flown]:
    """Each of these worlds, as they are done."""
    for _, result in on_all_cores(fly_world, numbers):
        yield result


def run(add: Callable[[Row], None], say: Callable[[str], None], count: int = WORLDS) -> list[Flown]:
    """How many arrive, how near, how long it takes."""
    results, numbers = [], with_a_plan(count)
    for result in fly_worlds(numbers):
        results.append(result)
        say(f"world {result.seed}: {result.symbols}, {result.sentence}")
    arrived = sum(result.arrived for result in results)
    duration = float(np.median([result.duration for result in results]))
    add(Row(STUDY, "worlds drawn to carry plans out", "", None, float(numbers[-1] + 1), NOTE))
    add(Row(STUDY, "of these, with a plan", "", None, float(len(results)), NOTE))
    add(Row(STUDY, ARRIVED, "", None, float(arrived), NOTE))
    add(Row(STUDY, FARTHEST, "m", None, max(r.error for r in results), NOTE))
    add(Row(STUDY, "carried out in, median", "s", None, duration, NOTE))
    return results


def _box(x0: float, z0: float, x1: float, z1: float) -> list[tuple[float, float]]:
    return [(x0, z0), (x1, z0), (x1, z1), (x0, z1)]
