"""Names of sensors as one number, for tables: the sum of 2^k over the sensors k."""

from collections.abc import Iterable

SENSORS = (
    *("length", "azimuth_base", "elevation_base", "azimuth_end", "elevation_end", "tension"),
    *("tangent_base", "tangent_end", "attitude", "specific_force", "angular_velocity"),
    *("thrust", "altitude", "base", "other"),
)  # other: any that is not listed


def to_flags(names: Iterable[str]) -> float:
    """The number that says these names."""
    return float(sum({1 << SENSORS.index(name if name in SENSORS else "other") for name in names}))


def from_flags(number: float) -> tuple[str, ...]:
    """The names that a number says."""
    whole = int(number)
    return tuple(name for k, name in enumerate(SENSORS) if whole >> k & 1)
