"""Finite and hybrid automata of robots, and the join by which a team can do what none of its members can."""

from tetherlab.planning.automata.event import Event, Location
from tetherlab.planning.automata.file import load_automaton
from tetherlab.planning.automata.finite import FiniteAutomaton
from tetherlab.planning.automata.hybrid import HybridAutomaton
from tetherlab.planning.automata.hybrid_run import HybridRun
from tetherlab.planning.automata.joined import join

__all__ = [
    "Event",
    "FiniteAutomaton",
    "HybridAutomaton",
    "HybridRun",
    "Location",
    "join",
    "load_automaton",
]
