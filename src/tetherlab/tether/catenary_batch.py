"""Many catenaries at once: one compiled loop, one status per row, no exception for a single bad row."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import njit
from tetherlab.tether.catenary_curve import Array
from tetherlab.tether.catenary_kernel import advance, solve_catenary
from tetherlab.tether.catenary_status import OK, TAUT, CatenaryStatus


class CatenaryBatch(NamedTuple):
    """Rows of tethers at rest. Where the status is neither OK nor TAUT, a row's numbers are NaN.

    Forces are divided by the weight per length, which makes them lengths.
    """

    status: NDArray[np.int8]  # (n,), codes of CatenaryStatus
    base: Array  # [m], (n, 3)
    end: Array  # [m], (n, 3)
    length: Array  # [m], (n,)
    parameter: Array  # horizontal tension [m], (n,); infinite when taut
    sigma_base: Array  # vertical force at the base, positive up [m], (n,); without meaning when taut
    lowest_point: Array  # [m], (n, 3)
    tangent_base: Array  # unit, along base -> end, (n, 3)
    tangent_end: Array  # unit, along base -> end, (n, 3)
    tension_base: Array  # [m], (n,); infinite when taut
    tension_end: Array  # [m], (n,); infinite when taut

    def rows(self, status: CatenaryStatus) -> NDArray[np.bool_]:
        """Which rows have this status, (n,)."""
        return self.status == status.code

    def sample(self, n: int) -> Array:
        """`n` points of each tether, equally spaced in arc length, (rows, n, 3) [m]."""
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 2:
            raise InputError(f"n must be a whole number >= 2 (both ends are samples), got {n!r}")
        return _sample_rows(
            self.status, self.base, self.end, self.length, self.parameter, self.sigma_base, int(n)
        )


def solve_many(bases: Any, ends: Any, lengths: Any) -> CatenaryBatch:
    """Catenaries between rows of points: bases and ends (n, 3) or (3,) [m], lengths (n,) or a number [m]."""
    base = _rows("bases", bases, (3,))
    end = _rows("ends", ends, (3,))
    length = _rows("lengths", lengths, ())
    counts = {len(rows) for rows in (base, end, length) if len(rows) != 1}
    if len(counts) > 1:
        raise InputError(
            "bases, ends and lengths must have the same number of rows (or one for all), "
            f"got {len(base)}, {len(end)} and {len(length)}"
        )
    count = counts.pop() if counts else 1
    base = np.ascontiguousarray(np.broadcast_to(base, (count, 3)))
    end = np.ascontiguousarray(np.broadcast_to(end, (count, 3)))
    length = np.ascontiguousarray(np.broadcast_to(length, (count,)))
    return CatenaryBatch(*_solve_rows(base, end, length))


def _rows(name: str, value: Any, row_shape: tuple[int, ...]) -> Array:
    """An array of rows; unlike `check.array` it lets NaN through, since a bad row gets a status."""
    wanted = "(n, 3) or (3,)" if row_shape else "(n,) or a number"
    try:
        result = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError(f"{name} must be numbers of shape {wanted}, got {value!r}") from None
    if result.ndim == len(row_shape):
        result = result[np.newaxis]
    if result.ndim != len(row_shape) + 1 or result.shape[1:] != row_shape:
        raise InputError(f"{name} must have shape {wanted}, got {np.shape(value)}")
    return result


@njit(cache=True, nogil=True)
def _solve_rows(base, end, length):
    count = length.size
    status = np.empty(count, np.int8)
    parameter, sigma_base = np.full(count, math.nan), np.full(count, math.nan)
    lowest = np.full((count, 3), math.nan)
    tangent_base, tangent_end = np.full((count, 3), math.nan), np.full((count, 3), math.nan)
    tension_base, tension_end = np.full(count, math.nan), np.full(count, math.nan)
    for i in range(count):
        dx, dy, dz = end[i, 0] - base[i, 0], end[i, 1] - base[i, 1], end[i, 2] - base[i, 2]
        code, a, sigma = solve_catenary(dx, dy, dz, length[i])
        status[i] = code
        if code != OK and code != TAUT:
            continue
        span = math.hypot(dx, dy)
        ux, uy = (dx / span, dy / span) if span > 0.0 else (1.0, 0.0)
        parameter[i], sigma_base[i] = a, sigma
        if code == TAUT:
            tension_base[i] = tension_end[i] = math.inf
            for j in range(3):
                tangent_base[i, j] = tangent_end[i, j] = (end[i, j] - base[i, j]) / length[i]
                lowest[i, j] = base[i, j] if dz >= 0.0 else end[i, j]
            continue
        sigma_end = sigma + length[i]
        tension_base[i], tension_end[i] = math.hypot(a, sigma), math.hypot(a, sigma_end)
        _set_tangent(tangent_base, i, a, sigma, tension_base[i], ux, uy)
        _set_tangent(tangent_end, i, a, sigma_end, tension_end[i], ux, uy)
        if sigma_end <= 0.0:
            lowest[i] = end[i]
        else:
            run, rise = advance(a, sigma, 0.0, max(-sigma, 0.0))
            lowest[i, 0] = base[i, 0] + run * ux
            lowest[i, 1] = base[i, 1] + run * uy
            lowest[i, 2] = base[i, 2] + rise
    return (
        status, base, end, length, parameter, sigma_base, lowest,
        tangent_base, tangent_end, tension_base, tension_end,
    )  # fmt: skip


@njit(cache=True)
def _set_tangent(tangent, i, a, sigma, tension, ux, uy):
    # Where a tether folds, tension is zero and the tangent level.
    horizontal, vertical = (a / tension, sigma / tension) if tension > 0.0 else (1.0, 0.0)
    tangent[i, 0], tangent[i, 1], tangent[i, 2] = horizontal * ux, horizontal * uy, vertical


@njit(cache=True, nogil=True)
def _sample_rows(status, base, end, length, parameter, sigma_base, n):
    points = np.full((length.size, n, 3), math.nan)
    for i in range(length.size):
        if status[i] != OK and status[i] != TAUT:
            continue
        dx, dy = end[i, 0] - base[i, 0], end[i, 1] - base[i, 1]
        span = math.hypot(dx, dy)
        ux, uy = (dx / span, dy / span) if span > 0.0 else (1.0, 0.0)
        points[i, 0] = base[i]
        points[i, n - 1] = end[i]
        for k in range(1, n - 1):
            fraction = k / (n - 1)
            if status[i] == TAUT:
                run, rise = fraction * span, fraction * (end[i, 2] - base[i, 2])
            else:
                run, rise = advance(parameter[i], sigma_base[i], 0.0, fraction * length[i])
            points[i, k, 0] = base[i, 0] + run * ux
            points[i, k, 1] = base[i, 1] + run * uy
            points[i, k, 2] = base[i, 2] + rise
    return points
