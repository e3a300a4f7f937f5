"""Every method of the survey on the same flights: by tension, length, speed and wind, and on Mars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tetherlab.contracts.log import Log
from tetherlab.estimation.survey import SURVEY
from tetherlab.report.localisation_study import draw_methods
from tetherlab.studies.rows import Row
from tetherlab.studies.tether_inertial_flights import Flight
from tetherlab.studies.tether_inertial_flown import Order, fly_all

STUDY = "tether_inertial"
METHODS = (*(method.name for method in SURVEY), "learned", "ekf", "moving_ekf", "learned_ekf")
NOTE = "Flown by the ekf; all methods see the same measurements. No paper compares them."
NOTES = {
    "fixed_length": f"{NOTE} Its tether does not reel: it is told the median length of the flight.",
    "moving_ekf": f"{NOTE} It accounts for inertia and drag of the tether, and is told the mean wind.",
}
ANSWERED = "Share of times with a position that may be flown by; its RMSE is over these and those it doubts."


class Case(NamedTuple):
    """A flight in which one thing differs from the others."""

    title: str
    flight: Flight


def cases() -> list[Case]:
    """A circle as a measure, and one thing after another changed."""
    plain = Flight("circle", 1.8, 2.6, 1500)
    changes: dict[str, dict[str, Any]] = {
        "plain": {},
        "tension 2 N": {"tension": 2.0},
        "tension 5 N": {"tension": 5.0},
        "tether 2 m": {"size": 1.0, "height": 1.8},
        "tether 6 m": {"size": 3.5, "height": 5.0},
        "speed 0.15 m/s": {"speed": 0.15, "laps": 1},
        "speed 0.7 m/s": {"speed": 0.7},
        "wind 3 m/s": {"wind": 3.0},
        "Mars": {"gravity": 3.71},
    }
    return [
        Case(title, plain._replace(seed=1500 + number, **change))
        for number, (title, change) in enumerate(changes.items())
    ]


def run(
    model: str,
    add: Callable[[Row], None],
    say: Callable[[str], None],
    keep: Callable[[str, Log], None] | None,
    picture: Callable[[str, Any], None],
) -> None:
    """One row for each method and case; model: file of the learned correction."""
    titles = {case.flight: case.title for case in cases()}
    orders = [Order(flight, "ekf", METHODS, model=model) for flight in titles]
    found: dict[str, list[float]] = {}
    answered: list[list[float]] = []
    for flown in fly_all(orders, say, keep):
        title = titles[flown.flight]
        found[title] = [flown.answers[name].rmse for name in METHODS]
        answered.append([flown.answers[name].answered for name in METHODS])
        for name, rmse in zip(METHODS, found[title], strict=True):
            note = NOTES.get(name, NOTE)
            add(Row(STUDY, f"{title}, {name.replace('_', ' ')}: RMSE", "m", None, rmse, note))
        add(Row(STUDY, f"{title}: farthest from its path", "m", None, flown.tube))
        done = float(flown.outcome == "COMPLETED")
        add(Row(STUDY, f"{title}: completed", "", None, done))
    for name, shares in zip(METHODS, np.transpose(answered), strict=True):
        least = 100.0 * float(np.min(shares))
        quantity = f"{name.replace('_', ' ')}: answered, least of these flights"
        add(Row(STUDY, quantity, "%", None, least, ANSWERED))
    picture("methods", draw_methods(METHODS, list(found), np.array(list(found.values()))))
