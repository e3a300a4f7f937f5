"""With NUMBA_BOUNDSCHECK=1 an index outside its array is refused, in kernels and in what calls them.

`make bounds` runs the tests of the tether and some scenarios so; here, kernels with seeded mistakes and a
rover that drives.
"""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import njit

from tetherlab.math.kernel import inlined, kernel
from tetherlab.math.record import copy_record
from tetherlab.scenario.scenario import Scenario
from tetherlab.scenario.simulation import rover_spec
from tetherlab.vehicles.alone import LoneRover

RECORD = np.dtype([("weights", np.float64, (3,)), ("number", np.int64)])
NEGATIVE, BEYOND = "negative index", "index past the end"
FROM_NEGATIVE, TO_NEGATIVE = "slice from a negative index", "slice to a negative index"
FROM_BEYOND, TO_BEYOND = "slice from past the end", "slice to past the end"


@inlined
def _read(x, i):
    return x[i]


@kernel
def _write(x, i):
    x[i] = 1.0


@kernel
def _weight(records, i, k):
    return records[i].weights[k]


@kernel
def _corner(x, i, k):
    return x[i][k] + x[i, k]


@kernel
def _part(x, start, stop):
    return x[start:stop].shape[0]


@kernel
def _copy(records, i, k):
    copy_record(records, i, k)


run_read = njit(lambda x, i: _read(x, i), error_model="numpy", _nrt=False)
run_write = njit(lambda x, i: _write(x, i), error_model="numpy", _nrt=False, nogil=True)
run_weight = njit(lambda x, i, k: _weight(x, i, k), error_model="numpy", _nrt=False)
run_corner = njit(lambda x, i, k: _corner(x, i, k), error_model="numpy", _nrt=False)
run_part = njit(lambda x, i, k: _part(x, i, k), error_model="numpy", _nrt=False)
run_copy = njit(lambda x, i, k: _copy(x, i, k), error_model="numpy", _nrt=False)

FOUR, EVERY_OTHER, GRID, RECORDS = np.zeros(4), np.zeros(4)[::2], np.zeros((2, 3)), np.zeros(2, RECORD)
WITHIN = [
    (run_read, FOUR, 0), (run_read, FOUR, 3), (run_read, EVERY_OTHER, 1), (run_write, FOUR, 3),
    (run_weight, RECORDS, 1, 2), (run_corner, GRID, 1, 2), (run_copy, RECORDS, 0, 1),
    (run_part, FOUR, 0, 4), (run_part, FOUR, 4, 4), (run_part, FOUR, 2, 1),
]  # fmt: skip
OUTSIDE = [
    (NEGATIVE, run_read, FOUR, -1), (BEYOND, run_read, FOUR, 4),
    (NEGATIVE, run_read, EVERY_OTHER, -1), (BEYOND, run_read, EVERY_OTHER, 2),
    (NEGATIVE, run_write, FOUR, -1), (BEYOND, run_write, FOUR, 4),
    (NEGATIVE, run_weight, RECORDS, -1, 0), (BEYOND, run_weight, RECORDS, 2, 0),
    (NEGATIVE, run_weight, RECORDS, 0, -1), (BEYOND, run_weight, RECORDS, 0, 3),
    (NEGATIVE, run_corner, GRID, -1, 0), (BEYOND, run_corner, GRID, 2, 0),
    (NEGATIVE, run_corner, GRID, 0, -1), (BEYOND, run_corner, GRID, 0, 3),
    ("out of bounds", run_copy, RECORDS, -1, 0), ("out of bounds", run_copy, RECORDS, 0, 2),
    (FROM_NEGATIVE, run_part, FOUR, -1, 2), (TO_NEGATIVE, run_part, FOUR, 0, -1),
    (FROM_BEYOND, run_part, FOUR, 5, 5), (TO_BEYOND, run_part, FOUR, 0, 5),
]  # fmt: skip


def check():
    """All of it, in a process that checks bounds."""
    for run, *arguments in WITHIN:
        run(*arguments)
    for text, run, *arguments in OUTSIDE:
        with pytest.raises(IndexError, match=text):
            run(*arguments)
    with pytest.raises(IndexError, match=r"negative index in _read \(test_bounds.py, line \d+\)"):
        run_read(FOUR, -1)
    rover = LoneRover(rover_spec(Scenario.load("windy").ugv.robot))
    rover.step(1.0, forward=0.5)
    assert rover.origin[0] > 0.1


def test_seeded_mistakes_are_refused():
    done = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "NUMBA_BOUNDSCHECK": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    check()
