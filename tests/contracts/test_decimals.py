"""Numbers of at most nine decimals are written quickly and come back bit for bit; others are refused."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tetherlab.contracts.csv_files import read_csv, write_csv
from tetherlab.contracts.decimals import as_text
from tetherlab.contracts.table import Table


@settings(deadline=None)  # the first call compiles
@given(st.floats(-8e6, 8e6), st.integers(0, 9))
def test_what_is_rounded_comes_back_bit_for_bit(value, decimals):
    value = float(np.round(value, decimals))
    text = as_text(np.array([[value]]))
    if text is None:  # near the largest numbers rounding may leave more digits than nine decimals
        assert abs(value) > 1e6
        return
    back = float(text)
    assert back == value and math.copysign(1.0, back) == math.copysign(1.0, value)


def test_it_looks_as_python_prints_it():
    rows = np.array([[0.0, -0.0, 1.0, 0.02], [math.nan, -12.5, 1234567.000001, 1e-9]])
    assert as_text(rows) == b"0.0,-0.0,1.0,0.02\nnan,-12.5,1234567.000001,0.000000001\n"


def test_more_decimals_and_infinity_are_refused():
    for value in (math.pi, 1e-10, 1e7, math.inf, -math.inf):
        assert as_text(np.array([[1.0, value]])) is None


def test_a_table_that_mixes_both_kinds_comes_back_bit_for_bit(tmp_path):
    values = np.round(np.linspace(-3.0, 5.0, 3000), 6)
    values[2000] = math.pi
    write_csv(Table({"time_s": np.arange(3000) / 50, "x_m": values}), tmp_path / "x.csv")
    assert np.array_equal(read_csv(tmp_path / "x.csv")["x_m"], values)
