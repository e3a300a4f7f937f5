"""Whether a tether hangs freely between base and drone, as far as its sensors can tell."""

import math

import numpy as np

from tetherlab.contracts.estimate import EstimateStatus
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.sensing import Sensing

LAG_MAX = 0.1  # by which friction may hold an angle sensor back [rad]
DOUBT = 4.0  # standard deviations by which the curvature may differ from what the tension asks for


def slopes(measurement: Measurement) -> tuple[float, float, float]:
    """(azimuth, elevation at the base, elevation at the end) [rad] against the horizon.

    At the end only its steepness is asked for, and on which side of the vertical it leans: an autopilot
    knows its roll and pitch well, and its heading less well.
    """
    base, end = measurement.tangent_base_W, measurement.tangent_end_W
    azimuth = math.atan2(base[1], base[0])
    flat = math.hypot(end[0], end[1])
    lean = base[0] * end[0] + base[1] * end[1]
    return (
        azimuth,
        math.atan2(base[2], math.hypot(base[0], base[1])),
        math.atan2(end[2], math.copysign(flat, lean)),
    )


def doubt(measurement: Measurement, sensing: Sensing) -> EstimateStatus:
    """What speaks against a freely hanging tether, or OK; needs a length and both angles."""
    if measurement.saturated:
        return EstimateStatus.SATURATED
    tension = measurement.tension
    if not np.isnan(tension) and tension * LAG_MAX < sensing.friction:
        return EstimateStatus.SLACK
    _, low, high = slopes(measurement)
    if measurement.base[2] + lowest(measurement.length, low, high) < sensing.ground:
        return EstimateStatus.GROUND
    if not np.isnan(tension) and _bent(measurement.length, tension, low, high, sensing):
        return EstimateStatus.WRAPPED
    return EstimateStatus.OK


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


def _bent(length: float, tension: float, low: float, high: float, sensing: Sensing) -> bool:
    """Whether it turns by another angle than its weight and tension say: sin(turn) = w L cos(high)/T."""
    noise = sensing.noise
    sine = min(sensing.weight * length * abs(math.cos(high)) / tension, 1.0)
    wanted = math.asin(sine)
    by_tension = sine / tension / max(math.sqrt(1.0 - sine * sine), 0.1) * noise.tension
    lag = sensing.friction / tension  # either sensor may lag behind by so much
    deviation = math.sqrt(noise.elevation_base**2 + noise.elevation_end**2 + by_tension**2)
    return abs(high - low - wanted) > DOUBT * deviation + 2.0 * lag
