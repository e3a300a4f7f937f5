"""What each label does to a team of flying, driving, hoisted and reaching robots: guards and activities.

The labels are those of paper 004; `docs/theory/cooperative.md` has the guards with what was wrong in print.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from tetherlab.planning.cells import Cells
from tetherlab.planning.lifting import pull_over
from tetherlab.planning.navigation_function import harmonic
from tetherlab.planning.planar import PlanarWorld
from tetherlab.planning.plumb import along_ground, grown_corner, vertical_room
from tetherlab.planning.problem import Agent, Point, Problem
from tetherlab.planning.search import Move
from tetherlab.planning.team_state import (
    AIR,
    GROUND,
    PERCHED,
    PLACED,
    THERE,
    Link,
    TeamState,
    first_state,
    rounded,
)
from tetherlab.planning.ways import Rooms, length_of

Curve = NDArray[np.float64]
GRAVITY = 9.80665  # [m/s^2]
FLAT = math.radians(10.0)  # steepest ground that a flying robot lands on
LEDGE = 0.1  # by which a landing spot may be higher or lower than the robot beside it stands [m]
HOVER_MIN = 0.1  # above a landing spot [m]
NEAR = 1e-6  # of equal places [m]
TINY = 1e-6  # change of a navigation function that counts as none


class TeamMoves:
    """`Activities` of a problem. Each guard that does not hold leaves a sentence in `refused`."""

    def __init__(self, problem: Problem, world: PlanarWorld, cells: Cells) -> None:
        self.problem, self.world, self.cells = problem, world, cells
        self.rooms = Rooms(world)
        self.refused: dict[str, dict[str, None]] = {}  # by label: sentences
        self._ground: dict[str, NDArray[np.int64]] = {}  # supercells of drivable ground, by agent
        self._phi: dict[str, NDArray[np.float64]] = {}  # navigation functions, by agent
        self._do: dict[str, Callable[[int, TeamState], Iterable[Move]]] = {
            "δ": self._fly, "β": self._land, "γ'": self._perch, "a": self._drive, "d": self._latch,
            "a'": self._drive_tethered, "f'": self._swing, "r'": self._climb,
            "u": self._release, "ζ": self._pick, "η": self._place,
        }  # fmt: skip
        self._names = {agent.name: index for index, agent in enumerate(problem.agents)}

    def start(self) -> TeamState:
        """As the problem says."""
        return first_state(self.problem)

    def moves(self, label: str, state: TeamState) -> Iterator[Move]:
        """Of `label`, or `label:agent`, by each agent that has the ability."""
        kind, _, name = label.partition(":")
        for index, agent in enumerate(self.problem.agents):
            on_turn = state.due is None or state.due == (kind, index)
            if on_turn and (not name or agent.name == name) and kind in abilities(agent):
                yield from self._do[kind](index, state._replace(due=None))

    def finished(self, state: TeamState) -> bool:
        """Everybody is where it shall be, and so is the object."""
        near = self.problem.tolerance + NEAR
        there = all(
            math.dist(state.places[self._names[name]], at) <= near for name, at in self.problem.goal.items()
        )
        return there and (self.problem.object_at is None or state.cargo == PLACED)

    def at_least(self, state: TeamState) -> float:
        """Straight ways to all goals, less what a goal may be missed by, and what the object still needs."""
        left = 0.0
        if self.problem.costs.kind != "metric":
            return left  # a cost that is no metric has no such bound
        for name, at in self.problem.goal.items():
            index = self._names[name]
            away = math.dist(state.places[index], at) - self.problem.tolerance
            rate = self.problem.costs.flight_per_metre if self.problem.agents[index].fly else 1.0
            left += max(rate * away, 0.0)
        left += self._actions_left(state)
        if self.problem.object_at is not None and state.cargo != PLACED:
            left += self.problem.costs.action * (2.0 if state.cargo == THERE else 1.0)
        return left

    def _actions_left(self, state: TeamState) -> float:
        """What the actions cost that nobody is spared who must be lifted: to land, hook, perch, and hoist."""
        flights = hooks = hoists = waiting = 0
        for name, at in self.problem.goal.items():
            index = self._names[name]
            agent, here, link = self.problem.agents[index], state.places[index], state.links[index]
            if agent.fly or agent.winch is None or math.dist(here, at) <= self.problem.tolerance + NEAR:
                continue
            ground = self.supercells(agent)
            mine, goal = ground[self.cells.at(here)], ground[self.cells.at(at)]
            if mine == goal and mine >= 0 and state.modes[index] == GROUND:
                continue  # it can drive there
            hoists += 1
            flights += link is None or not link.anchored
            hooks += link is None
            waiting += link is None
        modes = [mode for mode, agent in zip(state.modes, self.problem.agents, strict=True) if agent.fly]
        ready = modes.count(GROUND)
        due = state.due is not None and state.due[0] == "β"
        flights += max(waiting - ready, 0) + max(waiting - ready - due, 0)
        return flights * self.problem.flight_cost + (hooks + hoists) * self.problem.costs.action

    def supercells(self, agent: Agent) -> NDArray[np.int64]:
        """Of the ground that an agent drives on, by cell."""
        if agent.name not in self._ground:
            slope = FLAT if agent.drive_slope is None else agent.drive_slope
            self._ground[agent.name] = self.cells.supercells(self.cells.ground(agent.radius, slope))
        return self._ground[agent.name]

    # Flying

    def _fly(self, index: int, state: TeamState) -> Iterator[Move]:
        """To above a landing spot beside a robot that wants to be lifted, or to its own goal."""
        agent = self.problem.agents[index]
        if _holds(state, index):
            return
        room = self.rooms.of(agent.radius)
        for partner, other in enumerate(self.problem.agents):
            if other.latch and state.links[partner] is None and agent.land:
                for spot in self._spots(agent, other, state.places[partner]):
                    height = min(vertical_room(room, spot)[1] - spot[1], self.problem.hover_height)
                    if height < HOVER_MIN:
                        self._refuse("δ", f"there is no room for {agent.name} above {_at(spot)}")
                        continue
                    target = (spot[0], spot[1] + height)
                    words = (
                        f"{agent.name} flies to {_at(target)}, above where it will land beside {other.name}"
                    )
                    yield from self._flown("δ", index, state, target, words, other.name, ("β", index))
        own = self.problem.goal.get(agent.name)
        if own is not None:
            yield from self._flown("δ", index, state, own, f"{agent.name} flies to its goal {_at(own)}")

    def _land(self, index: int, state: TeamState) -> Iterator[Move]:
        """Straight down to a spot beside a robot."""
        agent, place = self.problem.agents[index], state.places[index]
        if state.modes[index] != AIR:
            return
        for partner, other in enumerate(self.problem.agents):
            if not (other.latch and state.links[partner] is None):
                continue
            for spot in self._spots(agent, other, state.places[partner]):
                if abs(spot[0] - place[0]) > NEAR or spot[1] > place[1] + NEAR:
                    continue
                words = f"{agent.name} lands at {_at(spot)} beside {other.name}"
                after = state.moved(index, spot, GROUND)._replace(due=("d", partner))
                yield self._move(agent, after, [place, spot], words, partner=other.name)

    def _perch(self, index: int, state: TeamState) -> Iterator[Move]:
        """With the tether of a robot, to each perch, on each way that differs."""
        for owner, link in enumerate(state.links):
            if link is None or link.anchored or link.holder != index:
                continue
            other = self.problem.agents[owner]
            assert other.winch is not None
            taken = {state.places[i] for i, mode in enumerate(state.modes) if mode == PERCHED}
            for perch in (p for p in self.problem.perches if rounded(p) not in taken):
                yield from self._carried(index, owner, state, perch, other.winch.length)

    def _carried(
        self, index: int, owner: int, state: TeamState, perch: Point, length_max: float
    ) -> Iterator[Move]:
        """One move for each class of ways to a perch."""
        agent, other = self.problem.agents[index], self.problem.agents[owner]
        here, base = state.places[index], state.places[owner]
        found = False
        for way in self.rooms.ways(agent.radius, here, perch):
            found = True
            tether = self.rooms.taut(np.array([base, *way.tolist()]))
            if tether.length > length_max + NEAR:
                self._refuse(
                    "γ'",
                    f"the tether of {other.name} is too short: from {_at(base)} to the perch {_at(perch)} it "
                    f"takes {tether.length:.2f} m, the winch holds {length_max:g} m",
                )
                continue
            link = Link(
                index,
                tuple(rounded(p) for p in tether.points[1:]),
                (*(bend.upper for bend in tether.bends), True),
                sum(abs(bend.turn) for bend in tether.bends),
            )
            words = (
                f"{agent.name} carries the tether of {other.name} to the perch {_at(perch)}, "
                f"{tether.length:.2f} m of it, and holds on"
            )
            after = state.moved(index, perch, PERCHED).linked(owner, link)
            yield self._move(agent, after, way, words, partner=other.name, tether=tether.points)
        if not found:
            self._refuse("γ'", f"there is no way for {agent.name} from {_at(here)} to the perch {_at(perch)}")

    def _flown(
        self,
        label: str,
        index: int,
        state: TeamState,
        target: Point,
        words: str,
        partner: str = "",
        due: tuple[str, int] | None = None,
    ) -> Iterator[Move]:
        agent, here = self.problem.agents[index], state.places[index]
        way = self.rooms.shortest(agent.radius, here, target)
        if way is None:
            self._refuse(label, f"there is no way for {agent.name} from {_at(here)} to {_at(target)}")
        elif length_of(way) > NEAR:
            after = state.moved(index, target, AIR)._replace(due=due)
            yield self._move(agent, after, way, words, partner=partner)

    def _spots(self, agent: Agent, other: Agent, place: Point) -> Iterator[Point]:
        """Where a flying robot can stand beside another."""
        apart = agent.radius + other.radius
        if apart > self.problem.latch_reach:
            self._refuse("d", f"{agent.name} and {other.name} are too large to come within latch_reach")
            return
        room = self.rooms.of(agent.radius)
        found = False
        for side in (-apart, apart):
            above = (place[0] + side, place[1] - other.radius + agent.radius + LEDGE)
            if not room.free(np.array([above]))[0]:
                continue
            spot = rounded((above[0], vertical_room(room, above)[0]))
            if above[1] - spot[1] <= 2.0 * LEDGE + NEAR and self._is_flat(agent, spot):
                found = True
                yield spot
        if not found:
            self._refuse(
                "β", f"there is no room for {agent.name} to land beside {other.name} at {_at(place)}"
            )

    def _is_flat(self, agent: Agent, spot: Point) -> bool:
        return bool(self.supercells(agent)[self.cells.at(spot)] >= 0)

    # On the ground

    def _drive(self, index: int, state: TeamState) -> Iterator[Move]:
        """Without a tether, to the goal."""
        if state.links[index] is None:
            yield from self._driven("a", index, state, self._targets(index))

    def _drive_tethered(self, index: int, state: TeamState) -> Iterator[Move]:
        """To the goal, or to the foot of the face that it can be pulled up."""
        link = state.links[index]
        if link is None or not link.anchored:
            return
        targets = self._targets(index)
        if not link.on_perch:
            foot = grown_corner(self.world, link.hinge, self.problem.agents[index].radius)
            targets.append((foot[0], state.places[index][1]))
        yield from self._driven("a'", index, state, targets)

    def _targets(self, index: int) -> list[Point]:
        goal = self.problem.goal.get(self.problem.agents[index].name)
        return [] if goal is None else [goal]

    def _driven(self, label: str, index: int, state: TeamState, targets: Iterable[Point]) -> Iterator[Move]:
        agent, here = self.problem.agents[index], state.places[index]
        ground = self.supercells(agent)
        mine = ground[self.cells.at(here)]
        if mine < 0:
            self._refuse(label, f"{agent.name} does not stand on ground that it can drive on at {_at(here)}")
            return
        for target in targets:
            if math.dist(here, target) <= NEAR:
                continue
            if ground[self.cells.at(target)] != mine:
                self._refuse(label, f"{agent.name} cannot drive from {_at(here)} to {_at(target)}")
                continue
            assert agent.drive_slope is not None
            way = along_ground(self.rooms.of(agent.radius), here, target, agent.drive_slope)
            if way is None:
                self._refuse(label, f"there is no room for {agent.name} from {_at(here)} to {_at(target)}")
                continue
            after = state.moved(index, target)
            words = f"{agent.name} drives to {_at(target)}"
            if label == "a":
                yield self._move(agent, after, way, words)
                continue
            yield from self._dragging(index, state, after, way, words)

    def _dragging(
        self, index: int, state: TeamState, after: TeamState, way: Curve, words: str
    ) -> Iterator[Move]:
        """A drive with the tether on, which must be long enough."""
        agent, link = self.problem.agents[index], state.links[index]
        assert link is not None and agent.winch is not None
        tether = self.rooms.taut(np.array([*way[::-1].tolist(), *link.bends]))
        if tether.length > agent.winch.length + NEAR:
            self._refuse(
                "a'",
                f"the tether of {agent.name} is too short: from {_at(after.places[index])} it takes "
                f"{tether.length:.2f} m, the winch holds {agent.winch.length:g} m",
            )
            return
        turn = sum(abs(bend.turn) for bend in tether.bends)
        bends = tuple(rounded(p) for p in tether.points[1:])
        now = link._replace(bends=bends, upper=(*(bend.upper for bend in tether.bends), True), turn=turn)
        yield self._move(agent, after.linked(index, now), way, words + ", tethered", tether=tether.points)

    def _latch(self, index: int, state: TeamState) -> Iterator[Move]:
        """Drive up to a robot that has landed, and hook the tether to it."""
        agent, here = self.problem.agents[index], state.places[index]
        if state.links[index] is not None:
            return
        if self.supercells(agent)[self.cells.at(here)] < 0:
            self._refuse("d", f"{agent.name} does not stand on ground that it can drive on at {_at(here)}")
            return
        for partner, other in enumerate(self.problem.agents):
            if state.modes[partner] != GROUND or not other.fly or _holds(state, partner):
                continue
            there = state.places[partner]
            away = there[0] - here[0]
            apart = agent.radius + other.radius
            if abs(away) > self.problem.latch_reach + NEAR:
                continue
            target = rounded((there[0] - math.copysign(apart, away), here[1]))
            way = self.rooms.shortest(agent.radius, here, target)
            if way is None:
                continue
            words = f"{agent.name} hooks its tether to {other.name}"
            after = state.moved(index, target).linked(index, Link(partner))._replace(due=("γ'", partner))
            yield self._move(agent, after, way, words, partner=other.name)

    def _release(self, index: int, state: TeamState) -> Iterator[Move]:
        """Standing on the ground, unhook the tether, so that who holds it is free for others."""
        agent, link = self.problem.agents[index], state.links[index]
        if link is None or not link.anchored or state.modes[index] != GROUND:
            return
        here, holder = state.places[index], self.problem.agents[link.holder]
        if self.supercells(agent)[self.cells.at(here)] >= 0:
            words = f"{agent.name} unhooks its tether, {holder.name} is free"
            yield self._move(agent, state.linked(index, None), [here, here], words, partner=holder.name)

    # On the tether

    def _swing(self, index: int, state: TeamState) -> Iterator[Move]:
        """Be pulled up to the first hinge; from the perch, be lowered."""
        link = self._loaded("f'", index, state)
        if link is None:
            return
        if link.on_perch:
            yield from self._lowered(index, state, link)
        else:
            corner = grown_corner(self.world, link.hinge, self.problem.agents[index].radius)
            yield from self._hoisted("f'", index, state, link, corner)

    def _climb(self, index: int, state: TeamState) -> Iterator[Move]:
        """Straight up a face that it touches, to the hinge above."""
        link = self._loaded("r'", index, state)
        if link is None or link.on_perch:
            return
        here = state.places[index]
        corner = grown_corner(self.world, link.hinge, self.problem.agents[index].radius)
        if abs(corner[0] - here[0]) <= NEAR and corner[1] > here[1] + NEAR:
            yield from self._hoisted("r'", index, state, link, corner)

    def _loaded(self, label: str, index: int, state: TeamState) -> Link | None:
        """The tether, if winch and perch can take the robot's weight."""
        agent, link = self.problem.agents[index], state.links[index]
        if link is None or not link.anchored or agent.winch is None:
            return None
        weight = agent.mass * GRAVITY
        pull = weight * (1.0 if link.on_perch else pull_over(link.hinge, link.beyond))
        if agent.winch.force_max < pull:
            where = "" if link.on_perch else f" over the corner {_at(link.hinge)}"
            self._refuse(
                label,
                f"the winch of {agent.name} pulls {agent.winch.force_max:g} N, to lift it{where} it takes "
                f"{pull:.0f} N",
            )
            return None
        holder = self.problem.agents[link.holder]
        held = 0.0 if holder.perch_force is None else holder.perch_force
        load = weight * math.exp(self.problem.friction * link.turn)
        if held < load:
            self._refuse(
                label,
                f"{holder.name} holds {held:g} N at the perch, {agent.name} may pull {load:.0f} N with the "
                f"friction of the corners",
            )
            return None
        return link

    def _hoisted(self, label: str, index: int, state: TeamState, link: Link, corner: Point) -> Iterator[Move]:
        """To a corner, which it then passes."""
        agent, here, hinge = self.problem.agents[index], state.places[index], link.hinge
        held = [here, *link.bends[: link.upper.index(True) + 1]]
        way = self.rooms.beside(agent.radius, here, corner, held)
        if way is None:
            self._refuse(
                label, f"there is no room for {agent.name} from {_at(here)} to the hinge {_at(hinge)}"
            )
            return
        tether = self.rooms.taut(np.array([*way[::-1].tolist(), *link.bends]))
        now = link._replace(
            bends=tuple(rounded(p) for p in tether.points[1:]),
            upper=(*(bend.upper for bend in tether.bends), True),
            turn=sum(abs(bend.turn) for bend in tether.bends),
        )
        verb = "swings and is pulled" if label == "f'" else "climbs along the face"
        words = f"{agent.name} {verb} up to the hinge {_at(hinge)}"
        after = state.moved(index, corner, AIR).linked(index, now)
        yield self._move(agent, after, way, words, hinge=hinge, tether=tether.points)

    def _lowered(self, index: int, state: TeamState, link: Link) -> Iterator[Move]:
        """Up to the perch, then down its plumb line: to the goal, or to the ground below."""
        agent, holder = self.problem.agents[index], self.problem.agents[link.holder]
        here, perch, room = state.places[index], link.hinge, self.rooms.of(agent.radius)
        top = rounded((perch[0], perch[1] - agent.radius - holder.radius))
        if not room.free(np.array([top]))[0]:
            self._refuse("f'", f"there is no room for {agent.name} below the perch {_at(perch)}")
            return
        up = self.rooms.beside(agent.radius, here, top, [here, *link.bends])
        if up is None:
            self._refuse(
                "f'", f"there is no room for {agent.name} from {_at(here)} to the perch {_at(perch)}"
            )
            return
        lowest = vertical_room(room, top)[0]
        exits = {rounded((top[0], lowest)): "to the ground at"}
        for goal in self._targets(index):
            if abs(goal[0] - top[0]) <= self.problem.tolerance + NEAR and lowest - NEAR <= goal[1] <= top[1]:
                exits[rounded((top[0], goal[1]))] = "to its goal"
        for place, words in exits.items():
            assert agent.winch is not None
            length = perch[1] - place[1]
            if length > agent.winch.length + NEAR:
                self._refuse(
                    "f'",
                    f"the tether of {agent.name} is too short: from the perch {_at(perch)} down to "
                    f"{_at(place)} it takes {length:.2f} m, the winch holds {agent.winch.length:g} m",
                )
                continue
            mode = GROUND if place[1] <= lowest + NEAR else AIR
            now = link._replace(bends=(perch,), upper=(True,), turn=0.0)
            after = state.moved(index, place, mode).linked(index, now)
            if after == state:
                continue
            sentence = f"{agent.name} is pulled up to the perch {_at(perch)} and lowered {words} {_at(place)}"
            way, tether = np.array([*up.tolist(), place]), np.array([place, perch])
            yield self._move(agent, after, way, sentence, hinge=perch, tether=tether)

    # By an arm

    def _pick(self, index: int, state: TeamState) -> Iterator[Move]:
        """The object, when the robot that shall carry it waits within reach."""
        agent, at = self.problem.agents[index], self.problem.object_at
        if at is None or agent.reach is None or state.cargo != THERE:
            return
        if math.dist(agent.start, at) > agent.reach + NEAR:
            self._refuse("ζ", f"the object at {_at(at)} is out of reach of {agent.name}")
        elif self._waits(agent, state):
            yield self._move(
                agent,
                state._replace(cargo=agent.name),
                [agent.start, at],
                f"{agent.name} picks the object up",
            )

    def _place(self, index: int, state: TeamState) -> Iterator[Move]:
        """It into the container."""
        agent = self.problem.agents[index]
        if state.cargo == agent.name and self.problem.object_at is not None and self._waits(agent, state):
            into = state.places[self._names[self.problem.object_into]]
            words = f"{agent.name} puts the object into {self.problem.object_into}"
            yield self._move(agent, state._replace(cargo=PLACED), [self.problem.object_at, into], words)

    def _waits(self, arm: Agent, state: TeamState) -> bool:
        """Whether the robot with the container stands within reach."""
        index = self._names[self.problem.object_into]
        assert arm.reach is not None
        near = math.dist(arm.start, state.places[index]) <= arm.reach + NEAR
        if not near:
            self._refuse("ζ", f"{self.problem.object_into} is out of reach of {arm.name}")
        return near and self.problem.agents[index].carry and state.modes[index] == GROUND

    # What all have in common

    def _move(
        self,
        agent: Agent,
        after: TeamState,
        way: Iterable[Point] | Curve,
        words: str,
        *,
        partner: str = "",
        hinge: Point | None = None,
        tether: Curve | None = None,
    ) -> Move:
        curve = np.array(way, float)
        details = {
            "agent": agent.name, "way": curve, "sentence": words, "partner": partner, "hinge": hinge,
            "tether": tether,
        }  # fmt: skip
        return Move(after, self._price(agent, curve), details)

    def _price(self, agent: Agent, way: Curve) -> float:
        """Of a way, in metres of driving; those of the paper have another unit and are no metric."""
        costs = self.problem.costs
        fixed = self.problem.flight_cost if agent.fly else costs.action
        if costs.kind == "metric":
            return fixed + (costs.flight_per_metre if agent.fly else 1.0) * length_of(way)
        straight = math.dist(way[0], way[-1])
        phi = self._navigation(agent)
        fall = abs(float(phi[self.cells.at(tuple(way[0]))] - phi[self.cells.at(tuple(way[-1]))]))
        return fixed + min(straight / max(fall, TINY), 1.0 / TINY)

    def _navigation(self, agent: Agent) -> NDArray[np.float64]:
        """The function that leads an agent: to its goal, or a flying one to the first perch."""
        if agent.name not in self._phi:
            places = [self.problem.goal.get(agent.name), *self.problem.perches, agent.start]
            goal = next(place for place in places if place is not None)
            self._phi[agent.name] = harmonic(self.cells, self.cells.room(agent.radius), goal)
        return self._phi[agent.name]

    def _refuse(self, label: str, sentence: str) -> None:
        self.refused.setdefault(label, {})[sentence] = None


def abilities(agent: Agent) -> tuple[str, ...]:
    """Labels that an agent owns, by what it can do."""
    drives, hoists = agent.drive_slope is not None, agent.winch is not None
    owned = {
        "δ": agent.fly,
        "β": agent.land,
        "γ'": agent.perch_force is not None,
        "a": drives,
        "d": drives and agent.latch,
        "a'": drives and hoists,
        "f'": hoists,
        "r'": hoists,
        "u": drives and agent.latch,
        "ζ": agent.reach is not None,
        "η": agent.reach is not None,
    }
    return tuple(label for label, has in owned.items() if has)


def _holds(state: TeamState, index: int) -> bool:
    """Whether a flying robot holds somebody's tether."""
    return any(link is not None and link.holder == index for link in state.links)


def _at(place: Point) -> str:
    return f"({place[0]:.2f}, {place[1]:.2f})"
