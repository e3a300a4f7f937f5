"""Where the locations of an automaton stand in a picture, and how arrows bend so that labels can be read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.planning.automata.event import Location, order
from tetherlab.planning.automata.finite import FiniteAutomaton

Array = NDArray[np.float64]
Pair = tuple[Location, Location]
Place = tuple[float, float]
RADIUS = 0.2  # of a location, in units of the picture
APART = (1.25, 1.0)  # of layers, and of locations in a layer
STAGGER, CROWDED = (
    0.35,
    0.3,
)  # in a layer of three and more: every second is moved ahead, and all have more room
BENDS = (0.0, 0.15, -0.15, 0.3, -0.3, 0.45, -0.45, 0.6, -0.6, 0.8, -0.8)  # offset of the middle over length
ALONG = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)  # where a label may stand
SAMPLES = np.linspace(0.0, 1.0, 25)[:, None]
TOUCH, ALONGSIDE = 0.06, 12  # distance of arrows that cross; pairs of samples of those that run on each other
SWEEPS = 4
LETTER, LINE = 0.1, 0.2  # width of a letter and height of a label
# What is in the way costs, in lengths of an arrow.
THROUGH, CROSSED, COVERED = 30.0, 1.5, 20.0


class Arrow(NamedTuple):
    """From one location to another; a loop if both are the same."""

    bend: float  # of an arrow: as matplotlib's arc3; of a loop: its direction [rad]
    label_at: Place


Option = tuple[Arrow, Array]  # with samples of its curve, (n, 2)


class Others(NamedTuple):
    """All arrows but one."""

    curves: Array  # (k, n, 2)
    labels: Array  # (k, 2)
    halves: Array  # of their labels, (k, 2)

    @classmethod
    def of(cls, given: Sequence[tuple[Option, str]]) -> Others:
        """Arrows with their labels."""
        curves = np.array([curve for (_, curve), _ in given])
        labels = np.array([arrow.label_at for (arrow, _), _ in given]).reshape(-1, 2)
        return cls(curves, labels, np.array([_half(text) for _, text in given]).reshape(-1, 2))


class Layout(NamedTuple):
    """In units of the picture."""

    places: dict[Location, Place]
    arrows: dict[Pair, Arrow]


def merged(automaton: FiniteAutomaton) -> dict[Pair, list[str]]:
    """Labels of all events between two locations; a decision to stop has none."""
    found: dict[Pair, list[str]] = {}
    for event in automaton.events:
        labels = found.setdefault((event.source, event.target), [])
        if event.label is not None and event.label not in labels:
            labels.append(event.label)
    return found


def lay_out(automaton: FiniteAutomaton) -> Layout:
    """From left to right by the number of events that lead there; final locations last."""
    pairs = merged(automaton)
    places = _places(automaton, pairs)
    return Layout(places, _arrows(places, {pair: ", ".join(labels) for pair, labels in pairs.items()}))


def _places(automaton: FiniteAutomaton, pairs: Iterable[Pair]) -> dict[Location, Place]:
    found: dict[Location, Place] = {}
    x = 0.0
    for layer in _layers(automaton, list(pairs)):
        crowded = len(layer) > 2
        x += CROWDED * APART[0] * crowded
        above = {
            place: [found[a][1] for a, b in pairs if b == place and a in found] or [0.0] for place in layer
        }
        layer.sort(key=lambda place: (-float(np.mean(above[place])), order(place)))
        high = APART[1] * (1.0 + CROWDED * crowded)
        for number, place in enumerate(layer):
            ahead = STAGGER * (number % 2) * crowded
            found[place] = (x + ahead, high * (0.5 * (len(layer) - 1) - number))
        x += APART[0] * (1.0 + 2.0 * CROWDED * crowded)
    return found


def _layers(automaton: FiniteAutomaton, pairs: Sequence[Pair]) -> list[list[Location]]:
    """By distance from the initial locations; what nothing leads to comes first."""
    depth: dict[Location, int] = dict.fromkeys(automaton.initial, 0)
    ahead = {b for a, b in pairs if a != b}
    todo = [*automaton.initial]
    todo += [x for x in sorted(automaton.locations, key=order) if x not in ahead and x not in depth]
    depth |= {place: 0 for place in todo}
    for place in todo:
        for a, b in pairs:
            if a == place and b not in depth:
                depth[b] = depth[a] + 1
                todo.append(b)
    inner = max((d for place, d in depth.items() if place not in automaton.final), default=0)
    for place in automaton.locations:
        if place in automaton.final and place not in automaton.initial:
            depth[place] = inner + 1
    count = max(depth.values(), default=0) + 1
    known = sorted(automaton.locations, key=order)
    return [[place for place in known if depth.get(place, 0) == d] for d in range(count)]


def _arrows(places: Mapping[Location, Place], texts: Mapping[Pair, str]) -> dict[Pair, Arrow]:
    """Each arrow in turn takes the bend that is least in the way of all others, until nothing changes."""
    crowd = np.array(list(places.values()))
    chosen: dict[Pair, Option] = {}
    short_first = sorted(texts, key=lambda pair: (math.dist(places[pair[0]], places[pair[1]]), str(pair)))
    for _ in range(SWEEPS):
        before = {pair: option[0] for pair, option in chosen.items()}
        for pair in short_first:
            others = Others.of([(chosen[other], texts[other]) for other in chosen if other != pair])
            strangers = np.array([at for place, at in places.items() if place not in pair]).reshape(-1, 2)
            options = _options(np.array(places[pair[0]]), np.array(places[pair[1]]))
            prices = [_price(option, texts[pair], strangers, crowd, others) for option in options]
            chosen[pair] = options[int(np.argmin(prices))]
        if {pair: option[0] for pair, option in chosen.items()} == before:
            break
    return {pair: chosen[pair][0] for pair in texts}


def _options(start: Array, end: Array) -> list[Option]:
    """Arrows with their curves, (n, 2)."""
    if np.allclose(start, end):
        found = []
        for angle in np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False):
            curve = loop(start, angle)
            x, z = start + 2.9 * RADIUS * np.array((math.cos(angle), math.sin(angle)))
            found.append((Arrow(float(angle), (float(x), float(z))), bezier(curve)))
        return found
    found = []
    for bend in BENDS:
        curve = bezier(np.array([start, middle(start, end, bend), end]))
        for share in ALONG:
            x, z = curve[round(share * (len(curve) - 1))]
            found.append((Arrow(bend, (float(x), float(z))), curve))
    return found


def middle(start: Array, end: Array, bend: float) -> Array:
    """The control point of matplotlib's arc3."""
    d_x, d_z = end - start
    return 0.5 * (start + end) + bend * np.array((d_z, -d_x))


