"""A load that draws constant power at the end of a resistance, in closed form.

The drone takes the power P whatever voltage v arrives: v = V - R P / v, of which the larger root is the one
that is stable. Beyond V^2 / 4R there is none.
"""

import math
from typing import NamedTuple

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import kernel, plain


@kernel
def loaded_current(voltage, resistance, power):
    """That a load of constant power [W] draws through a resistance [ohm] from a source [V]; NaN: no solution.

    The smaller root of R i^2 - V i + P = 0, written so that it holds for R = 0 as well.
    """
    room = voltage * voltage - 4.0 * resistance * power
    if room < 0.0:
        return math.nan
    return 2.0 * power / (voltage + math.sqrt(room))


class Transfer(NamedTuple):
    """What arrives at the drone."""

    voltage: float  # at the drone [V]
    current: float  # [A]
    drop: float  # of the voltage along the way [V]
    loss: float  # [W]
    power_max: float  # that could be transferred at all [W]


def power_max(voltage: float, resistance: float) -> float:
    """The most that a load can draw through a resistance, V^2 / 4R [W]: half of the voltage is then lost."""
    return voltage**2 / (4.0 * resistance) if resistance > 0.0 else math.inf


def transfer(voltage: float, resistance: float, power: float) -> Transfer:
    """Of a power [W] through a resistance [ohm] from a source [V]; an InputError beyond the most."""
    voltage = check.positive("voltage", voltage)
    resistance = check.non_negative("resistance", resistance)
    power = check.non_negative("power", power)
    current = plain(loaded_current)(voltage, resistance, power)
    most = power_max(voltage, resistance)
    if math.isnan(current):
        raise InputError(too_much(voltage, resistance, power))
    drop = resistance * current
    return Transfer(voltage - drop, current, drop, drop * current, most)


def too_much(voltage: float, resistance: float, power: float) -> str:
    """Why a power cannot be transferred, and what would help, in a sentence."""
    return (
        f"{power:.4g} W cannot be transferred: from {voltage:.4g} V through {resistance:.4g} ohm at most "
        f"{power_max(voltage, resistance):.4g} W (V^2 / 4R) arrive, with half of the voltage lost on the "
        f"way; it takes {2.0 * math.sqrt(resistance * power):.4g} V or more, or at most "
        f"{voltage**2 / (4.0 * power):.3g} ohm"
    )
