"""Whether a mesh file is complete: what its header announces against what is there.

The parsers behind `maps.py` take what they find, so a file that was cut off would become another shape.
"""

import struct
from collections.abc import Callable
from pathlib import Path

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import read_bytes

STL_HEADER, STL_TRIANGLE = 84, 50  # [bytes]
PLY_SIZES = {
    **dict.fromkeys(("char", "uchar", "int8", "uint8"), "b"),
    **dict.fromkeys(("short", "ushort", "int16", "uint16"), "h"),
    **dict.fromkeys(("int", "uint", "int32", "uint32"), "i"),
    **{"float": "f", "float32": "f", "double": "d", "float64": "d"},
}  # type -> code of a number of the same size in `struct`

Property = list[str]  # its words in the header, such as ["float", "x"] or ["list", "uchar", "int", "indices"]
Element = tuple[str, int, list[Property]]  # name, how many rows, what a row holds


def require_complete(path: Path) -> None:
    """Complain if the file ends before what it announces; an OBJ file announces nothing."""
    check = {".stl": _check_stl, ".ply": _check_ply}.get(path.suffix.lower())
    if check is not None:
        check(read_bytes(path))


def _check_stl(content: bytes) -> None:
    if content.lstrip()[:5].lower() == b"solid" and b"\0" not in content[:STL_HEADER]:
        text = content.lower()
        if b"endsolid" not in text:
            begun, ended = text.count(b"facet normal") - text.count(b"endfacet"), text.count(b"endfacet")
            rest = " and part of another" if begun else ""
            raise InputError(f"the file is cut off: it has {ended} triangles{rest}, but no line 'endsolid'")
        return
    if len(content) < STL_HEADER:
        raise InputError(
            f"not an STL file: it neither begins with 'solid' nor has a header of {STL_HEADER} bytes,"
            f" got {len(content)} bytes"
        )
    announced = struct.unpack_from("<I", content, STL_HEADER - 4)[0]
    there = (len(content) - STL_HEADER) // STL_TRIANGLE
    if there < announced:
        raise InputError(
            f"the file is cut off: its header announces {announced} triangles, {there} are there"
        )


def _check_ply(content: bytes) -> None:
    if not content.startswith(b"ply"):
        raise InputError("not a PLY file: it does not begin with 'ply'")
    header, found, data = content.partition(b"end_header")
    if not found:
        raise InputError("the file is cut off: its header has no line 'end_header'")
    kind, elements = _read_ply_header(header)
    for name, announced, properties in elements:
        if announced > len(data) or not properties:  # a row takes a byte at least
            raise InputError(
                f"the file is cut off: its header announces {announced} rows of {name!r} in {len(data)} bytes"
            )
    data = data[data.find(b"\n") + 1 :]
    there = _text_rows(data, elements) if kind == "ascii" else _binary_rows(data, kind, elements)
    for (name, announced, _), count in zip(elements, there, strict=True):
        if count < announced:
            rows = "row" if announced == 1 else "rows"
            raise InputError(
                f"the file is cut off: its header announces {announced} {rows} of {name!r}, {count} are there"
            )


def _read_ply_header(header: bytes) -> tuple[str, list[Element]]:
    kind = ""
    elements: list[Element] = []
    for line in header.decode("ascii", errors="replace").splitlines():
        match line.split():
            case ["format", kind, *_]:
                pass
            case ["element", name, count] if count.isascii() and count.isdigit() and len(count) < 16:
                elements.append((name, int(count), []))
            case ["property", "list", size, item, name] if elements and {size, item} <= PLY_SIZES.keys():
                elements[-1][2].append(["list", size, item, name])
            case ["property", item, name] if elements and item in PLY_SIZES:
                elements[-1][2].append([item, name])
            case [("element" | "property"), *_]:
                raise InputError(f"not a readable PLY file: the header has the line {line.strip()!r}")
    if kind not in ("ascii", "binary_little_endian", "binary_big_endian"):
        raise InputError(f"not a readable PLY file: the header gives the format {kind!r}")
    return kind, elements


def _text_rows(data: bytes, elements: list[Element]) -> list[int]:
    """How many rows of each element are there; one line is one row."""
    lines = [line for line in data.splitlines() if line.strip()]
    there, first = [], 0
    for _, announced, properties in elements:
        rows = lines[first : first + announced]
        first += announced
        last_is_cut = bool(rows) and len(rows[-1].split()) < _word_count(rows[-1].split(), properties)
        there.append(len(rows) - last_is_cut)
    return there


def _word_count(words: list[bytes], properties: list[Property]) -> int:
    """How many words a line of these properties needs."""
    position = 0
    for words_of_property in properties:
        if words_of_property[0] == "list" and position < len(words) and words[position].isdigit():
            position += int(words[position])
        position += 1
    return position


def _binary_rows(data: bytes, kind: str, elements: list[Element]) -> list[int]:
    """How many rows of each element are there."""
    order, there, position = "<" if kind.endswith("little_endian") else ">", [], 0
    for _, announced, properties in elements:
        row_end = _row_reader(data, order, properties)
        # If all rows are as long as the first they need not be visited; lists may differ from row to row.
        first = row_end(position) - position if announced else 0
        if not any(p[0] == "list" for p in properties) or position + announced * first == len(data):
            count = min(announced, (len(data) - position) // first if first else announced)
            position += count * first
        else:
            count = 0
            while count < announced and (end := row_end(position)) <= len(data):
                count, position = count + 1, end
        there.append(count)
    return there


def _row_reader(data: bytes, order: str, properties: list[Property]) -> Callable[[int], int]:
    """A function from the place of a row to that of the next one, beyond the data if the row is cut."""

    def row_end(position: int) -> int:
        for words in properties:
            if words[0] != "list":
                position += struct.calcsize(PLY_SIZES[words[0]])
                continue
            size = struct.calcsize(PLY_SIZES[words[1]])
            if position + size > len(data):
                return len(data) + 1
            code = PLY_SIZES[words[1]].upper()  # a count has no sign
            length = int(struct.unpack_from(order + code, data, position)[0])
            position += size + length * struct.calcsize(PLY_SIZES[words[2]])
        return position

    return row_end
