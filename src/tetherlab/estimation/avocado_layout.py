"""Where things are in the arrays of AVOCADO's estimator. All in the paper's axes: y down, z right, x back."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# A reading as the kernels take it: kind, time [s], up to nine numbers.
KIND, TIME, VALUE, ROW = 0, 1, 2, 11
CAMERA, POSITION, GYROSCOPE, JOINT, WHEEL = range(5)
KINDS = 5

# What a hypothesis about the tether knows.
ALPHA, SPEED, LOG_LENGTH, LAG, PUSH, PLAY, PLACE, SIZE = 0, 1, 2, 3, 4, 5, 6, 9
FREE, MODES = 0, 9  # the first hypothesis: nothing touches the tether

# The robot at a moment, as the hypotheses are moved on by it.
RATE, DOWN, THRUST, REEL, MOMENT = 0, 3, 6, 7, 8  # rates, and the vertical, in its axes; [N]; [m/s]

# Numbers of the clock.
FUSED, SWUNG, NEWEST, HEARD, GYRO_COUNT, JOINT_COUNT, STARTED = 0, 1, 2, 3, 8, 9, 10
REFUSED, CONTRADICTED, MISFIT, SLACK_SINCE, HEADING_TIME = 11, 12, 13, 14, 15
BEGAN, TRACED, REPEATS, PATH, SPIN, CAUGHT, CLOCK = 16, 17, 18, 23, 24, 25, 26

GYRO_ROWS, JOINT_ROWS, THRUST_ROWS = 128, 32, 16

# What comes out: the fields of AvocadoState in their order, their deviations, and more.
STATE, DEVIATION, FREE_PROBABILITY, TENSION, OUT = 0, 11, 22, 23, 24


class Settings(NamedTuple):
    """What is known of robot and sensors; see AvocadoEstimatorSpec."""

    mass: float
    mass_arm: float
    gravity: float
    drag: float
    drag_z: float
    inertia_z: float
    thrust_arm: float
    damping_phi: float
    damping_turn: float
    gyro_noise: float
    gyro_period: float
    gyro_bias: float
    gyro_walk: float
    tilt_noise: float
    tilt_wander: float
    heading_noise: float
    heading_walk: float
    position_noise: float
    position_walk: float
    joint_noise: float
    play: float
    play_deviation: float
    wheel_noise: float
    slip: float
    slip_slack: float
    push: float
    thrust_error: float
    push_time: float
    jerk: float
    contact_per_radian: float
    contact_per_second: float
    release_per_radian: float
    free_prior: float
    map_deviation: float
    gate: float
    repeats_max: float


class Memory(NamedTuple):
    """All that changes."""

    clock: Array  # (CLOCK,)
    R: Array  # robot to inertial frame at FUSED, (3, 3)
    bias: Array  # of the gyroscope [rad/s], (3,)
    cov: Array  # of turn and bias, (6, 6)
    gyro: Array  # time and rates, oldest first, (GYRO_ROWS, 4)
    joint: Array  # time and angle, waiting for the gyroscope, (JOINT_ROWS, 2)
    thrust: Array  # since when, and how much, newest last, (THRUST_ROWS, 2)
    x: Array  # of the hypotheses, (MODES, SIZE)
    C: Array  # (MODES, SIZE, SIZE)
    p: Array  # probabilities, (MODES,)
    likelihood: Array  # of the last reading, logarithms, (MODES,)
    velocity: Array  # of P, inertial frame [m/s], (3,)
    fresh: Array  # logarithm of l_f / l_T of a new contact, and its deviation, (MODES, 2)
    wheel: Array  # length, speed, their variances and covariance, time, (6,)
    hinge: Array  # heading, its variance, psi, heading rate, its variance, (5,)
    branches: Array  # ends of those that are known, seen from the anchor [m], (n, 6)
    sides: Array  # on which the tether was last, (n,)
    moment: Array  # at SWUNG, and at the next, (2, MOMENT)
    last: Array  # values of each kind, for what repeats, (KINDS, 9)
    work: Array  # (8, SIZE)
    work2: Array  # (SIZE, SIZE)
    turn: Array  # a rotation, (3, 3)
    out: Array  # (OUT,)


def make_memory(branches: Array) -> Memory:
    """Empty, but for the branches, (n, 6)."""
    return Memory(
        clock=np.zeros(CLOCK),
        R=np.eye(3),
        bias=np.zeros(3),
        cov=np.zeros((6, 6)),
        gyro=np.zeros((GYRO_ROWS, 4)),
        joint=np.zeros((JOINT_ROWS, 2)),
        thrust=np.zeros((THRUST_ROWS, 2)),
        x=np.zeros((MODES, SIZE)),
        C=np.zeros((MODES, SIZE, SIZE)),
        p=np.zeros(MODES),
        likelihood=np.zeros(MODES),
        velocity=np.zeros(3),
        fresh=np.zeros((MODES, 2)),
        wheel=np.array([0.0, 0.0, 0.0, 0.0, 0.0, -math.inf]),
        hinge=np.zeros(5),
        branches=branches,
        sides=np.zeros(len(branches)),
        moment=np.zeros((2, MOMENT)),
        last=np.zeros((KINDS, 9)),
        work=np.zeros((8, SIZE)),
        work2=np.zeros((SIZE, SIZE)),
        turn=np.eye(3),
        out=np.zeros(OUT),
    )
