"""Folders of runs: claimed before a run starts, so that no two runs write into one; nothing is overwritten.

A claim is a file in the folder that only one process can create. It is written once as large as a small run,
so that a folder that is full or forbidden is answered before the run and not after it.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from types import TracebackType

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.files import why_not
from tetherlab.contracts.log import HEAD, Log

CLAIM = ".run-in-progress"
PROBE = 4 << 20  # bytes that must find room: about a minute of a recorded run
NAME_LONGEST = 100  # bytes of a name that a folder elsewhere is given


class RunFolder:
    """A folder that belongs to one run; leaving its context gives the claim back, and the folder if empty."""

    def __init__(self, path: Path, made: list[Path]) -> None:
        """made: folders that were created for it, outermost first."""
        self.path = path
        self.trouble = ""  # why `save` had to go elsewhere, a sentence
        self._made = made

    @classmethod
    def numbered(cls, name: str, parent: str | Path = "runs") -> RunFolder:
        """A new folder PARENT/NAME-N, with the first number that nobody has."""
        parent = Path(parent)
        number = 1
        while True:
            path = parent / f"{name}-{number}"
            made: list[Path] = []
            try:
                _make(parent, made)
                path.mkdir()
            except FileExistsError:
                number += 1
                continue
            except OSError as error:
                _remove(made)
                raise InputError(f"{path}: cannot be made: {why_not(error)}") from None
            folder = cls(path, [*made, path])
            if folder._claim():
                return folder
            number += 1  # somebody named this very folder in the same moment

    @classmethod
    def at(cls, path: str | Path) -> RunFolder:
        """The folder that a user names; it may be there already, but not hold a run."""
        path = Path(path)
        made: list[Path] = []
        try:
            if path.exists() and not path.is_dir():
                raise InputError(f"{path}: is a file; a run needs a folder")
            _make(path, made)
        except OSError as error:
            _remove(made)
            raise InputError(f"{path}: cannot be made: {why_not(error)}") from None
        folder = cls(path, made)
        if not folder._claim():
            raise InputError(
                f"{path}: another run is being written there; name another folder, or remove "
                f"{path / CLAIM} if that run was killed"
            )
        if (path / HEAD).exists():
            folder.release()
            raise InputError(
                f"{path}: holds a run already, which is not overwritten; name another folder, or remove it"
            )
        return folder

    def save(self, log: Log) -> Path:
        """Write the log, here or, if that fails, elsewhere (then `trouble` says why); returns where."""
        try:
            if (self.path / HEAD).exists():  # the folder was removed, and made again by another run
                raise FileExistsError(0, "another run was saved there meanwhile")
            return log.save(self.path)
        except OSError as error:
            self.trouble = f"{self.path}: cannot be written: {why_not(error)}"
        except InputError as error:
            self.trouble = str(error)
        return save_elsewhere(log.save, self.path.name)

    def release(self) -> None:
        """Give back the claim, and remove what was made for the run if nothing was written."""
        with suppress(OSError):
            (self.path / CLAIM).unlink(missing_ok=True)
        _remove(self._made)

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _claim(self) -> bool:
        """Whether the folder is ours now; an InputError if nothing can be written there."""
        claim = self.path / CLAIM
        try:
            with open(claim, "xb") as file:
                file.write(os.urandom(PROBE))  # random: some file systems store no zeros
                file.flush()
                os.fsync(file.fileno())
                file.truncate(0)
        except FileExistsError:
            return False
        except OSError as error:
            self.release()
            raise InputError(f"{self.path}: cannot be written: {why_not(error)}") from None
        except BaseException:
            self.release()
            raise
        return True


def keep_run(log: Log, claim: Callable[[], RunFolder]) -> tuple[Path, str]:
    """Save a run that is over, in a folder that is claimed now or, if that fails, elsewhere.

    Returns where, and a sentence that says why it is elsewhere, if it is.
    """
    try:
        folder = claim()
    except InputError as error:
        return save_elsewhere(log.save, log.name), str(error)
    with folder:
        place = folder.save(log)
    return place, folder.trouble


def save_elsewhere(write: Callable[[Path], Path], name: str) -> Path:
    """Save something where there is room: temporary folder, home, or where we are; returns where.

    write: called with a new folder, whose name begins with `name`; returns what it wrote.
    """
    start = os.fsencode(name)[:NAME_LONGEST].decode(errors="ignore")  # whole characters
    reasons = []
    for find in (tempfile.gettempdir, Path.home, Path.cwd):
        folder = None
        try:
            folder = Path(tempfile.mkdtemp(prefix=f"{start}-", dir=find()))
            return write(folder)
        except (OSError, RuntimeError) as error:  # RuntimeError: there is no home
            reasons.append(f"{folder or find.__name__}: {error}")
            if folder is not None:
                rmtree(folder, ignore_errors=True)
    raise OSError(f"{name} could not be saved anywhere: {'; '.join(reasons)}")


def _make(path: Path, made: list[Path]) -> None:
    """Make a folder and those above it; `made` gets those that were not there."""
    missing = []
    while not path.is_dir():
        if os.path.lexists(path):
            kind = "a link that leads to no folder" if path.is_symlink() else "a file"
            raise NotADirectoryError(errno.ENOTDIR, f"{path} is {kind}")
        missing.append(path)
        path = path.parent
    for folder in reversed(missing):
        try:
            folder.mkdir()
        except FileExistsError:
            if not folder.is_dir():
                raise
        else:
            made.append(folder)


def _remove(folders: list[Path]) -> None:
    """Remove folders that are empty, innermost first."""
    for folder in reversed(folders):
        try:
            folder.rmdir()
        except OSError:
            return
