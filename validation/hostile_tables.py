"""Tables and logs made by hand to cost more than they may, or to be no text at all."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

# What is attacked, by the name that `file_fuzz.use` knows: header, and a good row of the same cells.
TABLES = {
    "measurements.csv": (
        "time_s,length_m,azimuth_base_deg,elevation_base_deg,elevation_end_deg",
        "{k},10.1,3,20,30",
    ),
    "length_samples.csv": ("counts,length_m", "{k},1.{k}"),
    "uav.csv": ("time_s,x_m,y_m,z_m", "{k},1,2,3"),
}

HUGE = 32 * 2**20  # [bytes]


def _rows(row: str, count: int) -> str:
    return "".join(row.replace("{k}", str(k)) + "\n" for k in range(count))


def _cells(header: str, cell: str) -> str:
    """A row in which every cell is the same."""
    return ",".join([cell] * (header.count(",") + 1)) + "\n"


Make = Callable[[str, str], bytes]
# Name of an attack -> the bytes of a file, from header and row.
ATTACKS: dict[str, Make] = {
    "one line": lambda header, row: b"x" * HUGE,
    "one line of commas": lambda header, row: b"," * HUGE,
    "one line of wide characters": lambda header, row: "\U0001f600".encode() + b"1," * (HUGE // 2),
    "a long second line": lambda header, row: f"{header}\n".encode() + b"1" * HUGE,
    "a second line of commas": lambda header, row: f"{header}\n".encode() + b"1," * (HUGE // 2),
    "zero bytes": lambda header, row: bytes(HUGE),
    "zero bytes between rows": lambda header, row: (
        f"{header}\n{_rows(row, 20)}".encode() + bytes(5_000_000) + _rows(row, 20).encode()
    ),
    "a million columns": lambda header, row: (
        f"{header},{','.join(f'c{k}' for k in range(10**6))}\n{row}{',1' * 10**6}\n".encode()
    ),
    "a hundred thousand names that are almost right": lambda header, row: (
        f"{','.join(f'time_{k}' for k in range(100_000))}\n".encode()
    ),
    "numbers of 5000 digits": lambda header, row: f"{header}\n{_cells(header, '9' * 5000) * 200}".encode(),
    "numbers of a million digits": lambda header, row: f"{header}\n{_cells(header, '9' * 10**6)}".encode(),
    "no times": lambda header, row: f"{header}\n{_cells(header, 'nan') * 1000}".encode(),
    "infinite times": lambda header, row: (
        f"{header}\n{(_cells(header, 'inf') + _cells(header, '-inf')) * 1000}".encode()
    ),
    "times that go backwards": lambda header, row: (
        f"{header}\n{''.join(reversed(_rows(row, 100_000).splitlines(keepends=True)))}".encode()
    ),
    "short lines": lambda header, row: f"{header}\n".encode() + b"1\n" * (HUGE // 2),
    "empty lines": lambda header, row: f"{header}\n".encode() + b"\n" * HUGE,
    "a quote that is not closed": lambda header, row: f'{header}\n"'.encode() + b"1\n" * 1_000_000,
    "gzip": lambda header, row: gzip.compress(f"{header}\n{_rows(row, 50)}".encode()),
    "UTF-16": lambda header, row: f"{header}\n{_rows(row, 50)}".encode("utf-16"),
    "nothing": lambda header, row: b"",
    "a header alone": lambda header, row: f"{header}\n".encode(),
}
PIPE, FOLDER = "a named pipe", "a folder"


def write_attack(name: str, table: str, folder: Path) -> Path:
    """Write an attack of ATTACKS, or PIPE or FOLDER, in place of a table of TABLES."""
    path = folder / table
    if name == PIPE:
        os.mkfifo(path)
    elif name == FOLDER:
        path.mkdir()
    else:
        path.write_bytes(ATTACKS[name](*TABLES[table]))
    return path
