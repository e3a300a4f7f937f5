"""Names of sensors as one number, for tables: the sum of 2^k over the sensors k."""

from collections.abc import Iterable

SENSORS = (
    *("base_azimuth", "base_elevation", "drone_azimuth", "drone_elevation", "length", "tension"),
    *("altitude", "imu", "other", "drum"),
)  # other: any that is not listed


def to_flags(names: Iterable[str]) -> float:
    """The number that says these names."""
    return float(sum({1 << SENSORS.index(name if name in SENSORS else "other") for name in names}))


def from_flags(number: float) -> tuple[str, ...]:
    """The names that a number says."""
    whole = int(number)
    return tuple(name for k, name in enumerate(SENSORS) if whole >> k & 1)
