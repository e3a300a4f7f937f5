"""Whether a tether hangs freely between base and drone, as far as its sensors can tell."""

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.estimate import EstimateStatus
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.sensing import Sensing

Vector = NDArray[np.float64]
LAG_MAX = 0.1  # by which friction may hold an angle sensor back [rad]
SWING = 0.1  # by which the ends of a tether that moves may slope otherwise than at rest [rad]
ASTRAY = 0.03  # by which its points may be off, which turns the ends of a short one [m]
DOUBT = 4.0  # standard deviations by which the curvature may differ from what the tension asks for


def slopes(measurement: Measurement) -> tuple[float, float, float]:
    """(azimuth, elevation at the base, elevation at the end) [rad] against the horizon.

    At the end only its steepness is asked for, and on which side of the vertical it leans: an autopilot
    knows its roll and pitch well, and its heading less well.
    """
    base, end = measurement.tangent_base_W, measurement.tangent_end_W
    (x, y, z), (end_x, end_y, end_z) = base.tolist(), end.tolist()
    flat, lean = math.hypot(end_x, end_y), x * end_x + y * end_y
    return (
        math.atan2(y, x),
        math.atan2(z, math.hypot(x, y)),
        math.atan2(end_z, math.copysign(flat, lean)),
    )


def doubt(measurement: Measurement, sensing: Sensing) -> EstimateStatus:
    """What speaks against a freely hanging tether, or OK; needs a length and both angles."""
    status = doubt_sensors(measurement, sensing)
    if status is not EstimateStatus.OK:
        return status
    if sensing.ground > -math.inf:
        _, low, high = slopes(measurement)
        if measurement.base[2] + lowest(measurement.length, low, high) < sensing.ground:
            return EstimateStatus.GROUND
    return _doubt_free(measurement, sensing)


def doubt_sensors(measurement: Measurement, sensing: Sensing) -> EstimateStatus:
    """What speaks against the sensors themselves, or OK."""
    if measurement.saturated:
        return EstimateStatus.SATURATED
    tension = measurement.tension
    if tension * LAG_MAX < sensing.friction:  # never if it is NaN
        return EstimateStatus.SLACK
    return EstimateStatus.OK


def doubt_curve(measurement: Measurement, sensing: Sensing, a: float, sigma: float) -> EstimateStatus:
    """The same as `doubt` for a curve known by the force at its base, over weight per length [m].

    The slope at the end is looked at if it was sensed.
    """
    status = doubt_sensors(measurement, sensing)
    if status is not EstimateStatus.OK:
        return status
    if measurement.base[2] + lowest_by_force(measurement.length, a, sigma) < sensing.ground:
        return EstimateStatus.GROUND
    return _doubt_free(measurement, sensing)


def doubt_line(
    measurement: Measurement, sensing: Sensing, line: Vector, bend: float, deviation: float
) -> EstimateStatus:
    """What speaks against a straight tether along `line` (3,) [m], or OK.

    bend: by how much its sag turns the line [rad], NaN if nothing tells; deviation: of the line by noise
    [rad]. A sag that noise cannot hide is a tension too low for this method.
    """
    status = doubt_sensors(measurement, sensing)
    if status is not EstimateStatus.OK:
        return status
    if measurement.base[2] + min(float(line[2]), 0.0) < sensing.ground:
        return EstimateStatus.GROUND
    if math.isnan(bend):
        return EstimateStatus.UNSURE
    return EstimateStatus.SLACK if bend > DOUBT * deviation else _doubt_free(measurement, sensing)


def bend_by_tension(length: float, tension: float, elevation: float, sensing: Sensing) -> float:
    """Between a tether's slope at one end and the straight line through both, by its tension there [rad].

    Half of the whole turn, sin(turn) = w L cos(elevation)/T; NaN if the tension is not known.
    """
    if not tension > 0.0:
        return math.nan if math.isnan(tension) else 0.25 * math.pi
    return 0.5 * math.asin(min(sensing.weight * length * abs(math.cos(elevation)) / tension, 1.0))


def lowest_by_force(length: float, a: float, sigma: float) -> float:
    """Height of the lowest point over the base, at most 0, by the force at the base over w [m]."""
    if sigma >= 0.0:
        return 0.0
    return math.hypot(a, min(sigma + length, 0.0)) - math.hypot(a, sigma)


def lowest(length: float, elevation_base: float, elevation_end: float) -> float:
    """Height of the lowest point of the tether over its base, at most 0 [m]."""
    turn = elevation_end - elevation_base
    if elevation_base >= 0.0 or turn <= 0.0:
        return 0.0
    if elevation_end <= 0.0:  # it falls all the way
        return length * math.sin(0.5 * (elevation_base + elevation_end)) / math.cos(0.5 * turn)
    # depth of the vertex below the base: a (1/cos - 1)
    a = length * math.cos(elevation_base) * math.cos(elevation_end) / math.sin(turn)
    return a * (1.0 - 1.0 / math.cos(elevation_base))


def _doubt_free(measurement: Measurement, sensing: Sensing) -> EstimateStatus:
    """Whether slopes, length and tension belong to one another, as far as they were sensed."""
    tension = measurement.tension
    if math.isnan(tension):
        return EstimateStatus.OK
    _, low, high = slopes(measurement)
    if math.isnan(low) or math.isnan(high):
        return EstimateStatus.OK
    if _bent(measurement.length, tension, low, high, sensing):
        return EstimateStatus.WRAPPED
    return EstimateStatus.OK


def _bent(length: float, tension: float, low: float, high: float, sensing: Sensing) -> bool:
    """Whether its end slopes otherwise than base force and weight say: T1 t1 = T t + (0, w L)."""
    noise = sensing.noise
    level, upright = tension * math.cos(low), tension * math.sin(low) + sensing.weight * length
    square = max(level * level + upright * upright, 1e-300)
    by_low = tension * (tension + sensing.weight * length * math.sin(low)) / square
    by_tension = sensing.weight * length * math.cos(low) / square
    lag = sensing.friction / tension  # either sensor may lag behind by so much
    parts = (noise.elevation_base * by_low, noise.elevation_end, noise.tension * by_tension, noise.attitude)
    deviation = math.hypot(*parts)
    away = math.remainder(high - math.atan2(upright, level), 2.0 * math.pi)
    return abs(away) > DOUBT * deviation + 2.0 * lag + SWING + ASTRAY / length
