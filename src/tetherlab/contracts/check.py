"""Input checks that answer with one clear sentence: the argument, the value, and what is allowed."""

import dataclasses
import difflib
import functools
import inspect
import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError

SHOWN = 60  # characters of a value in a message
NAMES_SHOWN = 200  # of what is known, and characters of a name that is not
LIST_SHOWN = 1000  # characters of all names in a sentence
Kind = TypeVar("Kind")
Called = TypeVar("Called", bound=Callable[..., Any])


def shown(value: Any) -> str:
    """A value short enough for a sentence."""
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:g}"
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, or lists in lists
        return f"a large {type(value).__name__}"
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def number(name: str, value: Any) -> float:
    """A finite real number."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InputError(f"{name} must be a number, got {shown(value)}")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise InputError(f"{name} must be finite, got {shown(value)}")
    return result


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


def seed(value: Any) -> int:
    """A seed of random numbers: a whole number >= 0."""
    whole = non_negative("seed", value)
    if whole != int(whole):
        raise InputError(f"seed must be a whole number, got {shown(value)}")
    return int(whole)


def instance(name: str, value: Any, kind: type[Kind]) -> Kind:
    """An object of this public class."""
    if not isinstance(value, kind):
        raise InputError(f"{name} must be a tl.{kind.__name__}, got {shown(value)}")
    return value


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
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{name} must be an array of numbers of shape {wanted}, got {shown(value)}"
        ) from None
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
    close = difflib.get_close_matches(str(wrong)[:NAMES_SHOWN], names[:NAMES_SHOWN], n=1)
    guess = f" Did you mean {close[0]!r}?" if close else ""
    return f"{guess} Known: {listed(names)}."


def listed(names: Iterable[str]) -> str:
    """Names, as many as a sentence can hold."""
    names = list(names)
    shown: list[str] = []
    room = LIST_SHOWN
    for name in names[:NAMES_SHOWN]:
        room -= len(name) + 2
        if room < 0:
            break
        shown.append(name)
    return ", ".join([*shown, "…"] if len(shown) < len(names) else shown)


def known_arguments(target: Called) -> Called:
    """Decorator of a class or a function: a call with the wrong arguments is an InputError with a guess."""
    function: Any = getattr(target, "__init__") if isinstance(target, type) else target  # noqa: B009
    word = "field" if dataclasses.is_dataclass(target) else "argument"

    @functools.wraps(function)
    def checked(*values: Any, **named: Any) -> Any:
        try:
            return function(*values, **named)
        except TypeError:
            problem = unknown_argument(function, named, word) or _wrong_count(function, values, named)
            if problem is None:
                raise
        raise InputError(problem)

    if not isinstance(target, type):
        return checked  # type: ignore[return-value]
    setattr(target, "__init__", checked)  # noqa: B010 (a type checker would object to the plain assignment)
    return target


def unknown_argument(function: Any, named: Iterable[str], word: str = "argument") -> str | None:
    """A sentence about the first name that is no argument of a function, None if all are."""
    parameters = inspect.signature(function).parameters.values()
    known = [p.name for p in parameters if p.name != "self" and p.kind is not p.VAR_KEYWORD]
    for name in named:
        if name not in known:
            return f"{_title(function)} has no {word} {name!r}.{did_you_mean(name, known)}"
    return None


def _wrong_count(function: Any, values: Any, named: Any) -> str | None:
    signature = inspect.signature(function)
    try:
        given = signature.bind_partial(*values, **named).arguments
    except TypeError as error:
        return f"{_title(function)}: {error}; give them by name"
    missing = [p.name for p in signature.parameters.values() if p.default is p.empty and p.name not in given]
    return f"{_title(function)} needs {', '.join(missing)}" if missing else None


def _title(function: Any) -> str:
    return str(function.__qualname__).removesuffix(".__init__")
