"""Automata from YAML. Files are data: conditions and rates are expressions, never code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tetherlab.contracts.check import did_you_mean
from tetherlab.contracts.documents import read_yaml
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import naming
from tetherlab.planning.automata.event import Event
from tetherlab.planning.automata.finite import FiniteAutomaton
from tetherlab.planning.automata.hybrid import HybridAutomaton

KEYS = ("name", "locations", "events", "initial", "final", "labels")
HYBRID_KEYS = ("variables", "inputs")
LOCATION_KEYS = ("invariant", "activity")
EVENT_KEYS = ("from", "label", "to", "guard", "reset")


def load_automaton(path: str | Path) -> FiniteAutomaton:
    """A hybrid one if the file has variables."""
    given = read_yaml(path)
    with naming(path):
        return automaton_from(given)


def automaton_from(given: Any) -> FiniteAutomaton:
    """From what a YAML file says."""
    _mapping(
        "an automaton", given, (*KEYS, *HYBRID_KEYS), needed=("locations", "events", "initial", "labels")
    )
    places = given["locations"]
    if not isinstance(places, (list, dict)):
        raise InputError(
            f"locations must be a list, or a mapping from each to what it is like, got {places!r}"
        )
    if not isinstance(given["events"], list):
        raise InputError(f"events must be a list, got {given['events']!r}")
    parts: dict[str, Any] = {
        "name": str(given.get("name", "")),
        "locations": list(places),
        "events": [_event(index, event) for index, event in enumerate(given["events"])],
        "initial": given["initial"],
        "final": given.get("final", []),
        "labels": given["labels"],
    }
    described = {
        name: _mapping(f"locations.{name}", about or {}, LOCATION_KEYS)
        for name, about in (places if isinstance(places, dict) else {}).items()
    }
    if "variables" not in given:
        for name, about in described.items():
            if about:
                raise InputError(f"{name!r} has an invariant or an activity, but there are no variables")
        return FiniteAutomaton(**parts)
    return HybridAutomaton(
        **parts,
        variables=_mapping("variables", given["variables"]),
        inputs=_mapping("inputs", given.get("inputs", {})),
        invariants={
            name: _conditions(about["invariant"]) for name, about in described.items() if "invariant" in about
        },
        activities={
            name: _mapping(f"locations.{name}.activity", about["activity"])
            for name, about in described.items()
            if "activity" in about
        },
    )


def _event(index: int, given: Any) -> Event:
    where = f"events[{index}]"
    _mapping(where, given, EVENT_KEYS, needed=("from", "to"))
    return Event(given["from"], given.get("label"), given["to"], given.get("guard"), given.get("reset"))


def _conditions(given: Any) -> Any:
    """One, or several that must all hold."""
    return tuple(given) if isinstance(given, list) else given


def _mapping(
    where: str, given: Any, keys: tuple[str, ...] = (), needed: tuple[str, ...] = ()
) -> dict[Any, Any]:
    if not isinstance(given, dict):
        raise InputError(f"{where} must be a mapping, got {given!r}")
    for key in given:
        if keys and key not in keys:
            raise InputError(
                f"{where}: no key {key!r}, there are {', '.join(keys)}.{did_you_mean(str(key), keys)}"
            )
    for key in needed:
        if key not in given:
            raise InputError(f"{where}: {key!r} is missing")
    return given
