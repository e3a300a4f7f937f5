"""Where a hanging tether ends, seen from its end: length, direction there, and tension at the base."""

from __future__ import annotations

import math


def hanging_end(length: float, sine: float, tension: float, weight: float) -> tuple[float, float]:
    """(level, rise) from the base to the end [m]; NaN if the tension is not above the tether's weight.

    length [m] > 0; sine: of the elevation at the end, upwards from the base; tension: at the base [N];
    weight: per length [N/m]. With W = weight length and φ the elevation, the tension at the end is

        T_e = W sin φ + sqrt(T² - W² cos² φ) ,

    since the level part T_e cos φ is the same everywhere and the upright parts differ by W. Below T = W a
    second tether, with a belly, ends in the same slope. The rise is (T_e - T)/weight, as on every catenary.
    """
    load = weight * length
    if not tension > load:
        return math.nan, math.nan
    cosine = math.sqrt(max(1.0 - sine * sine, 0.0))
    pull = load * sine + math.sqrt(tension * tension - (load * cosine) ** 2)
    if load < 1e-6 * tension:
        return length * cosine, length * sine
    flat, up = pull * cosine, pull * sine
    rise = (pull - tension) / weight
    if flat < 1e-9 * pull:
        return 0.0, rise
    return flat / weight * (math.asinh(up / flat) - math.asinh((up - load) / flat)), rise
