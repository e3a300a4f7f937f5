"""The option --noise of several commands: KEY=VALUE with a unit in the key."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError

# Units in which a field of `SensorNoise` may be told, and what they are worth.
ANGLE = MappingProxyType({"deg": math.pi / 180.0, "rad": 1.0})
LENGTH = MappingProxyType({"m": 1.0, "cm": 1e-2, "mm": 1e-3})
UNITS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "azimuth": ANGLE,
        "elevation_base": ANGLE,
        "azimuth_end": ANGLE,
        "elevation_end": ANGLE,
        "length": LENGTH,
        "tension": MappingProxyType({"N": 1.0}),
        "specific_force": MappingProxyType({"m_per_s2": 1.0}),
        "angular_velocity": MappingProxyType({"rad_per_s": 1.0, "deg_per_s": math.pi / 180.0}),
        "attitude": ANGLE,
        "thrust": MappingProxyType({"N": 1.0}),
        "altitude": LENGTH,
    }
)


def parse_noise(assignments: Iterable[str], names: Collection[str] = tuple(UNITS)) -> dict[str, float]:
    """Standard deviations by the names of `SensorNoise`, of those that are allowed."""
    keys = {f"{name}_{unit}": (name, worth) for name in names for unit, worth in UNITS[name].items()}
    if "azimuth" in names:  # as the column of a log is called
        keys |= {f"azimuth_base_{unit}": ("azimuth", worth) for unit, worth in ANGLE.items()}
    found: dict[str, float] = {}
    for assignment in assignments:
        key, equals, text = assignment.partition("=")
        if not equals:
            raise InputError(f"--noise {assignment}: must be KEY=VALUE, such as elevation_end_deg=0.5")
        if key not in keys:
            raise InputError(f"--noise {key}: unknown sensor or unit.{check.did_you_mean(key, keys)}")
        name, worth = keys[key]
        try:
            value = float(text)
        except ValueError:
            raise InputError(f"--noise {key}: must be a number, got {text!r}") from None
        found[name] = worth * check.non_negative(f"--noise {key}", value)
    return found
