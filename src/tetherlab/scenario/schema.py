"""The JSON Schema of scenario files, for editors that complete and check while one types.

Write the packaged file anew after a change of the sections: `python -m tetherlab.scenario.schema`.
"""

import json
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from tetherlab.scenario.canopy import CanopyScenario
from tetherlab.scenario.document import REFERENCES
from tetherlab.scenario.library import ONE_OF, packaged
from tetherlab.scenario.line import MATERIAL
from tetherlab.scenario.mission import Mission
from tetherlab.scenario.problems import KeyPath
from tetherlab.scenario.scenario import Scenario
from tetherlab.scenario.scene_file import SceneFile
from tetherlab.scenario.written import CANOPY, SCENE
from tetherlab.world import document


def scenario_schema() -> dict[str, Any]:
    """The schema of a file as it may be written: with names in place of contents, and with shorthands.

    A file of schema 2 or with a section of a scene is a `SceneFile`, one with the section `canopy` a
    `CanopyScenario`, every other one a `Scenario`.
    """
    kinds = [(kind, "validation") for kind in (Scenario, CanopyScenario, SceneFile)]
    _, schema = models_json_schema(kinds, by_alias=True, schema_generator=_WithoutTitles)  # type: ignore[arg-type]
    parts = schema["$defs"]
    parts |= _world_parts()
    for part in list(parts.values()):
        for value in part.get("properties", {}).values():
            _keep_plug_ins_apart(value, parts)
            inner = [value.get("additionalProperties"), *value.get("anyOf", ())]
            for item in inner:
                if isinstance(item, dict):
                    _keep_plug_ins_apart(item, parts)
    for kind in ("Scenario", "CanopyScenario", "SceneFile"):
        properties = parts[kind]["properties"]
        properties["world"] = _part("World")
        properties["wind"] = {**_part("Wind"), "description": Scenario.shorthand["wind"]}
    for path, kind in REFERENCES.items():
        key = str(path[-1])
        for properties in _places(path, parts):
            said = {
                word: properties[key][word] for word in ("default", "description") if word in properties[key]
            }
            properties[key] = {**_named(kind, _reference(properties[key]), parts), **said}
    _name_scene_parts(parts)
    mission = parts["Mission"]
    mission["properties"]["trajectory"] = {"type": "string", "description": Mission.shorthand["trajectory"]}
    ways = [{"required": ["targets"]}, {"required": ["trajectory"]}]
    mission["not"] = {"allOf": ways}
    # A mission says where to go, unless there are walls to inspect.
    parts["Scenario"]["anyOf"] = [
        {"required": ["inspection"]},
        {"required": ["mission"], "properties": {"mission": {"anyOf": ways}}},
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "if": {
            "anyOf": [
                {"required": ["schema"], "properties": {"schema": {"const": 2}}},
                *({"required": [key]} for key in SCENE),
            ]
        },
        "then": _part("SceneFile"),
        "else": {
            "if": {"required": [CANOPY]},
            "then": _part("CanopyScenario"),
            "else": _part("Scenario"),
        },
        "$defs": parts,
    }


def _name_scene_parts(parts: dict[str, Any]) -> None:
    """Robots, winches and materials of a scene may stand by their names."""
    robot = parts["RobotPart"]["properties"]["robot"]
    choices = robot.get("oneOf") or [{"$ref": item} for item in robot["discriminator"]["mapping"].values()]
    names = _named("robots", str(choices[0]["$ref"]), parts)["anyOf"][0]
    likes = [_named("robots", str(choice["$ref"]), parts)["anyOf"][1] for choice in choices]
    parts["RobotPart"]["properties"]["robot"] = {"anyOf": [names, *likes, *choices]}
    tether = parts["TetherPart"]
    tether["properties"]["winch"] = _named("winches", "#/$defs/SceneWinch", parts)
    material = [key for key in tether["required"] if key in MATERIAL]
    tether["properties"]["like"] = _named("tethers", "#/$defs/TetherSection", parts)["anyOf"][0]
    tether["required"] = [key for key in tether["required"] if key not in MATERIAL]
    tether["anyOf"] = [{"required": ["like"]}, {"required": material}]


