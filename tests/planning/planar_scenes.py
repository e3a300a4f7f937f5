"""Worlds and curves for the tests of planning, and classes found by another way."""

import heapq
import itertools
import math
from fractions import Fraction

import numpy as np

from tetherlab.contracts.errors import InputError
from tetherlab.planning.planar import PlanarWorld, box

SIZE = 10.0


def random_world(random, count, *, on_grid):
    """Boxes, stars and cups; on a grid they often touch, overlap and line up."""
    obstacles = []
    while len(obstacles) < count:
        centre = random.uniform(0.5, SIZE - 0.5, 2)
        kind = random.integers(4)
        if kind < 2:
            half = random.uniform(0.2, 1.6, 2)
            low, high = np.clip(centre - half, 0.0, SIZE), np.clip(centre + half, 0.0, SIZE)
            polygon = np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
        elif kind == 2:
            angle = np.sort(random.uniform(0.0, 2.0 * math.pi, random.integers(3, 7)))[:, None]
            radius = random.uniform(0.3, 1.5, (len(angle), 1))
            polygon = centre + radius * np.hstack((np.cos(angle), np.sin(angle)))
        else:
            cup = [[-1, -1], [1, -1], [1, 1], [0.5, 1], [0.5, -0.5], [-0.5, -0.5], [-0.5, 1], [-1, 1]]
            polygon = centre + random.uniform(0.5, 1.2) * np.array(cup)
        polygon = np.round(2.0 * polygon) / 2.0 if on_grid else polygon
        try:
            PlanarWorld((0.0, 0.0, SIZE, SIZE), [polygon])
        except InputError:
            continue
        obstacles.append(polygon)
    return PlanarWorld((0.0, 0.0, SIZE, SIZE), obstacles)


def random_curve(random, world, count, *, on_grid):
    """A free curve of up to `count` points."""
    curve = []
    for _ in range(40 * count):
        point = random.uniform(0.0, SIZE, 2)
        point = np.round(point) if on_grid else point
        if world.free([point])[0] and (not curve or world.visible(curve[-1], point)):
            curve.append(point)
        if len(curve) == count:
            break
    return np.array(curve)


def free_boxes(random, count):
    """Boxes (x_min, z_min, x_max, z_max) with whole coordinates that keep apart, inside of 0 to 20."""
    boxes = []
    while len(boxes) < count:
        x, z, width, height = (int(v) for v in (*random.integers(2, 14, 2), *random.integers(1, 5, 2)))
        new = (x, z, x + width, z + height)
        apart = (new[0] > b[2] or b[0] > new[2] or new[1] > b[3] or b[1] > new[3] for b in boxes)
        if all(apart):
            boxes.append(new)
    return boxes


def box_world(boxes):
    return PlanarWorld((0.0, 0.0, 20.0, 20.0), [box(*b) for b in boxes])


def classes_of_boxes(boxes, start, anchor, length_max):
    """Shortest length of each class, by Dijkstra over (corner, word): exact sight, all pieces, rays down.

    Start and anchor have whole coordinates. Nothing of tetherlab is used.
    """
    corners = [(x, z) for b in boxes for x in (b[0], b[2]) for z in (b[1], b[3])]
    places = [start, *corners, anchor]
    words = {
        (p, q): _word_of_piece(boxes, places[p], places[q])
        for p, q in itertools.permutations(range(len(places)), 2)
        if not any(pierces(b, places[p], places[q]) for b in boxes)
    }
    following = {p: [q for q in range(len(places)) if (p, q) in words] for p in range(len(places))}
    end = len(places) - 1
    found, queue = {}, [(0.0, 0, ())]
    while queue:
        gone, place, word = heapq.heappop(queue)
        if (place, word) in found:
            continue
        found[place, word] = gone
        for other in following[place]:
            total = gone + math.dist(places[place], places[other])
            if total + math.dist(places[other], anchor) <= length_max + 1e-9:
                joined = _reduced(word + words[place, other])
                if (other, joined) not in found:
                    heapq.heappush(queue, (total, other, joined))
    return sorted(length for (place, _), length in found.items() if place == end)


def pierces(b, p, q):
    """Whether the open box has a point of the piece p-q, in whole numbers and fractions."""
    low, high = Fraction(0), Fraction(1)
    for axis in (0, 1):
        a, d = p[axis], q[axis] - p[axis]
        if d == 0:
            if not b[axis] < a < b[axis + 2]:
                return False
            continue
        t = sorted((Fraction(b[axis] - a, d), Fraction(b[axis + 2] - a, d)))
        low, high = max(low, t[0]), min(high, t[1])
    return low < high


def _word_of_piece(boxes, p, q):
    """Crossings with rays that go down from near the middle of each box, in order."""
    crossed = []
    for k, b in enumerate(boxes, 1):
        at = Fraction(b[0] + b[2], 2) + Fraction(k, 1000 * (len(boxes) + 1)) + Fraction(1, 7919)
        if (p[0] < at) != (q[0] < at):
            share = (at - p[0]) / (q[0] - p[0])
            if p[1] + share * (q[1] - p[1]) < Fraction(b[1] + b[3], 2):
                crossed.append((share, k if p[0] < q[0] else -k))
    return tuple(letter for _, letter in sorted(crossed))


def _reduced(word):
    kept = []
    for letter in word:
        if kept and kept[-1] == -letter:
            kept.pop()
        else:
            kept.append(letter)
    return tuple(kept)
