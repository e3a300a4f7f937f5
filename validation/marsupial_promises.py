"""What a marsupial run promises: it follows what it was told, repeats itself, and fits into memory."""

import resource
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import tetherlab as tl
from validation.table import Row, at_least, at_most, holds, number, reported

Say = Callable[[str], None]

LENGTH_ERROR_MAX = 0.1  # [m]
TRACKING_MAX = 0.05  # [m]
MEMORY_MAX = 1000.0  # [MB]
FOLLOWED = ("vertical", "horizontal", "opposite")  # scenarios whose drone must keep to its moving reference

GUST_SEEDS = (1, 2, 3, 4, 5)
# Two there and back, with everything that the full run has.
FED_FORWARD, FLIGHT = "opposite", {"run.duration_max_s": 180.0}
WIND = {
    "velocity_m_per_s": [8.0, 0.0, 0.0],
    "gusts": {"intensity_m_per_s": 1.2, "length_scale_m": 20.0},  # 15 % of the mean: open country
}

FLY = """
import resource, sys, tempfile
import tetherlab as tl
from tetherlab.report import write_report
from tetherlab.view.share import replay_page
with tempfile.TemporaryDirectory() as folder:
    changes = {"mission.hold_last_s": 3600, "run.duration_max_s": float(sys.argv[1])}
    log = tl.run("opposite", changes, folder=folder)
    write_report(log, folder + "/report.html", replay=replay_page(log))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6)
"""


def followed(logs: Mapping[str, tl.Log]) -> list[Row]:
    """Targets, length and place of the five runs."""
    rows = []
    for name, log in logs.items():
        count = len(log.scenario["mission"]["targets"])
        reached = log.metrics["targets_reached"]
        rows.append(at_least(f"`{name}`: targets reached", "", count, reached))
    for name, log in logs.items():
        error, free = length_error(log)
        quantity = f"`{name}`: length to its reference while not rate-limited, largest"
        rows.append(at_most(quantity, "m", LENGTH_ERROR_MAX, error, f"{100.0 * free:.0f} % of the rows"))
    for name in FOLLOWED:
        speed = logs[name].scenario["mission"]["uav_speed_m_per_s"]
        quantity = f"`{name}`: drone to its reference, which moves at {speed:g} m/s, RMSE"
        largest = logs[name].metrics["track_max_uav_m"]
        note = f"largest {number(largest)} m"
        rows.append(at_most(quantity, "m", TRACKING_MAX, logs[name].metrics["track_rmse_uav_m"], note))
    return rows


def length_error(log: tl.Log) -> tuple[float, float]:
    """Largest difference of the tether's length to what the rule asks for [m], and of which share of rows.

    Those in which the winch is at its limit of speed or acceleration do not count.
    """
    winch = log["winch"]
    free = winch["rate_limited"] == 0.0
    error = np.abs(winch["length_m"] - winch["length_reference_m"])[free]
    return float(error.max()), float(free.mean())


def feed_forward(say: Say) -> list[Row]:
    """Tracking with each kind of feed-forward, in calm air and in gusts."""
    rows = []
    for air, winds in (("calm", [None]), ("8 m/s with gusts", list(GUST_SEEDS))):
        for kind in ("none", "measured", "catenary"):
            say(f"feed-forward {kind}, {air}")
            logs = [_flight(kind, seed) for seed in winds]
            ended = [log.outcome_sentence for log in logs if log.outcome is not tl.Outcome.TIMED_OUT]
            note = f"{len(winds)} gust seeds, median" if len(winds) > 1 else ""
            for word, metric in (("RMSE", "track_rmse_uav_m"), ("largest", "track_max_uav_m")):
                found = [log.metrics[metric] for log in logs]
                spread = f" ({number(min(found))} to {number(max(found))})" if len(found) > 1 else ""
                quantity = f"drone to its reference, {air}, feed-forward {kind}: {word}"
                measured = f"{number(float(np.median(found)))}{spread}"
                rows.append(reported(quantity, "m", measured, "; ".join(filter(None, [note, *ended]))))
    return rows


def _flight(kind: str, gust_seed: int | None) -> tl.Log:
    changes: dict[str, Any] = {**FLIGHT, "uav.controller": {"type": "position", "feed_forward": kind}}
    if gust_seed is not None:
        changes["wind"] = {**WIND, "gusts": {**WIND["gusts"], "seed": gust_seed}}
    return tl.run(FED_FORWARD, changes)


def repeats(say: Say) -> Row:
    """Two runs of one seed."""
    say("twice the same seed")
    first, second = (tl.run("windy", {"run.duration_max_s": 30.0}, seed=7) for _ in range(2))
    differing = [
        f"{name}.{column}"
        for name, table in first.tables.items()
        for column in table.columns
        if table[column].tobytes() != second[name][column].tobytes()
    ]
    count = sum(len(table.columns) * len(table) for table in first.tables.values())
    note = f"{count} numbers compared"
    quantity = "`windy`, 30 s, twice: same seed, same bits"
    return holds(quantity, not differing, "no" if differing else "yes", note)


def memory(say: Say) -> Row:
    """The peak of a process that runs an hour at 50 rows per second, saves it and draws its report."""
    say("an hour of flight")
    _flown(1.0)  # compiled
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    peak = _flown(3600.0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    note = f"whole process, compiled before; saving and report included, {spent:.0f} s of CPU time"
    quantity = "an hour at 50 Hz (`opposite`, then hovering): peak of memory"
    return at_most(quantity, "MB", MEMORY_MAX, peak, note)


def _flown(duration: float) -> float:
    """Peak of memory [MB] of a process that flies so long [s]."""
    command = [sys.executable, "-c", FLY, str(duration)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
