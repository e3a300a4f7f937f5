"""From the raw reading of a sensor to the quantity it stands for, and back.

A law is a line or a parabola. Potentiometers are read as a share of their reference voltage, so that a supply
that sags in flight does not look like a turning tether (paper 002, section IV-A). `calibration_document.py`
describes the file of a calibration, and `calibration_fit.py` finds laws from samples.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import naming, reading

Array = NDArray[np.float64]

RATIO, ADC, COUNTS = "adc / reference_adc", "adc", "counts"  # what a law takes
LAWS = {"linear": ("offset", "gain"), "quadratic": ("offset", "gain", "curvature")}  # by rising power


class SensorKind(NamedTuple):
    """What is fixed about a sensor before it is calibrated."""

    quantity: str
    unit: str  # of what the law gives
    inputs: tuple[str, ...]  # what its law may take
    law: str  # that is fitted to its samples
    noise: str | None  # its field of `SensorNoise`


_ANGLE = SensorKind("angle", "rad", (RATIO,), "linear", None)
SENSORS = {
    "base_azimuth": _ANGLE._replace(noise="azimuth"),
    "base_elevation": _ANGLE._replace(noise="elevation_base"),
    "drone_azimuth": _ANGLE._replace(noise="azimuth_end"),
    "drone_elevation": _ANGLE._replace(noise="elevation_end"),
    "length": SensorKind("length", "m", (COUNTS,), "linear", "length"),
    "tension": SensorKind("tension", "N", (RATIO, ADC), "quadratic", "tension"),
}
AXES = tuple(name for name, kind in SENSORS.items() if kind.quantity == "angle")


@dataclass(frozen=True, kw_only=True)
class SensorLaw:
    """value = offset + gain * input (+ curvature * input²), with the range in which it was sampled."""

    input: str  # RATIO, ADC or COUNTS
    unit: str  # of the value: rad, m or N
    coefficients: tuple[float, ...]  # offset, gain and, of a quadratic law, curvature
    residual_deviation: float  # of one reading [unit]
    input_range: tuple[float, float]  # smallest and largest input that was sampled
    standard_errors: tuple[float, ...] = ()  # of the coefficients; empty: unknown
    file: str = ""  # name of the file with the samples; empty: unknown
    samples: int = 0  # in the file, for this sensor
    rejected_lines: tuple[int, ...] = ()  # of the file, outliers

    @property
    def law(self) -> str:
        """linear or quadratic."""
        return "linear" if len(self.coefficients) == 2 else "quadratic"

    @property
    def turning_point(self) -> float:
        """The input beyond which a parabola goes back; infinite for a line."""
        if len(self.coefficients) == 2 or self.coefficients[2] == 0.0:
            return math.inf
        return -0.5 * self.coefficients[1] / self.coefficients[2]

    @property
    def is_monotonic(self) -> bool:
        """Whether no two inputs of the range stand for the same value."""
        low, high = self.input_range
        return not low < self.turning_point < high and self.value(low) != self.value(high)

    def value(self, input: Any) -> Any:
        """By the law, also beyond the range."""
        total = 0.0
        for coefficient in reversed(self.coefficients):
            total = total * input + coefficient
        return total

    def input_of(self, value: Any) -> Array:
        """The input that stands for a value, on the side of the turning point that was sampled."""
        offset, gain, *rest = self.coefficients
        curvature = rest[0] if rest else 0.0
        if curvature == 0.0:
            return np.asarray((value - offset) / gain)
        root = gain * gain - 4.0 * curvature * (offset - np.asarray(value, float))
        if np.any(root < 0.0):
            limit, side = self.value(self.turning_point), "most" if curvature < 0.0 else "least"
            raise InputError(
                f"the law gives {limit:.6g} {self.unit} at {side}; no reading stands for {value}"
            )
        # Slope of the law in the middle of the range, which tells the side.
        rising = math.copysign(1.0, gain + curvature * sum(self.input_range))
        # Written so that a small curvature loses no digits: 2 c / (b + sign sqrt) of the quadratic formula.
        part = gain + rising * np.sqrt(root)
        with np.errstate(divide="ignore", invalid="ignore"):
            small = 2.0 * (value - offset) / part
            large = (rising * np.sqrt(root) - gain) / (2.0 * curvature)
        return np.where(rising * gain >= 0.0, small, large)


@dataclass(frozen=True)
class Calibration:
    """The laws of some sensors, by their names in `SENSORS`."""

    sensors: Mapping[str, SensorLaw] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, law in self.sensors.items():
            kind = sensor_kind(name)
            if law.input not in kind.inputs:
                raise InputError(
                    f"{name}: input must be {' or '.join(kind.inputs)}, got {check.shown(law.input)}"
                )
            if law.unit != kind.unit:
                raise InputError(f"{name}: unit must be {kind.unit}, got {check.shown(law.unit)}")
            if not law.is_monotonic:
                raise InputError(f"{name}: {turns_back(law)}")

    @classmethod
    def load(cls, path: str | Path) -> Calibration:
        """Read a file that `tetherlab calibrate` wrote."""
        from tetherlab.sensors.calibration_document import read_calibration

        laws = read_calibration(path)
        with reading(path, "a calibration"), naming(path):
            return cls(laws)

    def save(self, path: str | Path) -> None:
        """Write it; `load` gives the same numbers back, bit for bit."""
        from tetherlab.sensors.calibration_document import write_calibration

        write_calibration(self.sensors, path)

    def having(self, laws: Mapping[str, SensorLaw]) -> Calibration:
        """With these laws in addition, or in place of older ones."""
        merged = {**self.sensors, **laws}
        return Calibration({name: merged[name] for name in SENSORS if name in merged})

    def apply(self, name: str, reading: Any, reference_adc: Any = None) -> Any:
        """Readings as rad, m or N; a number for a number, an array for an array.

        A reading beyond what was sampled is extrapolated: ask `covers` where that matters.
        """
        law = self._law(name)
        return law.value(_input(name, law, reading, reference_adc))

    def invert(self, name: str, value: Any, reference_adc: Any = None) -> Any:
        """The reading that stands for a value in rad, m or N, not rounded: the way back of `apply`."""
        law = self._law(name)
        one = _input(name, law, 1.0, reference_adc)  # what one count is worth
        reading = law.input_of(_numbers("value", value)) / one
        return float(reading) if np.ndim(reading) == 0 else reading

    def covers(self, name: str, reading: Any, reference_adc: Any = None) -> Any:
        """Whether readings lie within what was sampled, so that `apply` need not extrapolate."""
        law = self._law(name)
        low, high = law.input_range
        input = _input(name, law, reading, reference_adc)
        return (low <= input) & (input <= high)

    def noise(self) -> dict[str, float]:
        """Standard deviations by the names of `SensorNoise`: `SensorNoise(**calibration.noise())`."""
        kinds = {name: SENSORS[name].noise for name in self.sensors}
        return {noise: self.sensors[name].residual_deviation for name, noise in kinds.items() if noise}

    def _law(self, name: str) -> SensorLaw:
        if name not in self.sensors:
            raise InputError(
                f"the calibration has no sensor {name!r}.{check.did_you_mean(name, self.sensors)}"
            )
        return self.sensors[name]


def sensor_kind(name: str) -> SensorKind:
    """What is fixed about a sensor, by its name."""
    if name not in SENSORS:
        raise InputError(f"unknown sensor {name!r}.{check.did_you_mean(name, SENSORS)}")
    return SENSORS[name]


def turns_back(law: SensorLaw) -> str:
    """Why a law that is not monotonic is of no use."""
    low, high = law.input_range
    if not low < law.turning_point < high:
        return f"the law is flat: {law.input} of {low:.6g} and {high:.6g} stand for the same value"
    return (
        f"the parabola turns back at {law.input} = {law.turning_point:.6g}, between the samples at "
        f"{low:.6g} and {high:.6g}, so that one value would have two readings; "
        "look at the samples beyond the turn"
    )


def _input(name: str, law: SensorLaw, reading: Any, reference_adc: Any) -> Any:
    readings = _numbers("the reading", reading)
    if law.input != RATIO:
        if reference_adc is not None:
            raise InputError(f"{name} was calibrated by {law.input} alone; leave out reference_adc")
        return readings
    if reference_adc is None:
        raise InputError(f"{name} was calibrated by {RATIO}; give reference_adc, too")
    references = _numbers("reference_adc", reference_adc)
    if np.any(references <= 0.0):
        raise InputError(f"reference_adc must be > 0, got {reference_adc}")
    return readings / references


def _numbers(name: str, value: Any) -> Any:
    """A number, or an array of them; NaN for what was not read."""
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a number or an array of numbers, got {value!r}") from None
    return float(array) if array.ndim == 0 else array
