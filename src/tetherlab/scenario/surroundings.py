"""The world of a scenario: its written form, checked by `tl.World`, and the world itself."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from tetherlab.contracts.errors import InputError
from tetherlab.scenario.problems import KeyPath, refuse
from tetherlab.world import World
from tetherlab.world.document import SEA_LEVEL_AIR_DENSITY, STANDARD_GRAVITY
from tetherlab.world.wind import Wind

DEFAULTS = {"gravity_m_per_s2": STANDARD_GRAVITY, "air_density_kg_per_m3": SEA_LEVEL_AIR_DENSITY}


@dataclass(frozen=True, eq=False)
class Surroundings:
    """A world together with how it was written, which it cannot tell itself where it has maps."""

    document: dict[str, Any]
    world: World

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """A mapping on the way in and out."""
        return core_schema.no_info_plain_validator_function(
            _read,
            serialization=core_schema.plain_serializer_function_ser_schema(lambda self: self.document),
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Its keys are in `schema.py`, with the names that may stand for it."""
        return {"type": "object"}


def _read(data: Any) -> Surroundings:
    try:
        world = World.from_dict(data, folder=Path(), source="world")
    except InputError as error:
        refuse(_placed(line.removeprefix("world: "), data) for line in str(error).splitlines())
    return Surroundings({**DEFAULTS, **data}, world)


def _placed(problem: str, data: Any) -> tuple[KeyPath, str]:
    """The path at the beginning of a problem, and the rest of it."""
    found = re.match(r"([\w.\[\]]+)(?:: | (?=must ))", problem)
    if found is None:
        return (), problem
    path: KeyPath = tuple(
        int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\]]+", found[1])
    )
    return path, problem[found.end() :]


def seeded_wind(world: World, seed: int) -> Wind:
    """The wind of a world; its gusts are those of a run's seed."""
    wind = world.wind or Wind.calm()
    if wind.gusts is None:
        return wind
    (mixed,) = np.random.SeedSequence([wind.gusts.seed, seed]).generate_state(1)
    return replace(wind, gusts=replace(wind.gusts, seed=int(mixed)))
