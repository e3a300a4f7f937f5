"""How many supercells a problem has, and between how many pairs of them a step leads (paper 004)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tetherlab.planning.abilities import abilities
from tetherlab.planning.automata.event import Location
from tetherlab.planning.cells import Labels, Mask
from tetherlab.planning.plumb import grown_corner
from tetherlab.planning.problem import Agent, Point
from tetherlab.planning.solve import Transition, TransitionTable
from tetherlab.planning.team import Team
from tetherlab.planning.team_models import END, START

ON_GROUND = ("a", "d", "a'", "β")


class Activity(NamedTuple):
    """What a robot does; each has supercells of its own."""

    label: str
    agent: str
    hinge: Point | None = None  # that it hangs from


class Supercells:
    """Cells in which each activity can go on, and which of them hang together.

    Hinges are those that the team can come to, so that the table is walked through once.
    """

    def __init__(self, team: Team, table: TransitionTable) -> None:
        self.team, self.table = team, table
        self._steps = list(table.walk())
        reached = table.automaton.reachable()
        licensed = {_plain(e.label) for e in table.automaton.events if e.source in reached}
        self.parts: dict[Activity, Labels] = {  # supercell of each cell, -1: none
            activity: self._parts(activity) for activity in self._activities() if activity.label in licensed
        }

    def counts(self) -> dict[str, int]:
        """Of cells, supercells, those that a step leads to, pairs of these with a step between, and steps.

        The team's start and its goal are a supercell each, as in the paper.
        """
        pairs = self._pairs()
        return {
            "cells": len(self.team.cells),
            "supercells": 2 + sum(int(numbers.max(initial=-1)) + 1 for numbers in self.parts.values()),
            "entered": len({after for _, after in pairs}),
            "transitions": len(pairs),
            "steps": len(self._steps),
        }

    def _activities(self) -> Iterator[Activity]:
        hinges = dict.fromkeys(
            Activity(_plain(step.event.label), step.move.details["agent"], step.move.details["hinge"])
            for step in self._steps
            if step.move.details.get("hinge") is not None
        )
        for agent in self.team.problem.agents:
            for label in abilities(agent):
                if label in ("f'", "r'"):
                    yield from (each for each in hinges if (each.label, each.agent) == (label, agent.name))
                else:
                    yield Activity(label, agent.name)

    def _parts(self, activity: Activity) -> Labels:
        """Where it can go on."""
        cells, agent = self.team.cells, self.team.problem.agent(activity.agent)
        if activity.label in ON_GROUND:
            return self.team.supercells(agent)
        if activity.hinge is not None:
            hangs = cells.room(agent.radius) & cells.seeing(activity.hinge)
            return cells.supercells(
                hangs if activity.label == "f'" else hangs & self._along_face(agent, activity.hinge)
            )
        if agent.reach is None:
            return cells.supercells(cells.room(agent.radius))
        away = np.hypot(*(cells.centres - np.array(agent.start)).T)
        return cells.supercells(cells.room(0.0) & (away <= agent.reach))

    def _along_face(self, agent: Agent, corner: Point) -> Mask:
        """The column of cells in which it climbs to a corner."""
        cells, (x, z) = self.team.cells, grown_corner(self.team.world, corner, agent.radius)
        beside = np.abs(cells.centres[:, 0] - x) <= 0.5 * cells.size + 1e-9
        return beside & (cells.centres[:, 1] <= z + 0.5 * cells.size)

    def _pairs(self) -> set[tuple[object, object]]:
        """Supercell before and after each step."""
        start = {(location, self.table.start()) for location in self.table.automaton.initial}
        came: dict[tuple[Location, Any], set[object]] = {node: {START} for node in start}
        for step in self._steps:
            came.setdefault((step.event.target, step.move.state), set()).add(self._supercell(step))
        pairs: set[tuple[object, object]] = set()
        for step in self._steps:
            here = self._supercell(step)
            pairs |= {(before, here) for before in came[step.event.source, step.state]}
        ends = {event.source for event in self.table.automaton.events if event.label == END}
        for (location, state), before in came.items():
            if location in ends and self.table.finished(state):
                pairs |= {(each, END) for each in before}
        return pairs

    def _supercell(self, step: Transition) -> tuple[Activity, int]:
        """In which a step ends."""
        details = step.move.details
        activity = Activity(_plain(step.event.label), details["agent"], details["hinge"])
        numbers = self.parts[activity]
        inside = np.flatnonzero(numbers >= 0)
        if len(inside) == 0:
            return activity, 0  # finer than the cells
        away = np.abs(self.team.cells.centres[inside] - details["way"][-1]).max(axis=1)
        return activity, int(numbers[inside[np.argmin(away)]])


def _plain(label: str | None) -> str:
    """Without the agent's name that tells apart whose it is."""
    return "" if label is None else label.partition(":")[0]
