"""Trials of AVOCADO with a branch in the way of its tether, which may be let go: Fig. 8 of its paper."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.assembly.canopy_run import CanopyRun
from tetherlab.assembly.on_board import OnBoard
from tetherlab.contracts.log import Log
from tetherlab.contracts.outcome import Outcome
from tetherlab.control.avocado import ModelController, PaperController, References
from tetherlab.plant.branch import Branch
from tetherlab.plant.hanging import hanging
from tetherlab.vehicles.avocado import AvocadoRobotSpec, thrust_for
from tetherlab.world import World

Array = NDArray[np.float64]
CONTROLLERS = {"paper's": PaperController, "model-based": ModelController}
TETHER = 1.5  # l_T [m]; section VI-B
ANGLE = math.radians(15.0)  # by which the branch is held aside [rad]; section VI-B
WANTED = {"up": math.radians(30.0), "down": math.radians(10.0)}  # theta; section VI-B
BEFORE = {"up": 0.0, "down": math.radians(35.0)}  # theta before the tether meets the branch; assumed
ALONG = {"up": math.radians(15.0), "down": math.radians(25.0)}  # from the anchor to the branch; assumed
MEETS, CALM = 8.0, 14.0  # when the references stand still, and when the branch is let go [s]; assumed
WATCHED, LAST = 10.0, 1.0  # after that, and of that at the end, when it must be back for good [s]
RADIUS, REACH, LEVER, MASS = 0.015, 0.6, 0.5, 0.3  # of the branch, its tip, the tether [m], [kg]; assumed
RATE, DAMPING = 2.0 * math.pi * 3.0, 0.15  # of the branch: it swings 3 times a second [rad/s]; assumed
FRICTION = 0.8  # of tether on foam; assumed
THETA_OFF, HEADING_OFF = math.radians(5.0), math.radians(20.0)  # up to which it has come back


@dataclass(frozen=True)
class Trial:
    """One run: how the tether meets the branch, and how that is let go."""

    way: str  # up: the robot leans out until its tether meets the branch; down: it comes back onto it
    free_length: float  # l_f [m]
    controller: str = "paper's"
    seed: int = 0  # of the sensors
    angle: float = ANGLE  # by which the branch is held aside, towards the heading or away from it [rad]
    rate: float = RATE  # at which it swings back [rad/s]
    friction: float = FRICTION
    release: float | None = CALM  # [s]; None: it is not let go
    true_state: bool = False  # the controller knows the truth


class Ending(NamedTuple):
    """What became of it."""

    trial: Trial
    outcome: Outcome
    success: bool
    theta_error: float  # the largest of the last second [rad]
    heading_error: float  # [rad]
    pitch_max: float  # after the release [rad]


def drawn(way: str, free_length: float, controller: str, seed: int) -> Trial:
    """A trial with what differs from one to the next: angle by 20 %, friction, moment and noise.

    What the paper does not print differs, too: to which side the branch is held, and how fast it swings.
    """
    rng = np.random.default_rng([seed, round(1000 * free_length), way == "up"])
    return Trial(
        way,
        free_length,
        controller,
        seed,
        angle=ANGLE * float(rng.uniform(0.8, 1.2)) * float(rng.choice([-1.0, 1.0])),
        rate=2.0 * math.pi * float(rng.uniform(2.0, 4.0)),
        friction=float(rng.uniform(0.5, 1.1)),
        release=CALM + float(rng.uniform(0.0, 2.0)),
    )


def make_branch(trial: Trial) -> Branch:
    """Level and square to the plane of the robot; held aside, it is where the tether shall meet it."""
    along, held = ALONG[trial.way], trial.angle if trial.release is not None else 0.0
    meets = (TETHER - trial.free_length) * np.array([math.sin(along), 0.0, -math.cos(along)])
    side = RADIUS if trial.way == "up" else -RADIUS  # beyond the tether, or below it
    middle = meets + side * np.array([math.cos(along), 0.0, math.sin(along)])
    root = middle - LEVER * np.array([math.sin(held), -math.cos(held), 0.0])
    inertia = MASS * REACH**2 / 3.0
    return Branch(
        name="branch",
        root=root,
        tip=root + np.array([0.0, -REACH, 0.0]),
        radius=RADIUS,
        stiffness=inertia * trial.rate**2,
        damping=2.0 * DAMPING * inertia * trial.rate,
        inertia=inertia,
        friction=trial.friction,
        bent=(held, 0.0),
        release_time=0.0 if trial.release is None else trial.release,
    )


def references_of(trial: Trial) -> References:
    """Theta goes from one value to the other, and stays."""
    theta = [BEFORE[trial.way]] * 2 + [WANTED[trial.way]]
    return References(times=[0.0, 1.0, MEETS], tether_length=TETHER, theta=theta)


def make_run(trial: Trial) -> CanopyRun:
    """Ready to go."""
    spec, theta = AvocadoRobotSpec(), BEFORE[trial.way]
    start = hanging(spec, TETHER, thrust=thrust_for(spec, theta))
    controller = CONTROLLERS[trial.controller](spec, references_of(trial))
    end = CALM if trial.release is None else trial.release
    return CanopyRun(
        spec,
        World(),
        controller,
        start,
        end + WATCHED,
        branches=[make_branch(trial)],
        thrust=thrust_for(spec, theta),
        sensing=None if trial.true_state else OnBoard(spec, start, seed=trial.seed),
    )


def angles_of(log: Log) -> Array:
    """Time [s], theta and heading [rad], (n, 3), in the words in which the robot looks to where it leans.

    (heading + pi, -theta, psi - pi) is the same place.
    """
    robot = log["robot"]
    theta, heading, psi = (np.radians(robot[f"{name}_deg"]) for name in ("theta", "heading", "psi"))
    away = np.cos(psi) < 0.0
    heading = heading + np.where(away, math.pi, 0.0)
    heading -= 2.0 * math.pi * np.round(heading / (2.0 * math.pi))
    return np.column_stack([robot["time_s"], np.where(away, -theta, theta), heading])


def judge(trial: Trial, log: Log) -> Ending:
    """Within 5 deg in theta and 20 deg in heading of the reference, all the last second, and never over."""
    robot, (time, theta, heading) = log["robot"], angles_of(log).T
    after = time >= (CALM if trial.release is None else trial.release)
    pitch = float(np.abs(np.radians(robot["theta_deg"] + robot["phi_deg"]))[after].max(initial=0.0))
    last = time >= time[-1] - LAST
    theta_off, heading_off = (
        float(x[np.abs(x).argmax()]) for x in (theta[last] - WANTED[trial.way], heading[last])
    )
    fine = log.outcome is Outcome.COMPLETED and pitch <= 0.5 * math.pi
    fine = fine and abs(theta_off) <= THETA_OFF and abs(heading_off) <= HEADING_OFF
    assert log.outcome is not None
    return Ending(trial, log.outcome, fine, theta_off, heading_off, pitch)


def fly(trial: Trial) -> Ending:
    """Run and judge one."""
    return judge(trial, make_run(trial).run())


def fly_all(trials: Sequence[Trial], say: Callable[[str], None]) -> Iterator[Ending]:
    """On all cores, in the order in which they are given."""
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        futures = [pool.submit(fly, trial) for trial in trials]
        try:
            for number, future in enumerate(futures, 1):
                if number % 10 == 0:
                    say(f"release {number} of {len(trials)}")
                yield future.result()
        finally:  # also when stopped
            for future in futures:
                future.cancel()
