"""How kernels are compiled must not show in what they compute."""

import importlib
import sys

import numpy as np
from numba import njit

import tetherlab.math.kernel as decorators
from tetherlab.math.kernel import inlined, kernel
from tetherlab.math.record import copy_record

RECORD = np.dtype([("number", np.int64), ("weights", np.float64, (3,)), ("flag", np.int8)], align=True)


@inlined
def _twice(x):
    return 2.0 * x


@kernel
def _square(x):
    return _twice(x) * x / 2.0


@kernel
def _sum_of_squares(values):
    total = 0.0
    for i in range(values.shape[0]):
        total += _square(values[i])
    return total


@njit
def _mean_square(values):
    return _sum_of_squares(values) / _square(np.sqrt(values.shape[0]))


@njit
def _copy(records, source, target):
    copy_record(records, source, target)


def test_a_kernel_computes_the_same_from_python_and_from_compiled_code():
    values = np.arange(5.0)
    assert _sum_of_squares(values) == _sum_of_squares.py_func(values) == 30.0
    assert np.isclose(_mean_square(values), 6.0)


def test_a_kernel_that_only_compiled_code_calls_gets_no_machine_code_of_its_own():
    _mean_square(np.arange(5.0))
    engine = next(iter(_mean_square.overloads.values())).library.codegen._engine
    names = [result.fndesc.llvm_func_name for result in _twice.overloads.values()]
    assert names and not any(engine.is_symbol_defined(name) for name in names)


def test_without_the_inside_of_numba_kernels_are_compiled_the_plain_way(monkeypatch):
    monkeypatch.setitem(sys.modules, "tetherlab.math.translation", None)
    try:
        plain = importlib.reload(decorators).kernel(_square.py_func)
        assert type(plain) is type(_mean_square)
        assert plain(3.0) == 9.0
    finally:
        monkeypatch.undo()
        importlib.reload(decorators)


def test_copying_a_record_changes_that_record_alone():
    records = np.frombuffer(np.random.default_rng(1).bytes(5 * RECORD.itemsize), RECORD).copy()
    expected = records.tobytes()
    size = RECORD.itemsize
    expected = expected[: 3 * size] + expected[size : 2 * size] + expected[4 * size :]
    _copy(records, 1, 3)
    assert records.tobytes() == expected
