"""The cheapest plan of a drone and a rover among boxes, by trying everything: Dijkstra without a heuristic.

Straight from the semantics of the labels, for the automaton of paper 004 (E1 to E23), with geometry of its
own; shares no code with planners or their judge. Start and goal of the rover are on the floor.
"""

import heapq
import math
from itertools import count, pairwise
from typing import NamedTuple

import numpy as np

from tetherlab.planning.plan import Plan, PlanStatus, Step
from validation.box_world import EPS, BoxWorld, length, turned

GRAVITY = 9.80665  # [m/s²]
# location: label -> next location; κ where a plan may end
TURNS = {
    1: {"δ": 9, "a": 2},
    2: {"κ": 8},
    3: {"δ": 9, "a": 2, "d": 4, "κ": 8},
    4: {"γ'": 5},
    5: {"r'": 6, "f'": 7, "a'": 10, "κ": 8},
    6: {"a'": 10, "f'": 7, "κ": 8},
    7: {"a'": 10, "r'": 6, "f'": 7, "κ": 8},
    9: {"β": 3},
    10: {"f'": 7, "r'": 6, "κ": 8},
}


class State(NamedTuple):
    """Where both are, and how the tether runs."""

    location: int
    drone: tuple[float, float]
    rover: tuple[float, float]
    tether: tuple[tuple[float, float], ...]  # empty if it is not anchored

    def key(self):
        """Equal for states that differ by rounding only."""
        return (
            self.location,
            *(tuple(np.round(p, 6) + 0.0) for p in (self.drone, self.rover, *self.tether)),
        )


class Move(NamedTuple):
    """What one of them may do."""

    agent: str
    way: tuple[tuple[float, float], ...]
    after: State  # its location is not yet right
    hinge: tuple[float, float] | None = None


def solve(problem, steps_max=12):
    """The cheapest plan, or None."""
    return _Solver(problem).solve(steps_max)


