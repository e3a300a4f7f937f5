"""Exact solutions that tests share. SI units, radians; gravity points along -z."""

import math

import numpy as np
from scipy.special import ellipk

GRAVITY = 9.80665
AIR_DENSITY = 1.225


def pendulum_period(length, amplitude, gravity=GRAVITY):
    """Of a point mass on a massless line that swings to `amplitude` on both sides [s]."""
    return 4.0 * math.sqrt(length / gravity) * float(ellipk(math.sin(0.5 * amplitude) ** 2))


def line_and_body_mode(length, mass, moment, arm, gravity=GRAVITY):
    """Slow mode of a body hung on a massless line: (angular frequency, ratio body angle / line angle).

    The line of `length` is tied to the body at the distance `arm` above its centre of mass; `moment` is about
    the centre of mass. Small angles a (line) and b (body) from the vertical obey M q'' + K q = 0, with
    M = m [[l^2, l r], [l r, r^2 + J/m]] and K = m g diag(l, r).
    """
    inertia = mass * np.array([[length**2, length * arm], [length * arm, arm**2 + moment / mass]])
    stiffness = mass * gravity * np.diag([length, arm])
    squares, shapes = np.linalg.eig(np.linalg.solve(inertia, stiffness))
    slow = int(np.argmin(squares))
    return math.sqrt(squares[slow]), shapes[1, slow] / shapes[0, slow]


def pinned_beam_frequency(length, bending_stiffness, linear_density, mode=1):
    """Angular frequency of an Euler-Bernoulli beam that is free to turn at both ends [rad/s]."""
    return (mode * math.pi / length) ** 2 * math.sqrt(bending_stiffness / linear_density)


def pinned_beam_sag(length, bending_stiffness, linear_density, gravity=GRAVITY):
    """Deflection in the middle under its own weight [m]."""
    return 5.0 * linear_density * gravity * length**4 / (384.0 * bending_stiffness)


def drag_per_length(coefficient, diameter, speed):
    """[N/m]."""
    return 0.5 * AIR_DENSITY * coefficient * diameter * speed**2


def streaming_angle(linear_density, coefficient, diameter, speed, gravity=GRAVITY):
    """Angle from the vertical at which a tether streams straight from one end in a horizontal wind [rad].

    Across the tether weight balances drag: rho g sin(a) = d cos(a)^2, d the drag per length when upright.
    """
    d = drag_per_length(coefficient, diameter, speed)
    w = linear_density * gravity
    return math.asin((math.sqrt(w * w + 4.0 * d * d) - w) / (2.0 * d))


def slide_distance(slope, friction, time, gravity=GRAVITY):
    """Of a body released at rest on a slope steeper than the friction angle [m]."""
    return 0.5 * gravity * (math.sin(slope) - friction * math.cos(slope)) * time**2


def yaw_matrix(angle):
    """Rotation about the vertical, (3, 3)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def random_rotation(random):
    """A rotation matrix, uniformly distributed, (3, 3)."""
    q, r = np.linalg.qr(random.normal(size=(3, 3)))
    q *= np.sign(np.diag(r))
    return q * np.sign(np.linalg.det(q))


def cross_matrix(v):
    """[v]x, (3, 3)."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
