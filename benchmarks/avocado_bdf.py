"""AVOCADO's integrator beside SciPy's stiff ones: same compiled right-hand side, tolerances and process.

    python benchmarks/avocado_bdf.py

Two tasks of 10 s, a swing in space under thrust and torque: with one command, which SciPy solves in one call,
and with another command every 10 ms, before each of which it must start again. CPU time, engines in turns,
median of five rounds with lowest and highest; the ratio is taken round by round. Errors are the largest of
theta, phi and distance over all outputs, against a run at 1e-13. The damping of Omega and psi is off, so
that the motion is an explicit differential equation, which SciPy needs.
"""

import statistics
import time
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.integrate import solve_ivp

from tetherlab.vehicles.avocado import AvocadoSpec, AvocadoState, simulate
from tetherlab.vehicles.avocado.model import make_model
from tetherlab.vehicles.avocado.motion import PULLS, fill_rates

SPEC = AvocadoSpec(damping_heading=0.0, damping_psi=0.0)
STATE = AvocadoState(distance=1.0005, tether_length=1.0, theta=0.4, phi=0.1, heading_rate=0.2, psi_rate=0.1)
DURATION, HOLD, ROUNDS = 10.0, 0.01, 5
RTOL, ATOL = 1e-6, 1e-8
METHODS = ("BDF", "Radau", "LSODA")
MODEL = make_model(SPEC)
BASE = np.array([np.sin(STATE.theta), np.cos(STATE.theta), 0.0])
START = np.array([STATE.distance, 0.0, 0.0, 0.0, STATE.phi, *np.zeros(5)])
START[6] = STATE.heading_rate * np.sin(STATE.theta)
START[7] = STATE.heading_rate * np.cos(STATE.theta) + STATE.psi_rate


class Balance(NamedTuple):
    """The part of the kernel's memory that a right-hand side needs."""

    M: np.ndarray
    r: np.ndarray
    vertical: np.ndarray


BALANCE = Balance(np.zeros((5, 5)), np.zeros(5), np.zeros(3))


@njit(error_model="numpy", _nrt=False)
def fill(model, base, y, command, balance, out):
    """The right-hand side; the tether, 1 m long, pulls all the time."""
    fill_rates(model, base, y, PULLS, 1.0, command, balance, out)


def compiled_rates(_, y, command):
    out = np.empty(10)
    fill(MODEL, BASE, y, command, BALANCE, out)
    return out


def tilt(y):
    """theta from states in the chart, (n,)."""
    a = y[1:4]
    cross = np.cross(a.T, BASE)
    scale = 1.0 / (1.0 + 0.25 * (a**2).sum(axis=0))
    vertical = BASE + (0.5 * np.cross(a.T, cross) - cross) * scale[:, None]
    return np.arctan2(np.hypot(vertical[:, 0], vertical[:, 2]), vertical[:, 1])


def scipy_run(method, commands):
    options = {"method": method, "rtol": RTOL, "atol": ATOL}
    if len(commands) == 1:
        times = np.linspace(0.0, DURATION, round(DURATION / HOLD) + 1)
        found = solve_ivp(
            compiled_rates, (0.0, DURATION), START, t_eval=times, args=(commands[0],), **options
        )
        return found.y
    y, rows = START, [START]
    for command in commands:
        y = solve_ivp(compiled_rates, (0.0, HOLD), y, args=(command,), **options).y[:, -1]
        rows.append(y)
    return np.array(rows).T


def ours(commands, rtol=RTOL, atol=ATOL):
    rows = np.repeat(commands, round(DURATION / HOLD), axis=0) if len(commands) == 1 else commands
    return simulate(SPEC, STATE, rows, DURATION, hold=HOLD, rtol=rtol, atol=atol)


def error(trajectory, truth):
    """Of our run, or of SciPy's states."""
    if isinstance(trajectory, np.ndarray):
        found = np.abs(tilt(trajectory)), trajectory[4], trajectory[0]
    else:
        found = np.abs(trajectory.theta), trajectory.phi, trajectory.distance
    wanted = np.abs(truth.theta), truth.phi, truth.distance
    return max(np.abs(a - b).max() for a, b in zip(found, wanted, strict=True))


def timed(call):
    began = time.process_time()
    result = call()
    return time.process_time() - began, result


def tasks():
    """Commands by what they are called."""
    count = round(DURATION / HOLD)
    t = np.arange(count) * HOLD
    changing = np.column_stack([np.zeros(count), 1.0 + 0.5 * np.sin(2.0 * t), 1e-3 * np.cos(3.0 * t)])
    return {"one command for 10 s": np.array([[0.0, 1.0, 1e-4]]), "another command every 10 ms": changing}


def compare(commands):
    """Seconds of each round and error by engine."""
    truth = ours(commands, 1e-13, 1e-13)
    calls = {"tetherlab": lambda: ours(commands)}
    calls |= {name: (lambda name=name: scipy_run(name, commands)) for name in METHODS}
    for call in calls.values():
        call()  # compiles
    spent = {name: [] for name in calls}
    errors = {}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            seconds, result = timed(call)
            spent[name].append(seconds)
            errors[name] = error(result, truth)
    return spent, errors


def faster(spent, name):
    """How many times as fast as an engine, round by round, sorted."""
    return sorted(a / b for a, b in zip(spent[name], spent["tetherlab"], strict=True))


def ratios(name):
    """The median of that by task."""
    return {title: statistics.median(faster(compare(rows)[0], name)) for title, rows in tasks().items()}


def main():
    for title, commands in tasks().items():
        spent, errors = compare(commands)
        print(f"\n{title}\n{'':12}{'x real time':>14}{'tetherlab is faster by':>34}{'error':>12}")
        for name, seconds in spent.items():
            times = faster(spent, name)
            ratio = f"{statistics.median(times):.1f} ({times[0]:.1f} to {times[-1]:.1f})"
            print(f"{name:12}{DURATION / statistics.median(seconds):14.0f}{ratio:>34}{errors[name]:12.1e}")


if __name__ == "__main__":
    main()
