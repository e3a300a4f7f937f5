"""`tl.Scenario`: a run as its author writes it, checked, complete, and in SI."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, ValidationError

from tetherlab.contracts.documents import write_yaml
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.map_files import relative_map_files
from tetherlab.scenario.document import Document, checked_overrides
from tetherlab.scenario.library import find
from tetherlab.scenario.line import TetherSection, WinchSection
from tetherlab.scenario.localisation import Localisation
from tetherlab.scenario.mission import Mission, Run
from tetherlab.scenario.problems import KeyPath, shown
from tetherlab.scenario.reach import turned, unreachable_targets
from tetherlab.scenario.section import Section
from tetherlab.scenario.surroundings import Surroundings
from tetherlab.scenario.team import Uav, Ugv
from tetherlab.world import World


class Scenario(Section):
    """World, tether, winch, vehicles, mission and run. Load one by its name: `Scenario.load("theatre")`."""

    shorthand: ClassVar[dict[str, str]] = {"wind": "replaces the wind of the world"}

    format: Literal[1] = Field(default=1, alias="schema", description="version of this format")
    description: str = Field(default="", description="one sentence")
    surroundings: Surroundings = Field(alias="world", description="obstacles, gravity, air and wind")
    tether: TetherSection
    winch: WinchSection
    uav: Uav
    ugv: Ugv
    mission: Mission
    localisation: Localisation | None = Field(
        default=None, description="how the drone finds its position; if not given, it knows"
    )
    run: Run = Run()
    assumed: dict[str, str] = Field(
        default={}, description="keys that no source gives a value for, and why they have theirs"
    )

    @classmethod
    def load(cls, name_or_path: str | Path, overrides: Mapping[str, Any] | None = None) -> Scenario:
        """A packaged scenario by its name, or one's own `.yaml` file; overrides by their paths.

        Scenario.load("theatre", {"tether.length_m": 12, "uav.robot": "x500"})
        """
        if not isinstance(name_or_path, (str, Path)):
            raise InputError(f"a scenario is loaded by its name or its file, got {shown(name_or_path)}")
        return cls._build(Document.open(find("scenarios", str(name_or_path), Path())), overrides)

    @classmethod
    def from_dict(
        cls,
        data: Any,
        overrides: Mapping[str, Any] | None = None,
        *,
        folder: str | Path = ".",
        source: str = "scenario",
    ) -> Scenario:
        """A scenario from its written form; files are relative to `folder`, `source` names it in messages."""
        return cls._build(Document(data, source, Path(folder)), overrides)

    @classmethod
    def _build(cls, document: Document, overrides: Mapping[str, Any] | None) -> Scenario:
        for key, value in checked_overrides(overrides).items():
            document.override(key, value)
        document.resolve()
        if isinstance(document.data, dict) and isinstance(document.data.get("assumed", {}), dict):
            document.data["assumed"] = document.assumed()
        try:
            scenario = cls.model_validate(document.data)
        except ValidationError as error:
            for item in error.errors(include_url=False):
                document.say(_without_tags(item["loc"], document.data), item["msg"])
        if not document.problems:
            for path, text in unreachable_targets(scenario):
                document.say(path, text)
        if document.problems:
            raise InputError(document.report())
        return scenario

    @property
    def world(self) -> World:
        """Obstacles, gravity, air and wind; copy it before moving objects in it."""
        return self.surroundings.world

    @property
    def seed(self) -> int:
        """Of all random numbers of the run."""
        return self.run.seed

    @property
    def uav_start(self) -> tuple[float, float, float]:
        """Where the centre of mass of the drone starts [m]."""
        if self.uav.start is not None:
            return self.uav.start
        platform, robot = self.ugv.robot.platform, self.uav.robot
        middle = [(low + high) / 2.0 for low, high in zip(platform.lower, platform.upper, strict=True)]
        height = platform.upper[2] + robot.foot_radius - min(foot[2] for foot in robot.feet)
        x, y, z = turned((middle[0], middle[1], height), self.ugv.yaw) + self.ugv.start
        return float(x), float(y), float(z)

    def to_dict(self) -> dict[str, Any]:
        """The written form with nothing left out: names replaced by contents, defaults filled in."""
        result: dict[str, Any] = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        return result

    def save(self, path: str | Path) -> None:
        """Write all of it as YAML; files that it names are relative to it."""
        write_yaml(relative_map_files(self.to_dict(), Path(path).parent), path)


def _without_tags(loc: KeyPath, data: Any) -> KeyPath:
    """A path of pydantic without the names of types that it puts between keys."""
    path: list[str | int] = []
    for depth, part in enumerate(loc):
        inner = depth < len(loc) - 1
        if isinstance(data, Mapping) and part not in data and (inner or data.get("type") == part):
            continue
        path.append(part)
        inside = isinstance(data, Mapping) or (isinstance(data, list) and part in range(len(data)))
        data = data.get(part) if isinstance(data, Mapping) else data[part] if inside else None
    return tuple(path)
