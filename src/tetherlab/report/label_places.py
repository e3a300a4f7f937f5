"""Where words can stand beside lines without covering other lines, or each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Curve = NDArray[np.float64]
Place = tuple[float, float]
LETTER, LINE = 0.085, 0.17  # width of a letter and height of a word [inch]
SHARES = (0.5, 0.35, 0.65, 0.2, 0.8)  # of a way, beside which its word may stand
DIRECTIONS = 16
OVER_WORD, OUTSIDE, FARTHER = 100.0, 100.0, 0.5  # prices, in points of lines that are covered


def find_places(
    ways: Sequence[Curve],
    words: Sequence[str],
    lines: Sequence[Curve],
    bounds: tuple[float, float, float, float],
    inch: float,
) -> list[Place]:
    """The middle of each word, near its own way. inch: how much of the plane one is [m]."""
    step = 0.5 * LINE * inch
    points = np.concatenate([_samples(line, step) for line in (*ways, *lines)])
    taken: list[tuple[Place, Curve]] = []
    for way, word in zip(ways, words, strict=True):
        half = 0.5 * inch * np.array((LETTER * len(word), LINE))
        options = _options(way, half)
        prices = [
            _price(place, half, points, taken, bounds) + FARTHER * (number // DIRECTIONS)
            for number, place in enumerate(options)
        ]
        taken.append((options[int(np.argmin(prices))], half))
    return [place for place, _ in taken]


def _options(way: Curve, half: Curve) -> list[Place]:
    """Round some points of a way, the middle one first."""
    found = []
    for share in SHARES:
        x, z = along(way, share)
        for angle in np.linspace(0.0, 2.0 * math.pi, DIRECTIONS, endpoint=False):
            away = half + 0.4 * half[1]
            found.append((x + float(away[0]) * math.cos(angle), z + float(away[1]) * math.sin(angle)))
    return found


def along(way: Curve, share: float) -> Place:
    """The point of a way after a share of its length."""
    far = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(way, axis=0).T))))
    x, z = (float(np.interp(share * far[-1], far, axis)) for axis in way.T)
    return x, z


def _price(
    place: Place,
    half: Curve,
    points: Curve,
    taken: Sequence[tuple[Place, Curve]],
    bounds: tuple[float, float, float, float],
) -> float:
    at = np.array(place)
    price = float((np.abs(points - at) < half).all(axis=1).sum())
    price += OVER_WORD * sum(
        bool((np.abs(at - np.array(other)) < half + more).all()) for other, more in taken
    )
    outside = (at - half < np.array(bounds[:2])).any() or (at + half > np.array(bounds[2:])).any()
    return price + OUTSIDE * bool(outside)


def _samples(line: Curve, step: float) -> Curve:
    pieces = []
    for start, end in pairwise(line):
        count = max(2, math.ceil(math.dist(start, end) / step) + 1)
        pieces.append(start + np.linspace(0.0, 1.0, count)[:, None] * (end - start))
    return np.concatenate(pieces)
