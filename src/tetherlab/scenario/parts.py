"""A robot, tether, winch or world by itself: packaged by name, or one's own YAML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tetherlab.contracts.errors import InputError
from tetherlab.scenario.avocado import Avocado, HangingRobot
from tetherlab.scenario.document import Document
from tetherlab.scenario.library import find
from tetherlab.scenario.line import TetherSection, WinchSection
from tetherlab.scenario.robots import GroundRobot, Quadrotor
from tetherlab.scenario.surroundings import Surroundings

ROBOTS: dict[str, type[Quadrotor] | type[GroundRobot] | type[HangingRobot]] = {
    "quadrotor": Quadrotor,
    "ground_robot": GroundRobot,
    "avocado": Avocado,
}


def load_robot(name: str | Path) -> Quadrotor | GroundRobot | HangingRobot:
    """A packaged robot by its name, or one in a file."""
    document = Document.open(find("robots", str(name), Path()))
    kind = document.data.get("type") if isinstance(document.data, dict) else None
    if kind not in ROBOTS:
        known = ", ".join(map(repr, ROBOTS))
        raise InputError(f"{document.place(('type',))}a scene takes robots of type {known}, got {kind!r}")
    robot: Quadrotor | GroundRobot | HangingRobot = _validated(document, ROBOTS[kind])
    return robot


def load_tether(name: str | Path) -> TetherSection:
    """A packaged tether by its name, or one in a file."""
    tether: TetherSection = _validated(Document.open(find("tethers", str(name), Path())), TetherSection)
    return tether


def load_winch(name: str | Path) -> WinchSection:
    """A packaged winch by its name, or one in a file."""
    winch: WinchSection = _validated(Document.open(find("winches", str(name), Path())), WinchSection)
    return winch


def load_surroundings(name: str | Path) -> Surroundings:
    """A packaged world by its name, or one in a file, with how it is written."""
    document = Document.open(find("worlds", str(name), Path()))
    if isinstance(document.data, dict):
        document.complete_maps(())
    surroundings: Surroundings = _validated(document, Surroundings)
    return surroundings


def _validated(document: Document, section: Any) -> Any:
    """The section of a document; all that is wrong with it as one error."""
    try:
        return TypeAdapter(section).validate_python(document.data)
    except ValidationError as error:
        for item in error.errors(include_url=False):
            document.say(tuple(item["loc"]), item["msg"])
    raise InputError(document.report())
