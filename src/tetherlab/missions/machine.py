"""A mission as a table: what is done in each state, and where each way out of it leads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tetherlab.contracts.autonomy import Commander, Readings, Task, TaskStatus
from tetherlab.contracts.check import did_you_mean
from tetherlab.contracts.errors import InputError


@dataclass(frozen=True, kw_only=True)
class State:
    """A task with its two ways out; each leads to another state or to an end."""

    task: Task
    done: str
    failed: str

    @property
    def name(self) -> str:
        """That of its task."""
        return self.task.name


@dataclass(frozen=True, kw_only=True)
class Guard:
    """What may break off a task: it looks all the time, and leads elsewhere when something lasts."""

    name: str
    watch: Callable[[Readings], str]  # what is wrong, or nothing
    target: str  # a state or an end
    states: tuple[str, ...]  # in which it looks
    lasting: float = 0.0  # before it believes what it sees [s]


class Change(NamedTuple):
    """A line of the log."""

    time: float  # [s]
    source: str
    cause: str  # done, failed, or the name of a guard
    target: str
    details: str


class StateMachine:
    """States from a start to an end. Of guards that see something, the first in the list decides."""

    def __init__(
        self, states: Sequence[State], guards: Sequence[Guard], *, start: str, ends: Mapping[str, bool]
    ) -> None:
        """ends: by name, whether what was to be done is done there."""
        self.states = {state.name: state for state in states}
        self.guards = tuple(guards)
        self.start, self.ends = start, dict(ends)
        _check(states, self)
        self.restart()

    def restart(self) -> None:
        """Go back to the start; the log begins anew."""
        self.state = self.start
        self.log: list[Change] = []
        self._begun = False
        self._seen: dict[str, float] = {}  # since when a guard sees something [s]

    @property
    def done(self) -> bool:
        """Whether an end is reached."""
        return self.state in self.ends

    def step(self, readings: Readings, commander: Commander) -> Change | None:
        """Look, command; the change of state, if there was one."""
        if self.done:
            return None
        state = self.states[self.state]
        if not self._begun:
            state.task.begin(readings)
            self._begun = True
        for guard in self.guards:
            what = self._broken(guard, readings)
            if what:
                return self._go(readings.time, guard.name, guard.target, what)
        status = state.task.step(readings, commander)
        if status is TaskStatus.GOING_ON:
            return None
        if status is TaskStatus.DONE:
            return self._go(readings.time, "done", state.done, state.task.details)
        return self._go(readings.time, "failed", state.failed, state.task.details)

    def _broken(self, guard: Guard, readings: Readings) -> str:
        """What a guard sees, once it has lasted."""
        what = guard.watch(readings) if self.state in guard.states else ""
        if not what:
            self._seen.pop(guard.name, None)
            return ""
        since = self._seen.setdefault(guard.name, readings.time)
        return what if readings.time - since >= guard.lasting - 1e-9 else ""

    def _go(self, time: float, cause: str, target: str, details: str) -> Change:
        change = Change(time, self.state, cause, target, details)
        self.log.append(change)
        self.state, self._begun = target, False
        self._seen.clear()
        return change

    def rows(self) -> list[tuple[str, str, str]]:
        """The table: state, cause, and where that leads."""
        rows: list[tuple[str, str, str]] = []
        for name, state in self.states.items():
            rows += [(name, "done", state.done), (name, "failed", state.failed)]
            rows += [(name, guard.name, guard.target) for guard in self.guards if name in guard.states]
        return rows

    def table(self) -> str:
        """The same as text."""
        rows = [("state", "cause", "next"), *self.rows()]
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        lines = [
            "  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)) for row in rows
        ]
        return "\n".join(line.rstrip() for line in lines)


def _check(states: Sequence[State], machine: StateMachine) -> None:
    """A table in which every way leads somewhere, and an end can be reached from everywhere."""
    if len(machine.states) != len(states):
        raise InputError(f"two states have the same name: {', '.join(state.name for state in states)}")
    known = [*machine.states, *machine.ends]
    if machine.start not in machine.states:
        raise InputError(f"start: no state {machine.start!r}.{did_you_mean(machine.start, known)}")
    for guard in machine.guards:
        for name in guard.states:
            if name not in machine.states:
                raise InputError(f"guard {guard.name}: no state {name!r}.{did_you_mean(name, known)}")
    for source, cause, target in machine.rows():
        if target not in known:
            raise InputError(f"{source}, {cause}: no state {target!r}.{did_you_mean(target, known)}")
    safe = set(machine.ends)
    while True:
        more = {source for source, _, target in machine.rows() if target in safe} - safe
        if not more:
            break
        safe |= more
    stuck = [name for name in machine.states if name not in safe]
    if stuck:
        raise InputError(f"no end can be reached from: {', '.join(stuck)}")
