"""Polygons of a plane as solids, by their distances."""

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.scenario.plane_world import solid


def distance(polygon, x, z):
    return float(tl.World([solid("it", polygon)]).distance((x, 0.0, z)))


def test_an_l_has_its_notch():
    it = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)]
    for polygon in (it, it[::-1]):
        assert distance(polygon, 1.5, 1.5) == pytest.approx(0.5)
        assert distance(polygon, 0.5, 1.8) < 0.0 and distance(polygon, 1.8, 0.5) < 0.0
        assert distance(polygon, 3.0, 0.5) == pytest.approx(1.0)


def test_a_slope_is_where_it_is_drawn():
    triangle = [(0.0, 0.0), (2.0, 0.0), (0.0, 1.0)]
    for polygon in (triangle, triangle[::-1]):
        assert distance(polygon, 1.0, 0.5) == pytest.approx(0.0, abs=1e-9)
        normal = np.array([1.0, 2.0]) / np.sqrt(5.0)
        assert distance(polygon, *(np.array([1.0, 0.5]) + 0.3 * normal)) == pytest.approx(0.3)
        assert distance(polygon, 0.4, 0.4) < 0.0


def test_a_star_is_refused():
    with pytest.raises(
        tl.InputError, match="it: a polygon must be convex, or have all its sides along the axes"
    ):
        solid("it", [(0.0, 0.0), (1.0, 0.3), (2.0, 0.0), (1.0, 2.0)])
