"""Homotopy classes as reduced words: which rays a curve crosses, one after another.

A ray goes straight up from each hole. Holes are numbered 1, 2, ... from left to right; the letter +k stands
for a crossing of the ray of hole k from left to right, -k for one from right to left, and neighbours that
undo each other are struck out. Two free curves with the same ends can be deformed into each other if and only
if their words are equal.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import njit
from tetherlab.planning import planar_kernel
from tetherlab.planning.holes import Array, Holes, holes
from tetherlab.planning.planar import PlanarWorld

Word = tuple[int, ...]

holes_of = lru_cache(maxsize=32)(holes)


def signature(world: PlanarWorld, curve: ArrayLike) -> Word:
    """The word of a free curve through the points (n, 2); a finer or a deformed curve has the same."""
    return word_of(holes_of(world), free_curve(world, curve))


def reduced(word: Iterable[int]) -> Word:
    """The word without neighbours that undo each other."""
    kept: list[int] = []
    for letter in word:
        if kept and kept[-1] == -letter:
            kept.pop()
        else:
            kept.append(letter)
    return tuple(kept)


def inverse(word: Iterable[int]) -> Word:
    """The word of the reversed curve."""
    return tuple(-letter for letter in reversed(tuple(word)))


def word_of(rays: Holes, curve: Array) -> Word:
    """The word of a curve that is known to be free."""
    return reduced(int(letter) for letter in _crossings(rays.rays, curve))


def free_curve(world: PlanarWorld, curve: ArrayLike) -> Array:
    """The curve's points, if it meets no obstacle."""
    points = check.array("curve", curve, (None, 2))
    if len(points) == 0:
        raise InputError("a curve needs at least one point")
    if not world.free(points).all():
        k = int(np.argmin(world.free(points)))
        raise InputError(f"curve[{k}] = ({points[k, 0]:g}, {points[k, 1]:g}) is not free")
    seen = planar_kernel.pairs_seen(*world.sides, points[:-1], points[1:])
    if not seen.all():
        k = int(np.argmin(seen))
        raise InputError(f"the curve meets an obstacle between curve[{k}] and curve[{k + 1}]")
    points = points[np.append(True, (np.diff(points, axis=0) != 0.0).any(axis=1))]
    squeezed = planar_kernel.first_squeeze(*world.sides, points)
    if squeezed >= 0:
        x, z = points[squeezed]
        raise InputError(f"the curve passes ({x:g}, {z:g}), where obstacles touch and leave no way between")
    return points


@njit(cache=True, nogil=True)
def _crossings(rays, curve):
    """Letters in the order of the curve, not reduced. A point on a ray counts as right of it."""
    letters = []
    for k in range(len(curve) - 1):
        x, z = curve[k, 0], curve[k, 1]
        x_next, z_next = curve[k + 1, 0], curve[k + 1, 1]
        rightwards = x_next > x
        for m in range(len(rays)):
            i = m if rightwards else len(rays) - 1 - m
            at = rays[i, 0]
            if (x < at) == (x_next < at):
                continue
            height = z + (at - x) / (x_next - x) * (z_next - z)
            if height > rays[i, 1]:
                letters.append(i + 1 if rightwards else -(i + 1))
    return np.array([letter for letter in letters], dtype=np.int64)
