"""Files that are complete or not there: a crash never leaves half of one under its final name."""

import io
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray


@contextmanager
def replacing(path: str | Path, *, binary: bool = False) -> Iterator[Any]:
    """A file to write, text unless binary; at the end it takes the place of `path`, else vanishes.

    A link stays, and the file that it leads to is replaced. A device or pipe is written to directly. A binary
    file can be read, too, if it is neither.
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
        with open(partial, "w+b") if binary else _open(partial, binary) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # else a power failure may keep the new name and lose what is in it
        os.replace(partial, path)
    except OSError as error:
        if error.filename is None:  # as where a disk is full
            error.filename = str(path)
        raise
    finally:
        with suppress(OSError):  # the first error is the one to tell
            partial.unlink(missing_ok=True)


def write_archive(
    path: str | Path, files: Mapping[str, bytes | str], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a zip file of whole files and of arrays, each as NAME.npy; see `file_reading.read_archive`."""
    with replacing(path, binary=True) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(f"{name}.npy", buffer.getvalue())


def _open(path: Path, binary: bool) -> IO[Any]:
    return open(path, "wb") if binary else open(path, "w", encoding="utf-8", newline="\n")


def why_not(error: OSError) -> str:
    """The reason that the operating system gives, in its words, without number and path."""
    return error.strerror or str(error) or type(error).__name__