def _places(path: KeyPath, parts: dict[str, Any]) -> list[dict[str, Any]]:
    """The keys of all mappings in which a path of REFERENCES ends."""
    around = [parts[kind] for kind in ("Scenario", "CanopyScenario", "SceneFile")] if len(path) == 1 else []
    around += [parts[str(path[0]).capitalize()]] if len(path) > 1 else []
    return [part["properties"] for part in around if path[-1] in part["properties"]]


def _reference(value: dict[str, Any]) -> str:
    """To the part that a key holds, also if it may be left out."""
    return next(str(choice["$ref"]) for choice in (value, *value.get("anyOf", ())) if "$ref" in choice)


class _WithoutTitles(GenerateJsonSchema):
    """The key itself is the best title."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Never."""
        return False


def _named(kind: str, reference: str, parts: dict[str, Any]) -> dict[str, Any]:
    """A name, another one with changes, or the contents themselves."""
    names = ", ".join(packaged(kind))
    name = {"type": "string", "description": f"a packaged {ONE_OF[kind]} ({names}) or a .yaml file"}
    contents = parts[reference.rpartition("/")[2]]
    like = _mapping({"like": name, **contents["properties"]}, ["like"], "another one with changes")
    return {"anyOf": [name, like, {"$ref": reference}]}


def _keep_plug_ins_apart(value: dict[str, Any], parts: dict[str, Any]) -> None:
    """A mapping with a built-in type is no plug-in: there its keys are known."""
    plug_in = _part("PlugIn")
    if plug_in in value.get("oneOf", ()):
        built_in = [parts[item["$ref"].rpartition("/")[2]] for item in value["oneOf"] if item != plug_in]
        types = [section["properties"]["type"]["const"] for section in built_in]
        apart = {**plug_in, "not": {"properties": {"type": {"enum": types}}}}
        value["oneOf"] = [item if item != plug_in else apart for item in value["oneOf"]]


def _world_parts() -> dict[str, Any]:
    """Keys of a world, its wind and its shapes; their values are checked by the world itself."""
    kinds = {kind: keys for kind, (_, keys) in document.SHAPES.items()} | {"map": document.MAP}
    known: dict[str, Any] = {"shapes": {"type": "array", "items": _part("Shape")}}
    known |= dict.fromkeys(("shape", "minus"), _part("Shape"))
    known |= {"place": _mapping(_any(document.PLACE), ["position_m"])}
    shapes = [
        _mapping(
            {"type": {"const": kind}}
            | {key: known.get(key, {}) for key in (*keys, *document.COMMON, "place")},
            ["type"],
        )
        for kind, keys in kinds.items()
    ]
    wind = {**_any(document.WIND), "gusts": _mapping(_any(document.GUSTS))}
    spalls = {"type": "array", "items": _mapping(_any(document.SPALL), list(document.SPALL))}
    mine = _mapping({**_any(document.MINE), "spalls": spalls})
    world = {**_any(document.WORLD), "wind": _part("Wind"), "mine": mine, "shapes": known["shapes"]}
    return {
        "Shape": {"oneOf": shapes},
        "Wind": _mapping(wind, ["velocity_m_per_s"]),
        "World": _mapping(world, [], "obstacles, gravity, air, wind and light"),
    }


def _any(keys: Iterable[str]) -> dict[str, Any]:
    """Keys with any value."""
    return {key: {} for key in keys}


def _part(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def _mapping(
    properties: dict[str, Any], required: Sequence[str] = (), description: str = ""
) -> dict[str, Any]:
    """A mapping of these keys and no others."""
    told = {"description": description} if description else {}
    return {
        "type": "object",
        **told,
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def schema_text() -> str:
    """The text of the packaged file."""
    return json.dumps(scenario_schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(str(resources.files("tetherlab") / "data" / "scenario.schema.json")).write_text(
        schema_text(), encoding="utf-8"
    )
