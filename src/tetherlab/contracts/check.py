"""Input checks that answer with one clear sentence: the argument, the value, and what is allowed."""

import difflib
import functools
import inspect
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError

Record = TypeVar("Record")


def number(name: str, value: Any) -> float:
    """A finite real number."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InputError(f"{name} must be a number, got {value!r}")
    if not np.isfinite(value):
        raise InputError(f"{name} must be finite, got {value!r}")
    return float(value)


def positive(name: str, value: Any) -> float:
    """A finite number > 0."""
    result = number(name, value)
    if result <= 0.0:
        raise InputError(f"{name} must be > 0, got {result:g}")
    return result


def non_negative(name: str, value: Any) -> float:
    """A finite number >= 0."""
    result = number(name, value)
    if result < 0.0:
        raise InputError(f"{name} must be >= 0, got {result:g}")
    return result


def vector(name: str, value: Any) -> NDArray[np.float64]:
    """A fresh array of three finite numbers, (3,)."""
    return array(name, value, (3,))


def points(name: str, value: Any) -> NDArray[np.float64]:
    """A fresh contiguous array of points, (n, 3)."""
    return array(name, value, (None, 3))


def array(name: str, value: Any, shape: tuple[int | None, ...]) -> NDArray[np.float64]:
    """A fresh contiguous array of finite numbers; None in `shape` stands for any length."""
    wanted = (
        "(" + ", ".join("n" if n is None else str(n) for n in shape) + ("," if len(shape) == 1 else "") + ")"
    )
    try:
        result = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError(f"{name} must be an array of numbers of shape {wanted}, got {value!r}") from None
    if result.ndim != len(shape) or any(
        n is not None and n != m for n, m in zip(shape, result.shape, strict=True)
    ):
        raise InputError(f"{name} must have shape {wanted}, got {result.shape}")
    if not np.isfinite(result).all():
        where = np.argwhere(~np.isfinite(result))[0]
        index = "[" + ", ".join(str(i) for i in where) + "]"
        raise InputError(f"{name} must be finite, got {result[tuple(where)]} at {name}{index}")
    return result


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """The tail of an error about an unknown name: a guess, and what is known."""
    names = sorted(known)
    close = difflib.get_close_matches(str(wrong), names, n=1)
    guess = f" Did you mean {close[0]!r}?" if close else ""
    return f"{guess} Known: {', '.join(names)}."


def known_arguments(record: type[Record]) -> type[Record]:
    """Class decorator: a keyword that `__init__` does not know is an InputError with a guess."""
    make = record.__init__
    known = list(inspect.signature(record).parameters)

    @functools.wraps(make)
    def checked(self: Record, *values: Any, **named: Any) -> None:
        for name in named:
            if name not in known:
                raise InputError(f"{record.__name__} has no field {name!r}.{did_you_mean(name, known)}")
        make(self, *values, **named)

    setattr(record, "__init__", checked)  # noqa: B010 (a type checker would object to the plain assignment)
    return record
