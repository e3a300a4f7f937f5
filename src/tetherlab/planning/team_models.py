"""Automata of robots by what they can do, and those of paper 004, Figures 5 and 8."""

from __future__ import annotations

from collections.abc import Sequence

from tetherlab.planning.abilities import abilities
from tetherlab.planning.automata.event import Event
from tetherlab.planning.automata.finite import FiniteAutomaton
from tetherlab.planning.problem import Agent

END = "κ"  # the label by which a team says that it is done; everybody owns it
START, DONE = "start", "done"


def assemble(agents: Sequence[Agent]) -> list[FiniteAutomaton]:
    """One automaton for each agent. A label that several own is told apart by the agent's name.

    A location says who did what last. What may follow is decided by guards alone, so that any label may
    follow any other.
    """
    owners: dict[str, list[str]] = {}
    for agent in agents:
        for label in abilities(agent):
            owners.setdefault(label, []).append(agent.name)
    named = {
        agent.name: [
            label if len(owners[label]) == 1 else f"{label}:{agent.name}" for label in abilities(agent)
        ]
        for agent in agents
    }
    everything = [label for labels in named.values() for label in labels]
    return [_member(agent.name, named[agent.name], everything) for agent in agents]


def _member(name: str, own: Sequence[str], everything: Sequence[str]) -> FiniteAutomaton:
    """Its own locations, and every way into them."""
    sources = [START, *everything]
    events = [Event(source, label, label) for source in sources for label in own]
    events += [Event(source, END, DONE) for source in (START, *own)]
    return FiniteAutomaton(
        name=name,
        locations=[START, DONE, *everything],
        events=events,
        initial=START,
        final=DONE,
        labels=[*own, END],
    )


def paper_uav() -> FiniteAutomaton:
    """Figure 5 A."""
    return FiniteAutomaton(
        name="UAV",
        locations=[1, 3, 4, 5, 8, 9],
        events=[
            Event(1, "δ", 9),
            Event(9, "β", 3),
            Event(3, "δ", 9),
            Event(4, "γ'", 5),
            Event(3, END, 8),
            Event(5, END, 8),
        ],
        initial=1,
        final=8,
        labels=["δ", "β", "γ'", END],
    )


def paper_ugv(*, with_arm: bool = False) -> FiniteAutomaton:
    """Figure 5 B. with_arm: as it is updated for Figure 8, where an arm may pick after a tethered drive."""
    events = [
        Event(1, "a", 2),
        Event(3, "a", 2),
        Event(3, "d", 4),
        Event(5, "r'", 6),
        Event(5, "f'", 7),
        Event(5, "a'", 10),
        Event(6, "a'", 10),
        Event(6, "f'", 7),
        Event(7, "a'", 10),
        Event(7, "r'", 6),
        Event(7, "f'", 7),
        Event(10, "f'", 7),
        Event(10, "r'", 6),
        *(Event(location, END, 8) for location in (2, 6, 7, 10)),
    ]
    more = [Event(10, "ζ", 11), Event(11, "η", 12)] if with_arm else []
    return FiniteAutomaton(
        name="UGV",
        locations=[1, 2, 3, 4, 5, 6, 7, 8, 10, *([11, 12] if with_arm else [])],
        events=[*events, *more],
        initial=1,
        final=8,
        labels=["a", "d", "a'", "r'", "f'", END],
    )


def paper_arm() -> FiniteAutomaton:
    """Figure 8 B."""
    return FiniteAutomaton(
        name="manipulator",
        locations=[8, 11, 12],
        events=[Event(11, "η", 12), Event(12, END, 8)],
        initial=(),
        final=8,
        labels=["ζ", "η", END],
    )
