"""Hybrid automata (paper 004, Definition 3): finite ones whose locations hold motion, and whose events ask
where it has come to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tetherlab.contracts import check
from tetherlab.contracts.check import did_you_mean
from tetherlab.contracts.errors import InputError
from tetherlab.planning.automata.event import Event, Location, Predicate, Term, Values
from tetherlab.planning.automata.expression import Expression
from tetherlab.planning.automata.finite import FiniteAutomaton
from tetherlab.planning.automata.hybrid_run import HybridRun, follow


@check.known_arguments
class HybridAutomaton(FiniteAutomaton):
    """Variables (X) with their first values, inputs (W), and for each location an invariant and an activity.

    An activity gives the rate of each variable that moves there; an invariant must hold as long as the run
    stays. Guards, resets, invariants and rates are expressions of the names of variables and inputs, or
    functions that take their values by name. Several invariants in a tuple must all hold.
    """

    def __init__(
        self,
        *,
        locations: Iterable[Location],
        events: Iterable[Event],
        initial: Location | Iterable[Location],
        final: Location | Iterable[Location] = (),
        labels: Iterable[str],
        variables: Mapping[str, float],
        inputs: Mapping[str, float] | None = None,
        invariants: Mapping[Location, Predicate | tuple[Predicate, ...]] | None = None,
        activities: Mapping[Location, Mapping[str, Term]] | None = None,
        name: str = "",
    ) -> None:
        self.variables = {key: check.number(f"variable {key}", value) for key, value in variables.items()}
        self.inputs = {key: check.number(f"input {key}", value) for key, value in (inputs or {}).items()}
        self.invariants, self.activities = dict(invariants or {}), dict(activities or {})
        self._read: dict[Any, Callable[[Values], Any]] = {}
        super().__init__(
            locations=locations, events=events, initial=initial, final=final, labels=labels, name=name
        )
        self._check_motion()

    def inside(self, location: Location, values: Values) -> bool:
        """Whether the invariant holds."""
        invariant = self.invariants.get(location, ())
        parts = invariant if isinstance(invariant, tuple) else (invariant,)
        return all(bool(self._function(part)(values)) for part in parts)

    def enabled(self, location: Location, values: Values) -> list[Event]:
        """Events that can fire there now: somebody owns the label, guard and the invariant beyond hold."""
        return [
            event
            for event in self.events_from(location)
            if (event.guard is None or bool(self._function(event.guard)(values)))
            and self.inside(event.target, {**values, **self.jump(event, values)})
        ]

    def jump(self, event: Event, values: Values) -> dict[str, float]:
        """Variables after an event."""
        resets = event.reset or {}
        kept = {name: values[name] for name in self.variables}
        return kept | {name: float(self._function(term)(values)) for name, term in resets.items()}

    def rates(self, location: Location, values: Values) -> dict[str, float]:
        """Of all variables there; one that the activity does not name stands still."""
        activity = self.activities.get(location, {})
        return {
            name: float(self._function(activity[name])(values)) if name in activity else 0.0
            for name in self.variables
        }

    def run(
        self,
        duration: float,
        *,
        location: Location | None = None,
        values: Mapping[str, float] | None = None,
        labels: Sequence[str] | None = None,
    ) -> HybridRun:
        """Let it evolve for a time [s]. An event fires when its location's invariant ends.

        labels: take turns by these instead: each fires as soon as its guard holds, and nothing else does.
        """
        first = location if location is not None else self._only_initial()
        self._known(first, "location")
        given = dict(values or {})
        for name in given:
            self._known_name(name, "values")
        return follow(self, check.positive("duration", duration), first, given, labels)

    def _only_initial(self) -> Location:
        if len(self.initial) != 1:
            raise InputError(
                f"{self._who}run: say at which location it starts, there are {len(self.initial)}"
            )
        return next(iter(self.initial))

    def _function(self, part: Any) -> Callable[[Values], Any]:
        """Of an expression, a number or a function."""
        if callable(part):
            return part
        if part not in self._read:
            expression = Expression(part if isinstance(part, str) else repr(float(part)))
            for name in expression.names:
                self._known_name(name, repr(part))
            self._read[part] = expression
        return self._read[part]

    def _known_name(self, name: str, where: str) -> None:
        known = [*self.variables, *self.inputs]
        if name not in known:
            raise InputError(f"{self._who}{where}: no variable or input {name!r}.{did_you_mean(name, known)}")

    def _check_event(self, event: Event) -> None:
        if event.guard is not None:
            self._function(event.guard)
        for name, term in (event.reset or {}).items():
            if name not in self.variables:
                hint = did_you_mean(name, self.variables)
                raise InputError(f"{self._who}event {event}: reset of {name!r}, which is no variable.{hint}")
            self._function(term)

    def _told_apart(self, events: Sequence[Event]) -> bool:
        return all(event.guard is not None for event in events)

    def _check_motion(self) -> None:
        both = set(self.variables) & set(self.inputs)
        if both:
            raise InputError(f"{self._who}{min(both)!r} is both a variable and an input")
        for location, invariant in self.invariants.items():
            self._known(location, "invariants")
            for part in invariant if isinstance(invariant, tuple) else (invariant,):
                self._function(part)
        for location, activity in self.activities.items():
            self._known(location, "activities")
            for name, term in activity.items():
                if name not in self.variables:
                    hint = did_you_mean(name, self.variables)
                    raise InputError(f"{self._who}activity of {location!r}: {name!r} is no variable.{hint}")
                self._function(term)
