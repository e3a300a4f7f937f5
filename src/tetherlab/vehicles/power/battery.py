"""The battery on the ground robot that feeds the cable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import kernel

CURVE_MAX = 21  # points of an open-circuit voltage

# One lithium iron phosphate cell at rest, empty to full in tenths [V]; typical.
LFP_CELL = (2.60, 3.18, 3.23, 3.26, 3.28, 3.29, 3.30, 3.32, 3.33, 3.34, 3.45)

NOMINAL = 38.4  # of three batteries of four such cells [V]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Battery:
    """On the ground robot. Without arguments: three 12.8 V batteries in series, as in paper 003."""

    capacity: float = 180e3  # charge [A s]; assumed: 50 A h
    open_circuit: tuple[float, ...] = tuple(
        round(12 * volt, 2) for volt in LFP_CELL
    )  # at rest, empty to full [V]
    resistance: float = 0.03  # inside [ohm]; assumed
    cut_off: float = 30.0  # at the terminals, below which it switches off [V]; assumed: 2.5 V for a cell

    def __post_init__(self) -> None:
        curve = check.array("Battery.open_circuit", self.open_circuit, (None,))
        if not 2 <= len(curve) <= CURVE_MAX:
            raise InputError(f"Battery.open_circuit must have 2 to {CURVE_MAX} voltages, got {len(curve)}")
        if curve[0] <= 0.0 or (np.diff(curve) < 0.0).any():
            raise InputError("Battery.open_circuit must be > 0 and never fall from empty to full")
        object.__setattr__(self, "open_circuit", tuple(map(float, curve)))
        for name, required in (
            ("capacity", check.positive),
            ("resistance", check.non_negative),
            ("cut_off", check.non_negative),
        ):
            object.__setattr__(self, name, required(f"Battery.{name}", getattr(self, name)))
        if self.cut_off >= curve[-1]:
            raise InputError(f"Battery.cut_off must be below {curve[-1]:g} V, its voltage when it is full")

    @classmethod
    def ideal(cls, voltage: float) -> Battery:
        """A source that keeps its voltage [V] until it is empty, as paper 003 takes it in section 3.2.1."""
        return cls(open_circuit=(voltage, voltage), resistance=0.0, cut_off=0.0)

    @classmethod
    def like(cls, voltage: float, capacity: float) -> Battery:
        """Of the same kind, with as many cells as a nominal voltage [V] takes, and a charge [A s]."""
        own = cls()
        cells = voltage / NOMINAL
        curve = tuple(cells * volts for volts in own.open_circuit)
        return cls(
            capacity=capacity,
            open_circuit=curve,
            resistance=cells * own.resistance,
            cut_off=cells * own.cut_off,
        )

    @property
    def energy(self) -> float:
        """Of a full one, inner loss included [J]."""
        return self.capacity * float(np.trapezoid(self.open_circuit, dx=1.0 / (len(self.open_circuit) - 1)))


@kernel
def open_circuit_voltage(curve, count, charge):
    """At rest [V]; charge: share of a full battery; curve: empty to full, the first `count` of it."""
    place = min(max(charge, 0.0), 1.0) * (count - 1)
    k = min(int(place), count - 2)
    return curve[k] + (place - k) * (curve[k + 1] - curve[k])
