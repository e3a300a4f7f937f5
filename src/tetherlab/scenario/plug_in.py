"""Sections whose `type` names something built in, or something that another package offers by an entry point.

Reading a scenario only looks whether the name exists; nothing of a package is imported before a simulation
is built.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from tetherlab.contracts.check import did_you_mean
from tetherlab.scenario.problems import shown

OTHER = "plug-in"


class PlugIn(BaseModel):
    """Something of another package: its name, and settings that only this package understands."""

    model_config = ConfigDict(extra="allow", frozen=True)

    type: str

    @property
    def settings(self) -> dict[str, Any]:
        """All keys beside the type, as they were written."""
        return dict(self.model_extra or {})


@dataclass(frozen=True)
class OneOf:
    """Metadata of a union of sections: `type` chooses, and entry points of this group count as `PlugIn`.

    A section whose `type` has a default stands where none is written.
    """

    group: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """One schema per type."""
        sections = [section for section in get_args(source) if section is not PlugIn]
        types = {section: section.model_fields["type"] for section in sections}
        choices = {get_args(field.annotation)[0]: section for section, field in types.items()}
        default = next((field.default for field in types.values() if not field.is_required()), None)

        def require_known(data: Any) -> Any:
            if isinstance(data, BaseModel):
                return data
            known = [*choices, *entry_points(group=self.group).names]
            if not isinstance(data, Mapping) or ("type" not in data and default is None):
                raise ValueError(
                    f"must be a mapping with a type, one of {', '.join(known)}, got {shown(data)}"
                )
            kind = data.get("type", default)
            if kind not in known:
                raise ValueError(f"unknown type {shown(kind)}.{did_you_mean(str(kind), known)}")
            return data

        def tag(data: Any) -> str:
            kind = data.get("type", default) if isinstance(data, Mapping) else data.type
            return kind if kind in choices else OTHER

        union = core_schema.tagged_union_schema(
            {kind: handler.generate_schema(section) for kind, section in [*choices.items(), (OTHER, PlugIn)]},
            tag,
        )
        return core_schema.no_info_before_validator_function(require_known, union)


def plugged(group: str, chosen: PlugIn, scenario: Any) -> Any:
    """What another package offers: `build(settings, scenario)`."""
    (entry,) = entry_points(group=group, name=chosen.type)
    return entry.load()(chosen.settings, scenario)
