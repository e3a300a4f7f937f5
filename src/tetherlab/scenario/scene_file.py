"""A scene as its author writes it: schema 2. What its keys mean together is for `assembly` to find out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, PrivateAttr, ValidationError

from tetherlab.contracts.log import NAME_MAX
from tetherlab.contracts.table import NAME
from tetherlab.scenario.document import Document, checked_overrides
from tetherlab.scenario.line import ConstantTension, FollowDistance, TensionPD, TensionPID
from tetherlab.scenario.plug_in import OneOf, PlugIn
from tetherlab.scenario.problems import KeyPath, shown
from tetherlab.scenario.scene_commands import Command, SceneRun
from tetherlab.scenario.scene_parts import AnyBody, Branches, HandPart, JointPart, TetherPart
from tetherlab.scenario.surroundings import Surroundings
from tetherlab.scenario.team import DriveControl, PositionControl
from tetherlab.scenario.written import WrittenDocument, without_tags

PARTS = ("hands", "bodies", "tethers", "joints", "branches")  # sections in which everything has a name
NOT_YET = {  # keys of other files, and why they are none of these
    "sensors": "a scene has no sensors yet",
    "localisation": "a scene has no localisation yet",
    "estimation": "a scene has no estimation yet",
    "mission": "a scene has no mission yet; write what happens by the clock under commands",
    "power": "a scene has no power supply yet",
    "inspection": "a scene has no inspection yet",
    "uav": "a scene has its robots under bodies",
    "ugv": "a scene has its robots under bodies",
    "tether": "a scene has its tethers under tethers, by their names",
    "winch": "a scene has the winch of a tether beside it, under tethers",
}

CONTROLLERS = "tetherlab.scene_controllers"  # entry points of other packages

Control = Annotated[
    PositionControl | DriveControl | FollowDistance | ConstantTension | TensionPD | TensionPID | PlugIn,
    OneOf(CONTROLLERS),
]


class SceneFile(WrittenDocument):
    """World, bodies, tethers, joints and branches of a scene, and what controls them."""

    shorthand: ClassVar[dict[str, str]] = {"wind": "replaces the wind of the world"}

    format: Literal[2] = Field(default=2, alias="schema", description="version of this format")  # type: ignore[assignment]
    surroundings: Surroundings | None = Field(
        default=None, alias="world", description="obstacles, gravity, air and wind; empty space unless given"
    )
    hands: dict[str, HandPart] = Field(default={}, description="points that the user moves")
    bodies: dict[str, AnyBody] = Field(default={}, description="robots, and bodies without actuators")
    tethers: dict[str, TetherPart] = Field(default={}, description="between two sites")
    joints: dict[str, JointPart] = Field(default={}, description="of two sites that are at one place")
    branches: Branches = Field(default={}, description="that bend at their roots")
    control: dict[str, Control] = Field(
        default={}, description="by the name of a robot or tether; packaged defaults unless given"
    )
    commands: tuple[Command, ...] = ()
    run: SceneRun = SceneRun()

    _document: Document | None = PrivateAttr(default=None)
    _names: dict[KeyPath, str] = PrivateAttr(default_factory=dict)
    _refused: frozenset[KeyPath] = PrivateAttr(default=frozenset())

    @property
    def document(self) -> Document:
        """Where its keys stand, for what is found wrong with it later."""
        assert self._document is not None
        return self._document

    @property
    def names(self) -> dict[KeyPath, str]:
        """What stands in the file for the contents at a path: a packaged name, or a file."""
        return self._names

    def refused(self, section: str, name: str) -> bool:
        """Whether a part was left out, since its keys have mistakes."""
        return (section, name) in self._refused

    def knows(self, name: str) -> bool:
        """Whether any part is called so, also one that was left out, or may be in a section that was."""
        return any(
            path[1:] == (name,) or (path[0] in PARTS and len(path) == 1) for path in self._refused
        ) or any(name in getattr(self, section) for section in PARTS)

    @classmethod
    def read(cls, document: Document, overrides: Mapping[str, Any] | None = None) -> Self:
        """From a document on its way: what can be read of it.

        Mistakes are noted in the document and not raised: they are told with those that are found when the
        scene is built, see `Scene.load`. Parts with mistakes are left out.
        """
        for key, value in checked_overrides(overrides).items():
            document.override(key, value)
        data = document.data
        if isinstance(data, dict) and "wind" in data:
            data.setdefault("world", {})
        document.resolve([("world",)])
        data = document.data if isinstance(document.data, dict) else {}
        refused: set[KeyPath] = set()
        _require_words(document, data, refused)
        for path in document.refused:
            _leave_out(data, path, refused)
        found = None
        for _ in range(3):  # a second time without what was wrong
            try:
                found = cls.model_validate(document.data if not refused else data)
                break
            except ValidationError as error:
                items = error.errors(include_url=False)
                paths = [without_tags(item["loc"], document.data) for item in items]
                for path, item in zip(paths, items, strict=True):
                    document.say(path, item["msg"])
                for path in paths:
                    _leave_out(data, path, refused)
        found = cls() if found is None else found
        found._document, found._names, found._refused = document, dict(document.names), frozenset(refused)
        return found

    @classmethod
    def _unknown_key(cls, key: Any) -> str:
        if key in NOT_YET:
            return f"unknown key: {NOT_YET[key]}"
        return super()._unknown_key(key)


def _require_words(document: Document, data: dict[Any, Any], refused: set[KeyPath]) -> None:
    """Names of parts can be names of tables, and no two parts have the same."""
    known: dict[str, str] = {}
    for section in PARTS:
        parts = data.get(section)
        if not isinstance(parts, dict):
            continue
        for name in list(parts):
            path = (section, str(name))
            if not isinstance(name, str) or not name.isidentifier() or not NAME.fullmatch(name):
                document.say(
                    path, f"a name must be letters, digits and _, and start with a letter, got {shown(name)}"
                )
            elif len(name) > NAME_MAX:
                document.say(path, f"a name has at most {NAME_MAX} characters, got {len(name)}")
            elif name in known:
                document.say(
                    path, f"something under {known[name]} is called {name!r} already; choose another name"
                )
            else:
                known[name] = section
                continue
            del parts[name]
            refused.add(path)


def _leave_out(data: dict[Any, Any], path: KeyPath, refused: set[KeyPath]) -> None:
    """Take out of the data what holds a mistake: one part, or a whole section."""
    head = path[:2] if path[:1] and path[0] in (*PARTS, "control") and len(path) > 1 else path[:1]
    refused.add(head)
    section = data.get(head[0]) if head else None
    if len(head) == 2 and isinstance(section, dict):
        section.pop(head[1], None)
    elif head:
        data.pop(head[0], None)
