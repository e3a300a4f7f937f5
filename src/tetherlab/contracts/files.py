"""Files that are complete or not there: a crash never leaves half of one under its final name."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any


@contextmanager
def replacing(path: str | Path, *, binary: bool = False) -> Iterator[Any]:
    """A file to write, text unless binary; at the end it takes the place of `path`, else vanishes.

    A link stays, and the file that it leads to is replaced. A device or pipe is written to directly.
    """
    path = Path(path)
    if path.exists() and not (path.is_file() or path.is_dir()):
        with _open(path, binary) as file:
            yield file
        return
    if path.is_symlink():
        path = Path(os.path.realpath(path))
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with _open(partial, binary) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # else a power failure may keep the new name and lose what is in it
        os.replace(partial, path)
    finally:
        with suppress(OSError):  # the first error is the one to tell
            partial.unlink(missing_ok=True)


def _open(path: Path, binary: bool) -> IO[Any]:
    return open(path, "wb") if binary else open(path, "w", encoding="utf-8", newline="\n")


def why_not(error: OSError) -> str:
    """The reason that the operating system gives, in its words, without number and path."""
    return error.strerror or str(error) or type(error).__name__
