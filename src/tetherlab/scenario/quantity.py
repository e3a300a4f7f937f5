"""Numbers whose written key carries a unit while the attribute does not.

A field says its unit once, in its type:

    length: Annotated[Number, POSITIVE, Unit("m")]

Files then write `length_m`, Python reads `.length`, always SI. Bounds stand before the unit and are those of
the written number. Optional quantities are `Annotated[Number | None, Unit("m")]`.
"""

import math
from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import Ge, Gt, Le
from pydantic import (
    AllowInfNan,
    BeforeValidator,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    Strict,
)
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from tetherlab.scenario.problems import shown

COORDINATE_MAX = 1e7  # of vectors, in any unit; products of far larger ones overflow
RATE_MAX = 10_000.0  # [Hz]
Number = Annotated[float, Strict(), AllowInfNan(False)]  # neither text nor true, and finite
Count = Annotated[int, Strict()]
Switch = Annotated[bool, Strict()]

POSITIVE = Gt(0.0)
NOT_NEGATIVE = Ge(0.0)
Seed = Annotated[Count, Ge(0), Le(2**63 - 1)]  # what files hold as a whole number


def _three(value: Any) -> Any:
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        raise ValueError(f"must be a list of three numbers, got {shown(value)}")
    for number in value:
        if isinstance(number, (int, float)) and math.isfinite(number) and abs(number) > COORDINATE_MAX:
            raise ValueError(f"must be from {-COORDINATE_MAX:g} to {COORDINATE_MAX:g}, got {shown(number)}")
    return value


THREE = BeforeValidator(_three)
Vector = Annotated[tuple[Number, Number, Number], THREE]
_Positive = Annotated[Number, POSITIVE]
_NotNegative = Annotated[Number, NOT_NEGATIVE]
PositiveVector = Annotated[tuple[_Positive, _Positive, _Positive], THREE]
NotNegativeVector = Annotated[tuple[_NotNegative, _NotNegative, _NotNegative], THREE]

DEGREES = ("deg", "deg_per_s")  # all other units are SI already

# Words that people put behind a name when they mean a unit.
UNIT_WORDS = frozenset(
    [
        "m",
        "cm",
        "mm",
        "km",
        "ft",
        "in",
        "inch",
        "kg",
        "g",
        "lb",
        "s",
        "ms",
        "min",
        "h",
        "N",
        "kN",
        "mN",
        "lbf",
        "rad",
        "deg",
        "degrees",
        "rpm",
        "turns",
        "Hz",
        "hz",
        "Nm",
        "Ns",
        "kgm",
        "W",
        "kW",
        "J",
        "V",
        "mV",
        "kV",
        "A",
        "mA",
        "Ah",
        "mAh",
        "Wh",
        "ohm",
        "C",
        "K",
    ]
)


@dataclass(frozen=True)
class Unit:
    """The unit of a field, as it ends the written key: `m`, `m_per_s`, `deg`."""

    symbol: str

    def written(self, name: str) -> str:
        """The key of a field with this unit."""
        return f"{name}_{self.symbol}"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Degrees become radians on the way in and degrees on the way out."""
        schema = handler(source)
        if self.symbol not in DEGREES:
            return schema
        out = core_schema.plain_serializer_function_ser_schema(_degrees)
        return core_schema.no_info_after_validator_function(_radians, schema, serialization=out)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """The unit stands in the schema, too, for editors that show it."""
        return {**handler(schema), "unit": self.symbol}


Rate = Annotated[Number, POSITIVE, Le(RATE_MAX), Unit("hz")]


def _radians(angle: Any) -> Any:
    """Angles [deg] in radians: a number, lists of them, or None."""
    if isinstance(angle, (list, tuple)):
        return tuple(map(_radians, angle))
    return None if angle is None else math.radians(angle)


def _degrees(angle: Any) -> Any:
    """Angles [rad] in degrees: a number, lists of them, or None."""
    if isinstance(angle, (list, tuple)):
        return tuple(map(_degrees, angle))
    return None if angle is None else in_degrees(angle)


def in_degrees(angle: float) -> float:
    """An angle [rad] in degrees, rounded as far as it is still read back with the same bits.

    Where no degrees are read back as this angle, those of the nearest one that is.
    """
    degrees = math.degrees(angle)
    decimals = [float(f"{degrees:.{digits}g}") for digits in range(1, 18)]
    beside = [degrees, degrees]  # it may be off by rounding
    for step in range(0, 6, 2):
        beside += [math.nextafter(beside[step], -math.inf), math.nextafter(beside[step + 1], math.inf)]
    found = next((value for value in (*decimals, *beside) if math.radians(value) == angle), None)
    return in_degrees(math.radians(degrees)) if found is None else found


def unit_of(field: FieldInfo) -> Unit | None:
    """The unit that a field declares, None for one without."""
    return next((item for item in field.metadata if isinstance(item, Unit)), None)


def is_unit(words: str) -> bool:
    """Whether the end of a key looks like a unit: `cm`, `km_per_h`, `kg_m2`."""
    return all(word.rstrip("23") in UNIT_WORDS or word == "per" for word in words.split("_"))


def in_words(symbol: str) -> str:
    """A unit as people write it: `kg_per_m3` is kg/m^3, `per_s` is 1/s."""
    above, _, below = (f"1_{symbol}" if symbol.startswith("per_") else symbol).partition("_per_")
    return " ".join(map(_power, above.split("_"))) + "".join(
        f"/{_power(part)}" for part in below.split("_") if part
    )


def _power(word: str) -> str:
    return f"{word[:-1]}^{word[-1]}" if word[-1] in "23" else word
