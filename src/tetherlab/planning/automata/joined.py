"""The join: a team as one automaton, with as many locations as its members have together, not their product.

Paper 004, Definitions 2 and 4. Members take turns, so that one location is enough for the whole team.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tetherlab.contracts.errors import InputError
from tetherlab.planning.automata.finite import FiniteAutomaton
from tetherlab.planning.automata.hybrid import HybridAutomaton


def join(*automata: FiniteAutomaton) -> Any:
    """All locations, events and labels of the automata; hybrid if one of them is.

    A dormant event of a member wakes up if another owns its label, or comes to where it starts.
    """
    if not automata:
        raise InputError("join: wants at least one automaton")
    for member in automata:
        if not isinstance(member, FiniteAutomaton):
            raise InputError(f"join: wants automata, got {member!r}")
    parts: dict[str, Any] = {
        "locations": frozenset().union(*(member.locations for member in automata)),
        "events": [event for member in automata for event in member.events],
        "initial": frozenset().union(*(member.initial for member in automata)),
        "final": frozenset().union(*(member.final for member in automata)),
        "labels": frozenset().union(*(member.labels for member in automata)),
        "name": " + ".join(dict.fromkeys(member.name for member in automata if member.name)),
    }
    hybrids = [member for member in automata if isinstance(member, HybridAutomaton)]
    if not hybrids:
        return FiniteAutomaton(**parts)
    for field in ("variables", "inputs", "invariants", "activities"):
        parts[field] = _united(field, [(member.name, getattr(member, field)) for member in hybrids])
    return HybridAutomaton(**parts)


def _united(field: str, parts: list[tuple[str, Mapping[Any, Any]]]) -> dict[Any, Any]:
    """Entries of all; where two speak of the same, they must say the same, or of other variables."""
    found: dict[Any, Any] = {}
    for name, part in parts:
        for key, value in part.items():
            if key not in found:
                found[key] = value
            elif field == "invariants":
                # Both must hold.
                known = found[key] if isinstance(found[key], tuple) else (found[key],)
                more = value if isinstance(value, tuple) else (value,)
                found[key] = tuple(dict.fromkeys((*known, *more)))
            elif field == "activities":
                found[key] = _united(f"activity of {key!r}", [("", found[key]), (name, value)])
            elif found[key] != value:
                raise InputError(
                    f"join: {field}: {key!r} is {found[key]!r} in one automaton and {value!r} in another"
                    + (f" ({name})" if name else "")
                )
    return found
