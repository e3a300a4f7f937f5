"""Tables: named columns over time, and sentences for what is not one."""

import builtins

import numpy as np
import pytest

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.table import Table


def table(n=20):
    return Table({"time_s": np.arange(n) * 0.5, "x_m": np.arange(n) ** 2.0})


def test_a_table_gives_columns_by_name_and_knows_its_length():
    assert table().columns == ("time_s", "x_m")
    assert len(table()) == 20
    assert table()["x_m"][3] == 9.0 and table()["x_m"].dtype == np.float64
    assert "x_m" in table() and "y_m" not in table()


def test_rows_stand_side_by_side():
    np.testing.assert_array_equal(table(3).rows("x_m", "time_s"), [[0, 0], [1, 0.5], [4, 1]])


def test_a_mask_keeps_the_rows_for_which_it_is_true():
    kept = table().mask(table()["time_s"] > 9.0)
    np.testing.assert_array_equal(kept["x_m"], [361.0])


def test_rows_become_columns_without_a_copy():
    rows = np.arange(6.0).reshape(3, 2)
    assert np.shares_memory(Table.from_rows(("time_s", "x_m"), rows)["x_m"], rows)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x_m": [1.0]}, "the first column of a table must be 'time_s', got x_m"),
        ({}, "the first column of a table must be 'time_s', got none"),
        ({"time_s": [0, 1], "x": [1]}, "columns of a table must be equally long, got 2 of time_s, 1 of x"),
        ({"time_s": [0, 2, 1]}, "time_s must not decrease, got 2 and then 1 in row 2"),
        ({"time_s": [0, np.nan]}, "time_s must be finite, got nan in row 1"),
        ({"time_s": [[0]]}, "column time_s must have one dimension, got shape (1, 1)"),
        ({"time_s": ["noon"]}, "column time_s must hold numbers, got ['noon']"),
        ({"time_s": [0], "a,b": []}, "the name of a column must be made of letters, digits and _, got 'a,b'"),
    ],
)  # fmt: skip
def test_what_is_no_table_is_answered_with_a_sentence(columns, message):
    with pytest.raises(InputError) as caught:
        Table(columns)
    assert str(caught.value) == message


def test_rows_of_another_width_or_with_a_name_twice_are_refused():
    with pytest.raises(InputError, match=r"^rows must have shape \(n, 2\), got \(4, 3\)$"):
        Table.from_rows(("time_s", "x_m"), np.zeros((4, 3)))
    with pytest.raises(InputError, match=r"^the column 'time_s' is there twice; keep one$"):
        Table.from_rows(("time_s", "time_s"), np.zeros((4, 2)))


def test_a_misspelt_column_gets_a_guess():
    with pytest.raises(InputError, match=r"no column 'x_n'. Did you mean 'x_m'"):
        table()["x_n"]


def test_a_mask_must_be_booleans_one_for_each_row():
    for wrong in ([0, 1, 2], [True, False]):
        with pytest.raises(InputError, match=r"^keep must be 20 booleans, one for each row"):
            table().mask(wrong)


def test_a_table_shows_itself_briefly():
    wide = Table({"time_s": [0.0, 1.5], **{f"c{i}_m": [1.0, 2.0] for i in range(12)}})
    assert repr(wide).startswith("Table(2 rows from 0 to 1.5 s: time_s, c0_m,") and repr(wide).endswith(
        "c7_m, and 4 more)"
    )
    assert repr(Table({"time_s": []})) == "Table(no rows: time_s)"


def test_a_notebook_shows_both_ends_of_a_long_table():
    html = table()._repr_html_()
    assert html.count("<tr>") == 8  # header, three rows, dots, three rows
    assert "<th>x_m</th>" in html and "<td>361</td>" in html and "20 rows from 0 to 9.5 s" in html


def test_pandas_gets_the_columns_or_a_sentence_says_how_to_install_it(monkeypatch):
    try:
        import pandas  # noqa: F401
    except ImportError:
        pass
    else:
        assert list(table().to_pandas().columns) == ["time_s", "x_m"]
    real = builtins.__import__

    def without_pandas(name, *args, **kwargs):
        if name == "pandas":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_pandas)
    with pytest.raises(InputError, match=r"pip install pandas$"):
        table().to_pandas()
