"""A drone on its tether, as sensors find it."""

import math
from typing import Any

import numpy as np

from tetherlab.contracts.measurement import unit_vector
from tetherlab.sensors.suite import SensorSuite
from tetherlab.sensors.truth import Truth


def turned(x=0.0, y=0.0, z=0.0):
    """Rotation about x, then y, then z of the world [rad], (3, 3)."""
    cx, sx, cy, sy, cz, sz = (f(a) for a in (x, y, z) for f in (math.cos, math.sin))
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def make_truth(time=0.0, *, azimuth=0.6, low=0.8, high=1.0, tension=3.5, **others: Any) -> Truth:
    """At rest, level, unless others say otherwise. Angles of the tether at base and drone [rad]."""
    values: dict[str, Any] = dict(
        time=time,
        length=4.0,
        tangent_base_W=unit_vector(azimuth, low),
        tangent_end_W=unit_vector(azimuth, high),
        tension_base=tension,
        tension_end=tension,
        rotation_base=np.eye(3),
        rotation=np.eye(3),
        base=np.zeros(3),
        base_velocity=np.zeros(3),
        attachment=4.0 * unit_vector(azimuth, 0.5 * (low + high)),
        velocity=np.zeros(3),
        specific_force=np.array([0.0, 0.0, 9.80665]),
        angular_velocity=np.zeros(3),
        thrust=18.0,
        altitude=3.0,
    )
    return Truth(**(values | others))


def flight(count, rate_hz=200.0):
    """A lively one."""
    for k in range(count):
        t = k / rate_hz
        yield make_truth(
            t,
            azimuth=0.6 + 1.3 * math.sin(1.1 * t),
            low=0.8 + 0.3 * math.sin(2.3 * t),
            high=1.0 + 0.3 * math.sin(2.3 * t),
            tension=3.5 + 1.5 * math.sin(3.1 * t),
            length=4.0 + math.sin(t),
            rotation=turned(0.1 * math.sin(4 * t), 0.1 * math.cos(3 * t), 0.3 * t),
        )


def heard(suite: SensorSuite, truths):
    """All measurements, in order of arrival."""
    return [measurement for truth in truths for measurement in suite.sense(truth)]


def sampled(sensor, truths):
    """All messages of one sensor alone, as they are sent."""
    messages = []
    for truth in truths:
        sensor.follow(truth)
        if sensor.is_due(truth.time):
            messages.append(sensor.sample(truth))
    return messages
