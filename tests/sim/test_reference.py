"""The point that a vehicle follows: its limits, its arrival."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tetherlab.sim.reference import Paths

DT = 0.01


def make_point(speed, slow_down, acceleration):
    """One point at the origin, and what moves it on by DT."""
    paths = Paths.at([np.zeros(3)], [(speed, slow_down, acceleration)])
    return paths.point(0), lambda: paths.advance(DT)


metres = st.floats(-20.0, 20.0)
places = st.tuples(metres, metres, metres)


@settings(deadline=None, max_examples=60)
@given(
    places=st.lists(places, min_size=1, max_size=4),
    speed=st.floats(0.05, 3.0),
    slow_down=st.sampled_from([0.0, 0.5]),
    acceleration=st.floats(0.1, 2.0),
    patience=st.integers(1, 400),
)
def test_speed_and_acceleration_stay_within_their_limits(places, speed, slow_down, acceleration, patience):
    point, advance = make_point(speed, slow_down, acceleration)
    for place in places:
        point.target[:] = place
        for _ in range(patience):
            before, start = point.velocity.copy(), point.position.copy()
            advance()
            assert np.linalg.norm(point.velocity) <= speed * (1.0 + 1e-9)
            # Within a tenth of a millimetre of its target it may stop at once.
            stopped = 1e-3 if not point.velocity.any() else 0.0
            changed = np.linalg.norm(point.velocity - before)
            assert changed <= acceleration * DT * (1.0 + 1e-9) + stopped
            assert np.linalg.norm(point.position - start) <= speed * DT + 1e-4


@settings(deadline=None, max_examples=60)
@given(
    place=places, speed=st.floats(0.05, 3.0), slow_down=st.sampled_from([0.0, 0.5]),
    acceleration=st.floats(0.1, 2.0),
)  # fmt: skip
def test_it_arrives_without_overshoot(place, speed, slow_down, acceleration):
    point, advance = make_point(speed, slow_down, acceleration)
    point.target[:] = place
    far = np.linalg.norm(place)
    nearest = far
    for _ in range(200_000):
        advance()
        left = np.linalg.norm(point.target - point.position)
        assert left <= nearest + 1e-3
        nearest = min(nearest, left)
        if point.arrived:
            break
    assert point.arrived
    advance()
    assert np.allclose(point.position, point.target, rtol=0, atol=1e-3)


def test_it_arrives_at_a_target_that_trembles(random):
    point, advance = make_point(0.5, 0.5, 0.5)
    for _ in range(600):
        point.target[:] = (1.0, 0.0, 0.0) + 1e-6 * random.normal(size=3)
        advance()
    assert point.arrived


def test_within_the_slow_down_distance_its_speed_falls_in_proportion():
    point, advance = make_point(0.15, 0.5, 0.5)
    point.target[:] = (3.0, 0.0, 0.0)
    while point.target[0] - point.position[0] > 0.25:
        advance()
    assert point.velocity[0] == pytest.approx(0.15 * 0.5, rel=0.02)


def test_its_velocity_is_the_change_of_its_position():
    point, advance = make_point(0.4, 0.5, 0.5)
    point.target[:] = (1.0, -2.0, 0.5)
    for _ in range(300):
        before, velocity = point.position.copy(), point.velocity.copy()
        advance()
        mean = 0.5 * (velocity + point.velocity)
        assert np.allclose(point.position - before, DT * mean, rtol=0, atol=1e-12)
