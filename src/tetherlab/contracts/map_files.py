"""Names of map files in a scenario: complete in memory, relative to the file that is written on the disk.

So a folder of runs, or a scenario, may be moved together with its maps.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def relative_map_files(scenario: Mapping[str, Any], folder: str | Path) -> dict[str, Any]:
    """The written form as it is stored in a folder."""

    def relative(name: str) -> str:
        try:
            return Path(os.path.relpath(name, folder)).as_posix()
        except ValueError:  # on another drive
            return name

    return _renamed(scenario, relative)


def complete_map_files(scenario: Mapping[str, Any], folder: str | Path) -> dict[str, Any]:
    """The same as it was read from a folder."""
    return _renamed(scenario, lambda name: complete_file(folder, name))


def complete_file(folder: str | Path, name: str) -> str:
    """The path of a file that a scenario in a folder names; one that cannot be a path stays as it is."""
    try:
        return str((Path(folder) / name).resolve())
    except (OSError, ValueError):  # too long, a circle of links, or with a NUL in it
        return name


def _renamed(scenario: Mapping[str, Any], rename: Callable[[str], str]) -> dict[str, Any]:
    def walk(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {
                key: rename(item) if key == "file" and isinstance(item, str) else walk(item)
                for key, item in value.items()
            }
        return [walk(item) for item in value] if isinstance(value, list) else value

    return {key: walk(value) if key == "world" else value for key, value in scenario.items()}
