"""Raw readings of sensors in a log as angles, length and tension, by a calibration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.measurement_text import PLACE, limits

if TYPE_CHECKING:
    from tetherlab.sensors.calibration import Calibration

# Sensor of the calibration -> its reading, the reading of its reference voltage, what it becomes.
READINGS = {
    "base_azimuth": ("base_azimuth_adc", "base_reference_adc", "azimuth_base_rad"),
    "base_elevation": ("base_elevation_adc", "base_reference_adc", "elevation_base_rad"),
    "drone_azimuth": ("drone_azimuth_adc", "drone_reference_adc", "azimuth_end_rad"),
    "drone_elevation": ("drone_elevation_adc", "drone_reference_adc", "elevation_end_rad"),
    "length": ("length_counts", "base_reference_adc", "length_m"),
    "tension": ("tension_adc", "base_reference_adc", "tension_N"),
}


class _Step(NamedTuple):
    """One sensor: places in a row."""

    sensor: str
    reading: int
    reference: int | None
    value: int


class RawReadings:
    """Fills rows from what the sensors read."""

    def __init__(self, calibration: Calibration) -> None:
        self.calibration = calibration
        self.beyond: Counter[str] = Counter()  # readings outside what was calibrated, by sensor
        self._steps: list[_Step] = []

    @classmethod
    def load(cls, path: Path) -> RawReadings:
        """By a file that `tetherlab calibrate` wrote."""
        from tetherlab.sensors.calibration import Calibration

        return cls(Calibration.load(path))

    def completed(self, columns: Iterable[str]) -> tuple[str, ...]:
        """The columns of a log, and those that its raw readings fill from now on."""
        have = tuple(columns)
        self._steps = []
        for sensor, (reading, reference, value) in READINGS.items():
            if reading not in have:
                continue
            if sensor not in self.calibration.sensors:
                raise InputError(f"the log has {reading}, but the calibration has no {sensor}")
            if value in have:
                raise InputError(f"the log has both {reading} and {value}; leave one out")
            by_ratio = "reference" in self.calibration.sensors[sensor].input
            if by_ratio and reference not in have:
                raise InputError(f"{reading} was calibrated against its reference: the log needs {reference}")
            self._steps.append(
                _Step(sensor, PLACE[reading], PLACE[reference] if by_ratio else None, PLACE[value])
            )
        if not self._steps:
            known = ", ".join(reading for reading, _, _ in READINGS.values())
            raise InputError(f"--calibration is given, but the log has no raw readings ({known})")
        return (*have, *(READINGS[step.sensor][2] for step in self._steps))

    def convert(self, row: list[float]) -> None:
        """Fill what the readings of a row stand for."""
        for sensor, reading, reference, value in self._steps:
            if row[reading] == row[reading]:  # it said something
                against = None if reference is None else row[reference]
                if against is not None and against != against:
                    raise InputError(f"there is nothing in {READINGS[sensor][1]}, which {sensor} needs")
                found = float(self.calibration.apply(sensor, row[reading], against))
                name = READINGS[sensor][2]
                if not abs(found) <= limits(name)[1]:  # a law's offset may take a length just below zero
                    said = f"by the calibration {READINGS[sensor][0]} gives {name} = {found:.6g}"
                    raise InputError(f"{said}, which cannot be true")
                row[value] = found
                if not self.calibration.covers(sensor, row[reading], against):
                    self.beyond[sensor] += 1

    @property
    def warning(self) -> str:
        """A sentence about readings outside what was calibrated; empty if there are none."""
        counts = ", ".join(f"{count} of {sensor}" for sensor, count in self.beyond.items())
        return f"readings beyond what was calibrated: {counts}" if counts else ""
