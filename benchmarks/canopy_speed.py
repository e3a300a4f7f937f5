"""How many times faster than real time the robot in a canopy runs, and what a longer step costs in accuracy.

    python benchmarks/canopy_speed.py

CPU time of whole runs, recording and a controller in Python included, scenes in turns, median of five rounds
with lowest and highest. The second table is the error of a swing of 30 deg over 20 s against the analytic
model at 1e-10, and the energy that contact with a branch makes at most, for steps of the physics.
"""

import statistics
import time
from dataclasses import replace

import numpy as np

import tetherlab as tl
from tetherlab.assembly.canopy_run import CanopyRun
from tetherlab.plant.branch import Branch
from tetherlab.plant.hanging import hanging
from tetherlab.vehicles.avocado import AvocadoCommand, AvocadoRobotSpec, AvocadoState, simulate
from tetherlab.world.hoop import hoop

SPEC = AvocadoRobotSpec()
IDLE = replace(SPEC, thrust_min=0.0)
ROUNDS, DURATION = 5, 10.0


def bar(x, z, name="bar"):
    return tl.shapes.Capsule(start=(x, -0.5, z), end=(x, 0.5, z), radius=0.02, name=name)


def twig(**changes):
    given = {"radius": 0.02, "stiffness": 60.0, "damping": 0.5, "inertia": 0.15} | changes
    return Branch(name="twig", root=(0.1, -0.5, -0.5), tip=(0.1, 0.5, -0.5), **given)


def calm(time, state):
    """Thrust that damps the swing, and a torque that damps the turning."""
    return AvocadoCommand(
        thrust=max(0.05, 2.5 - state.theta_rate), torque=-0.01 * (state.heading_rate + state.psi_rate)
    )


TREE = [
    bar(0.1, -0.5),
    bar(0.6, -0.8, "b"),
    bar(-0.4, -1.0, "c"),
    hoop(center=(0.5, 0.0, -1.8), normal=(1, 0, 1)),
]
SCENES = {
    "hanging freely": {},
    "tether on a stiff branch": {"world": tl.World([bar(0.1, -0.5)])},
    "tether on a branch that bends": {"branches": [twig()]},
    "on a light branch that bends": {"branches": [twig(inertia=0.02, stiffness=20.0)]},
    "three branches and a hoop": {"world": tl.World(TREE)},
    "and a branch released": {
        "world": tl.World(TREE[1:]),
        "branches": [twig(bent=(-0.26, 0.0), release_time=2.5)],
    },
}


def fly(world=None, **options):
    return CanopyRun(
        SPEC, tl.World() if world is None else world, calm, hanging(SPEC, 1.5), DURATION, **options
    )


def speeds():
    for options in SCENES.values():
        fly(**options).run(until=0.1)  # compile
    ratios = {name: [] for name in SCENES}
    for _ in range(ROUNDS):
        for name, options in SCENES.items():
            run = fly(**options)
            start = time.process_time()
            run.run()
            ratios[name].append(run.time / (time.process_time() - start))
    return ratios


def accuracy(step):
    start = AvocadoState(distance=1.00073, tether_length=1.0, theta=np.radians(30.0), phi=np.radians(3.0))
    exact = simulate(IDLE, start, AvocadoCommand(), 20.0, rtol=1e-10, atol=1e-12)
    free = CanopyRun(IDLE, tl.World(), AvocadoCommand(), start, 20.0, step=step).run()["robot"]
    error = np.abs(free["theta_deg"] - np.degrees(exact.theta)).max()
    lossless = replace(IDLE, drag_coefficient=0.0, damping_phi=0.0, damping_roll=0.0)
    start = AvocadoState(distance=1.501, tether_length=1.5, theta=-np.radians(30.0))
    gains = []
    for options in ({"world": tl.World([bar(0.1, -0.5)])}, {"branches": [twig(damping=0.0)]}):
        world = options.pop("world", tl.World())
        run = CanopyRun(lossless, world, AvocadoCommand(), start, 6.0, step=step, **options)
        energies = [run.energy.total]
        while run.step():
            energies.append(run.energy.total)
        gains.append((np.array(energies) - np.minimum.accumulate(energies)).max())
    start = time.process_time()
    CanopyRun(SPEC, tl.World([bar(0.1, -0.5)]), calm, hanging(SPEC, 1.5), DURATION, step=step).run()
    return error, *gains, DURATION / (time.process_time() - start)


def main():
    print("| scene | x real time, median | lowest | highest |\n|---|---|---|---|")
    for name, ratios in speeds().items():
        print(f"| {name} | {statistics.median(ratios):.0f} | {min(ratios):.0f} | {max(ratios):.0f} |")
    print("\n| step [ms] | theta off [deg] | gain, stiff branch [J] | gain, bending [J] | x real time |")
    print("|---|---|---|---|---|")
    for step in (0.01, 0.005, 0.002, 0.001, 0.0005):
        error, stiff, bends, speed = accuracy(step)
        print(f"| {1000 * step:g} | {error:.3f} | {stiff:.1e} | {bends:.1e} | {speed:.0f} |")


if __name__ == "__main__":
    main()
