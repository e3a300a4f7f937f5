"""A run of a hybrid automaton: motion within locations, and jumps from one to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import DOP853

from tetherlab.contracts.check import did_you_mean
from tetherlab.contracts.errors import InputError
from tetherlab.planning.automata.event import Event, Location, Values

if TYPE_CHECKING:
    from tetherlab.planning.automata.hybrid import HybridAutomaton

Vector = NDArray[np.float64]
TOLERANCE = 1e-9  # of the integration, relative
STEPS_MAX = 0.01  # longest step, share of the duration: a guard that holds for less may be missed
HALVINGS = 50  # by which the moment is found at which a condition changes
JUMPS_MAX = 100  # without any time between them


@dataclass
class HybridRun:
    """What happened: samples of the variables, and the events that fired."""

    names: tuple[str, ...]  # of the variables
    time: list[float] = field(default_factory=list)  # [s]
    location: list[Location] = field(default_factory=list)  # of each sample
    values: list[Vector] = field(default_factory=list)  # of each sample
    events: list[tuple[float, Event]] = field(default_factory=list)  # when, which
    ending: str = ""  # why it stopped, a sentence

    def __getitem__(self, name: str) -> Vector:
        """All samples of a variable."""
        if name not in self.names:
            raise InputError(f"no variable {name!r}.{did_you_mean(name, self.names)}")
        return np.array(self.values).reshape(-1, len(self.names))[:, self.names.index(name)]

    @property
    def word(self) -> tuple[str, ...]:
        """Labels in the order in which they fired."""
        return tuple(event.label for _, event in self.events if event.label is not None)

    def add(self, time: float, location: Location, values: Vector) -> None:
        """One sample."""
        self.time.append(time)
        self.location.append(location)
        self.values.append(np.array(values))


def follow(
    automaton: HybridAutomaton,
    duration: float,
    location: Location,
    given: Mapping[str, float],
    labels: Sequence[str] | None,
) -> HybridRun:
    """Until the time is over, the labels are used up, or it is stuck."""
    names = tuple(automaton.variables)
    inputs = {**automaton.inputs, **{k: float(v) for k, v in given.items() if k in automaton.inputs}}
    x = np.array([float(given.get(name, automaton.variables[name])) for name in names])
    run, time, todo, jumps = HybridRun(names), 0.0, None if labels is None else list(labels), 0

    def named(x: Vector) -> Values:
        return {**inputs, **dict(zip(names, x.tolist(), strict=True))}

    if not automaton.inside(location, named(x)):
        run.ending = f"the run starts outside of the invariant of {location!r}"
        return run
    run.add(time, location, x)
    while time < duration and todo != []:
        before = time
        time, x = _stay(automaton, run, location, time, duration, x, named, None if todo is None else todo[0])
        event = _next_event(automaton, location, named(x), None if todo is None else todo[0])
        if event is None:
            run.ending = _why_stuck(automaton, location, time, duration, named(x), todo)
            return run
        jumps = 0 if time > before else jumps + 1
        if jumps > JUMPS_MAX:
            run.ending = f"it jumps for ever at {time:g} s, between locations like {location!r}"
            return run
        after = automaton.jump(event, named(x))
        x, location = np.array([after[name] for name in names]), event.target
        run.events.append((time, event))
        run.add(time, location, x)
        if todo is not None:
            todo.pop(0)
    run.ending = "all labels have fired" if todo == [] else "the time is over"
    return run


def _stay(
    automaton: HybridAutomaton,
    run: HybridRun,
    location: Location,
    time: float,
    duration: float,
    x: Vector,
    named: Callable[[Vector], Values],
    label: str | None,
) -> tuple[float, Vector]:
    """Move within a location until its invariant ends, or the label's guard holds; then and there."""

    def goes_on(x: Vector) -> bool:
        values = named(x)
        return automaton.inside(location, values) and (
            label is None or _next_event(automaton, location, values, label) is None
        )

    def rate(t: float, x: Vector) -> Vector:
        return np.array(list(automaton.rates(location, named(x)).values()))

    if not goes_on(x):
        return time, x
    solver: Any = DOP853(
        rate, time, x, duration, rtol=TOLERANCE, atol=TOLERANCE, max_step=STEPS_MAX * duration
    )
    while solver.status == "running":
        solver.step()
        if not goes_on(solver.y):
            return _moment(solver, goes_on)
        run.add(float(solver.t), location, solver.y)
    return float(solver.t), np.array(solver.y)


def _moment(solver: Any, goes_on: Callable[[Vector], bool]) -> tuple[float, Vector]:
    """The first moment, in the last step, at which it does not go on."""
    between, early, late = solver.dense_output(), solver.t_old, solver.t
    for _ in range(HALVINGS):
        middle = 0.5 * (early + late)
        if goes_on(between(middle)):
            early = middle
        else:
            late = middle
    return float(late), np.array(between(late))


def _next_event(
    automaton: HybridAutomaton, location: Location, values: Values, label: str | None
) -> Event | None:
    """The first that can fire, of this label if one is given."""
    found = [e for e in automaton.enabled(location, values) if label is None or e.label == label]
    inside = automaton.inside(location, values)
    return found[0] if found and (label is not None or not inside) else None


def _why_stuck(
    automaton: HybridAutomaton,
    location: Location,
    time: float,
    duration: float,
    values: Values,
    todo: Sequence[str] | None,
) -> str:
    if time >= duration and automaton.inside(location, values):
        return "the time is over" if todo is None else f"the time is over before {todo[0]!r} could fire"
    where = ", ".join(f"{name} = {value:.6g}" for name, value in values.items())
    return f"the invariant of {location!r} ends at {time:g} s ({where}), and no event can fire"
