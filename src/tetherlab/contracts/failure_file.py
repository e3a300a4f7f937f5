"""A failure as one file: the state some time before it and what was commanded since; arrays, JSON and YAML.

Nothing in such a file is executed when it is read. It is written next to the run, or to a folder of its own
among the temporary files, which keeps the newest ones.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.check import shown
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import parse_array, parse_json, read_archive, reading
from tetherlab.contracts.files import why_not, write_archive
from tetherlab.contracts.version import VERSION

FORMAT = 1
FAILURE = "a failure that tetherlab wrote"
HEAD = "failure.json"
FILE = "failure.npz"  # in the folder of a run
KEPT = 50  # files in the temporary folder
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
        path = None
        try:
            path = _temporary(str(head.get("name", "run"))) if place is None else place / FILE
            write_archive(path, {HEAD: json.dumps(head), **(extra or {})}, arrays)
        except (OSError, ValueError) as error:
            reason = why_not(error) if isinstance(error, OSError) else str(error)
            if place is None and path is not None:  # the empty file that kept the name
                with suppress(OSError):
                    path.unlink(missing_ok=True)
            continue
        return (
            f"`tetherlab replay-failure {shlex.quote(str(path))}` computes the last {_ago(head):.2g} s again"
        )
    return f"no file could be written to replay it: {reason}"


def read_failure(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]], dict[str, bytes]]:
    """Head, arrays and whole files of a failure; the arrays may hold anything."""
    if Path(path).is_dir():
        raise InputError(f"{path}: is a folder; a failure is a file in it, {Path(path) / FILE}")
    members = read_archive(path, FAILURE)
    with reading(path, FAILURE):
        head = parse_json(members.pop(HEAD))
        if head.get("format") != FORMAT:
            raise InputError(
                f"{path}: written by another version of tetherlab (format {shown(head.get('format'))}, "
                f"this one reads {FORMAT})"
            )
        extra = {name: members.pop(name) for name in list(members) if EXTRA.fullmatch(name)}
        arrays = {name.removesuffix(".npy"): parse_array(content) for name, content in members.items()}
    return head, arrays, extra


def require(source: str, name: str, found: NDArray[Any] | None, shape: tuple[int, ...], kind: Any) -> None:
    """Whether an array of a file is there and of this kind."""
    if found is None or found.shape != shape or found.dtype != np.dtype(kind):
        raise InputError(f"{source}: damaged, or of another version of tetherlab ({name} differs)")


def _ago(head: Mapping[str, Any]) -> float:
    """Time from the stored state to the failure [s]."""
    return float(head["time"]) - float(head["since"])


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
