"""Cells of a wall that pictures show: shares, overlaps and holes of rectangles that are known."""

import numpy as np
import pytest

from tetherlab.metrics.wall_coverage import Face, WallCoverage

FACE = Face(np.array((1.0, 2.0, 0.5)), np.array((0.0, 1.0, 0.0)), np.array((0.0, 0.0, 1.0)), 4.0, 2.0)


def rectangle(left, right, low, high):
    """Points of the wall between these, closer to each other than cells, with bumps that do not matter."""
    along, up = np.meshgrid(np.arange(left, right, 0.03), np.arange(low, high, 0.03), indexing="ij")
    bump = 0.2 * np.sin(5 * along)
    return FACE.corner + along[..., None] * FACE.along + up[..., None] * FACE.up + bump[..., None] * [1, 0, 0]


def add(coverage, *sides, row):
    coverage.add(rectangle(*sides).reshape(-1, 3), row)


def test_half_a_wall_is_half_seen():
    coverage = WallCoverage(FACE)
    add(coverage, 0.0, 2.0, 0.0, 2.0, row=0)
    assert coverage.seen_share == pytest.approx(0.5)
    (hole,) = coverage.holes()
    assert hole.area == pytest.approx(4.0)
    assert hole.center == pytest.approx((3.0, 1.0))


def test_rows_overlap_as_far_as_they_do():
    coverage = WallCoverage(FACE)
    add(coverage, 0.0, 4.0, 0.0, 1.2, row=0)
    add(coverage, 0.0, 4.0, 0.8, 2.0, row=1)
    assert coverage.seen_share == 1.0
    assert coverage.holes() == []
    assert coverage.overlap == pytest.approx([1 / 3])
    assert coverage.pictures.max() == 2


def test_two_holes_are_two_and_the_larger_comes_first():
    coverage = WallCoverage(FACE)
    for sides in ((0.0, 0.5, 0.0, 2.0), (0.81, 2.0, 0.0, 2.0), (3.01, 4.0, 0.0, 2.0)):
        add(coverage, *sides, row=0)
    assert [hole.area for hole in coverage.holes()] == pytest.approx([2.0, 0.6])


def test_what_lies_beside_the_wall_or_is_not_there_does_not_count():
    coverage = WallCoverage(FACE)
    add(coverage, -3.0, -0.1, 0.0, 2.0, row=0)
    coverage.add(np.full((5, 3), np.nan), 0)
    assert coverage.seen_share == 0.0
