"""CSV: every number comes back bit for bit, and a file is complete or not there."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tetherlab.contracts import csv_files
from tetherlab.contracts.csv_files import read_csv, write_csv
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.files import replacing
from tetherlab.contracts.table import Table


@settings(deadline=None)  # the first call compiles
@given(values=st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=30))
def test_numbers_come_back_bit_for_bit(values, tmp_path_factory):
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    table = Table({"time_s": np.arange(len(values)), "x_m": values})
    write_csv(table, path)
    back = read_csv(path)
    assert back.columns == table.columns
    np.testing.assert_array_equal(back["x_m"], table["x_m"])
    known = ~np.isnan(table["x_m"])
    np.testing.assert_array_equal(np.signbit(back["x_m"][known]), np.signbit(table["x_m"][known]))


def test_a_long_table_is_written_in_parts_that_fit_together(tmp_path, monkeypatch, random):
    monkeypatch.setattr(csv_files, "CELLS_AT_ONCE", 7)
    table = Table.from_rows(("time_s", "x_m"), np.column_stack((np.arange(100), random.normal(size=100))))
    write_csv(table, tmp_path / "a.csv")
    np.testing.assert_array_equal(read_csv(tmp_path / "a.csv")["x_m"], table["x_m"])


def test_a_crash_while_writing_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), replacing(path) as file:
        file.write("half of the ne")
        raise RuntimeError
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "damaged: the file is empty"),
        ("time_s,x_m\n0,1\n1,2", "damaged: the last line is cut off"),
        ("time_s,x_m\n0,1\n1\n", "damaged: the number of columns changed from 2 to 1 at row 2"),
        ("time_s,x\n0,1\n1,one\n", "damaged: could not convert string 'one' to float64 at row 1, column 2."),
        ("x_m\n0\n", "damaged: the first column of a table must be 'time_s', got x_m"),
        ("time_s,x_m\n0\n", "damaged: rows must have shape (n, 2), got (1, 1)"),
        ("time_s\n1\n0\n", "damaged: time_s must not decrease, got 1 and then 0 in row 1"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_named_with_what_is_wrong(tmp_path, text, message):
    path = tmp_path / "uav.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_csv(path)
    assert str(caught.value) == f"{path}: {message}"


def test_a_missing_file_and_bytes_that_are_no_text_are_named(tmp_path):
    with pytest.raises(InputError, match=r"uav\.csv: no such file$"):
        read_csv(tmp_path / "uav.csv")
    (tmp_path / "uav.csv").write_bytes(b"time_s\n\xff\xfe\n")
    with pytest.raises(InputError, match=r"uav\.csv: damaged: "):
        read_csv(tmp_path / "uav.csv")


def test_a_line_without_end_is_refused_before_it_is_parsed(tmp_path):
    (tmp_path / "uav.csv").write_bytes(b"time_s,x_m\n" + b"1," * 1_000_000 + b"\n")
    with pytest.raises(InputError, match=r"uav\.csv: has a line of more than 1000000 bytes$"):
        read_csv(tmp_path / "uav.csv")
