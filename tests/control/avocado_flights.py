"""Flights of AVOCADO that several tests look at."""

import math
from dataclasses import replace

import numpy as np

from tetherlab.control.avocado import References, steps
from tetherlab.studies.avocado_imperfect import Imperfect
from tetherlab.vehicles.avocado import AvocadoSpec, resting, simulate, thrust_for

TABLE = AvocadoSpec()
FREE = replace(TABLE, damping_heading=0.0, damping_psi=0.0)
STEPS = ((0, 10), (10, 30), (30, 10), (0, 30))  # of theta, like those of Fig. 7 [deg]

# Like Fig. 7E: theta and heading at 1 m, all piecewise linear.
TOUR = References(
    times=[0, 2, 5, 8, 12, 15, 20, 24, 28],
    tether_length=1.0,
    theta=np.radians([0, 10, 30, 30, 20, 20, 30, 10, 10]),
    heading=np.radians([0, 0, 0, 45, 90, 0, -60, 0, 0]),
)


def step_response(kind, spec, length, start, end, imperfection=None, **options):
    """Settling time into 1 deg [s] and overshoot [%] of a step of theta [deg] at 0.5 s; and the run."""
    a, b = math.radians(start), math.radians(end)
    controller = kind(spec, steps([0.0, 0.5], tether_length=length, theta=[a, b]), **options)
    if imperfection is not None:
        controller = Imperfect(controller, imperfection)
    rest = resting(spec, length, thrust=max(thrust_for(spec, a), 0.05))
    run = simulate(spec, rest, controller, 6.5)
    error = np.degrees(run.theta[50:]) - end
    outside = np.flatnonzero(np.abs(error) > 1.0)
    settled = 0.01 * (outside[-1] + 1)
    return settled, max(0.0, 100.0 * float((error / (end - start)).max())), run


def tour_errors(kind, spec, imperfection=None):
    """Errors of theta and, once theta is above 5 deg, of heading along the tour [deg]."""
    controller = kind(spec, TOUR)
    if imperfection is not None:
        controller = Imperfect(controller, imperfection)
    run = simulate(spec, resting(spec, 1.0), controller, 30.0)
    wanted = np.array([TOUR(time)[:3] for time in run.time])
    leaning = run.time > 2.0
    theta = np.degrees(run.theta - wanted[:, 1])
    heading = np.degrees(run.heading - wanted[:, 2])[leaning]
    return theta, heading
