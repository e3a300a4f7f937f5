"""AVOCADO's courses: over a branch and through a hoop, down and up, and outdoors round three branches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.assembly.canopy_simulation import CanopySimulation
from tetherlab.contracts.log import Log
from tetherlab.contracts.outcome import Outcome
from tetherlab.metrics.canopy import FOLLOWED, followed, tracking
from tetherlab.report.avocado_study import draw_course
from tetherlab.studies.rows import Row

STUDY = "avocado"
Array = NDArray[np.float64]
TESTS = (1, 2, 3)  # seeds of the sensors: three tests each, as in the paper
CONTROLLERS = {"paper": "paper's", "model": "model-based"}
WHAT = ("max |E|", "σ(|E|)", "E_a")
UNITS = {"theta": "deg", "heading": "deg", "length": "m"}
ASSUMED = (
    "References and places of branches and hoop are not printed; flown by the robot's own sensors. "
    "The errors here are those of the truth, the paper's those of its own measurement; no heading counts "
    "below 3 deg."
)
STEEP = (
    "The paper's reference of the length was too steep for its servo; this one is not. "
    "Wind of 1.4 m/s with gusts; branches bend."
)


BELIEVED = (
    "By the swing alone a tether that hardly moves tells nothing of its length; on these slow courses the "
    "estimator is often wrong about it."
)


class Part(NamedTuple):
    """A stretch of a course that the paper's Table II has rows for."""

    title: str  # in the table
    key: str  # of what is printed
    scenario: str
    start: float  # [s]
    end: float  # [s]
    note: str


PARTS = (
    Part("indoor down", "indoor_down", "canopy_indoor", 0.0, 84.0, ASSUMED),
    Part("indoor up", "indoor_up", "canopy_indoor", 84.0, 170.0, ASSUMED),
    Part("indoor combined", "indoor_combined", "canopy_indoor", 0.0, 170.0, ASSUMED),
    Part("outdoor down", "outdoor_down", "canopy_outdoor", 0.0, 153.0, f"{ASSUMED} {STEEP}"),
)


def run(
    paper: Any,
    add: Callable[[Row], None],
    say: Callable[[str], None],
    keep: Callable[[str, Log], None] | None,
    picture: Callable[[str, Any], None],
) -> None:
    """Fig. 9 and 10, and Table II."""
    scenarios = tuple(dict.fromkeys(part.scenario for part in PARTS))
    orders = [(name, kind, seed) for name in scenarios for kind in CONTROLLERS for seed in TESTS]
    logs: dict[tuple[str, str], list[Log]] = {}
    for (name, kind, seed), log in zip(orders, _fly_all(orders, say), strict=True):
        if keep is not None:
            keep(f"{name}_{kind}_{seed}", log)
        logs.setdefault((name, kind), []).append(log)
    for (name, kind), runs in logs.items():
        done = sum(log.outcome is Outcome.COMPLETED for log in runs)
        where = name.removeprefix("canopy_")
        title = f"{where}, {CONTROLLERS[kind]} controller: completed of {len(runs)}"
        add(Row(STUDY, title, "", float(len(runs)) if kind == "paper" else None, float(done)))
        touched = max(log.metrics["shell_contacts"] for log in runs)
        title = f"{where}, {CONTROLLERS[kind]} controller: contacts of the shell, most of them"
        add(Row(STUDY, title, "", None, float(touched)))
        shares = [100.0 * _known_length(log) for log in runs]
        title = f"{where}, {CONTROLLERS[kind]} controller: free length believed within 10 %, of the time"
        add(Row(STUDY, title, "%", None, float(np.mean(shares)), BELIEVED))
    for part in PARTS:
        for kind, title in CONTROLLERS.items():
            printed = paper[part.key] if kind == "paper" else {name: [None] * 3 for name in FOLLOWED}
            for name in FOLLOWED:
                errors = np.concatenate([_errors(log, name, part) for log in logs[part.scenario, kind]])
                numbers = np.abs(errors).max(), np.abs(errors).std(), np.sqrt(np.mean(errors**2))
                for what, theirs, ours in zip(
                    ("max |E|", "σ(|E|)", "E_a"), printed[name], numbers, strict=True
                ):
                    quantity = f"{part.title}, {title} controller: {name} {what}"
                    add(Row(STUDY, quantity, UNITS[name], theirs, float(ours), part.note))
    for name in scenarios:
        shown = {CONTROLLERS[kind]: [_trace(log) for log in logs[name, kind]] for kind in CONTROLLERS}
        _, _, wanted = followed(logs[name, "paper"][0])
        time = logs[name, "paper"][0]["robot"]["time_s"]
        picture(name.removeprefix("canopy_"), draw_course(shown, np.column_stack([time, wanted])))


def _known_length(log: Log) -> float:
    """Share of the time in which the robot knows its free length to a tenth."""
    believed, robot = log["believed"], log["robot"]
    true = np.interp(believed["time_s"], robot["time_s"], robot["free_length_m"])
    return float(np.mean(np.abs(believed["free_length_m"] / true - 1.0) < 0.1))


def _errors(log: Log, name: str, part: Part) -> Array:
    time, error = tracking(log, name)
    return error[(time >= part.start) & (time <= part.end)]


def _trace(log: Log) -> Array:
    """Time [s], theta, heading [deg], length, place of P [m], (n, 7)."""
    time, done, _ = followed(log)
    return np.column_stack([time, done, log["robot"].rows("x_m", "y_m", "z_m")])


def _fly(order: tuple[str, str, int]) -> Log:
    name, kind, seed = order
    sensing = "on_board_outdoors" if name == "canopy_outdoor" else "on_board"
    changes = {"controller.type": kind, "sensing": sensing}
    return CanopySimulation(name, changes, seed=seed).run()


def _fly_all(orders: Sequence[tuple[str, str, int]], say: Callable[[str], None]) -> Iterator[Log]:
    """On all cores, in the order in which they are given."""
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        futures = [pool.submit(_fly, order) for order in orders]
        try:
            for number, (order, future) in enumerate(zip(orders, futures, strict=True), 1):
                log = future.result()
                say(f"course {number} of {len(orders)}: {order[0]} by {order[1]}")
                yield log
        finally:  # also when stopped
            for future in futures:
                future.cancel()
