"""Compiled functions are read from Numba's cache as long as no source of the package has changed.

By itself, Numba compares the file in which a function stands. But the machine code holds all that the
function calls, from other files as well: after an update the old engine would go on. Here the stamp of each
function is that of its room and of all rooms that it may import, wherever Numba keeps its cache: who works on
a mission does not wait for the tether. It is in the files' names, so that old ones, which may speak of
classes that are no more, are not even opened; they are removed.

Where neither the package nor the user's cache folder can be written, as in a read-only image, code is kept in
a private folder for temporary files.
"""

import hashlib
import os
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import Any

from numba.core import config
from numba.core.caching import CompileResultCacheImpl, _CacheLocator, _SourceFileBackedLocatorMixin

PACKAGE = Path(__file__).parents[1]
MARK = "tetherlab"  # in the names of the files
TEMPORARY = "tetherlab-cache-"  # begins the name of a folder for temporary files


# Rooms from the lowest layer to the highest, as in pyproject.toml; none imports another of its layer.
LAYERS = (
    ("math",),
    ("contracts",),
    ("world",),
    ("tether", "vehicles"),
    ("plant",),
    ("sensors",),
    ("sim", "estimation", "control", "planning", "missions", "mapping", "metrics"),
)


@cache
def stamp_of(room: str) -> str:
    """A hash of all sources that code of a room may hold; a few milliseconds.

    Of a room above these layers, or of none: all sources.
    """
    rooms: list[str] = []
    for layer in LAYERS:
        if room in layer:
            return _hash(path for name in (*rooms, room) for path in (PACKAGE / name).rglob("*.py"))
        rooms += layer
    return _hash(PACKAGE.rglob("*.py"))


def _hash(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(f"{path.relative_to(PACKAGE)} {path.stat().st_size} ".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache  # once per folder
def _remove_old(folder: Path, stamp: str) -> None:
    """Files of other sources than these."""
    for path in folder.glob(f"*-{MARK}*.nb?"):
        if stamp not in path.name:
            with suppress(OSError):  # of somebody else: it stays, and is not opened
                path.unlink()


def is_private(folder: Path) -> bool:
    """Whether it is a folder of this user into which nobody else can write: code is loaded from it."""
    try:
        found = folder.lstat()  # a link may lead anywhere
    except OSError:
        return False
    if os.name != "posix":  # there, folders for temporary files belong to one user
        return stat.S_ISDIR(found.st_mode)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


@cache  # once per process
def temporary_folder() -> str:
    """A private folder for temporary files: one of an earlier run, or a new one with a random name."""
    earlier = filter(is_private, sorted(Path(gettempdir()).glob(f"{TEMPORARY}*")))
    folder = next(map(str, earlier), None) or mkdtemp(prefix=TEMPORARY)
    say(
        f"neither the package nor a cache folder of yours can be written: compiled code is kept in {folder} "
        "(set NUMBA_CACHE_DIR to choose another folder)"
    )
    return folder


def say(sentence: str) -> None:
    """Tell the user, beside what a program prints."""
    print(f"tetherlab: {sentence}", file=sys.stderr, flush=True)


class _TemporaryLocator(_SourceFileBackedLocatorMixin, _CacheLocator):
    """The last way, behind those of Numba."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._py_file = py_file
        self._cache_path = os.path.join(temporary_folder(), self.get_suitable_cache_subpath(py_file))

    def get_cache_path(self) -> str:
        return self._cache_path

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        try:
            return super().from_function(py_func, py_file)
        except OSError:  # not even that can be written
            return None


def _for_package(locator: Any) -> Any:
    """One of Numba's ways to a place for the cache, for functions of this package alone."""

    class Locator(locator):
        def __init__(self, py_func: Any, py_file: str) -> None:
            super().__init__(py_func, py_file)
            self.stamp = stamp_of(Path(py_file).relative_to(PACKAGE).parts[0])

        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Any:
            return super().from_function(py_func, py_file) if _own(py_file) else None

        def get_source_stamp(self) -> str:
            return self.stamp

        def get_disambiguator(self) -> str:
            # Numba's is the line number: a function that moves would leave its old code behind for ever.
            # And it does not say that indices were checked.
            return MARK + self.stamp[:16] + ("checked" if config.BOUNDSCHECK else "")

        def ensure_cache_path(self) -> None:
            super().ensure_cache_path()
            _remove_old(Path(self.get_cache_path()), self.stamp[:16])

    return Locator


def _for_others(locator: Any) -> Any:
    """The same way as Numba has it, but not for functions of this package."""

    class Locator(locator):
        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Any:
            return None if _own(py_file) else super().from_function(py_func, py_file)

    return Locator


def _own(py_file: str) -> bool:
    return py_file.startswith(f"{PACKAGE}{os.sep}")


LOCATORS = CompileResultCacheImpl._locator_classes
CompileResultCacheImpl._locator_classes = [
    *map(_for_package, [*LOCATORS, _TemporaryLocator]),
    *map(_for_others, LOCATORS),
]
