"""The study of paper 002: localisation of a drone by its tether, flown with the estimate as only feedback."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tetherlab.contracts.log import Log
from tetherlab.estimation.residual_training import train_residual
from tetherlab.estimation.sparse_gp import SparseGp
from tetherlab.report.localisation_study import (
    draw_distribution,
    draw_error_map,
    draw_tension,
)
from tetherlab.studies import tether_inertial_survey as survey
from tetherlab.studies.rows import Row, published
from tetherlab.studies.tether_inertial_flights import (
    LARGE,
    SHAPES,
    SMALL,
    TENSION,
    Flight,
    learned_flights,
    raw_flights,
    training_flights,
)
from tetherlab.studies.tether_inertial_flown import Flown, Order, fly_all
from tetherlab.studies.tether_inertial_learning import learning_rows

STUDY = "tether_inertial"
BAND = 1.0  # of the tension, to both sides [N]
JUDGES = ("catenary", "learned", "ekf", "learned_ekf")
RAW_NOTE = (
    "The size of the smooth error of the angle sensors is assumed, for a raw mean near that of the paper; "
    "how it is shared among shapes and sizes follows from the model."
)
GP_NOTE = "Learned from other shapes, heights and tensions than those flown; the paper's rows average 0.057."

Add = Callable[[Row], None]
Picture = Callable[[str, Any], None]
Keep = Callable[[str, Log], None]


def run(
    add: Add,
    say: Callable[[str], None] = lambda text: None,
    keep: Keep | None = None,
    picture: Picture = lambda name, figure: None,
) -> None:
    """Tables I, III and IV, Figures 9, 12 and 16, a flight on Mars, and all methods on the same flights.

    add: gets each row as soon as it is known. say: a line of progress. keep: gets the log of each flight
    that is judged. picture: gets figures by name.
    """
    paper = published(STUDY)
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "residual.npz")
        taught = list(fly_all([Order(f, "truth", (), learn=True) for f in training_flights()], say))
        learned = _learn(taught, model, add, say)
        orders = [Order(f, "catenary", JUDGES, model=model, learn=True) for f in raw_flights()]
        raw = list(fly_all(orders, say, keep))
        learning_rows(learned, taught, raw, paper["learned"], add, say)
        _flight_rows(raw, "catenary", "raw", paper, add)
        _pictures(raw, picture)
        orders = [Order(f, "learned", JUDGES, model=model) for f in learned_flights()]
        flown = list(fly_all(orders, say, keep))
        _flight_rows(flown, "learned", "learned", paper, add)
        _together(raw, flown, paper, add)
        survey.run(model, add, say, keep, picture)


def _learn(taught: Sequence[Flown], model: str, add: Add, say: Callable[[str], None]) -> SparseGp:
    """Train the correction that is flown with, and say what it took."""
    say("learning")
    inputs = np.concatenate([flown.inputs for flown in taught])
    errors = np.concatenate([flown.errors for flown in taught])
    names = np.concatenate([[flown.flight.name] * len(flown.errors) for flown in taught])
    began = time.process_time()
    gp = train_residual(inputs, errors, flights=names)
    add(
        Row(
            STUDY,
            "samples learned from",
            "",
            150000.0,
            float(len(inputs)),
            "Samples of 36 flights at 100 Hz.",
        )
    )
    add(Row(STUDY, "training, on one core", "s", None, time.process_time() - began))
    gp.save(model)
    return gp


def _size(flight: Flight) -> str:
    return "small" if (flight.size, flight.height) == SMALL else "large"


def _flight_rows(flown: Sequence[Flown], judge: str, table: str, paper: Any, add: Add) -> None:
    """Table III, one row per shape and size, and how the flights went."""
    note = RAW_NOTE if table == "raw" else GP_NOTE
    for shape in SHAPES:
        for size in ("small", "large"):
            those = [f for f in flown if f.flight.shape == shape and _size(f.flight) == size]
            here = float(np.mean([f.answers[judge].rmse for f in those]))
            printed = paper["flights"][table][f"{shape}_{size}"]
            add(Row(STUDY, f"{table} {shape} {size}: RMSE", "m", printed, here, note))
    mean = float(np.mean([f.answers[judge].rmse for f in flown]))
    add(Row(STUDY, f"{table} all {len(flown)}: RMSE", "m", paper["flights"][table]["all"], mean, note))
    completed = sum(f.outcome == "COMPLETED" for f in flown)
    add(Row(STUDY, f"{table}: flights completed", "", float(len(flown)), float(completed)))
    add(Row(STUDY, f"{table}: farthest from its path", "m", None, max(f.tube for f in flown)))
    inside = np.mean(np.concatenate([np.abs(f.tension[:, 1] - TENSION) < BAND for f in flown]))
    add(Row(STUDY, f"{table}: tension within ±1 N", "%", 100.0, 100.0 * float(inside)))


def _together(raw: Sequence[Flown], flown: Sequence[Flown], paper: Any, add: Add) -> None:
    """Table IV over raw and learned flights, and what each estimator makes of all nineteen."""
    for shape in SHAPES:
        for size in ("small", "large"):
            errors = [
                f.answers["catenary"].rmse for f in raw if (f.flight.shape, _size(f.flight)) == (shape, size)
            ]
            errors += [
                f.answers["learned"].rmse for f in flown if (f.flight.shape, _size(f.flight)) == (shape, size)
            ]
            mean, deviation = paper["geometry"][f"{shape}_{size}"]
            add(Row(STUDY, f"{shape} {size}: RMSE", "m", mean, float(np.mean(errors)), RAW_NOTE))
            add(
                Row(
                    STUDY,
                    f"{shape} {size}: deviation of RMSE",
                    "m",
                    deviation,
                    float(np.std(errors)),
                    RAW_NOTE,
                )
            )
    everyone = [*raw, *flown]
    for judge in JUDGES:
        mean = float(np.mean([f.answers[judge].rmse for f in everyone]))
        name = f"{judge.replace('_', ' ')} on all {len(everyone)} flights"
        add(Row(STUDY, f"{name}: RMSE", "m", None, mean))
        answered = 100.0 * min(f.answers[judge].answered for f in everyone)
        add(Row(STUDY, f"{name}: answered, least of them", "%", None, answered, survey.ANSWERED))
    worst = max(f.answers["learned"].rmse / f.answers["catenary"].rmse for f in everyone)
    add(Row(STUDY, "learned over raw, worst flight", "", None, worst))
    away = max(f.tube for f in everyone)
    add(Row(STUDY, "farthest from its path of all flights", "m", None, away))


def _pictures(raw: Sequence[Flown], picture: Picture) -> None:
    """Figures 16, 9 and 12."""
    parts = {}
    for title, height in (("1.5 m, 2.0 m high", SMALL[1]), ("2.5 m, 3.5 m high", LARGE[1])):
        answers = [f.answers["catenary"].said for f in raw if f.flight.height == height]
        position = np.concatenate([a.position - a.error for a in answers])
        parts[title] = position, np.concatenate([a.distance for a in answers])
    picture("error_map", draw_error_map(parts))
    rng = np.random.default_rng(9)
    said = [f.answers["catenary"].said for f in raw]
    error = np.concatenate([a.error for a in said])
    covariance = np.concatenate([a.covariance for a in said])
    chosen = rng.choice(len(error), min(3000, len(error)), replace=False)
    drawn = np.array([rng.multivariate_normal(np.zeros(3), covariance[i]) for i in chosen])
    picture("error_distribution", draw_distribution(error[chosen], drawn))
    named = {f.flight.shape: f.tension for f in raw if f.flight.height == SMALL[1]}
    picture("tension", draw_tension({s: named[s] for s in ("triangle", "circle")}, TENSION, BAND))
