"""What a branch does to AVOCADO: met by its tether, and let go (Fig. 8D to F), in the plant."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.log import Log
from tetherlab.report.avocado_study import draw_met, draw_released
from tetherlab.studies.avocado_branch import (
    BEFORE,
    CONTROLLERS,
    MEETS,
    WANTED,
    Ending,
    Trial,
    angles_of,
    drawn,
    fly_all,
    make_run,
)
from tetherlab.studies.rows import Row

Array = NDArray[np.float64]
STUDY = "avocado"
SEEDS = 200  # releases at the short free length with the model-based controller, of which 90 % shall succeed
FEWER = 40  # of the others
SHOWN, BEFOREHAND = 4, 2.5  # successful attempts in the picture, as in the paper's, and from when [s]
SETTLED = 4.0  # after the reference stands still [s]
MET = (
    "Theta goes from {before:.0f} to {wanted:.0f} deg within 7 s; the paper prints no reference. "
    "By the robot's own sensors, in the plant."
)
RELEASED = (
    "In the plant, by the robot's own sensors; angle, friction, moment and noise differ from seed to seed. "
    "Success: within 5 deg in theta and 20 deg in heading from 9 to 10 s after, never over. "
    "The paper's branch and gains are not printed, and its attempts were few."
)


def run(
    paper: Any,
    add: Callable[[Row], None],
    say: Callable[[str], None],
    keep: Callable[[str, Log], None] | None,
    picture: Callable[[str, Any], None],
) -> None:
    """Fig. 8D to F."""
    say("tether meets branch")
    traces: dict[str, dict[float, Array]] = {}
    for way in ("up", "down"):
        note = MET.format(before=math.degrees(BEFORE[way]), wanted=math.degrees(WANTED[way]))
        traces[way] = {}
        for length in (1.0, 0.5):
            trial = Trial(way, length, release=None, seed=1)
            log = make_run(trial).run()
            if keep is not None:
                keep(f"branch_{way}_{length:g}m", log)
            robot, settled = log["robot"], log["robot"]["time_s"] > MEETS + SETTLED
            off = robot["theta_deg"][settled] - math.degrees(WANTED[way])
            title = f"branch, {way}, {length:g} m free"
            add(Row(STUDY, f"{title}: theta off 4 s later", "deg", None, float(np.abs(off).max()), note))
            free = float(np.median(robot["free_length_m"][settled]))
            add(Row(STUDY, f"{title}: free length", "m", length, free, note))
            columns = ("time_s", "theta_deg", "phi_deg", "heading_deg", "free_length_m")
            traces[way][length] = robot.rows(*columns)
    picture("branch", draw_met(traces))
    shown: dict[str, list[Array]] = {}
    for way in ("up", "down"):
        for length, name in ((1.0, "long"), (0.5, "short")):
            for controller in CONTROLLERS:
                printed = paper[f"{name}_{way}"] if controller == "paper's" else None
                count = SEEDS if (controller, length) == ("model-based", 0.5) else FEWER
                ends = list(fly_all([drawn(way, length, controller, s) for s in range(count)], say))
                title = f"release, {way}, {length:g} m free, {controller} controller"
                share = 100.0 * sum(end.success for end in ends) / count
                add(Row(STUDY, f"{title}: success of {count}", "%", printed, share, RELEASED))
                if controller == "paper's":
                    shown[f"{way}, {length:g} m free"] = _attempts(ends)
                steepest = math.degrees(max(end.pitch_max for end in ends))
                add(Row(STUDY, f"{title}: steepest pitch", "deg", None, steepest, RELEASED))
    picture("release", draw_released(shown))


def _attempts(ends: Sequence[Ending]) -> list[Array]:
    """The first that succeeded, once more: time from the release [s], theta and heading [deg], (n, 3)."""
    found = []
    for end in [end for end in ends if end.success][:SHOWN]:
        assert end.trial.release is not None
        time, theta, heading = angles_of(make_run(end.trial).run()).T
        rows = np.column_stack([time - end.trial.release, np.degrees(theta), np.degrees(heading)])
        found.append(rows[rows[:, 0] > -BEFOREHAND])
    return found
