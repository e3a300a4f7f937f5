"""Reading files that others wrote: nothing is executed, and a file costs no more than its size allows.

A file may be damaged, or made to do harm. Readers get its contents here, within the limits below, and run
inside `reading`: what a parser still raises becomes one sentence that names the file.
"""

import csv
import io
import json
import re
import stat
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.files import why_not

SIZE_MAX = 4 * 2**30  # of any file [bytes]
TABLE_MAX = 256 * 2**20  # of a table that another program wrote [bytes]
LINE_MAX = 1_000_000  # characters of a line of a table or log
LINES_MAX = 2_000_000  # of a table or log: five hours at 100 Hz
JSON_MAX = 64 * 2**20  # [bytes]
# A zip file may unpack to this much, whatever its size, or to this many times its size.
UNPACKED_FREE, UNPACKED_RATIO = 64 * 2**20, 20
MEMBERS_MAX = 1000  # files in a zip file
DEPTH_MAX = 50  # of mappings and lists in each other
WHOLE_MAX = 2**63
REASON_SHOWN = 200  # characters of what a parser says
HEADER_MAX = 10_000  # of an array [bytes]
HEADER_TEXT = re.compile(rb"[\w\s'<>|=(),:{}\[\]]*")  # no expression: a literal of names, types and counts
BLOCK = 2**20  # that is read at once to count lines [bytes]
# How files begin that hold text in a form that is not read.
NOT_TEXT = {
    b"\x1f\x8b": "is compressed with gzip; unpack it",
    b"PK\x03\x04": "is a zip file; unpack it",
    b"\xff\xfe": "is text in UTF-16; save it as UTF-8",
    b"\xfe\xff": "is text in UTF-16; save it as UTF-8",
}

READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}

# What parsers raise about bad input. TypeError and AttributeError are not here: they are our own mistakes.
DAMAGED = (
    ValueError,
    LookupError,
    ArithmeticError,
    EOFError,
    struct.error,
    csv.Error,
    zlib.error,
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    NotImplementedError,
)


@contextmanager
def reading(path: str | Path, what: str) -> Iterator[None]:
    """The inside of a file's reader; what: the file should be, with its article, as "a checkpoint"."""
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {why_not(error)}") from None
    except MemoryError:
        raise InputError(f"{path}: needs more memory than there is") from None
    except RecursionError:
        raise InputError(f"{path}: damaged, or not {what}: nested too deeply") from None
    except DAMAGED as error:
        raise InputError(f"{path}: damaged, or not {what} ({_reason(error)})") from None


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """What is wrong inside is said with the name of the file, unless it is already."""
    try:
        yield
    except InputError as error:
        name = f"{path}: "
        problems = [problem.removeprefix(name) for problem in str(error).split("\n")]
        raise InputError("\n".join(name + problem for problem in problems)) from None


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= REASON_SHOWN else f"{text[:REASON_SHOWN]}…"


def require_size(path: str | Path, size_max: int = SIZE_MAX) -> int:
    """The size of a file [bytes]; complain about one that is too large, or no file but a device."""
    with reading(path, "a file"):
        about = Path(path).stat()
    if stat.S_ISDIR(about.st_mode):
        raise InputError(f"{path}: is a folder, not a file")
    if not stat.S_ISREG(about.st_mode):
        raise InputError(f"{path}: is not a plain file")
    if about.st_size > size_max:
        raise InputError(f"{path}: has {_in_MB(about.st_size)}; at most {_in_MB(size_max)} are read")
    return about.st_size


def read_bytes(path: str | Path, size_max: int = SIZE_MAX) -> bytes:
    """All of a file."""
    require_size(path, size_max)
    with reading(path, "a file"):
        return Path(path).read_bytes()


def read_text(path: str | Path, size_max: int = SIZE_MAX, encoding: str = "utf-8") -> str:
    """All of a text file."""
    content = read_bytes(path, size_max)
    _require_text(path, content)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: cannot be read as text: {error}") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_lines(path: str | Path, size_max: int = SIZE_MAX, *, errors: str = "strict") -> Iterator[str]:
    """The lines of a table or log one by one, see `text_lines`. errors: as of `open`."""
    require_size(path, size_max)
    with reading(path, "a text file"):
        with open(path, "rb") as binary:
            _require_text(path, binary.read(BLOCK))
            binary.seek(0)
            count = _line_count(binary)
        if count > LINES_MAX:
            raise InputError(f"{path}: has {count} lines; at most {LINES_MAX} are read: split the file")
        try:
            with open(path, encoding="utf-8-sig", errors=errors) as file:
                yield from text_lines(file)
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: cannot be read as text: {_reason(error)}") from None


def text_lines(file: TextIO) -> Iterator[str]:
    """The lines of an open file as they come; one that is too long is cut to LINE_MAX + 1 characters."""
    while line := file.readline(LINE_MAX + 1):
        yield line
        while len(line) > LINE_MAX and not line.endswith("\n"):
            line = file.readline(LINE_MAX + 1)


def require_short_lines(path: str | Path, size_max: int = SIZE_MAX) -> None:
    """Complain about a line of more than LINE_MAX bytes: parsers hold a line several times in memory."""
    require_size(path, size_max)
    with reading(path, "a text file"), open(path, "rb") as file:
        begun = 0  # bytes of the line that goes on in the next block
        while block := file.read(BLOCK):
            codes = np.frombuffer(block, np.uint8)
            ends = np.flatnonzero((codes == ord("\n")) | (codes == ord("\r")))
            lengths = np.diff(ends, prepend=-1 - begun, append=len(block))
            if lengths.max() > LINE_MAX:
                raise InputError(f"{path}: has a line of more than {LINE_MAX} bytes")
            begun = int(lengths[-1]) - 1


