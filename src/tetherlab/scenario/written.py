"""What every whole document shares: how it is loaded, checked as a whole, and written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, ValidationError

from tetherlab.contracts.documents import write_yaml
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.map_files import relative_map_files
from tetherlab.scenario.document import Document, checked_overrides
from tetherlab.scenario.library import ONE_OF, find
from tetherlab.scenario.problems import KeyPath, shown
from tetherlab.scenario.section import Section
from tetherlab.scenario.surroundings import Surroundings
from tetherlab.world import World

CANOPY = "canopy"  # the section that tells a robot in the canopy from a team
PLANE = "plane"  # and one that tells a team that works hand in hand
SCENE = ("bodies", "tethers", "hands", "joints", "branches")  # and those that tell a scene


class WrittenDocument(Section):
    """A whole document: its version, and what its kind adds."""

    packaged_as: ClassVar[str] = "scenarios"  # where it is found by its name, see library.py

    format: Literal[1] = Field(default=1, alias="schema", description="version of this format")
    description: str = Field(default="", description="one sentence")

    @classmethod
    def load(cls, name_or_path: str | Path, overrides: Mapping[str, Any] | None = None) -> Self:
        """A packaged one by its name, or one's own `.yaml` file; overrides by their paths.

        Scenario.load("theatre", {"tether.length_m": 12, "uav.robot": "x500"})
        """
        return cls.read(open_document(name_or_path, cls.packaged_as), overrides)

    @classmethod
    def from_dict(
        cls,
        data: Any,
        overrides: Mapping[str, Any] | None = None,
        *,
        folder: str | Path = ".",
        source: str = "scenario",
    ) -> Self:
        """From its written form; files are relative to `folder`, `source` names it in messages."""
        return cls.read(Document(data, source, Path(folder)), overrides)

    @classmethod
    def read(cls, document: Document, overrides: Mapping[str, Any] | None = None) -> Self:
        """From a document on its way."""
        for key, value in checked_overrides(overrides).items():
            document.override(key, value)
        document.resolve()
        cls._look_first(document)
        if isinstance(document.data, dict) and isinstance(document.data.get("assumed", {}), dict):
            document.data["assumed"] = document.assumed()
        try:
            found = cls.model_validate(document.data)
        except ValidationError as error:
            for item in error.errors(include_url=False):
                document.say(without_tags(item["loc"], document.data), item["msg"])
        if not document.problems:
            for path, text in found._impossible():
                document.say(path, text)
        if document.problems:
            raise InputError(document.report())
        return found

    @classmethod
    def _look_first(cls, document: Document) -> None:
        """What is said of a document before its keys are looked at one by one."""

    def _impossible(self) -> Iterable[tuple[KeyPath, str]]:
        """What is allowed key by key and yet cannot be."""
        return ()

    def to_dict(self) -> dict[str, Any]:
        """The written form with nothing left out: names replaced by contents, defaults filled in."""
        result: dict[str, Any] = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        return result

    def save(self, path: str | Path) -> None:
        """Write all of it as YAML; files that it names are relative to it."""
        write_yaml(relative_map_files(self.to_dict(), Path(path).parent), path)


class WrittenScenario(WrittenDocument):
    """A document of a run in a world."""

    shorthand: ClassVar[dict[str, str]] = {"wind": "replaces the wind of the world"}

    surroundings: Surroundings = Field(alias="world", description="obstacles, gravity, air and wind")

    @property
    def world(self) -> World:
        """Obstacles, gravity, air and wind; copy it before moving objects in it."""
        return self.surroundings.world


def open_document(name_or_path: Any, kind: str = "scenarios") -> Document:
    """The document of something packaged, a scenario unless another kind is given, or of a file."""
    if not isinstance(name_or_path, (str, Path)):
        raise InputError(f"a {ONE_OF[kind]} is loaded by its name or its file, got {shown(name_or_path)}")
    return Document.open(find(kind, str(name_or_path), Path()))


def in_the_canopy(data: Any) -> bool:
    """Whether a written scenario is one of a robot in the canopy."""
    return isinstance(data, Mapping) and CANOPY in data


def in_a_plane(data: Any) -> bool:
    """Whether a written document is of a team that works hand in hand in a vertical plane."""
    return isinstance(data, Mapping) and PLANE in data


def is_scene(data: Any) -> bool:
    """Whether a written document is a scene: by its version, or by its sections."""
    return isinstance(data, Mapping) and (data.get("schema") == 2 or any(key in data for key in SCENE))


def without_tags(loc: KeyPath, data: Any) -> KeyPath:
    """A path of pydantic without the names of types that it puts between keys."""
    path: list[str | int] = []
    for depth, part in enumerate(loc):
        inner = depth < len(loc) - 1
        if (
            isinstance(data, Mapping)
            and part not in data
            and (
                inner or data.get("type") == part or " " in str(part)  # no key of ours has a space
            )
        ):
            continue
        path.append(part)
        inside = isinstance(data, Mapping) or (isinstance(data, list) and part in range(len(data)))
        data = data.get(part) if isinstance(data, Mapping) else data[part] if inside else None
    return tuple(path)
