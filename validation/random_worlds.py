"""Seeded worlds of boxes for a drone and a rover, in which no decision is on the knife's edge.

Numbers are snapped to a raster of 0.05 m, each kind of thing with its own shift, so that no two corners
are on one level by chance, and no gap is exactly as wide as a robot (radii are multiples of 0.05 m).
"""

import math

import numpy as np

from tetherlab.planning.problem import Agent, Costs, Problem, Winch

RASTER = 0.05  # [m]
KINDS = (
    "drive",  # start and goal on the same side
    "hoist",  # goal below a perch
    "hoist and drive",  # goal away from it
    "two walls",
    "goal between",
    "short tether",
    "wall to the ceiling",
    "no latch",
    "weak perch",
    "weak winch",
    "narrow window",
    "low perch",  # so that the tether bends at both corners of a wall
    "perches everywhere",
)
SHIFTS = {"first": 0.0, "second": 0.01, "lintel": 0.02, "floating": -0.02, "perch": 0.03, "rover": 0.025}


def random_problem(seed: int) -> Problem:
    """Of a kind that follows from the seed: `KINDS[seed % len(KINDS)]`."""
    return _World(seed).problem()


def kind_of(seed: int) -> str:
    """Of the world of a seed."""
    return KINDS[seed % len(KINDS)]


class _World:
    def __init__(self, seed):
        self.random = np.random.default_rng([seed, 4711])
        self.seed, self.kind = seed, kind_of(seed)
        self.half = self.between(2.2, 3.5)
        self.top = self.between(3.0, 4.5) + 0.015  # of the world; the floor is at 0
        self.rover_radius = float(self.random.choice([0.1, 0.15]))
        self.drone_radius = float(self.random.choice([0.1, 0.15, 0.2]))
        self.boxes = []

    def between(self, least, most, shift="first"):
        """A random number of the raster."""
        steps = self.random.integers(round(least / RASTER), round(most / RASTER) + 1)
        return float(round(steps * RASTER + SHIFTS[shift], 4))

    def problem(self):
        self.walls()
        start, goal = self.ends()
        perches = self.perches(goal)
        mass = self.between(3.0, 8.0)
        weight = mass * 9.80665
        share = float(self.random.uniform(0.7, 1.3))
        winch_force = 2.0 * share * weight if self.kind == "weak winch" else math.inf
        perch_force = (share if self.kind == "weak perch" else 5.0) * weight
        reach = self.between(2.0, 5.0) if self.kind == "short tether" else self.between(6.0, 14.0)
        rover = Agent(
            name="rover",
            start=(start, self.rover_radius),
            radius=self.rover_radius,
            mass=mass,
            drive_slope=0.5,
            winch=Winch(length=reach, force_max=winch_force),
            latch=self.kind != "no latch",
        )
        drone = Agent(
            name="drone",
            start=self.in_the_air(),
            radius=self.drone_radius,
            mass=1.5,
            fly=True,
            land=True,
            perch_force=perch_force,
        )
        return Problem(
            bounds=(-self.half, 0.0, self.half, self.top),
            obstacles=[_polygon(box) for box in self.boxes],
            perches=perches,
            agents=(drone, rover),
            goal={"rover": (goal, self.rover_radius)},
            costs=Costs(flight=None if self.random.random() < 0.7 else self.between(0.0, 5.0)),
            name=f"{self.kind}, seed {self.seed}",
        )

    def walls(self):
        """One or two on the floor, and something above one of them in every second world."""
        two = self.kind in ("two walls", "goal between")
        centres = [-0.9, 0.9] if two else [self.between(-0.4, 0.4)]
        for centre, name in zip(centres, ("first", "second"), strict=False):
            half, shift = self.between(0.1, 0.35), SHIFTS[name]
            height = self.between(0.6, 1.6, name)
            if self.kind == "wall to the ceiling":
                height = self.top
            self.boxes.append((round(centre - half + shift, 4), 0.0, round(centre + half + shift, 4), height))
        if self.kind != "wall to the ceiling" and (
            self.kind == "narrow window" or self.random.random() < 0.5
        ):
            self.lintel(self.boxes[self.random.integers(len(self.boxes))])

    def lintel(self, wall):
        """Above a wall, hanging from the ceiling or floating."""
        gap = self.between(0.15, 0.5) if self.kind == "narrow window" else self.between(0.5, 0.8)
        hangs = self.random.random() < 0.5
        shift = SHIFTS["lintel" if hangs else "floating"]
        bottom = round(wall[3] - SHIFTS["second"] * (wall is not self.boxes[0]) + gap + shift, 4)
        left, right = self.between(0.05, 0.5), self.between(0.05, 0.5)
        middle = round(round(0.5 * (wall[0] + wall[2]) / RASTER) * RASTER, 4)
        top = self.top if hangs else round(bottom + self.between(0.2, 0.6), 4)
        if bottom > self.top - 0.3:
            return
        if top > self.top - 0.6:
            top = self.top
        self.boxes.append((round(middle - left + shift, 4), bottom, round(middle + right + shift, 4), top))

    def ends(self):
        """Start and goal on the floor, in different rooms unless one can drive."""
        rooms = self.rooms()
        if self.random.random() < 0.5:
            rooms.reverse()
        start = rooms[0]
        goal = rooms[0] if self.kind == "drive" else rooms[1] if self.kind == "goal between" else rooms[-1]
        while True:
            places = self.in_room(start), self.in_room(goal)
            if abs(places[0] - places[1]) > 0.2:
                return places

    def rooms(self):
        """Between the walls, from left to right."""
        walls = sorted(box for box in self.boxes if box[1] == 0.0)
        edges = [-self.half, *(x for box in walls for x in (box[0], box[2])), self.half]
        return list(zip(edges[::2], edges[1::2], strict=True))

    def in_room(self, room):
        left, right = room
        margin = self.rover_radius + 0.05
        return self.between(left + margin, right - margin - RASTER, "rover")

    def perches(self, goal):
        """Above the goal, or where they may be of no use."""
        found = []
        n = 3 if self.kind == "perches everywhere" else int(self.random.integers(1, 3))
        for i in range(n):
            for _ in range(100):
                x = self.between(-self.half + 0.4, self.half - 0.4, "perch")
                if i == 0 and self.kind not in ("hoist and drive", "perches everywhere"):
                    x = goal
                low, high = (0.5, 1.2) if self.kind == "low perch" else (0.4 * self.top, self.top - 0.35)
                z = self.between(low, high, "perch")
                if self.is_free((x, z), self.drone_radius + 0.02) and (x == goal or abs(x - goal) > 0.1):
                    found.append((x, z))
                    break
        return tuple(found)

    def in_the_air(self):
        while True:
            at = (self.between(-self.half + 0.4, self.half - 0.4, "perch"), self.between(1.0, 2.5, "perch"))
            if self.is_free(at, self.drone_radius + 0.02):
                return at

    def is_free(self, point, radius):
        x, z = point
        return not any(
            a - radius < x < c + radius and b - radius < z < d + radius for a, b, c, d in self.boxes
        )


def _polygon(box):
    x_min, z_min, x_max, z_max = box
    return [(x_min, z_min), (x_max, z_min), (x_max, z_max), (x_min, z_max)]
