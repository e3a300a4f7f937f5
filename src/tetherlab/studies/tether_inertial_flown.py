"""Flights flown and judged, on all cores: what is kept of each is small enough to hand on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.estimate import Estimator
from tetherlab.contracts.log import Log
from tetherlab.contracts.measurement_rows import read_measurements
from tetherlab.estimation.catenary import CatenaryLocalizer
from tetherlab.estimation.filter import TetherInertialFilter
from tetherlab.estimation.gather import Gathered, Gatherer
from tetherlab.estimation.residual import LearnedResidual, base_turn, residual_inputs
from tetherlab.estimation.sensing import Sensing
from tetherlab.estimation.sparse_gp import SparseGp
from tetherlab.estimation.survey import SURVEY
from tetherlab.metrics.truth import attachment_at
from tetherlab.scenario.navigation import scenario_filter, scenario_sensing
from tetherlab.scenario.scenario import Scenario
from tetherlab.studies.localised import Localised, localise, window
from tetherlab.studies.tether_inertial_flights import Flight, fly
from tetherlab.world.wind import Wind

Array = NDArray[np.float64]


@dataclass
class Flown:
    """One flight, and what estimators made of it."""

    flight: Flight
    outcome: str
    tube: float  # largest distance of the drone from where it should be, between first and last target [m]
    tension: Array  # time [s] and tension [N] between first and last target, (n, 2)
    answers: dict[str, Localised] = field(default_factory=dict)  # by method
    inputs: Array = field(default_factory=lambda: np.zeros((0, 7)))  # to learn from, of the raw estimate
    errors: Array = field(default_factory=lambda: np.zeros((0, 3)))  # truth less raw estimate [m]
    log: Log | None = None  # the whole of it, until it is handed on


@dataclass(frozen=True)
class Order:
    """What is to be flown, and how it is judged."""

    flight: Flight
    method: str  # flown by; `truth` to collect data
    judges: tuple[str, ...] = ("catenary", "ekf")
    model: str | None = None  # file of a learned correction
    learn: bool = False  # keep inputs and errors


def fly_all(
    orders: Sequence[Order], say: Callable[[str], None], keep: Callable[[str, Log], None] | None = None
) -> Iterator[Flown]:
    """Fly them on all cores; in the order in which they are given. keep: gets each log with its name."""
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        futures = [pool.submit(fly_one, order, whole=keep is not None) for order in orders]
        try:
            for number, future in enumerate(futures, 1):
                flown = future.result()
                name = f"{flown.flight.name}_by_{orders[number - 1].method}"
                say(f"{number} of {len(orders)}: {name}")
                if keep is not None and flown.log is not None:
                    keep(name, flown.log)
                    flown.log = None  # it is large
                yield flown
        finally:  # also when stopped
            for future in futures:
                future.cancel()


def fly_one(order: Order, *, whole: bool = False) -> Flown:
    """Fly and judge one; whole: with its log."""
    more = {}
    if order.model is not None and order.method == "learned":
        more["model"] = order.model
    log = fly(order.flight, order.method, **more)
    flown = _summary(order.flight, log)
    scenario = Scenario.from_dict(log.scenario)
    assert scenario.localisation is not None
    sensing = scenario_sensing(scenario, scenario.localisation)
    learned = None
    if order.model is not None:
        learned = LearnedResidual.of_catenary(sensing, SparseGp.load(order.model))
    for name in order.judges:
        flown.answers[name] = localise(log, judge(name, sensing, scenario, learned, _length(log)))
    if order.learn:
        flown.inputs, flown.errors = lesson(log, sensing)
    flown.log = log if whole else None
    return flown


def judge(
    name: str, sensing: Sensing, scenario: Scenario, learned: LearnedResidual | None, length: float
) -> Estimator:
    """An estimator by its name in the tables; length: for those that take it for constant [m]."""
    assert scenario.localisation is not None
    if name in ("ekf", "moving_ekf", "learned_ekf"):
        motion = _motion(scenario) if name == "moving_ekf" else {}
        spec = scenario_filter(scenario, scenario.localisation, **motion)
        return TetherInertialFilter(sensing, spec, learned if name == "learned_ekf" else None)
    if name == "learned":
        assert learned is not None
        return Gathered(learned)
    method = next(method for method in SURVEY if method.name == name)
    extra = {"length": length} if "length" in method.told else {}
    return Gathered(method.kind(sensing, **extra))


def _motion(scenario: Scenario) -> dict[str, Any]:
    """What a filter must know of a tether that moves, and of the mean wind."""
    tether, world = scenario.tether, scenario.world
    drag = 0.5 * world.air_density * tether.drag_coefficient * tether.diameter
    wind = Wind.calm() if world.wind is None else world.wind
    return {"moving_tether": True, "tether_drag": drag, "wind": tuple(wind.velocity[:2])}


def _length(log: Log) -> float:
    """Of the tether in the middle of its lengths in flight, the best that could be told beforehand [m]."""
    start, end = window(log)
    sensed = log["measurements"]
    between = (sensed["time_s"] >= start) & (sensed["time_s"] <= end)
    return float(np.nanmedian(sensed["length_m"][between]))


def lesson(log: Log, sensing: Sensing) -> tuple[Array, Array]:
    """What a correction learns from: its inputs and errors, truth less raw position, while airborne."""
    start, end = window(log)
    raw, gatherer = CatenaryLocalizer(sensing), Gatherer()
    inputs, times, positions, turns = [], [], [], []
    for measurement in read_measurements(log["measurements"]):
        gatherer.take(measurement)
        if measurement.tangent_base is None or not start <= measurement.time <= end:
            continue
        whole = gatherer.gathered()
        estimate = raw.update(whole)
        if estimate.status.usable:
            inputs.append(residual_inputs(whole, estimate.position))
            times.append(estimate.time)
            positions.append(estimate.position)
            turns.append(base_turn(whole))
    errors = attachment_at(log, np.array(times)) - np.array(positions)
    return np.array(inputs), np.einsum("nji,nj->ni", np.array(turns), errors)


def _summary(flight: Flight, log: Log) -> Flown:
    start, end = window(log)
    uav, winch = log["uav"], log["winch"]
    between = (uav["time_s"] >= start) & (uav["time_s"] <= end)
    away = uav.rows("x_m", "y_m", "z_m") - uav.rows("target_x_m", "target_y_m", "target_z_m")
    away = np.linalg.norm(away, axis=1)[between]
    outcome = log.outcome.name if log.outcome is not None else "UNKNOWN"
    return Flown(
        flight=flight,
        outcome=outcome,
        tube=float(away.max()) if len(away) else float("nan"),
        tension=np.column_stack([winch["time_s"], winch["tension_N"]])[between],
    )