def _require_text(path: str | Path, start: bytes) -> None:
    """Complain about a file that is no text in UTF-8, judged by how it starts."""
    for mark, sentence in NOT_TEXT.items():
        if start.startswith(mark):
            raise InputError(f"{path}: {sentence}")
    if start.startswith(b"\0"):
        raise InputError(f"{path}: is not text: it starts with a zero byte")


def _line_count(file: Any) -> int:
    """Line ends in a binary file, whichever kind they are of."""
    feeds = returns = 0
    while block := file.read(BLOCK):
        feeds += block.count(b"\n")
        returns += block.count(b"\r")
    return max(feeds, returns)


def read_json(path: str | Path) -> dict[str, Any]:
    """The mapping in a JSON file."""
    content = read_bytes(path, JSON_MAX)
    with reading(path, "valid JSON"):
        return parse_json(content)


def parse_json(content: bytes) -> dict[str, Any]:
    """The same from its bytes."""
    value = json.loads(content, parse_int=whole_number)
    if not isinstance(value, dict):
        raise ValueError(f"must be a mapping, got a {type(value).__name__}")
    level: list[Any] = [value]
    for _ in range(DEPTH_MAX):
        level = [
            inner
            for held in level
            for inner in (held.values() if isinstance(held, dict) else held)
            if isinstance(inner, (dict, list))
        ]
    if level:
        raise ValueError(f"more than {DEPTH_MAX} lists and mappings in each other")
    return value


def whole_number(text: str) -> int | float:
    """A whole number from its digits; beyond 64 bits a floating-point one, in the end infinity."""
    number = int(text) if len(text) < 25 else WHOLE_MAX
    return number if abs(number) < WHOLE_MAX else float(text)


def read_csv_cells(path: str | Path) -> Iterator[list[str]]:
    """The cells of a CSV file that other programs may have written, line by line; empty lines are empty."""
    try:
        yield from csv.reader(_whole_lines(path))
    except csv.Error as error:
        raise InputError(f"{path}: cannot be read as CSV: {error}") from None


def _whole_lines(path: str | Path) -> Iterator[str]:
    for number, line in enumerate(read_lines(path, TABLE_MAX), 1):
        if len(line) > LINE_MAX:
            raise InputError(f"{path}: line {number}: has more than {LINE_MAX} characters")
        yield line


def read_archive(path: str | Path, what: str = "a zip file") -> dict[str, bytes]:
    """The files in a zip file by their names; one that unpacks to far more than its size is refused."""
    allowed = max(UNPACKED_FREE, UNPACKED_RATIO * require_size(path))
    with reading(path, what), zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if len(members) > MEMBERS_MAX:
            raise InputError(f"{path}: holds {len(members)} files; at most {MEMBERS_MAX} are read")
        total = sum(member.file_size for member in members)
        if total > allowed:
            raise InputError(
                f"{path}: would unpack to {_in_MB(total)}; at most {_in_MB(allowed)} for a file of its size"
            )
        if len({member.filename for member in members}) < len(members):
            raise InputError(f"{path}: damaged: holds two files of one name")
        try:
            return {member.filename: archive.read(member) for member in members}
        except RuntimeError as error:  # it is encrypted
            raise InputError(f"{path}: cannot be unpacked: {_reason(error)}") from None


def read_arrays(path: str | Path, what: str) -> dict[str, NDArray[Any]]:
    """The arrays of an .npz file by their names; what: the file should be, with its article."""
    members = read_archive(path, what)
    with reading(path, what):
        return {name.removesuffix(".npy"): parse_array(content) for name, content in members.items()}


def read_array(path: str | Path) -> NDArray[Any]:
    """The array of an .npy file."""
    content = read_bytes(path)
    with reading(path, "an .npy file of one array"):
        return parse_array(content)


def parse_array(content: bytes) -> NDArray[Any]:
    """An array from the bytes of an .npy file; Python objects are refused."""
    stream = io.BytesIO(content)
    version = npy.read_magic(stream)
    if version not in READERS:
        raise ValueError(f"an array of version {version} is not read")
    header = content[stream.tell() + 2 : stream.tell() + HEADER_MAX].partition(b"\n")[0]
    if not HEADER_TEXT.fullmatch(header.lstrip(b"\0")):
        raise ValueError("the header of an array is damaged")
    try:
        shape, by_columns, kind = READERS[version](stream, max_header_size=HEADER_MAX)
    except (TypeError, SyntaxError, tokenize.TokenError):
        raise ValueError("the header of an array is damaged") from None
    data = memoryview(content)[stream.tell() :]
    count = 1
    for length in shape:
        count *= length
    if kind.hasobject:
        raise ValueError("an array of Python objects is not read")
    if min(shape, default=0) < 0 or kind.itemsize == 0 or count * kind.itemsize != len(data):
        raise ValueError(f"{len(data)} bytes are no array of shape {shape} of {kind}")
    order: Any = "F" if by_columns else "C"
    # A copy, since compiled code takes no array that may not be written to.
    return np.frombuffer(data, kind).reshape(shape, order=order).copy(order=order)


def _in_MB(size: int) -> str:
    return f"{size / 2**20:.4g} MB"
