"""Clouds as PLY files, which every viewer of point clouds opens."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from tetherlab.contracts.cloud import Cloud
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import read_bytes
from tetherlab.contracts.files import replacing, why_not

COLUMNS = ("x", "y", "z", "nx", "ny", "nz")
ROW = np.dtype([*((name, "<f4") for name in COLUMNS), ("count", "<i4")])
HEADER_MAX = 4096  # [bytes]
FARTHEST = 1e9  # coordinate of a point [m]
MAP_FILE = re.compile(r"map_\w+\.ply", re.ASCII)  # in the folder of a run


def save_ply(cloud: Cloud, path: str | Path) -> None:
    """Write points, normals and counts, binary; single precision is finer than any sensor."""
    rows = np.empty(len(cloud.points), ROW)
    for name, column in zip(COLUMNS, np.hstack([cloud.points, cloud.normals]).T, strict=True):
        rows[name] = column
    rows["count"] = np.minimum(cloud.counts, np.iinfo(np.int32).max)
    try:
        with replacing(path, binary=True) as file:
            file.write(_header(len(rows)) + rows.tobytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {why_not(error)}") from None


def load_ply(path: str | Path) -> Cloud:
    """A cloud that `save_ply` wrote."""
    content = read_bytes(path)
    header, found, data = content[:HEADER_MAX].partition(b"end_header\n")
    said = re.search(rb"\nelement vertex (\d{1,18})\n", header)
    count = int(said[1]) if found and said is not None else -1
    if count < 0 or header + found != _header(count):
        raise InputError(f"{path}: not a cloud of tetherlab; other PLY files are read by tl.World.load")
    data = content[len(header) + len(found) :]
    if len(data) != count * ROW.itemsize:
        there = len(data) // ROW.itemsize
        raise InputError(
            f"{path}: the file is cut off: its header announces {count} points, {there} are there"
        )
    rows = np.frombuffer(data, ROW)
    columns = np.stack([rows[name].astype(float) for name in COLUMNS], axis=1)
    if not (np.abs(columns) <= FARTHEST).all():  # nor is a NaN
        raise InputError(f"{path}: damaged: points and normals must be finite, within {FARTHEST:g} m")
    if (rows["count"] < 0).any():
        raise InputError(f"{path}: damaged: the count of a point must be >= 0, got {rows['count'].min()}")
    return Cloud(columns[:, :3].copy(), columns[:, 3:].copy(), rows["count"].astype(np.int64))


def file_names(maps: Iterable[str]) -> dict[str, str]:
    """Name of a map -> of its file in the folder of a run, each another."""
    files: dict[str, str] = {}
    for name in maps:
        word = plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "wall"
        number = 1
        while f"map_{word}.ply".lower() in map(str.lower, files.values()):  # as some disks compare
            number += 1
            word = f"{plain}_{number}"
        files[name] = f"map_{word}.ply"
    return files


def _header(count: int) -> bytes:
    lines = ["ply", "format binary_little_endian 1.0", "comment metres", f"element vertex {count}"]
    lines += [*(f"property float {name}" for name in COLUMNS), "property int count", "end_header"]
    return ("\n".join(lines) + "\n").encode()
