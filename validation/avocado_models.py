"""AVOCADO's two models: against closed forms, against each other, and how fast they are; some minutes."""

import importlib.util
import math
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np

import tetherlab as tl
from tetherlab.assembly.canopy_run import CanopyRun
from tetherlab.plant.hanging import hanging
from tetherlab.vehicles.avocado import (
    AvocadoCommand,
    AvocadoRobotSpec,
    AvocadoSpec,
    AvocadoState,
    AvocadoTrajectory,
    energy,
    equilibrium,
    resting,
    simulate,
)
from validation.table import Row, Study, at_least, at_most

Say = Callable[[str], None]
BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
LOSSLESS = {
    "drag_coefficient": 0.0,
    "damping_phi": 0.0,
    "damping_heading": 0.0,
    "damping_psi": 0.0,
    "tether_damping": 0.0,
}
SWINGS = {
    "in the plane": {"theta": 0.5, "phi": 0.1},
    "through the vertical": {"theta": 0.3, "theta_rate": -1.0},
    "in space": {"theta": 0.4, "phi": 0.1, "heading_rate": 0.8, "psi_rate": 0.5},
}


def run(say: Say) -> Study:
    """Energy, rest, periods, speeds."""
    study = Study(
        title="AVOCADO's models",
        model=(
            "The analytic model (`tetherlab.vehicles.avocado`) and the same robot as a rigid body on the "
            "general tether (`CanopyRun`), with the values of Table I."
        ),
        truth="Closed forms, conserved energy, each model for the other. Speeds are CPU time on one core.",
    )
    say("energy")
    study.rows += [_energy(name, how) for name, how in SWINGS.items()]
    say("at rest")
    study.rows += _rests()
    say("swings")
    study.rows += _periods()
    say("speed of the analytic model")
    study.rows += _analytic_speed()
    say("speed of the general model")
    study.rows += _general_speed()
    return study


def _energy(name: str, how: dict[str, float]) -> Row:
    spec = replace(AvocadoSpec(), **LOSSLESS)
    start = AvocadoState(distance=1.0007, tether_length=1.0, **how)
    flown = simulate(spec, start, AvocadoCommand(), 3.0, rtol=1e-12, atol=1e-14)
    total = np.array([energy(spec, flown.state(k)).total for k in range(len(flown))])
    return at_most(f"energy drift over 3 s, {name}", "J", 1e-8, float(np.ptp(total)))


def _rests() -> list[Row]:
    """Largest error of theta and phi over thrusts."""
    spec, robot = AvocadoSpec(), AvocadoRobotSpec()
    worst_own, worst_general = 0.0, 0.0
    for thrust in (0.5, 1.5, 2.5, 3.5, 4.5):
        closed = equilibrium(spec, thrust)
        # Heavily damped, it comes to rest by itself, wherever the closed form says.
        calm = replace(spec, damping_phi=0.05, drag_coefficient=80.0)
        own = simulate(calm, resting(calm, 1.0), AvocadoCommand(thrust=thrust), 60.0)
        off = own.theta[-1] - closed.theta, own.phi[-1] - closed.phi
        worst_own = max(worst_own, *(abs(math.degrees(x)) for x in off))
        still = replace(robot, damping_phi=0.05, drag_coefficient=80.0)
        held = CanopyRun(
            still, tl.World(), AvocadoCommand(thrust=thrust), hanging(still, 1.0, thrust=thrust), 5.0
        )
        held.run()
        off = held.state.theta - closed.theta, held.state.phi - closed.phi
        worst_general = max(worst_general, *(abs(math.degrees(x)) for x in off))
    return [
        at_most("analytic model at rest, from the closed form, 0.5 to 4.5 N", "deg", 0.05, worst_own),
        at_most("general model at rest, from the closed form, 0.5 to 4.5 N", "deg", 0.1, worst_general),
    ]


def _periods() -> list[Row]:
    rows = []
    for length in (0.5, 1.0, 2.0):
        worst = 0.0
        for angle in (2.0, 30.0):
            start = AvocadoState(distance=length * 1.0007, tether_length=length, theta=math.radians(angle))
            spec = replace(AvocadoRobotSpec(), thrust_min=0.0)
            own = simulate(spec, start, AvocadoCommand(), 20.0)
            robot = CanopyRun(spec, tl.World(), AvocadoCommand(), start, 20.0).run()["robot"]
            general = _period(robot["time_s"], robot["theta_deg"])
            worst = max(worst, abs(100.0 * (general / _own_period(own) - 1.0)))
        rows.append(
            at_most(f"swing period, general over analytic, {length:g} m, 2 and 30 deg", "%", 1.0, worst)
        )
    return rows


def _own_period(flown: AvocadoTrajectory) -> float:
    return _period(flown.time, flown.theta)


def _period(time_: np.ndarray, angle: np.ndarray) -> float:
    at = np.flatnonzero(np.diff(np.signbit(angle)))
    crossings = time_[at] - angle[at] * (time_[at + 1] - time_[at]) / (angle[at + 1] - angle[at])
    return 2.0 * float(np.mean(np.diff(crossings)))


def _analytic_speed() -> list[Row]:
    speed, bdf = _benchmark("avocado_speed"), _benchmark("avocado_bdf")
    rows = []
    for name, (spec, state, command) in speed.CASES.items():
        simulate(spec, state, command, speed.DURATION)
        ratios = []
        for _ in range(speed.ROUNDS):
            began = time.process_time()
            simulate(spec, state, command, speed.DURATION)
            ratios.append(speed.DURATION / (time.process_time() - began))
        rows.append(at_least(f"analytic model, {name}", "× real time", 500.0, statistics.median(ratios)))
    for name, ratio in bdf.ratios("BDF").items():
        rows.append(at_least(f"analytic model, {name}, over SciPy's BDF", "times as fast", 5.0, ratio))
    return rows


def _general_speed() -> list[Row]:
    found = _benchmark("canopy_speed").speeds()
    return [
        at_least(f"general model, {name}", "× real time", 50.0, statistics.median(ratios))
        for name, ratios in found.items()
    ]


def _benchmark(name: str) -> ModuleType:
    """A script of benchmarks/ as a module."""
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
