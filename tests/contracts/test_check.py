"""Input checks: what passes comes back as plain floats, what fails is answered with one sentence."""

import math

import numpy as np
import pytest

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError, SimulationError


def message(function, *arguments):
    with pytest.raises(InputError) as caught:
        function(*arguments)
    return str(caught.value)


@pytest.mark.parametrize("value", [3, 3.0, np.float32(3.0), np.int64(3)])
@pytest.mark.parametrize("rule", [check.number, check.positive, check.non_negative])
def test_numbers_of_any_kind_become_floats(rule, value):
    result = rule("x", value)
    assert type(result) is float
    assert result == 3.0


@pytest.mark.parametrize(
    ("rule", "value", "text"),
    [
        (check.number, True, "x must be a number, got True"),
        (check.number, "3", "x must be a number, got '3'"),
        (check.number, None, "x must be a number, got None"),
        (check.number, [1.0], "x must be a number, got [1.0]"),
        (check.number, 1j, "x must be a number, got 1j"),
        (check.number, math.nan, "x must be finite, got nan"),
        (check.number, -math.inf, "x must be finite, got -inf"),
        (check.positive, 0, "x must be > 0, got 0"),
        (check.positive, -2.5, "x must be > 0, got -2.5"),
        (check.positive, math.inf, "x must be finite, got inf"),
        (check.non_negative, -1e-9, "x must be >= 0, got -1e-09"),
        (check.vector, (1.0, 2.0), "x must have shape (3,), got (2,)"),
        (check.vector, 5.0, "x must have shape (3,), got ()"),
        (check.vector, "abc", "x must be an array of numbers of shape (3,), got 'abc'"),
        (check.vector, (1.0, (2.0, 3.0), 1.0), "x must be an array of numbers of shape (3,), got "
         "(1.0, (2.0, 3.0), 1.0)"),
        (check.vector, (1.0, math.nan, 2.0), "x must be finite, got nan at x[1]"),
        (check.points, (1.0, 2.0, 3.0), "x must have shape (n, 3), got (3,)"),
        (check.points, [(1.0, 2.0)], "x must have shape (n, 3), got (1, 2)"),
        (check.points, [(1.0, 2.0, 3.0), (1.0, math.inf, 3.0)], "x must be finite, got inf at x[1, 1]"),
    ],
)  # fmt: skip
def test_bad_values_are_named_and_the_rule_is_said(rule, value, text):
    assert message(rule, "x", value) == text


def test_non_negative_takes_zero():
    assert check.non_negative("x", 0) == 0.0


def test_arrays_are_fresh_contiguous_floats():
    given = np.asfortranarray(np.arange(6).reshape(2, 3))
    result = check.points("x", given)
    assert result.dtype == np.float64
    assert result.flags.c_contiguous
    result[0, 0] = 99.0
    assert given[0, 0] == 0
    again = check.points("x", result)
    assert not np.shares_memory(again, result)


def test_an_empty_list_of_points_passes():
    assert check.points("x", np.empty((0, 3))).shape == (0, 3)


def test_a_typo_is_answered_with_a_guess_and_the_known_names():
    known = ["width_m", "length_m"]
    assert check.did_you_mean("lenght_m", known) == " Did you mean 'length_m'? Known: length_m, width_m."
    assert check.did_you_mean("zzz", known) == " Known: length_m, width_m."


def test_errors_can_be_caught_as_what_python_users_expect():
    assert issubclass(InputError, ValueError)
    assert issubclass(SimulationError, RuntimeError)
