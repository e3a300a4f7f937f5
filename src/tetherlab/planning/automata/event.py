"""A transition of an automaton: from a location, by a label, to another."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

Location = Hashable  # a number or a word
Values = Mapping[str, float]  # of variables and inputs, by name
Predicate = str | Callable[[Values], bool]  # an expression, or a function of the values
Term = str | float | Callable[[Values], float]


@dataclass(frozen=True)
class Event:
    """A label that the automaton does not own is borrowed: it fires only in a team with an owner.

    An event without a label (None) is a decision to stop there; it needs no owner. Guard and reset are those
    of hybrid automata: without a guard it may fire anywhere, without a reset nothing jumps.
    """

    source: Location
    label: str | None
    target: Location
    guard: Predicate | None = None
    reset: Mapping[str, Term] | None = None  # new values by variable; the others stay

    def __hash__(self) -> int:
        return hash((self.source, self.label, self.target))

    def __str__(self) -> str:
        return f"({self.source}, {self.label or '-'}, {self.target})"


def order(location: Any) -> tuple[str, Any]:
    """Key by which locations are sorted: numbers by size, words by the alphabet."""
    return ("", location) if isinstance(location, (int, float)) else ("word", str(location))