class _Solver:
    def __init__(self, problem):
        self.problem = problem
        self.world = BoxWorld(problem.bounds, problem.obstacles)
        self.drone = next(agent for agent in problem.agents if agent.fly)
        self.rover = next(agent for agent in problem.agents if agent.drive_slope is not None)
        assert len(problem.agents) == 2, "one drone, one rover"
        self.moves = {
            "δ": self.fly,
            "β": self.land,
            "d": self.latch,
            "γ'": self.perch,
            "a": self.drive,
            "a'": self.drive_anchored,
            "f'": self.hoist,
            "r'": self.climb,
        }

    def solve(self, steps_max):
        order = count()
        start = State(1, tuple(self.drone.start), tuple(self.rover.start), ())
        queue, done = [(0.0, next(order), start, ())], set()
        while queue:
            cost, _, state, steps = heapq.heappop(queue)
            if state.location == 8:
                return Plan(status=PlanStatus.SOLVED, steps=steps, cost=cost)
            if state.key() in done or len(steps) > steps_max:
                continue
            done.add(state.key())
            for label, target in TURNS[state.location].items():
                if label == "κ":
                    if self.at_goal(state):
                        heapq.heappush(queue, (cost, next(order), state._replace(location=8), steps))
                    continue
                for move in self.moves[label](state):
                    after = move.after._replace(location=target)
                    step = self.step(label, move, state.location, target)
                    heapq.heappush(queue, (cost + step.cost, next(order), after, (*steps, step)))
        return None

    def step(self, label, move, source, target):
        metres, costs = length(move.way), self.problem.costs
        flies = move.agent == self.drone.name
        cost = self.problem.flight_cost + costs.flight_per_metre * metres if flies else costs.action + metres
        tether = np.array(move.after.tether) if move.after.tether else None
        return Step(
            label=label,
            agent=move.agent,
            way=np.array(move.way),
            cost=cost,
            sentence="",
            source=source,
            target=target,
            tether=tether,
            hinge=move.hinge,
            partner=self.drone.name if label == "d" else "",
        )

    def at_goal(self, state):
        places = {self.drone.name: state.drone, self.rover.name: state.rover}
        return all(
            math.dist(places[name], at) <= self.problem.tolerance + EPS
            for name, at in self.problem.goal.items()
        )

    # the drone

    def spots(self, state):
        apart = self.drone.radius + self.rover.radius
        if apart > self.problem.latch_reach + EPS:
            return
        for side in (-apart, apart):
            spot = (state.rover[0] + side, state.rover[1] - self.rover.radius + self.drone.radius)
            if self.world.free(spot, self.drone.radius) and self.on_floor(spot, self.drone):
                yield spot

    def waypoint(self, spot):
        top = self.world.rises_to(*spot, self.drone.radius)
        return (spot[0], min(spot[1] + self.problem.hover_height, top))

    def fly(self, state):
        ends = [self.waypoint(spot) for spot in self.spots(state)]
        if self.drone.name in self.problem.goal:
            ends.append(tuple(self.problem.goal[self.drone.name]))
        for end in ends:
            ways = self.world.paths(state.drone, end, self.drone.radius)
            if ways:
                yield Move(self.drone.name, min(ways, key=length), state._replace(drone=end))

    def land(self, state):
        for spot in self.spots(state):
            if self.drone.land and math.dist(self.waypoint(spot), state.drone) < EPS:
                yield Move(self.drone.name, (state.drone, spot), state._replace(drone=spot))

    def perch(self, state):
        if self.drone.perch_force is None:
            return
        for perch in self.problem.perches:
            for way in self.world.paths(state.drone, tuple(perch), self.drone.radius):
                tether = self.taut((state.rover, *way), state.rover, way[-1])
                if tether:
                    yield Move(self.drone.name, way, state._replace(drone=way[-1], tether=tether))

    # the rover

    def latch(self, state):
        if self.rover.latch:
            yield Move(self.rover.name, (state.rover, state.rover), state)

    def on_floor(self, place, agent):
        return abs(place[1] - agent.radius - self.problem.bounds[1]) < 1e-6

    def drives_to(self, state, x):
        end = (x, state.rover[1])
        r = self.rover.radius
        return self.on_floor(state.rover, self.rover) and self.world.sees(state.rover, end, r)

    def goal_x(self):
        goal = self.problem.goal.get(self.rover.name)
        return [goal[0]] if goal is not None and self.on_floor(goal, self.rover) else []

    def drive(self, state):
        for x in self.goal_x():
            if self.drives_to(state, x):
                end = (x, state.rover[1])
                yield Move(self.rover.name, (state.rover, end), state._replace(rover=end))

    def drive_anchored(self, state):
        hinge = self.hinge(state.tether)
        feet = [] if hinge == len(state.tether) - 1 else [self.beside(state.tether[hinge])[0]]
        for x in (*self.goal_x(), *feet):
            if not self.drives_to(state, x):
                continue
            way = (state.rover, (x, state.rover[1]))
            tether = self.taut((way[1], *state.tether), way[1], state.tether[-1])
            if tether:
                yield Move(self.rover.name, way, state._replace(rover=way[1], tether=tether))

    def hoist(self, state):
        if not self.holds(state.tether):
            return
        k = self.hinge(state.tether)
        yield from self.to_corner(state, k) if k < len(state.tether) - 1 else self.to_perch(state)

    def to_corner(self, state, k):
        end = self.beside(state.tether[k])
        way = self.world.pulled(
            state.tether[: k + 1], state.rover, end, self.rover.radius, tail=(state.tether[k],)
        )
        if way is None:
            return
        tether = self.taut((*reversed(way), *state.tether), end, state.tether[-1])
        if tether:
            yield Move(self.rover.name, way, state._replace(rover=end, tether=tether), state.tether[k])

    def to_perch(self, state):
        x, z = perch = state.tether[-1]
        top = (x, z - self.drone.radius - self.rover.radius)
        up = self.world.pulled(state.tether, state.rover, top, self.rover.radius, tail=(perch,))
        if up is None:
            return
        lowest = self.world.drops_to(*top, self.rover.radius)
        goal = self.problem.goal.get(self.rover.name)
        exits = {lowest}
        near = goal is not None and abs(goal[0] - x) <= self.problem.tolerance + EPS
        if near and lowest - EPS <= goal[1] <= top[1] + EPS:
            exits.add(goal[1])
        for exit_z in sorted(exits):
            end = (x, exit_z)
            if z - exit_z <= self.rover.winch.length + EPS:
                after = state._replace(rover=end, tether=(end, perch))
                yield Move(self.rover.name, (*up, end), after, perch)

    def climb(self, state):
        """Only up, along the whole face of a box: down leads to where it was."""
        k = self.hinge(state.tether)
        if k == len(state.tether) - 1 or not self.holds(state.tether):
            return
        corner = state.tether[k]
        end, r = self.beside(corner), self.rover.radius
        box = next(box for box in self.world.boxes if corner in ((box[0], box[3]), (box[2], box[3])))
        beside_it = abs(state.rover[0] - end[0]) < 1e-6 and box[1] <= state.rover[1] <= end[1]
        if beside_it and self.world.sees(state.rover, end, r):
            way = (state.rover, end)
            tether = self.taut((end, *state.tether), end, state.tether[-1])
            if tether:
                yield Move(self.rover.name, way, state._replace(rover=end, tether=tether), corner)

    # the tether

    def taut(self, path, start, end):
        return self.world.pulled(path, start, end, 0.0, self.rover.winch.length)

    def hinge(self, tether):
        """Index of the first upper corner of a box at which it bends, or of the perch."""
        upper = {corner for a, _, c, d in self.world.boxes for corner in ((a, d), (c, d))}
        return next((i for i in range(1, len(tether) - 1) if tether[i] in upper), len(tether) - 1)

    def beside(self, corner):
        r = self.rover.radius
        box = next(box for box in self.world.boxes if corner in ((box[0], box[3]), (box[2], box[3])))
        return (corner[0] + (r if corner[0] == box[2] else -r), corner[1] + r)

    def holds(self, tether):
        weight = self.rover.mass * GRAVITY
        pull = weight * math.exp(self.problem.friction * turned(tether))
        lift = max(self.lift(tether), self.pass_by(tether))
        return self.rover.winch.force_max >= weight * lift and self.drone.perch_force >= pull

    def lift(self, tether):
        """Weights that it takes over the first corner: the hull slides (friction 0.3) or rolls (1.25)."""
        k = self.hinge(tether)
        if k == len(tether) - 1:
            return 1.0
        return over(tether[k], tether[k + 1])

    def pass_by(self, tether):
        """Weights that it takes past all boxes whose tops are below the tether, up to the first hinge."""
        line = tether[: self.hinge(tether) + 1]
        tops = [(x, d) for a, _, c, d in self.world.boxes for x in (a, c) if d < self.problem.bounds[3]]
        found, ground = [1.0], line[0][1] - self.rover.radius
        for (x0, z0), (x1, z1) in pairwise(line):
            for x, z in tops:
                stands = min(x0, x1) + EPS < x < max(x0, x1) - EPS and z > ground + EPS
                if stands and z0 + (z1 - z0) * (x - x0) / (x1 - x0) > z + EPS:
                    found.append(over((x, z), (x1, z1)))
        return max(found)


def over(corner, beyond):
    """Weights that it takes over a corner: the hull slides (friction 0.3) or rolls (1.25)."""
    slope = math.atan2(beyond[1] - corner[1], abs(beyond[0] - corner[0]))
    slides, rolls = math.sin(slope) - 0.3 * math.cos(slope), math.sin(slope) / 1.25
    return math.inf if slope <= 0.0 else 1.0 / max(slides, rolls)
