"""Flights on a tether at rest, without a simulator: shapes, heights, tensions, sensor biases, noise."""

import math
from typing import NamedTuple

import numpy as np

from tetherlab.estimation import Sensing, SensorNoise, locate_many
from tetherlab.sensors.hanging import BASE, END, LENGTH, LOG_TENSION, read_hanging

NOISE = SensorNoise(azimuth=0.00017, elevation_base=0.0032, elevation_end=0.0087, length=0.001)
SENSING = Sensing(noise=NOISE)
BIAS = 0.0285  # of the field below [rad]; found once: the error without correction is then about 0.07 m
CENTRE = (0.4, -0.3)  # of all paths, seen from the base [m]


class Flight(NamedTuple):
    name: str
    angles: np.ndarray  # as sensed: length, azimuth, elevation at base and end, (n, 4)
    truth: np.ndarray  # (n, 3)
    raw: np.ndarray  # by the catenary, (n, 3)
    inputs: np.ndarray  # of the correction, (n, 7)

    @property
    def errors(self):
        return self.truth - self.raw

    @property
    def rmse(self):
        return rms(self.errors)


def rms(errors):
    return float(np.sqrt((errors**2).sum(1).mean()))


def path(shape, size, height, count):
    """Round a circle, an eight or a triangle of some radius [m], three times, (n, 3)."""
    turn = np.linspace(0.0, 6.0 * math.pi, count, endpoint=False)
    if shape == "circle":
        x, y = np.cos(turn), np.sin(turn)
    elif shape == "eight":
        x, y = np.sin(turn), np.sin(2.0 * turn) * 0.6
    else:
        corners = np.exp(1j * (math.pi / 2.0 + np.arange(4) * 2.0 * math.pi / 3.0))
        along = np.interp(turn % (2.0 * math.pi), np.linspace(0.0, 2.0 * math.pi, 4), np.arange(4.0))
        edge = np.minimum(along.astype(int), 2)
        point = corners[edge] + (along - edge) * (corners[edge + 1] - corners[edge])
        x, y = point.real, point.imag
    wander = 0.05 * np.sin(7.3 * turn)  # no flight holds its height exactly
    return np.column_stack((CENTRE[0] + size * x, CENTRE[1] + size * y, height + wander))


def sensed(point, tension, weight):
    """Length, azimuth and elevations of the tether at rest with this tension at the base [N]."""
    out, jacobian = np.empty(8), np.empty((8, 4))
    b = 0.5 * weight * math.hypot(*point) / tension
    for _ in range(4):  # Newton, from the b of a tight tether
        read_hanging(*point, b, out, jacobian)
        b *= math.exp((math.log(tension / weight) - out[LOG_TENSION]) / (jacobian[LOG_TENSION, 3] * b))
    base, end = out[BASE : BASE + 3], out[END : END + 3]
    return out[LENGTH], math.atan2(base[1], base[0]), math.asin(base[2]), math.asin(end[2])


def bias(angles):
    """Smooth errors of the gimbals over their own angles: length, azimuth, elevations, (n, 4)."""
    _, azimuth, low, high = angles.T
    return BIAS * np.column_stack(
        (
            np.zeros(len(angles)),
            0.8 * np.sin(azimuth + 0.5) + 0.4 * np.cos(2.0 * azimuth),
            0.9 * np.cos(azimuth - 1.0) + 0.8 * np.sin(2.0 * low) - 0.3,
            0.7 * np.sin(azimuth) - 1.0 * np.cos(1.5 * high) + 0.4,
        )
    )


def fly(shape, size, height, tension, *, count=600, seed=0):
    """One flight; tension [N]."""
    random = np.random.default_rng(seed)
    truth = path(shape, size, height, count)
    clean = np.array([sensed(point, tension, SENSING.weight) for point in truth])
    deviations = (NOISE.length, NOISE.azimuth, NOISE.elevation_base, NOISE.elevation_end)
    angles = clean + bias(clean) + random.normal(size=clean.shape) * deviations
    raw, _, ok = locate_many(angles, SENSING)
    name = f"{shape} {size:g} m at {height:g} m, {tension:g} N"
    angles, truth, raw = angles[ok], truth[ok], raw[ok]
    return Flight(name, angles, truth, raw, np.column_stack((raw, angles[:, 1:], angles[:, 0])))


def training_flights(count=600):
    """Circles and eights at two heights, three sizes and three tensions."""
    flights = []
    for shape in ("circle", "eight"):
        for size in (0.8, 1.4, 2.0):
            for height in (2.0, 3.5):
                for tension in (2.0, 3.5, 5.0):
                    flights.append(fly(shape, size, height, tension, count=count, seed=len(flights)))
    return flights


def judging_flights(count=600):
    """Shape, height and tension that no training flight had, one at a time and together."""
    return [
        fly("triangle", 1.6, 2.0, 3.5, count=count, seed=101),
        fly("triangle", 1.2, 2.7, 2.6, count=count, seed=102),
        fly("triangle", 1.8, 3.0, 4.3, count=count, seed=103),
        fly("circle", 1.1, 2.7, 3.5, count=count, seed=104),
        fly("eight", 1.7, 3.5, 2.6, count=count, seed=105),
        fly("circle", 1.7, 3.2, 4.3, count=count, seed=106),
    ]
