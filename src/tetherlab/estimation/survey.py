"""The methods by which others have located a drone by its tether, as a list for studies and tests.

They are those of the literature survey of paper 002, and its own catenary. Each is known by what it must
sense and what it must be told beforehand.
"""

from typing import Any, NamedTuple

from tetherlab.estimation.base_tension import BaseTensionLocalizer
from tetherlab.estimation.catenary import CatenaryLocalizer
from tetherlab.estimation.elevation_correction import ElevationLocalizer
from tetherlab.estimation.fixed_length import FixedLengthLocalizer
from tetherlab.estimation.selector import ModelSelector
from tetherlab.estimation.taut_line import TautLineLocalizer
from tetherlab.estimation.thrust import ThrustLocalizer


class Method(NamedTuple):
    """One method: `kind(sensing)` makes it, with `length=` where that is told beforehand."""

    name: str
    kind: Any  # a class with update, reset and a constructor that takes a Sensing
    needs: tuple[str, ...]  # fields of a Measurement without which it answers MISSING
    told: tuple[str, ...] = ()  # beforehand: drone_mass in Sensing, or length as an argument
    straight: bool = False  # takes the tether for a straight line
    source: str = ""  # who proposed it


SURVEY = (
    Method(
        "taut_line", TautLineLocalizer, ("length", "tangent_end"), straight=True, source="Alarcón et al. 2019"
    ),
    Method(
        "thrust",
        ThrustLocalizer,
        ("length", "specific_force", "thrust"),
        ("drone_mass",),
        straight=True,
        source="Al-Radaideh and Sun 2021",
    ),
    Method(
        "base_tension",
        BaseTensionLocalizer,
        ("length", "tangent_base", "tension"),
        source="Kiribayashi et al. 2017",
    ),
    Method(
        "elevation",
        ElevationLocalizer,
        ("length", "tangent_base"),
        ("drone_mass",),
        source="Xiao et al. 2018",
    ),
    Method(
        "fixed_length",
        FixedLengthLocalizer,
        ("tangent_base", "tangent_end"),
        ("length",),
        source="Borgese et al. 2022",
    ),
    Method("selector", ModelSelector, ("length", "tangent_base"), source="Lima and Pereira 2023"),
    Method("catenary", CatenaryLocalizer, ("length", "tangent_base", "tangent_end"), source="paper 002"),
)
