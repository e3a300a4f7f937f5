"""Velocity by inertial sensors alone: what is true of its changes, and how its error grows."""

import math

import numpy as np
import pytest
from inspection_scenes import inspected, true_attitude

from tetherlab.contracts.errors import InputError
from tetherlab.sensors.inertial import Inertial, InertialSpec

TICK = 0.05


def heard(seed=1, ticks=400, walk=0.1, attitude=true_attitude, **truth):
    """Readings one after another."""
    sensor = Inertial(InertialSpec(walk=walk), "inertial", seed, attitude)
    said = []
    for k in range(ticks):
        now = inspected(TICK * k, **truth)
        sensor.follow(now)
        said.append(sensor.sample(now))
    return said


def test_without_its_walk_it_is_the_velocity():
    (reading,) = heard(ticks=1, walk=0.0, velocity=np.array([0.3, -0.1, 0.2]))
    assert reading.velocity == pytest.approx([0.3, -0.1, 0.2], abs=1e-12) and reading.yaw == 0.0


def test_its_error_walks_with_the_root_of_time():
    errors = np.array([[reading.velocity for reading in heard(seed)] for seed in range(150)])
    for ticks in (20, 399):
        deviation = errors[:, ticks].std()
        # 450 values: their deviation is known to 1/sqrt(900), a thirtieth
        assert deviation == pytest.approx(0.1 * math.sqrt(TICK * ticks), rel=4.0 / 30.0)


def test_it_is_told_in_the_frame_that_the_autopilot_believes_in():
    def turned(truth):
        c, s = math.cos(0.3), math.sin(0.3)
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ truth.rotation

    (reading,) = heard(ticks=1, walk=0.0, attitude=turned, velocity=np.array([0.5, 0.0, 0.1]))
    assert reading.yaw == pytest.approx(0.3)
    assert reading.velocity == pytest.approx([0.5 * math.cos(0.3), 0.5 * math.sin(0.3), 0.1])


def test_a_negative_walk_is_refused():
    with pytest.raises(InputError, match="walk must be >= 0"):
        InertialSpec(walk=-0.1)
