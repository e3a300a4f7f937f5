"""Files that a command writes must not take the place of what it reads, nor of a part of a saved run."""

import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from tetherlab.contracts.columns import COLUMNS
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.files import why_not
from tetherlab.contracts.log import read_head
from tetherlab.contracts.run_folders import save_elsewhere

BESIDE_TABLES = ("log.json", "metrics.json", "scenario.yaml")


def refuse_overwriting(written: Mapping[str, Path | None], read: Mapping[str, Path | None]) -> None:
    """written, read: what a user calls a file -> its path, in whatever spelling; None: there is none."""
    taken = {name: path for name, path in read.items() if path is not None}
    for name, path in written.items():
        if path is None:
            continue
        if path.is_dir():
            raise InputError(f"{name} {path}: is a folder; name a file")
        for other, used in taken.items():
            if _same(path, used):
                raise InputError(f"{name} {path}: is the same file as {other}; name another")
        if path.name in _parts_of_run(path.parent):
            raise InputError(f"{name} {path}: belongs to the run in this folder; name another")
        taken[name] = path


def _same(path: Path, other: Path) -> bool:
    """Also through links and other spellings."""
    if path.exists() and other.exists():
        return os.path.samefile(path, other)
    return path.resolve() == other.resolve()


def _parts_of_run(folder: Path) -> set[str]:
    """Names of files that a saved run is made of; none if the folder holds no run."""
    if not (folder / "log.json").exists():
        return set()
    try:
        head = read_head(folder)
    except InputError:  # damaged; then what a run may have
        head = {"rows": {}, "maps": {}}
    return {*BESIDE_TABLES, *(f"{name}.csv" for name in (*COLUMNS, *head["rows"])), *head["maps"].values()}


def make_room(path: Path) -> None:
    """Make the folder of a file that is to be written, and refuse one where nothing can be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {why_not(error)}") from None


def save_file(path: Path, write: Callable[[Path], object]) -> Path:
    """Write what took long to find, there or, if that fails, elsewhere; returns where and says why."""
    try:
        write(path)
        return path
    except OSError as error:
        trouble = f"{path}: cannot be written: {why_not(error)}"

    def write_in(folder: Path) -> Path:
        write(folder / path.name)
        return folder / path.name

    place = save_elsewhere(write_in, path.stem)
    print(f"tetherlab: {trouble}; saved as {place}", file=sys.stderr)
    return place
