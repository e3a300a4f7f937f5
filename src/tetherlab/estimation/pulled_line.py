"""Where a hanging tether ends, seen from its end: length, direction there, and tension at the base."""

from __future__ import annotations

import math


def hanging_end(length: float, sine: float, tension: float, weight: float) -> tuple[float, float]:
    """(level, rise) from the base to the end [m]; NaN if so little tension carries no such tether.

    length [m] > 0; sine: of the elevation at the end, upwards from the base; tension: at the base [N];
    weight: per length [N/m]. With W = weight length and φ the elevation, the tension at the end is

        T_e = W sin φ + sqrt(T² - W² cos² φ) ,

    since the level part H = T_e cos φ is the same everywhere and the upright parts differ by W. The rise is
    (T_e - T)/weight, as on every catenary.
    """
    cosine = math.sqrt(max(1.0 - sine * sine, 0.0))
    load = weight * length
    left = tension * tension - (load * cosine) ** 2
    if left <= 0.0:
        return math.nan, math.nan
    pull = load * sine + math.sqrt(left)
    if pull <= 0.0:
        return math.nan, math.nan
    if load < 1e-6 * tension:
        return length * cosine, length * sine
    flat, up = pull * cosine, pull * sine
    rise = (pull - tension) / weight
    if flat < 1e-9 * pull:
        return 0.0, rise
    return flat / weight * (math.asinh(up / flat) - math.asinh((up - load) / flat)), rise
