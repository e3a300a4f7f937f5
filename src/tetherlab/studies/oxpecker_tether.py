"""The tether of a coverage flight: at rest between rover and drone, at the tension that the winch holds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
HALVINGS = 60


def hang(away: Array, pull: float, base_height: float) -> tuple[Array, Array, Array]:
    """Length [m], slopes at base and end [rad], (n,) each, of tethers to places (n, 3) [m] from the base.

    pull: tension at the base over weight per length [m]. base_height: of the base over a level floor [m].
    A pull too small to hold the tether in the air leaves part of it on the floor, straight.
    """
    run, rise = np.hypot(away[:, 0], away[:, 1]), away[:, 2]
    length, low, high, deepest = _free(run, rise, pull)
    lies = (deepest < -base_height) | np.isnan(length)
    a = max(pull - base_height, 1e-3)  # on a level floor T = w (a + height)
    legs = [np.sqrt(np.maximum(h * (h + 2.0 * a), 0.0)) for h in (base_height, rise + base_height)]
    feet = [a * np.arcsinh(leg / a) for leg in legs]
    lies &= run > feet[0] + feet[1]
    length = np.where(lies, run - feet[0] - feet[1] + legs[0] + legs[1], length)
    low = np.where(lies, -np.arctan2(legs[0], a), low)
    high = np.where(lies, np.arctan2(legs[1], a), high)
    return length, low, high


def _free(run: Array, rise: Array, pull: float) -> tuple[Array, Array, Array, Array]:
    """Length, slopes, height of the lowest point over the base; NaN where no free tether has the pull.

    As in `sensors/hanging.py`: with b = w D/(2 H) the force at the base is (D, z k − b L) over 2 b.
    """

    def force(b: Array) -> tuple[Array, Array, Array]:
        k = b / np.tanh(b)
        length = np.sqrt(rise**2 + (run * np.sinh(b) / b) ** 2)
        return length, (rise * k - b * length) / (2.0 * b), (rise * k + b * length) / (2.0 * b)

    def excess(b: Array) -> Array:
        return np.hypot(run / (2.0 * b), force(b)[1]) - pull

    # The tension falls with b, then rises again: the tauter of two tethers is the one that a winch holds.
    grid = np.geomspace(1e-4, 12.0, 160)
    values = np.stack([excess(np.full_like(run, b)) for b in grid])
    first = np.argmax(values <= 0.0, axis=0)
    there = (values <= 0.0).any(axis=0) & (first > 0)
    lower, upper = grid[np.maximum(first - 1, 0)], grid[first]
    for _ in range(HALVINGS):
        middle = 0.5 * (lower + upper)
        above = excess(middle) > 0.0
        lower, upper = np.where(above, middle, lower), np.where(above, upper, middle)
    length, up_base, up_end = force(upper)
    a = run / (2.0 * upper)
    deepest = np.where((up_base < 0.0) & (up_end > 0.0), a - np.hypot(a, up_base), np.minimum(rise, 0.0))
    nothing = np.where(there, 0.0, np.nan)
    return length + nothing, np.arctan2(up_base, a), np.arctan2(up_end, a), deepest
