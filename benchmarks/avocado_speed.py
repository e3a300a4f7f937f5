"""How fast AVOCADO is simulated at rtol 1e-6, with commands of all kinds: times real time, and steps.

    python benchmarks/avocado_speed.py

Ten seconds each, CPU time, median of five rounds with lowest and highest. The damping of Omega and psi is
that of Table I, in whose chart the mass matrix is singular at theta = 0; "free" is without. Last, how long
the controllers take to be made, the first with what it loads, and to answer.
"""

import statistics
import time
from dataclasses import replace

import numpy as np

from tetherlab.control.avocado import ModelController, PaperController, hold
from tetherlab.vehicles.avocado import AvocadoCommand, AvocadoSpec, AvocadoState, resting, simulate

TABLE = AvocadoSpec()
FREE = replace(TABLE, damping_heading=0.0, damping_psi=0.0)
SWING = AvocadoState(distance=1.0005, tether_length=1.0, theta=0.4, phi=0.1, heading_rate=0.2, psi_rate=0.1)
DURATION, COUNT, ROUNDS = 10.0, 1000, 5


def random_rows(thrust, torque, every=1):
    draw = np.random.default_rng(0).uniform([0.0, -torque], [thrust, torque], (COUNT // every, 2))
    return np.repeat(np.column_stack([np.zeros(len(draw)), draw]), every, axis=0)


def controller(moment, state):
    return AvocadoCommand(thrust=max(0.05, 1.0 - 0.5 * state.theta_rate), torque=-1e-3 * state.psi_rate)


CASES = {
    "one command": (TABLE, SWING, AvocadoCommand(thrust=1.0)),
    "one command, free": (FREE, SWING, AvocadoCommand(thrust=1.0)),
    "random from rest, to 0.3 N, 0.02 N m": (TABLE, resting(TABLE, 1.0), random_rows(0.3, 0.02)),
    "random from rest, to 1 N, 0.02 N m": (TABLE, resting(TABLE, 1.0), random_rows(1.0, 0.02)),
    "random from rest, to 3 N, 0.1 N m": (TABLE, resting(TABLE, 1.0), random_rows(3.0, 0.1)),
    "random every 0.5 s, to 1 N, 0.02 N m": (TABLE, resting(TABLE, 1.0), random_rows(1.0, 0.02, 50)),
    "Python function": (TABLE, SWING, controller),
    "Python function, free": (FREE, SWING, controller),
}


def main():
    print(f"{'':40}{'x real time':>24}{'steps':>8}")
    for name, (spec, state, command) in CASES.items():
        simulate(spec, state, command, DURATION)  # compiles
        spent = []
        for _ in range(ROUNDS):
            began = time.process_time()
            run = simulate(spec, state, command, DURATION)
            spent.append(time.process_time() - began)
        speeds = sorted(DURATION / seconds for seconds in spent)
        text = f"{statistics.median(speeds):.0f} ({speeds[0]:.0f} to {speeds[-1]:.0f})"
        print(f"{name:40}{text:>24}{run.step_count:8}")
    for kind in (PaperController, ModelController):
        began = time.process_time()
        pilot = kind(TABLE, hold(1.0, theta=0.5))
        made = time.process_time() - began
        spent = []
        for _ in range(ROUNDS):
            began = time.process_time()
            for k in range(COUNT):
                pilot(0.01 * k, SWING)
            spent.append((time.process_time() - began) / COUNT)
        print(f"{kind.__name__:40}{made:8.2f} s to make, {1e6 * statistics.median(spent):.1f} us a call")


if __name__ == "__main__":
    main()
