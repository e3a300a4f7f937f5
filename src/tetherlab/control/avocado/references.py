"""What AVOCADO shall do: length, tether angle and heading over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.vehicles.avocado.state import LENGTH_MIN

Array = NDArray[np.float64]
NAMES = ("tether_length", "theta", "heading")
Row = tuple[float, ...]


class Reference(NamedTuple):
    """Of one moment."""

    tether_length: float  # l_T [m]
    theta: float  # [rad]
    heading: float  # Omega [rad]
    tether_length_rate: float = 0.0  # [m/s]
    theta_rate: float = 0.0  # [rad/s]
    heading_rate: float = 0.0  # [rad/s]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class References:
    """Piecewise linear in time; constant before the first time and after the last.

    A time that is given twice is a step: from it on, what stands second. Headings are followed as written:
    from 170 to 190 deg is a turn by 20 to the right.
    """

    times: Sequence[float] | Array  # not falling [s], (n,)
    tether_length: float | Sequence[float] | Array  # l_T [m]; one number, or (n,)
    theta: float | Sequence[float] | Array = 0.0  # [rad]
    heading: float | Sequence[float] | Array = 0.0  # Omega [rad]

    def __post_init__(self) -> None:
        times = check.array("References.times", self.times, (None,))
        if len(times) == 0:
            raise InputError("References.times must have at least one time")
        for k in np.flatnonzero(np.diff(times) < 0.0)[:1]:
            raise InputError(
                f"References.times must not fall, got {times[k]:g} and then {times[k + 1]:g}; "
                f"the same time twice is a step"
            )
        for k in np.flatnonzero((np.diff(times)[1:] == 0.0) & (np.diff(times)[:-1] == 0.0))[:1]:
            raise InputError(f"References.times has {times[k]:g} more than twice: a step needs two")
        object.__setattr__(self, "times", times)
        for name in NAMES:
            value = getattr(self, name)
            if np.ndim(value) == 0:
                value = np.full(len(times), check.number(f"References.{name}", value))
            value = check.array(f"References.{name}", value, (None,))
            if len(value) != len(times):
                raise InputError(
                    f"References.{name} must have one value for each of the {len(times)} times, "
                    f"got {len(value)}"
                )
            object.__setattr__(self, name, value)
        lengths, thetas = np.asarray(self.tether_length), np.asarray(self.theta)
        for length in lengths[lengths < LENGTH_MIN][:1]:
            raise InputError(f"References.tether_length must be at least {LENGTH_MIN:g} m, got {length:g}")
        for theta in thetas[(thetas < 0.0) | (thetas >= 0.5 * np.pi)][:1]:
            raise InputError(
                f"References.theta must be from 0 to less than a right angle, got {np.degrees(theta):g} deg; "
                f"to lean to the other side, turn the heading"
            )
        object.__setattr__(self, "_rows", self._make_rows())

    def _make_rows(self) -> tuple[list[float], list[Reference]]:
        """When each piece begins, and values and rates there; the first piece is what is before all times."""
        times = np.asarray(self.times)
        values = np.column_stack([np.asarray(getattr(self, name)) for name in NAMES])
        starts, pieces = [float(times[0])], [Reference(*values[0].tolist())]
        for k in range(len(times)):
            last = k + 1 == len(times)
            if not last and times[k + 1] == times[k]:
                continue
            rates = np.zeros(3) if last else (values[k + 1] - values[k]) / (times[k + 1] - times[k])
            starts.append(float(times[k]))
            pieces.append(Reference(*values[k].tolist(), *rates.tolist()))
        return starts, pieces

    def __call__(self, time: float) -> Reference:
        """Values and rates at a time [s]."""
        starts, pieces = self._rows  # type: ignore[attr-defined]
        k = _piece(starts, time)
        piece, since = pieces[k], time - starts[k]
        if k == 0 or k == len(pieces) - 1:
            return piece
        return Reference(
            piece.tether_length + since * piece.tether_length_rate,
            piece.theta + since * piece.theta_rate,
            piece.heading + since * piece.heading_rate,
            *piece[3:],
        )


def _piece(starts: list[float], time: float) -> int:
    """The last piece that has begun; the first has no beginning."""
    low, high = 0, len(starts) - 1
    while low < high:
        middle = (low + high + 1) // 2
        # Times of calls are sums of holds: a step at 2.3 s shall act in the call at 2.2999999999 s.
        if starts[middle] <= time + 1e-9:
            low = middle
        else:
            high = middle - 1
    return low


@check.known_arguments
def hold(tether_length: float, *, theta: float = 0.0, heading: float = 0.0) -> References:
    """References that never change: length [m] and angles [rad]."""
    return References(times=[0.0], tether_length=tether_length, theta=theta, heading=heading)


@check.known_arguments
def steps(
    times: Sequence[float],
    *,
    tether_length: float | Sequence[float],
    theta: float | Sequence[float] = 0.0,
    heading: float | Sequence[float] = 0.0,
) -> References:
    """Each value from its time [s] on, until the next; the first also before."""
    at = check.array("times", times, (None,))
    for k in np.flatnonzero(np.diff(at) <= 0.0)[:1]:
        raise InputError(f"times of steps must grow, got {at[k]:g} and then {at[k + 1]:g}")
    given = {"tether_length": tether_length, "theta": theta, "heading": heading}
    values: dict[str, float | Array] = {}
    for name, value in given.items():
        if np.ndim(value) == 0:
            values[name] = check.number(name, value)
            continue
        row = check.array(name, value, (None,))
        if len(row) != len(at):
            raise InputError(f"{name} must have one value for each of the {len(at)} times, got {len(row)}")
        values[name] = np.concatenate([row[:1], np.repeat(row, 2)[:-1]])[1:] if len(row) > 1 else row
    return References(times=np.concatenate([at[:1], np.repeat(at[1:], 2)]), **values)
