"""Replaces a saved run by another: at every moment the older or the newer one is complete on the disk.

A run is several files, and no file system replaces them at once. The older files therefore get a second name
in a folder beside them, until all of the newer ones are in place.
"""

import os
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tetherlab.contracts.files import why_not

KEPT = "older-run-"  # how the name begins of a folder that keeps an older run


def replace_run(folder: Path, source: Path, new: Sequence[str], old: Sequence[str]) -> None:
    """Move the files `new` from `source` to `folder`, in place of the run whose files are `old`.

    The last of both is the head, without which a folder is no run. If something fails, the older run is put
    back; where that fails, too, the OSError tells which folder keeps it.
    """
    kept = Path(tempfile.mkdtemp(prefix=KEPT, dir=folder))
    try:
        for name in old:
            _duplicate(folder / name, kept / name)
    except BaseException:
        shutil.rmtree(kept, ignore_errors=True)
        raise
    try:
        os.unlink(folder / old[-1])  # while files are replaced the folder must not look complete
        for name in old[:-1]:
            if name not in new:
                os.unlink(folder / name)
        for name in new:
            os.replace(source / name, folder / name)
    except BaseException as error:
        try:
            _put_back(folder, kept, old)
        except OSError:
            if not isinstance(error, OSError):
                raise error from None  # Ctrl-C; who loads the run is told where the older one is
            sentence = f"{why_not(error)}; the older run is kept in {kept}"
            raise OSError(error.errno, sentence, str(folder)) from error
        for name in new:
            if name not in old:
                with suppress(OSError):  # a file more does no harm
                    os.unlink(folder / name)
        raise
    shutil.rmtree(kept, ignore_errors=True)


def kept_run(folder: Path, head: str) -> Path | None:
    """The folder that keeps an older run, where the newer one was not completed; None if there is none."""
    found = sorted(folder.glob(f"{KEPT}*/{head}"))
    return found[-1].parent if found else None


def _put_back(folder: Path, kept: Path, old: Sequence[str]) -> None:
    for name in old:
        again = folder / f".{name}.{os.getpid()}.partial"
        _duplicate(kept / name, again)
        os.replace(again, folder / name)
        again.unlink(missing_ok=True)  # two names of one file are not replaced by each other
    shutil.rmtree(kept, ignore_errors=True)


def _duplicate(path: Path, other: Path) -> None:
    """Give a file a second name, or copy it where file systems have no such names."""
    try:
        os.link(path, other)
    except OSError:
        shutil.copyfile(path, other)
        with open(other, "rb+") as file:
            os.fsync(file.fileno())
