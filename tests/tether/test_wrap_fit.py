"""Which cylinder an edge is to an element: also when the first guess was far too round."""

import math

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.tether.wrap import WRAP
from tetherlab.tether.wrap_fit import refit_wrap, start_wrap

RADIUS = 0.002  # at which elements bend [m]
FIELD = tl.World([tl.shapes.Box(lower=(0.0, -1.0, -1.0), upper=(1.0, 1.0, 0.0))]).field
STILL = np.zeros((2, 3))


def wrapped(a, b):
    """An element from the top of the box over its edge at x = 0 and down its side."""
    wrap = np.zeros(1, WRAP)[0]
    x = np.array((a, b))
    middle = 0.5 * (x[0] + x[1])
    rest = float(np.linalg.norm(x[1] - x[0]))
    assert start_wrap(FIELD, 0, wrap, x, STILL, 0, 0.0, *middle, RADIUS, 0.3, 1.0, rest, 0.0)
    return wrap, x, rest


@pytest.mark.parametrize("below", [0.005, 0.05])
def test_a_cylinder_that_cuts_the_corner_is_fitted_to_the_edge(below):
    a, b = (0.09, 0.0, 0.0022), (-0.0022, 0.01, -below)
    wrap, x, rest = wrapped(a, b)
    assert wrap["radius"] == pytest.approx(RADIUS)
    # Six times as round, so that its way leads through the corner; it touches the top, as a bad guess does.
    wrap["radius"] = 6.0 * RADIUS
    wrap["origin_O"] = wrap["origin_O"] + np.array((6.0 * RADIUS, 0.0, -6.0 * RADIUS))
    wrap["point_W"] = (0.01, 0.005, -0.0005)
    wrap["along_W"] = (-1.0, 0.1, 0.0)
    assert refit_wrap(FIELD, wrap, x, STILL, 0, RADIUS, 0.3, rest)
    assert wrap["active"] == 1
    assert wrap["radius"] == pytest.approx(RADIUS)
    assert np.hypot(wrap["origin_O"][0], wrap["origin_O"][2]) < 1e-9
    assert wrap["friction"] == 0.3
    # It turns by the angle between the two legs, which lie along the faces.
    assert wrap["angle"] == pytest.approx(0.5 * math.pi, abs=0.15)


def test_an_element_that_an_iterate_throws_deep_into_an_obstacle_keeps_its_tension():
    """The way round counts in full where the chord was free when the step began."""
    x = np.array([(0.2, 0.0, 0.01), (-0.1, 0.0, 0.01)])
    u = np.array([(0.0, 0.0, 0.0), (0.0, 0.0, -0.25)])  # in a step of 1 s: over the edge and down
    rest = float(np.linalg.norm(x[1] - x[0]))
    wrap = np.zeros(1, WRAP)[0]
    end = x + u
    middle = end[0] + 0.6 * (end[1] - end[0])
    assert start_wrap(FIELD, 0, wrap, x, u, 0, 1.0, *middle, RADIUS, 0.3, 1.0, rest, 0.0)
    assert wrap["angle"] > 0.5
    assert wrap["ease"] == 0.0
    # One that was as deep in it before has not come from outside: its way is not to grow at once.
    assert start_wrap(FIELD, 0, wrap, end, STILL, 0, 1.0, *middle, RADIUS, 0.3, 1.0, rest, 0.0)
    assert wrap["ease"] > 1e-3
