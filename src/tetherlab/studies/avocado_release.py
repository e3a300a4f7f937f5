"""A branch that was held aside is let go: the paper's disturbance (Fig. 8C and F) on the analytic model.

The tether hangs from the branch, `lever` from the joint about which the branch turns. Let go, it swings back
as a damped spring; the anchor moves along, and the robot sees what `jerk_anchor` says, every 10 ms. The paper
prints the angle, 15 deg, and neither lever nor frequency: both are assumed.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.studies.avocado_imperfect import Imperfect, Imperfection
from tetherlab.vehicles.avocado import (
    AvocadoCommand,
    AvocadoSpec,
    AvocadoState,
    AvocadoStatus,
    jerk_anchor,
    resting,
    simulate,
    thrust_for,
)
from tetherlab.vehicles.avocado.simulate import HOLD, Controller

CALM = 2.0  # before the release, in which the robot settles [s]
RTOL = 1e-5  # of the simulation: enough for a statistic
QUIET = 1e-2  # speed of the anchor below which it counts as at rest [m/s]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Release:
    """How the branch swings back."""

    angle: float = math.radians(15.0)  # by which it was held aside [rad]; section VI-B
    lever: float = 0.5  # from its joint to the tether [m]; assumed
    frequency: float = 3.0  # [Hz]; assumed
    damping: float = 0.2  # ratio; assumed
    direction: float = 0.0  # in which it swings back, seen from heading 0 to the right [rad]

    def velocities(self) -> NDArray[np.float64]:
        """Of the anchor, mean over each 10 ms from the release until it is quiet, ENU [m/s], (n, 3)."""
        rate = 2.0 * math.pi * self.frequency
        decay, swing = self.damping * rate, rate * math.sqrt(1.0 - self.damping**2)
        size = abs(self.lever * self.angle)
        count = math.ceil(math.log(max(size * rate / QUIET, 2.0)) / decay / HOLD)
        t = HOLD * np.arange(count + 1)
        left = np.exp(-decay * t) * (np.cos(swing * t) + decay / swing * np.sin(swing * t))
        speed = -np.diff(self.lever * np.sin(self.angle * left)) / HOLD
        towards = np.array([math.cos(self.direction), -math.sin(self.direction), 0.0])
        return speed[:, None] * towards


@dataclass(frozen=True)
class Outcome:
    """What became of the robot."""

    success: bool
    theta_error: float  # after the time [rad]
    heading_error: float  # [rad]
    pitch_max: float  # [rad]


def draw(seed: int) -> tuple[Release, Imperfection]:
    """A release and a robot, all different: what the paper's repeated attempts differ in, and what it had.

    The angle varies by 20 %, the branch in frequency and damping, and it swings along the heading of the
    robot that passes over it, forwards or backwards, within 30 deg. The robot has noise, a delay of 10 ms, a
    camera that drifts, motors that lag by up to 50 ms, and a free length that is wrong by up to 20 %.
    """
    random = np.random.default_rng(seed)
    release = Release(
        angle=math.radians(15.0) * random.uniform(0.8, 1.2),
        frequency=random.uniform(2.0, 4.0),
        damping=random.uniform(0.1, 0.3),
        direction=math.pi * random.integers(2) + random.uniform(-1.0, 1.0) * math.radians(30.0),
    )
    imperfection = Imperfection(
        angle_noise=math.radians(0.3),
        rate_noise=0.02,
        length_noise=0.002,
        delay=1,
        heading_drift=math.radians(0.1) * random.uniform(-1.0, 1.0),
        length_factor=random.uniform(0.8, 1.2),
        motor_lag=random.uniform(0.0, 0.05),
    )
    return release, imperfection


def success_of(
    state: AvocadoState, theta: float, heading: float, pitch_max: float
) -> tuple[bool, float, float]:
    """Within 5 deg in theta and 20 deg in heading, and never over: with errors [rad]."""
    along = math.sin(state.theta) * math.cos(state.heading - heading)
    across = math.sin(state.theta) * math.sin(state.heading - heading)
    tilt = math.asin(min(1.0, math.hypot(along, across)))
    theta_error, heading_error = tilt - theta, math.atan2(across, along)
    fine = abs(theta_error) <= math.radians(5.0) and abs(heading_error) <= math.radians(20.0)
    return fine and pitch_max <= 0.5 * math.pi, theta_error, heading_error


def let_go(
    spec: AvocadoSpec,
    pilot: Controller,
    release: Release,
    *,
    free_length: float,
    theta: float,
    imperfection: Imperfection | None = None,
    calm: float = CALM,
    duration: float = 10.0,
    seed: int = 0,
) -> Outcome:
    """Rest at theta [rad] and heading 0, calm down, let go, and look after a duration [s].

    pilot: a controller that has forgotten what was.
    """
    controller = Imperfect(pilot, imperfection or Imperfection(), seed)
    state = resting(spec, free_length, thrust=thrust_for(spec, theta))
    pitch_max, time, before = 0.0, 0.0, np.zeros(3)

    def command(t: float, seen: AvocadoState) -> AvocadoCommand:
        return controller(time + t, seen)

    jerks = np.diff(np.vstack([before, release.velocities(), before]), axis=0)
    pieces = [(None, calm)] + [(jerk, HOLD) for jerk in jerks]
    pieces[-1] = (pieces[-1][0], max(HOLD, duration - (len(pieces) - 2) * HOLD))
    for jerk, lasts in pieces:
        if jerk is not None:
            state = jerk_anchor(spec, state, jerk)
        run = simulate(spec, state, command, lasts, rtol=RTOL, throw=False)
        pitch_max = max(pitch_max, float(np.abs(run.pitch).max()))
        time += lasts
        if run.status is not AvocadoStatus.COMPLETED:
            return Outcome(False, math.inf, math.inf, pitch_max)
        state = run.state(-1)
    return Outcome(*success_of(state, theta, 0.0, pitch_max), pitch_max)
