"""The JSON Schema of scenario files, for editors that complete and check while one types.

Write the packaged file anew after a change of the sections: `python -m tetherlab.scenario.schema`.
"""

import json
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from tetherlab.scenario.document import REFERENCES
from tetherlab.scenario.library import ONE_OF, packaged
from tetherlab.scenario.mission import Mission
from tetherlab.scenario.scenario import Scenario


def scenario_schema() -> dict[str, Any]:
    """The schema of a file as it may be written: with names in place of contents, and with shorthands."""
    schema = Scenario.model_json_schema(by_alias=True, schema_generator=_WithoutTitles)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    parts = schema["$defs"]
    for path, kind in REFERENCES.items():
        properties = (schema if len(path) == 1 else parts[str(path[0]).capitalize()])["properties"]
        properties[path[-1]] = _named(kind, properties[path[-1]])
    for section, part in ((Scenario, schema), (Mission, parts["Mission"])):
        for key, meaning in section.shorthand.items():
            part["properties"][key] = {"description": meaning}
    parts["Mission"]["required"].remove("targets")  # a trajectory stands for them
    return schema


class _WithoutTitles(GenerateJsonSchema):
    """The key itself is the best title."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Never."""
        return False


def _named(kind: str, contents: dict[str, Any]) -> dict[str, Any]:
    names = ", ".join(packaged(kind))
    name = {"type": "string", "description": f"a packaged {ONE_OF[kind]} ({names}) or a .yaml file"}
    like = {"type": "object", "required": ["like"], "properties": {"like": name}}
    return {"anyOf": [name, {**like, "description": "another one with changes"}, contents]}


def schema_text() -> str:
    """The text of the packaged file."""
    return json.dumps(scenario_schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(str(resources.files("tetherlab") / "data" / "scenario.schema.json")).write_text(
        schema_text(), encoding="utf-8"
    )
