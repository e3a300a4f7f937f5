"""Estimates as CSV while they come; where the disk becomes full, they go on and are saved elsewhere."""

import os
from pathlib import Path
from shutil import copyfileobj
from typing import IO

from tetherlab.contracts.columns import COLUMNS
from tetherlab.contracts.files import replacing


class EstimateFile:
    """The header and lines of a file that may become full; `trouble` tells why, if it did."""

    def __init__(self, file: IO[bytes]) -> None:
        """file: of `replacing`, new."""
        self._file = file
        self._readable = file.readable()
        self._written = 0  # bytes that can be read again
        self._copy: IO[bytes] | None = None  # of the file, from which they are read when it is gone
        self._kept: list[bytes] = []  # what follows them
        self.trouble: OSError | None = None
        self.write(",".join(COLUMNS["estimates"]) + "\n")

    def write(self, text: str) -> None:
        """Append whole lines."""
        data = text.encode("ascii")
        if self.trouble is None:
            try:
                self._file.write(data)
                self._file.flush()
            except OSError as error:
                self.trouble = error
                if self._readable:
                    self._copy = os.fdopen(os.dup(self._file.fileno()), "rb")
            else:
                if self._readable:
                    self._written += len(data)
                    return
        self._kept.append(data)

    def save(self, path: Path) -> None:
        """Write all of it anew."""
        with replacing(path, binary=True) as file:
            if self._copy is not None:
                self._copy.seek(0)
                copyfileobj(self._copy, file)
                file.truncate(self._written)  # the last lines may be there in part
                file.seek(self._written)
            for data in self._kept:
                file.write(data)
