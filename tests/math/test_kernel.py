"""How kernels are compiled must not show in what they compute."""

import ast
import importlib
import math
from pathlib import Path

import numba
import numpy as np
import pytest
from numba import njit

import tetherlab
import tetherlab.math.kernel as decorators
from tetherlab.math.kernel import inlined, kernel
from tetherlab.math.record import copy_record

SOURCE = Path(tetherlab.__file__).parent
needs_translation = pytest.mark.skipif(
    numba.version_info.short != decorators.TRIED_WITH, reason="kernels are compiled the plain way"
)
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


@needs_translation
def test_a_kernel_that_only_compiled_code_calls_gets_no_machine_code_of_its_own():
    _mean_square(np.arange(5.0))
    engine = next(iter(_mean_square.overloads.values())).library.codegen._engine
    names = [result.fndesc.llvm_func_name for result in _twice.overloads.values()]
    assert names and not any(engine.is_symbol_defined(name) for name in names)


def test_with_another_numba_kernels_are_compiled_the_plain_way(monkeypatch):
    monkeypatch.setattr(numba, "version_info", numba.version_info._replace(short=(0, 61)))
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


@kernel
def _loops(n):
    total = 0
    for i in range(n):
        for k in range(n, i, -2):
            total += 10 * i + k
        for k in range(i, i + 3):
            if k == 4:
                continue
            total -= k
    last = -1
    for i in range(2, n, 3):
        last = i
        if total % 7 == 3:
            break
    return total, last


@kernel
def _arithmetic(x, y, n):
    small = x < y or x == y
    other = x != y and not x >= y
    grown = x
    if n > 2:
        grown = -y
        more = 3.0 * x
        scale = n * n - 1
    else:
        scale = n
    if n > 2:
        grown += more
    return x + y * n - x / y, grown, scale / 4, scale // 3, small, other, x**2


@kernel
def _fill(records, cube, single, low):
    for i in range(cube.shape[0]):
        plane = cube[i]
        for j in range(cube.shape[1]):
            row = plane[j]
            row[low] += single[j]
            cube[i, j, 1] = plane[j, 0] + i
            plane[j, 2] = records[i].weights[1] * j
        records[i].number = records[i].number + cube[i, 1, 1]
        records[i].weights[low] = single[0]
    return cube[1][0].sum() + records[1].weights[2]


@kernel
def _reshaped(values):
    return values.reshape(2, 3)[1, 2]


_run_loops = njit(lambda n: _loops(n))
_run_arithmetic = njit(lambda x, y, n: _arithmetic(x, y, n), error_model="numpy")
_run_fill = njit(lambda records, cube, single, low: _fill(records, cube, single, low))
_run_reshaped = njit(lambda values: _reshaped(values))


@pytest.mark.parametrize("n", range(8))
def test_loops_count_as_in_python(n):
    assert _run_loops(n) == _loops.py_func(n)


@pytest.mark.parametrize("x", [-1.5, 0.0, 2.0, math.nan])
@pytest.mark.parametrize("n", [1, 3])
def test_arithmetic_is_that_of_python(x, n):
    assert np.array_equal(_run_arithmetic(x, 2.0, n), _arithmetic.py_func(x, 2.0, n), equal_nan=True)


def test_division_by_zero_gives_infinity():
    assert _run_arithmetic(1.0, 0.0, 1)[0] == -math.inf


@pytest.mark.parametrize("low", [0, np.int32(1), np.uint8(2)])
def test_elements_and_views_are_those_of_numpy(low):
    random = np.random.default_rng(2)
    results = []
    for run in (_run_fill, _fill.py_func):
        random = np.random.default_rng(2)
        records = np.zeros(3, RECORD).view(np.recarray) if run is _fill.py_func else np.zeros(3, RECORD)
        records["weights"], records["number"] = random.normal(size=(3, 3)), (1, 2, 3)
        cube, single = random.normal(size=(3, 2, 4)), random.normal(size=4).astype(np.float32)
        results.append((run(records, cube, single, low), records.tobytes(), cube.tobytes()))
    assert results[0][1:] == results[1][1:]
    assert np.isclose(results[0][0], results[1][0])


def test_an_error_inside_a_kernel_reaches_python():
    assert _run_reshaped(np.arange(6.0)) == 5.0
    with pytest.raises(ValueError):
        _run_reshaped(np.arange(7.0))


@needs_translation
def test_a_kernel_is_translated_once_for_all_values_of_an_argument():
    njit(lambda: _twice(1.0) + _twice(2.0))()
    njit(lambda: _loops(1)[0] + _loops(2)[0])()
    assert len(_loops.overloads) == 1


def test_no_kernel_counts_from_the_end():
    """Kernels take an index as it is: `x[-1]` would be the element before the first."""
    for path in SOURCE.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text())):
            decorators = getattr(function, "decorator_list", [])
            if not {"kernel", "inlined", "query", "recursive_query", "summing_query"} & {
                getattr(decorator, "id", "") for decorator in decorators
            }:
                continue
            for node in ast.walk(function):
                if isinstance(node, ast.Subscript):
                    index = node.slice
                    parts = index.elts if isinstance(index, ast.Tuple) else [index]
                    negative = [p for p in parts if isinstance(p, ast.UnaryOp) and isinstance(p.op, ast.USub)]
                    assert not negative, f"{path.name}: {function.name}, line {node.lineno}"
