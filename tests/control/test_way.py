"""A polyline that is travelled from rest to rest on every leg."""

import numpy as np
import pytest

from tetherlab.control.way import Way

POINTS = np.array([(0.0, 0.0, 0.0), (0.0, 0.0, 2.0), (3.0, 0.0, 2.0)])


def test_it_is_on_the_polyline_and_keeps_its_limits():
    way = Way(POINTS, speed=0.5, acceleration=0.8)
    times = np.linspace(-1.0, way.duration + 1.0, 2001)
    references = [way(t) for t in times]
    p = np.array([r.position for r in references])
    off = np.minimum(np.abs(p[:, 0]), np.abs(p[:, 2] - 2.0))
    assert off.max() < 1e-12
    assert max(np.linalg.norm(r.velocity) for r in references) == pytest.approx(0.5, rel=1e-3)
    assert max(np.linalg.norm(r.acceleration) for r in references) <= 0.8 + 1e-9
    assert references[0].position == pytest.approx(POINTS[0])
    assert references[-1].position == pytest.approx(POINTS[-1])


def test_velocity_and_acceleration_are_those_of_the_position():
    way, h = Way(POINTS), 1e-4
    for t in (0.5, 3.0, way.duration - 1.0):
        before, now, after = way(t - h), way(t), way(t + h)
        assert (after.position - before.position) / (2 * h) == pytest.approx(now.velocity, abs=1e-6)
        assert (after.velocity - before.velocity) / (2 * h) == pytest.approx(now.acceleration, abs=1e-5)


def test_a_way_of_no_length_stays_where_it_is():
    way = Way([(1.0, 0.0, 1.0), (1.0, 0.0, 1.0)])
    assert way.duration == 0.0 and way(3.0).position == pytest.approx((1.0, 0.0, 1.0))
