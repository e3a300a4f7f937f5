"""In which order the bodies and tethers of a graph are eliminated.

An island without loops is a tree: its tethers are swept one after the other into the bodies they hang on,
from the leaves to a last body, at the cost of as many single tethers. Tethers on loops are condensed to their
two ties instead, and the bodies that remain are eliminated by 6x6 blocks, those with the fewest neighbours
first. A joint has nothing on its diagonal until a body beside it is eliminated that moves freely: joints form
trees, each is eliminated right after the body below it, and that after all joints below itself. Joints that
close loops come last.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.record import make_records
from tetherlab.plant.elimination import CHAIN, CONDENSE, DRAPE, LEAF, PIVOT, THROUGH
from tetherlab.plant.graph import BODY_LINK, BORDER, ISLAND, OPERATION, Program

Ends = tuple[int, int]  # the bodies that the base and the end of a tether are tied to, -1: none
Touching = Sequence[tuple[int, int]]  # the bodies of each pair of spheres that may touch
Joined = Sequence[tuple[int, int]]  # parent and child of each joint, -1: the world
Operation = tuple[int, int, int, int, int]
Resting = Sequence[int] | NDArray[np.int64]  # 1: it does


def plan_elimination(
    bodies: int,
    ends: Sequence[Ends],
    touching: Touching = (),
    joined: Joined = (),
    meeting: Touching = (),
    drapes: Sequence[Sequence[int]] = (),
    room: int = 0,
    held: Resting = (),
    stowed: Resting = (),
) -> Program:
    """The program for so many bodies, for tethers with these ends, bodies that may touch, and joints.

    meeting: bodies of which one may touch what rides on the other. drapes: of each tether, the bodies whose
    riders it may touch. room: for nodes of a tether. held, stowed: for each body and each tether, whether it
    rests: who does is in no island.
    """
    plan = _Plan(bodies, ends, touching, joined, meeting, drapes)
    for island_bodies, tethers in _islands(bodies, ends, plan):
        if any(not _rests(held, b) for b in island_bodies) or any(not _rests(stowed, t) for t in tethers):
            plan.add_island(island_bodies, tethers)
    return plan.program(room)


def _rests(resting: Resting, i: int) -> bool:
    """Whether one of those rests; of an empty list, none does."""
    return len(resting) > 0 and bool(resting[i])


def _islands(bodies: int, ends: Sequence[Ends], plan: "_Plan") -> list[tuple[list[int], list[int]]]:
    """Bodies and tethers that hang together, may touch or are joined."""
    parent = list(range(bodies + len(ends)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for tether, pair in enumerate(ends):
        for body in pair:
            if body >= 0:
                parent[root(bodies + tether)] = root(body)
    held = [(above, child) for above, child in plan.joined if above >= 0]
    for one, other in (*plan.coupled, *held):
        parent[root(one)] = root(other)
    for tether, others in plan.answers.items():
        parent[root(bodies + tether)] = root(others[0])
    islands: dict[int, tuple[list[int], list[int]]] = {}
    for i in range(len(parent)):
        own, tethers = islands.setdefault(root(i), ([], []))
        if i < bodies:
            own.append(i)
        else:
            tethers.append(i - bodies)
    return list(islands.values())


class _Plan:
    """The program as it grows."""

    def __init__(
        self,
        bodies: int,
        ends: Sequence[Ends],
        touching: Touching,
        joined: Joined,
        meeting: Touching,
        drapes: Sequence[Sequence[int]],
    ) -> None:
        self.count = bodies
        self.ends = ends
        self.touching = touching
        self.joined = joined
        # The bodies that a tether answers to, if it may touch what rides on one.
        self.answers = {
            tether: sorted({*carriers, *ends[tether]} - {-1})
            for tether, carriers in enumerate(drapes)
            if carriers
        }
        cliques = [pair for others in self.answers.values() for pair in combinations(others, 2)]
        self.coupled = (*touching, *meeting, *cliques)  # bodies with a block between them, besides joints
        self.touched = {body for pair in (*self.coupled, *joined) for body in pair}
        self.touched |= {body for others in self.answers.values() for body in others}
        self.borders: list[tuple[int, int]] = []
        self.pairs: list[int] = []
        self.joints: list[int] = []
        self.closing = np.zeros(len(joined), np.int64)
        self.islands: list[tuple[int, ...]] = []
        self.tethers: list[int] = []
        self.bodies: list[int] = []
        self.operations: list[Operation] = []
        self.links: list[tuple[int, int, int]] = []
        nodes = bodies + len(joined)
        self.slot = np.full((nodes, nodes), -1, np.int64)

    def add_island(self, bodies: list[int], tethers: list[int]) -> None:
        first = len(self.operations), len(self.tethers), len(self.bodies), len(self.pairs), len(self.joints)
        self.tethers += tethers
        self.bodies += bodies
        own = set(bodies) & self.touched
        for tether in tethers:
            if tether in self.answers:
                start = len(self.borders)
                self.borders += [(tether, body) for body in self.answers[tether]]
                self.operations.append((DRAPE, tether, 0, start, len(self.borders)))
        self.pairs += [k for k, pair in enumerate(self.touching) if pair[0] in own]
        self.joints += [k for k, (_, child) in enumerate(self.joined) if child in own]
        alone = len(tethers) == 1 and not own
        if alone and (self.ends[tethers[0]][0] != self.ends[tethers[0]][1] or not bodies):
            self.operations.append((CHAIN, tethers[0], 0, 0, 0))
        else:
            self._pivot(*self._prune(bodies, [t for t in tethers if t not in self.answers]))
        last = len(self.operations), len(self.tethers), len(self.bodies), len(self.pairs), len(self.joints)
        self.islands.append(tuple(i for pair in zip(first, last, strict=True) for i in pair))

    def _prune(self, bodies: list[int], tethers: list[int]) -> tuple[list[int], list[int]]:
        """Sweep all that hangs on a tree; the bodies and tethers that remain."""
        hanging: dict[int, set[int]] = {body: set() for body in bodies}  # tethers to other bodies
        for tether in tethers:
            base, end = self.ends[tether]
            if base < 0 or end < 0:
                self.operations.append((LEAF, tether, 0 if end < 0 else 1, 0, 0))
            else:
                hanging[base].add(tether)
                hanging[end].add(tether)
        ready = [body for body in bodies if self._hangs_on_one(body, hanging[body])]
        while ready and len(hanging) > 1:
            body = ready.pop(0)
            if not self._hangs_on_one(body, hanging[body]):
                continue
            tether = hanging.pop(body).pop()
            end = 0 if self.ends[tether][0] == body else 1
            self.operations.append((THROUGH, tether, end, 0, 0))
            other = self.ends[tether][1 - end]
            hanging[other].discard(tether)
            if self._hangs_on_one(other, hanging[other]):
                ready.append(other)
        return list(hanging), sorted(set().union(*hanging.values()))

    def _hangs_on_one(self, body: int, tethers: set[int]) -> bool:
        """Whether a body hangs on one tether alone, with one of its ends; no other touches or joins it."""
        if len(tethers) != 1 or body in self.touched:
            return False
        base, end = self.ends[next(iter(tethers))]
        return base != end

    def _pivot(self, bodies: list[int], tethers: list[int]) -> None:
        """Condense the tethers, then eliminate the bodies, those with the fewest neighbours first."""
        neighbours: dict[int, set[int]] = {body: set() for body in bodies}
        for tether in tethers:
            self.operations.append((CONDENSE, tether, 0, 0, 0))
            base, end = self.ends[tether]
            if base != end:
                neighbours[base].add(end)
                neighbours[end].add(base)
        for one, other in self.coupled:
            if one in neighbours:
                neighbours[one].add(other)
                neighbours[other].add(one)
        above, waiting, closing = self._joint_trees(bodies, neighbours)
        while any(node < self.count for node in neighbours):
            ready = [b for b in neighbours if b < self.count and not waiting.get(b)]
            body = min(ready, key=lambda b: len(neighbours[b]))
            self._eliminate(body, neighbours)
            if body in above:
                joint, other = above[body]
                self._eliminate(self.count + joint, neighbours)
                if other >= 0:
                    waiting[other] -= 1
        for joint in closing:
            self.closing[joint] = 1
            self._eliminate(self.count + joint, neighbours)

    def _eliminate(self, node: int, neighbours: dict[int, set[int]]) -> None:
        """A body or joint is eliminated; its neighbours become neighbours of each other."""
        others = sorted(neighbours.pop(node))
        first = len(self.links)
        for other in others:
            neighbours[other].discard(node)
            neighbours[other].update(o for o in others if o != other)
            self.links.append((other, self._block(node, other), self._block(other, node)))
        self.operations.append((PIVOT, node, 0, first, len(self.links)))

    def _joint_trees(
        self, bodies: list[int], neighbours: dict[int, set[int]]
    ) -> tuple[dict[int, tuple[int, int]], dict[int, int], list[int]]:
        """Joints between those bodies join their neighbours. Of the trees that they form, from the world or
        any body: the joint above each body and what it leads to, how many are below each, those that close
        loops."""
        left = [k for k, (_, child) in enumerate(self.joined) if child in neighbours]
        for joint in left:
            node, ends = self.count + joint, [body for body in self.joined[joint] if body >= 0]
            neighbours[node] = set(ends)
            for body in ends:
                neighbours[body] |= {node, *ends} - {body}
        above: dict[int, tuple[int, int]] = {}
        waiting: dict[int, int] = {}
        found: set[int] = set()
        for root in (-1, *bodies):
            front = [] if root in found else [root]
            found.add(root)
            while front:
                near = front.pop(0)
                for joint in [joint for joint in left if near in self.joined[joint]]:
                    parent, child = self.joined[joint]
                    body = parent if near == child else child
                    if body in found:
                        continue
                    above[body] = joint, near
                    waiting[near] = waiting.get(near, 0) + 1
                    left.remove(joint)
                    found.add(body)
                    front.append(body)
        return above, waiting, left

    def _block(self, row: int, column: int) -> int:
        """The place of a block between two bodies or joints."""
        if self.slot[row, column] < 0:
            self.slot[row, column] = self.slot.max() + 1
        return int(self.slot[row, column])

    def program(self, room: int) -> Program:
        """As kernels read it."""
        island = make_records(len(self.islands), ISLAND)
        operation = make_records(len(self.operations), OPERATION)
        link = make_records(len(self.links), BODY_LINK)
        border = make_records(len(self.borders), BORDER)
        names = ("operation", "tether", "body", "pair", "joint")
        ranges = [f"{side}_{name}" for name in names for side in ("first", "last")]
        for records, rows, fields in (
            (island, self.islands, ranges),
            (operation, self.operations, OPERATION.names),
            (link, self.links, BODY_LINK.names),
            (border, self.borders, BORDER.names),
        ):
            for name, column in zip(fields or (), zip(*rows, strict=True), strict=False):
                records[name] = column
        slots = int(self.slot.max(initial=-1)) + 1
        return Program(
            island=island,
            tether=np.array(self.tethers, np.int64),
            body=np.array(self.bodies, np.int64),
            pair=np.array(self.pairs, np.int64),
            joint=np.array(self.joints, np.int64),
            closing=self.closing,
            operation=operation,
            link=link,
            slot=self.slot,
            coupling=np.zeros((slots, 6, 6)),
            pivot=np.zeros((len(self.links), 6, 6)),
            border=border,
            column=np.zeros((len(self.borders), room, 18)),
            row=np.zeros((len(self.borders), room, 18)),
        )
