"""Ten pillars in a row, unattended: drive, take off, map, land, drive on, for more than an hour."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tetherlab.contracts.outcome import Outcome
from tetherlab.missions.inspection import COMPLETED, Inspection
from tetherlab.scenario.simulation import Simulation
from tetherlab.studies.rows import Row
from tetherlab.studies.workers import on_all_cores

COUNT = 10  # tours
SCENARIO = "oxpecker_mine"


class Tour(NamedTuple):
    """What one came to."""

    outcome: Outcome | None
    sentence: str
    mapped: int  # walls
    walls: int
    duration: float  # simulated [s]
    times_real_time: float  # per second of one core
    energy_left: float  # of the battery, share


def tour(seed: int) -> Tour:
    """Through the mine of a seed."""
    # Without maps, which `oxpecker_mapping` judges: they take a third of the time and move nothing.
    simulation = Simulation(SCENARIO, {"world.mine.seed": seed, "inspection.map": False}, seed=seed)
    simulation.step()  # compiles
    start, begun = time.process_time(), simulation.time
    simulation.run()
    used = time.process_time() - start
    pilot = simulation.pilot
    assert pilot is not None and isinstance(pilot.autonomy, Inspection)
    mapped = sum(end == COMPLETED for _, end, _ in pilot.autonomy.results)
    power = simulation.state.power
    return Tour(
        simulation.outcome,
        simulation.outcome_sentence,
        mapped,
        len(pilot.autonomy.stops),
        simulation.time,
        (simulation.time - begun) / used,
        np.nan if power is None else power.energy_left,
    )


def run(
    add: Callable[[Row], None], say: Callable[[str], None] = lambda text: None, count: int = COUNT
) -> None:
    """Through as many mines."""
    tours: list[Tour] = []
    say(f"{count} tours, each more than an hour of flight")
    for _, found in on_all_cores(tour, range(count)):
        tours.append(found)
        say(f"{len(tours)} of {count} tours; the last one: {found.sentence}")
    name = f"{count} tours of {tours[0].walls} pillars"
    failed = "; ".join(found.sentence for found in tours if found.outcome is not Outcome.COMPLETED)
    good = sum(found.outcome is Outcome.COMPLETED for found in tours)
    rows = {
        "completed": ("", float(good), failed),
        "walls mapped": ("", float(sum(found.mapped for found in tours)), ""),
        "duration, shortest": ("s", min(found.duration for found in tours), ""),
        "times real time, slowest": ("", min(found.times_real_time for found in tours), ""),
        "battery left, least": ("%", 100.0 * min(found.energy_left for found in tours), ""),
    }
    for what, (unit, value, note) in rows.items():
        add(Row("oxpecker", f"{name}: {what}", unit, None, value, note))
