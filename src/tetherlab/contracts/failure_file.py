"""A failure as one file: the state some time before it and what was commanded since; arrays, JSON and YAML.

Nothing in such a file is executed when it is read. It is written next to the run, or to a folder of its own
among the temporary files, which keeps the newest ones.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import stat
import tempfile
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.files import replacing, why_not
from tetherlab.contracts.version import VERSION

FORMAT = 1
HEAD = "failure.json"
FILE = "failure.npz"  # in the folder of a run
KEPT = 50  # files in the temporary folder
SIZE_MAX = 1 << 30  # of all that is in a file [bytes]
EXTRA = re.compile(r"world(-\d+)?\.(yaml|npz|npy)")  # files that may go along


def write_failure(
    head: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    folder: Path | None,
    extra: Mapping[str, bytes] | None = None,
) -> str:
    """Write a failure; returns what to tell the user about it. A failure to write is told, not raised.

    folder: of the run, if it has one. extra: whole files, by name.
    """
    head = {"format": FORMAT, "tetherlab": VERSION, **head}
    reason = ""
    for place in (folder, None):
        try:
            path = _temporary(str(head.get("name", "run"))) if place is None else place / FILE
            _write(path, head, arrays, extra or {})
        except (OSError, ValueError) as error:
            reason = why_not(error) if isinstance(error, OSError) else str(error)
            continue
        return f"`tetherlab replay-failure {path}` computes the last {_ago(head):.2g} s again"
    return f"no file could be written to replay it: {reason}"


def read_failure(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]], dict[str, bytes]]:
    """Head, arrays and whole files of a failure."""
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(info.file_size for info in archive.infolist()) > SIZE_MAX:
                raise InputError(f"{path}: damaged: larger than {SIZE_MAX >> 30} GB when it is unpacked")
            head = json.loads(archive.read(HEAD))
            names = archive.namelist()
            extra = {name: archive.read(name) for name in names if EXTRA.fullmatch(name)}
            arrays = {
                name.removesuffix(".npy"): _array(archive.read(name))
                for name in names
                if name.endswith(".npy") and name not in extra
            }
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder; a failure is a file in it, {Path(path) / FILE}") from None
    except (zipfile.BadZipFile, KeyError, ValueError, OSError, EOFError, RuntimeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: damaged, or not a failure that tetherlab wrote ({error})") from None
    except (NotImplementedError, zipfile.zlib.error) as error:  # type: ignore[attr-defined]
        raise InputError(f"{path}: damaged: cannot be unpacked ({error})") from None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        found = head.get("format") if isinstance(head, dict) else None
        raise InputError(
            f"{path}: written by another version of tetherlab (format {found}, this one reads {FORMAT})"
        )
    return head, arrays, extra


def _ago(head: Mapping[str, Any]) -> float:
    """Time from the stored state to the failure [s]."""
    return float(head["time"]) - float(head["since"])


def _write(
    path: Path, head: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], extra: Mapping[str, bytes]
) -> None:
    with replacing(path, binary=True) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(HEAD, json.dumps(head))
        for name, content in extra.items():
            archive.writestr(name, content)
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(f"{name}.npy", buffer.getvalue())


def _array(content: bytes) -> NDArray[Any]:
    """An array of a file, no larger than the bytes that are there."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    if version != (1, 0):
        raise ValueError(f"arrays of version {version}")
    shape, _, kind = np.lib.format.read_array_header_1_0(stream)
    if kind.hasobject or math.prod(shape) * kind.itemsize != len(content) - stream.tell():
        raise ValueError("an array is not as long as it says")
    return np.array(np.lib.format.read_array(io.BytesIO(content), allow_pickle=False))


def _temporary(name: str) -> Path:
    """A new name among the temporary files; the oldest failures there give way."""
    folder = Path(tempfile.gettempdir()) / f"tetherlab-failures-{getattr(os, 'getuid', int)()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != getattr(os, "getuid", lambda: found.st_uid)():
        folder = Path(tempfile.mkdtemp(prefix="tetherlab-failures-"))
    with suppress(OSError):
        files = sorted(folder.glob("*.npz"), key=lambda path: path.stat().st_mtime)
        for old in files[: max(0, len(files) - KEPT + 1)]:
            old.unlink(missing_ok=True)
    plain = re.sub(r"[^\w.-]+", "_", name)[:50] or "run"
    number, path = tempfile.mkstemp(prefix=f"{plain}-", suffix=".npz", dir=folder)
    os.close(number)
    return Path(path)
