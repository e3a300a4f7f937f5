"""Compiled functions are read from Numba's cache as long as no source of the package has changed.

By itself, Numba compares the file in which a function stands. But the machine code holds all that the
function calls, from other files as well: after an update the old engine would go on. Here the stamp of each
function is that of the whole package, wherever Numba keeps its cache.
"""

import hashlib
import os
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl

PACKAGE = Path(__file__).parents[1]


def _stamp() -> str:
    """A hash of all sources; a few milliseconds."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(f"{path.relative_to(PACKAGE)} {path.stat().st_size} ".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _for_package(locator: Any) -> Any:
    """One of Numba's ways to a place for the cache, for functions of this package alone."""

    class Locator(locator):
        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Any:
            own = py_file.startswith(f"{PACKAGE}{os.sep}")
            return super().from_function(py_func, py_file) if own else None

        def get_source_stamp(self) -> str:
            return STAMP

        def get_disambiguator(self) -> str:
            # Numba's is the line number: a function that moves would leave its old code behind for ever.
            return "tetherlab"

    return Locator


STAMP = _stamp()
CompileResultCacheImpl._locator_classes = [
    *map(_for_package, CompileResultCacheImpl._locator_classes),
    *CompileResultCacheImpl._locator_classes,
]
