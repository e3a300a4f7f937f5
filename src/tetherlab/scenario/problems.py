"""What is wrong with a scenario, said so that its author can mend it: where, what, what is allowed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from tetherlab.contracts.check import did_you_mean, shown
from tetherlab.contracts.errors import InputError, SimulationError

PROBLEMS_MAX = 50  # of a section that are said
KeyPath = tuple[str | int, ...]  # of keys and positions from the top of a document


def sentence(item: Any) -> str:
    """One of pydantic's problems in the words of this project."""
    kind, value, context = item["type"], item["input"], item.get("ctx", {})
    if kind == "problem":  # said already
        return str(item["msg"])
    if kind == "value_error":
        return str(context["error"])
    if kind == "missing":
        return "missing"
    if kind in SENTENCES:
        return f"{SENTENCES[kind](context)}, got {shown(value)}"
    if kind == "too_long":
        return f"must have at most {context['max_length']}, got {len(value)}"
    if kind == "too_short":
        return f"must have at least {context['min_length']}, got {len(value)}"
    return f"{item['msg'][:1].lower()}{item['msg'][1:]}, got {shown(value)}"


SENTENCES: dict[str, Callable[[Any], str]] = {
    "float_type": lambda _: "must be a number",
    "int_type": lambda _: "must be a whole number",
    "bool_type": lambda _: "must be true or false",
    "string_type": lambda _: "must be text",
    "tuple_type": lambda _: "must be a list",
    "list_type": lambda _: "must be a list",
    "model_type": lambda _: "must be a mapping",
    "model_attributes_type": lambda _: "must be a mapping",
    "dict_type": lambda _: "must be a mapping",
    "finite_number": lambda _: "must be finite",
    "greater_than": lambda context: f"must be > {context['gt']:g}",
    "greater_than_equal": lambda context: f"must be >= {context['ge']:g}",
    "less_than": lambda context: f"must be < {context['lt']:g}",
    "less_than_equal": lambda context: f"must be <= {context['le']:g}",
    "literal_error": lambda context: f"must be {context['expected']}",
}


def worth_saying(items: Sequence[Any]) -> list[Any]:
    """Without problems that only follow from others.

    Something of the wrong type has all its keys wrong, and a list is not too short because its items are bad.
    """
    wrong_type = [item for item in items if item["loc"] == ("type",) and item["type"] == "literal_error"]
    return (
        wrong_type[:PROBLEMS_MAX]
        or [
            item
            for item in items
            if not (item["type"] == "too_short" and len(item["input"]) >= item["ctx"]["min_length"])
        ][:PROBLEMS_MAX]
    )


def refuse(problems: Iterable[tuple[KeyPath, str]]) -> NoReturn:
    """Raise these problems; pydantic puts the keys of the sections around in front of each place."""
    details = [
        InitErrorDetails(type=PydanticCustomError("problem", text), loc=loc, input=None)
        for loc, text in problems
    ]
    raise ValidationError.from_exception_data("scenario", details)


@contextmanager
def starting() -> Iterator[None]:
    """The inside builds a run; a start that cannot be computed is a matter of the scenario's values."""
    try:
        yield
    except SimulationError as error:
        why = str(error).split(". ")[0]
        raise InputError(f"the run cannot start from the values of this scenario: {why}") from None


def written(path: KeyPath) -> str:
    """A path as people write it: `mission.targets[3].uav_m`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def unknown_name(what: str, name: str, known: Iterable[str]) -> str:
    """A sentence about a name that nothing has."""
    return f"no {what} is called {shown(name)}.{did_you_mean(name, known)}"
