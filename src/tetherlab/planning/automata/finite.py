"""Finite automata (paper 004, Definition 1) that know which labels are theirs."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from tetherlab.contracts.check import did_you_mean, known_arguments
from tetherlab.contracts.errors import InputError
from tetherlab.planning.automata.event import Event, Location, order


@known_arguments
class FiniteAutomaton:
    """Locations, events between them, and the labels by which its own robot can fire events.

    The paper gives all members of a team one common set of labels. Which robot can do what is then lost, and
    a team reaches places that need a robot which is not there. So `labels` are those that this robot owns;
    events may borrow others, and are dormant until a team has an owner.
    """

    def __init__(
        self,
        *,
        locations: Iterable[Location],
        events: Iterable[Event],
        initial: Location | Iterable[Location],
        final: Location | Iterable[Location] = (),
        labels: Iterable[str],
        name: str = "",
    ) -> None:
        self.name = name
        self.locations = frozenset(_many("locations", locations))
        if not self.locations:
            raise InputError(f"{self._who}locations: an automaton needs at least one")
        self.labels = frozenset(_many("labels", labels))
        self.events = tuple(dict.fromkeys(_many("events", events)))
        self.initial = self._subset("initial", initial)
        self.final = self._subset("final", final)
        self._check()

    def reachable(self) -> set[Location]:
        """Locations that a run can come to from an initial one, by events that somebody here can fire."""
        return set(self._reached)

    def dormant_events(self) -> list[Event]:
        """Events that never fire: their label has no owner here, or no run comes to where they start."""
        return [e for e in self.events if not self.can_fire(e) or e.source not in self._reached]

    def accepts(self, labels: str | Iterable[str]) -> bool:
        """Whether a run by these labels may end in a final location. A text is read as `word_of` reads it."""
        here = self._settled(self.initial)
        for label in word_of(labels, self.labels):
            if label not in self.labels:
                return False
            here = self._settled(event.target for place in here for event in self._by.get((place, label), ()))
        return bool(here & self.final)

    def runs(self, labels: str | Iterable[str]) -> list[list[Location]]:
        """All ways through the locations that these labels lead, with decisions to stop in between."""
        ways: list[list[Location]] = [[place] for place in sorted(self.initial, key=order)]
        ways = self._stopped(ways)
        for label in word_of(labels, self.labels):
            owned = label in self.labels
            ways = [[*way, e.target] for way in ways for e in self._by.get((way[-1], label), ()) if owned]
            ways = self._stopped(ways)
        return ways

    def words(self, length_max: int) -> Iterator[tuple[str, ...]]:
        """Accepted words of at most so many labels, the shortest first."""
        queue: deque[tuple[tuple[str, ...], frozenset[Location]]] = deque([((), self._settled(self.initial))])
        while queue:
            word, here = queue.popleft()
            if here & self.final:
                yield word
            if len(word) == length_max:
                continue
            for label in sorted(self.labels):
                there = self._settled(e.target for place in here for e in self._by.get((place, label), ()))
                if there:
                    queue.append(((*word, label), there))

    def can_fire(self, event: Event) -> bool:
        """Whether somebody here owns its label; a decision to stop is everybody's."""
        return event.label is None or event.label in self.labels

    def events_from(self, location: Location) -> list[Event]:
        """Those that start there and can fire."""
        return [e for e in self.events if e.source == location and self.can_fire(e)]

    def table(self) -> str:
        """All events as text, one in a line; those that are dormant are marked."""
        dormant = set(self.dormant_events())
        rows = [("from", "label", "to", ""), *(
            (str(e.source), e.label or "-", str(e.target), "dormant" if e in dormant else "")
            for e in self.events
        )]  # fmt: skip
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        lines = ("  ".join(word.ljust(w) for word, w in zip(row, widths, strict=True)) for row in rows)
        return "\n".join(line.rstrip() for line in lines)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.name or 'unnamed'}: {len(self.locations)} locations, "
            f"{len(self.events)} events, labels {', '.join(sorted(self.labels)) or 'none'})"
        )

    @cached_property
    def _reached(self) -> frozenset[Location]:
        found, todo = set(self.initial), list(self.initial)
        while todo:
            for event in self.events_from(todo.pop()):
                if event.target not in found:
                    found.add(event.target)
                    todo.append(event.target)
        return frozenset(found)

    @cached_property
    def _by(self) -> Mapping[tuple[Location, str | None], list[Event]]:
        table: dict[tuple[Location, str | None], list[Event]] = {}
        for event in self.events:
            table.setdefault((event.source, event.label), []).append(event)
        return table

    def _settled(self, places: Iterable[Location]) -> frozenset[Location]:
        """With all that decisions to stop lead to."""
        found = set(places)
        todo = list(found)
        while todo:
            for event in self._by.get((todo.pop(), None), ()):
                if event.target not in found:
                    found.add(event.target)
                    todo.append(event.target)
        return frozenset(found)

    def _stopped(self, ways: Sequence[list[Location]]) -> list[list[Location]]:
        """The ways, and each that goes on by decisions to stop, without going in circles."""
        found, todo = list(ways), list(ways)
        while todo:
            way = todo.pop()
            for event in self._by.get((way[-1], None), ()):
                if event.target not in way:
                    found.append([*way, event.target])
                    todo.append(found[-1])
        return found

    def _subset(self, name: str, given: Any) -> frozenset[Location]:
        single = isinstance(given, Hashable) and given in self.locations
        found = frozenset([given] if single else _many(name, given))
        for location in found:
            self._known(location, name)
        return found

    def _known(self, location: Location, where: str) -> None:
        if location not in self.locations:
            hint = did_you_mean(str(location), map(str, self.locations))
            raise InputError(f"{self._who}{where}: no location {location!r}.{hint}")

    def _check(self) -> None:
        """Whether events are between locations, and a label leads to one place."""
        for event in self.events:
            if not isinstance(event, Event):
                raise InputError(f"{self._who}events: wants Event(source, label, target), got {event!r}")
            self._known(event.source, f"event {event}")
            self._known(event.target, f"event {event}")
            self._check_event(event)
        for (source, label), events in self._by.items():
            if label is not None and len({e.target for e in events}) > 1 and not self._told_apart(events):
                both = " and ".join(str(event) for event in events)
                raise InputError(
                    f"{self._who}label {label!r} leads from {source!r} to more than one location: {both}"
                )

    def _check_event(self, event: Event) -> None:
        if event.guard is not None or event.reset is not None:
            raise InputError(
                f"{self._who}event {event} has a guard or a reset: those are for a HybridAutomaton"
            )

    def _told_apart(self, events: Sequence[Event]) -> bool:
        """Whether something else than the label decides between them."""
        return False

    @property
    def _who(self) -> str:
        return f"{self.name}: " if self.name else ""


def word_of(labels: str | Iterable[str], known: Iterable[str]) -> list[str]:
    """Labels one by one: of a text those between spaces, or, without any, a known label or its letters.

    A letter keeps the primes that follow it: "δβdγ'f'f'" has six labels.
    """
    if not isinstance(labels, str):
        return list(labels)
    if " " in labels:
        return labels.split()
    if labels in set(known):
        return [labels]
    word: list[str] = []
    for letter in labels:
        if letter in "'′" and word:
            word[-1] += letter
        else:
            word.append(letter)
    return word


def _many(name: str, given: Any) -> list[Any]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"{name} must be a collection, got {given!r}")
    return list(given)
