"""The record grows by chunks and becomes tables at any moment."""

import numpy as np

from tetherlab.sim.rows import CHUNK, Rows


def recorded(rows, count):
    for i in range(count):
        row, stations = rows.next()
        row[:], stations[:] = 0.01 * rows.count, 0.1 * i
    return rows


def test_a_table_stays_as_it_was_when_the_record_goes_on():
    rows = recorded(Rows(), CHUNK + 5)
    early = rows.tables()
    copies = {name: early[name].rows(*early[name].columns) for name in early}
    recorded(rows, 2 * CHUNK)
    late = rows.tables()
    assert len(late["uav"]) == 3 * CHUNK + 5
    for name, copy in copies.items():
        assert np.array_equal(early[name].rows(*early[name].columns), copy)
        assert np.array_equal(late[name].rows(*late[name].columns)[: len(copy)], copy)
    assert late["uav"]["time_s"][-1] == 0.01 * (3 * CHUNK + 5)


def test_a_record_without_rows_has_empty_tables():
    assert {len(table) for table in Rows().tables().values()} == {0}
