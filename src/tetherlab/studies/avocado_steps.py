"""Steps of the tether angle at four lengths, and a run in space, on the analytic model (Fig. 7)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.control.avocado import ModelController, PaperController, References, steps
from tetherlab.report.avocado_study import draw_followed, draw_steps
from tetherlab.studies.rows import Row
from tetherlab.vehicles import avocado

STUDY = "avocado"
Array = NDArray[np.float64]
Add = Callable[[Row], None]
Picture = Callable[[str, Any], None]
LENGTHS = (0.5, 1.0, 1.5, 2.0)  # [m]
ANGLES = (0.0, 10.0, 30.0, 10.0, 20.0)  # one after the other; the paper prints none [deg]
LASTS = 8.0  # each [s]
SETTLED = 1.0  # [deg]
CONTROLLERS = {"paper's": PaperController, "model-based": ModelController}
PROFILE = "The paper prints no reference: 0, 10, 30, 10 and 20 deg here, 8 s each."
TURNS = "Piecewise linear in theta and heading at 1 m; the paper prints no reference."


class Response(NamedTuple):
    """To one step."""

    settling: float  # until it stays within SETTLED [s]
    overshoot: float  # of the step [%]


def run(paper: Any, add: Add, picture: Picture) -> None:
    """Fig. 7A to E, with the paper's controller and with one that knows the model."""
    spec = avocado.AvocadoSpec()
    traces: dict[str, dict[float, Array]] = {}
    for name, kind in CONTROLLERS.items():
        traces[name] = {}
        hardest = 0.0
        for length in LENGTHS:
            flown = fly_steps(spec, kind, length)
            found = responses(flown)
            add(
                Row(
                    STUDY,
                    _of(name, length, "slowest settling"),
                    "s",
                    None,
                    max(r.settling for r in found),
                    PROFILE,
                )
            )
            most = max(r.overshoot for r in found)
            add(Row(STUDY, _of(name, length, "largest overshoot"), "%", None, most, PROFILE))
            turning = np.gradient(flown.theta_rate + flown.phi_rate, flown.time)
            hardest = max(hardest, math.degrees(float(np.abs(turning).max())))
            columns = flown.theta, flown.phi, flown.heading
            traces[name][length] = np.column_stack([flown.time, *(np.degrees(part) for part in columns)])
        printed = paper["acceleration_most_deg_per_s2"] if name == "paper's" else None
        add(
            Row(
                STUDY,
                f"{name} controller: largest pitch acceleration in steps",
                "deg/s²",
                printed,
                hardest,
                PROFILE,
            )
        )
    times = np.array([LASTS * k for k in range(len(ANGLES))])
    picture("steps", draw_steps(traces, times, np.array(ANGLES)))
    _turns(spec, add, picture)


def fly_steps(spec: avocado.AvocadoSpec, kind: Any, length: float) -> avocado.AvocadoTrajectory:
    """All steps at one length of tether [m]."""
    times = [LASTS * k for k in range(len(ANGLES))]
    references = steps(times, tether_length=length, theta=[math.radians(angle) for angle in ANGLES])
    start = avocado.resting(spec, length)
    return avocado.simulate(spec, start, kind(spec, references), LASTS * len(ANGLES))


def responses(flown: avocado.AvocadoTrajectory) -> list[Response]:
    """To each step but the first, which is none."""
    found = []
    for k in range(1, len(ANGLES)):
        during = (flown.time >= LASTS * k) & (flown.time < LASTS * (k + 1))
        time, theta = flown.time[during] - LASTS * k, np.degrees(flown.theta[during])
        off, size = theta - ANGLES[k], ANGLES[k] - ANGLES[k - 1]
        away = np.flatnonzero(np.abs(off) > SETTLED)
        settling = (
            0.0 if len(away) == 0 else math.inf if away[-1] == len(time) - 1 else float(time[away[-1] + 1])
        )
        found.append(Response(settling, max(0.0, 100.0 * float((off * np.sign(size)).max()) / abs(size))))
    return found


def space_references() -> References:
    """Theta and heading like Fig. 7E."""
    rows = [
        (0, 0, 0),
        (3, 20, 0),
        (8, 20, 0),
        (14, 20, 90),
        (18, 30, 90),
        (24, 30, -30),
        (28, 10, -30),
        (34, 20, 30),
        (40, 20, 30),
    ]
    times, theta, heading = np.array(rows, float).T
    return References(times=times, tether_length=1.0, theta=np.radians(theta), heading=np.radians(heading))


def _turns(spec: avocado.AvocadoSpec, add: Add, picture: Picture) -> None:
    references, shown = space_references(), {}
    for name, kind in CONTROLLERS.items():
        flown = avocado.simulate(spec, avocado.resting(spec, 1.0), kind(spec, references), 42.0)
        wanted = np.array([references(t)[1:3] for t in flown.time])
        off = np.degrees(np.column_stack([flown.theta, flown.heading]) - wanted)
        off[:, 1] -= 360.0 * np.round(off[:, 1] / 360.0)
        later = flown.time > 3.0  # at theta = 0 there is no heading
        for k, quantity in enumerate(("theta", "heading")):
            size = float(np.sqrt(np.mean(off[later, k] ** 2)))
            add(Row(STUDY, f"{name} controller, run in space: E_a of {quantity}", "deg", None, size, TURNS))
        angles = np.degrees(np.column_stack([flown.theta, flown.heading]))
        shown[name] = np.column_stack([flown.time, angles])
        line = np.column_stack([flown.time, np.degrees(wanted)])
    picture("space", draw_followed(shown, line))


def _of(name: str, length: float, what: str) -> str:
    return f"{name} controller, {length:g} m: {what}"
