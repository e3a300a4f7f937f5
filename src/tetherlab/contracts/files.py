"""Files that are complete or not there: a crash never leaves half of one under its final name."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any


@contextmanager
def replacing(path: str | Path, *, binary: bool = False) -> Iterator[Any]:
    """A file to write, text unless binary; at the end it takes the place of `path`, else vanishes."""
    path = Path(path)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with open(partial, "wb") if binary else open(partial, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # else a power failure may keep the new name and lose what is in it
        os.replace(partial, path)
    finally:
        with suppress(OSError):  # the first error is the one to tell
            partial.unlink(missing_ok=True)


def why_not(error: OSError) -> str:
    """The reason that the operating system gives, in its words, without number and path."""
    return error.strerror or str(error) or type(error).__name__