def loop(at: Array, angle: float) -> Array:
    """Control points of a loop from a location to itself, (4, 2)."""
    spread = np.array((-0.45, -0.6, 0.6, 0.45)) + angle
    far = RADIUS * np.array((1.0, 3.2, 3.2, 1.0))
    return at + far[:, None] * np.column_stack((np.cos(spread), np.sin(spread)))


def bezier(points: Array) -> Array:
    """Samples of a curve by its control points."""
    level = [np.broadcast_to(point, (len(SAMPLES), 2)) for point in points]
    while len(level) > 1:
        level = [(1.0 - SAMPLES) * a + SAMPLES * b for a, b in pairwise(level)]
    return np.array(level[0])


def _price(option: Option, text: str, strangers: Array, crowd: Array, others: Others) -> float:
    """How much an arrow is in the way: of locations that are not its own, of other arrows and of labels."""
    arrow, curve = option
    price = float(np.hypot(*np.diff(curve, axis=0).T).sum()) + 0.5 * abs(arrow.bend)
    if len(strangers):
        price += THROUGH * float((_distances(curve, strangers).min(axis=0) < 1.5 * RADIUS).sum())
    label, half = np.array(arrow.label_at), _half(text)
    if text:
        price += COVERED * float((np.abs(crowd - label) < half + RADIUS).all(axis=1).sum())
    if len(others.curves) == 0:
        return price
    inner = others.curves[:, 2:-2]
    close = (_distances(curve[2:-2], inner.reshape(-1, 2)) < TOUCH).reshape(len(curve) - 4, *inner.shape[:2])
    counts = close.sum(axis=(0, 2))
    price += CROSSED * float((counts > 0).sum() + (counts > ALONGSIDE).sum())
    covers = np.any(np.all(np.abs(curve - others.labels[:, None]) < others.halves[:, None], axis=2), axis=1)
    price += 0.5 * COVERED * float(covers.sum())
    if text:
        covered = (np.abs(others.curves - label) < half).all(axis=2).any(axis=1)
        touching = (np.abs(others.labels - label) < others.halves + half).all(axis=1) & (
            others.halves[:, 0] > 0
        )
        price += 0.5 * COVERED * float(covered.sum()) + COVERED * float(touching.sum())
    return price


def _half(text: str) -> Array:
    """Half the width and height of a label; of none nothing."""
    return np.array((0.5 * LETTER * len(text) + 0.04, 0.5 * LINE)) if text else np.zeros(2)


def _distances(a: Array, b: Array) -> Array:
    """Of all points of one list from those of another, (n, m)."""
    return np.hypot(a[:, None, 0] - b[None, :, 0], a[:, None, 1] - b[None, :, 1])
