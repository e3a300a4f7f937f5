"""The record grows by chunks and becomes tables at any moment."""

import numpy as np

from tetherlab.sim.rows import CHUNK, Rows


def record(rows, first, last):
    for i in range(first, last):
        chunk, stations = rows.chunk(i)
        chunk[i % CHUNK], stations[i % CHUNK] = 0.01 * (i + 1), 0.1 * i


def test_a_table_stays_as_it_was_when_the_record_goes_on():
    rows = Rows()
    record(rows, 0, CHUNK + 5)
    early = rows.tables(CHUNK + 5)
    copies = {name: early[name].rows(*early[name].columns) for name in early}
    record(rows, CHUNK + 5, 3 * CHUNK + 5)
    late = rows.tables(3 * CHUNK + 5)
    assert len(late["uav"]) == 3 * CHUNK + 5
    for name, copy in copies.items():
        assert np.array_equal(early[name].rows(*early[name].columns), copy)
        assert np.array_equal(late[name].rows(*late[name].columns)[: len(copy)], copy)
    assert late["uav"]["time_s"][-1] == 0.01 * (3 * CHUNK + 5)


def test_a_record_without_rows_has_empty_tables():
    assert {len(table) for table in Rows().tables(0).values()} == {0}
