"""What the filter knows of tether and sensors: play of the links, stretch, load by wind, a moving base."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tetherlab.estimation import (
    EstimateStatus,
    FilterSpec,
    Measurement,
    Sensing,
    SensorNoise,
    TetherInertialFilter,
)
from tetherlab.sensors.hanging import BASE, END, LENGTH, LOG_TENSION, read_hanging

DT = 0.01
NOISE = SensorNoise(azimuth=0.001, elevation_base=0.002, elevation_end=0.004, azimuth_end=0.004, length=0.002)
SENSING = Sensing(noise=NOISE, friction=0.0)  # but where friction is the point
# Sensors without biases, so that what is left is what the filter does not know.
SURE = FilterSpec(imu_rate=100.0, bias=(1e-4,) * 5, force_bias=0.01, rate_bias=0.001, swing=0.0, astray=0.0)
TENSION = 2.0
G = np.array([0.0, 0.0, 9.80665])


def still(time):
    return np.array([2.0, 0.5, 2.5]), np.zeros(3), np.zeros(3)


def swaying(time, rate=0.9):
    """Round and round: position, velocity, acceleration."""
    c, s = math.cos(rate * time), math.sin(rate * time)
    middle, size = np.array([2.0, 0.0, 2.5]), np.array([0.6, 0.8, 0.0])
    one, two = np.array([c, s, 0.0]), np.array([-s, c, 0.0])
    return middle + size * one, rate * size * two, -(rate**2) * size * one


def hanging(end, weight, tension):
    """Length, unit tangents at base and end of a tether under its load along -z [N/m], by bisection for b."""
    out, jacobian = np.zeros(8), np.zeros((8, 4))
    low, high = 1e-4, 2.0
    for _ in range(50):
        b = math.sqrt(low * high)
        read_hanging(*end, b, out, jacobian)
        low, high = (b, high) if weight * math.exp(out[LOG_TENSION]) > tension else (low, b)
    return out[LENGTH], out[BASE : BASE + 3].copy(), out[END : END + 3].copy()


class Link:
    """Azimuth and elevation that trail behind the tether by the play that friction leaves."""

    def __init__(self):
        self.angles = None

    def follow(self, tangent, play):
        if play == 0.0:
            return tangent
        flat = math.hypot(tangent[0], tangent[1])
        now = np.array([math.atan2(tangent[1], tangent[0]), math.atan2(tangent[2], flat)])
        plays = np.array([play / flat, play])
        self.angles = now if self.angles is None else np.clip(self.angles, now - plays, now + plays)
        (azimuth, elevation), c = self.angles, math.cos(self.angles[1])
        return np.array([c * math.cos(azimuth), c * math.sin(azimuth), math.sin(elevation)])


def fly(filter_, path, duration, *, play=0.0, stretch=0.0, wind=None, base_velocity=None, change=None):
    """Feed a filter with readings without noise; yields (truth, estimate) after each set of them."""
    links = Link(), Link()
    moves = np.zeros(3) if base_velocity is None else np.array(base_velocity)
    frame, weight = (np.eye(3), SENSING.weight) if wind is None else wind
    for step in range(round(duration / DT)):
        time = step * DT
        place, _, acceleration = path(time)
        tiny = 1e-9 * step  # what repeats itself to the last digit is stuck
        force = acceleration + G + tiny
        filter_.update(Measurement(time=time, specific_force=force, angular_velocity=np.zeros(3)))
        base = time * moves
        length, low, high = hanging(frame.T @ (place - base), weight, TENSION)
        reading = Measurement(
            time=time,
            length=length / (1.0 + stretch) + tiny,
            tangent_base=links[0].follow(frame @ low, play) + tiny,
            tangent_end=links[1].follow(frame @ high, play) + tiny,
            tension=TENSION + tiny,
            base=base,
            base_velocity=moves,
        )
        yield place, filter_.update(reading if change is None else change(reading))


def mean_error(filter_, path, duration, **how):
    """Length of the mean error vector, and root mean square, after the first 2 s [m]."""
    wrong = [e.position - truth for truth, e in fly(filter_, path, duration, **how) if e.time > 2.0]
    return np.linalg.norm(np.mean(wrong, axis=0)), math.sqrt(np.mean(np.sum(np.square(wrong), axis=1)))


def test_a_link_that_trails_behind_its_tether_is_followed():
    """asin(F/T) with a friction of 0.1 N is 50 mrad, at 3 m 15 cm."""
    friction = 0.1
    play = math.asin(friction / TENSION)
    errors = {}
    for known in (friction, 0.0):
        believer = TetherInertialFilter(replace(SENSING, friction=known), replace(SURE, gate=1e3))
        errors[known] = mean_error(believer, swaying, 16.0, play=play)
    assert errors[friction][0] < 0.02
    assert errors[friction][1] < 0.03 < 0.1 < errors[0.0][1]


@pytest.mark.parametrize("stiffness", [100.0, 1000.0])
def test_stretch_is_not_taken_for_distance(stiffness):
    stretch = TENSION / stiffness
    known = TetherInertialFilter(replace(SENSING, axial_stiffness=stiffness), SURE)
    unknown = TetherInertialFilter(SENSING, SURE)
    right, wrong = (mean_error(f, still, 6.0, stretch=stretch)[0] for f in (known, unknown))
    distance = np.linalg.norm(still(0.0)[0])
    assert wrong > 0.5 * stretch * distance
    assert right < 0.01 * wrong


def test_straight_above_the_base_is_an_ordinary_place():
    def through(time):
        return np.array([0.3 * (time - 4.0), 0.0, 3.0]), np.array([0.3, 0.0, 0.0]), np.zeros(3)

    believer = TetherInertialFilter(SENSING, SURE)
    for truth, estimate in fly(believer, through, 8.0):
        if estimate.time > 1.0:
            assert np.linalg.norm(estimate.position - truth) < 0.03
            assert estimate.status is EstimateStatus.OK and estimate.faults == ()
            assert np.isfinite(believer.covariance).all()
            assert np.linalg.eigvalsh(believer.covariance)[0] > -1e-12


def test_a_base_that_moves_is_told_by_its_velocity():
    """Drone and base go side by side."""
    speed = np.array([0.3, 0.0, 0.0])

    def along(time):
        return still(0.0)[0] + time * speed, speed, np.zeros(3)

    believer = TetherInertialFilter(SENSING, SURE)
    *_, (truth, estimate) = fly(believer, along, 8.0, base_velocity=speed)
    assert np.linalg.norm(estimate.position - truth) < 0.02
    assert np.linalg.norm(estimate.velocity - speed) < 0.03
    assert estimate.faults == ()


def test_a_base_that_stands_on_a_slope_and_is_turned_senses_in_its_own_frame():
    turn, tilt = 1.1, 0.3
    c, s = math.cos(turn), math.sin(turn)
    leaning = np.array([[1, 0, 0], [0, math.cos(tilt), -math.sin(tilt)], [0, math.sin(tilt), math.cos(tilt)]])
    rotation = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ leaning

    def turned(m):
        return replace(m, tangent_base=rotation.T @ m.tangent_base, rotation_base=rotation)

    level, sloping = (
        mean_error(TetherInertialFilter(SENSING, SURE), swaying, 6.0, change=change)
        for change in (None, turned)
    )
    assert sloping[1] < 0.02
    assert sloping == pytest.approx(level, abs=0.005)


def test_the_base_is_carried_on_to_the_time_of_a_length_that_comes_between_its_poses():
    believer = TetherInertialFilter(SENSING, SURE)
    pose = {"base": np.array([1.0, 2.0, 0.0]), "base_velocity": np.array([0.3, 0.0, 0.0])}
    believer.update(Measurement(time=1.0, tangent_base=np.array([0.6, 0.0, 0.8]), **pose))
    assert np.allclose(believer._base(1.1), [1.03, 2.0, 0.0])
    assert np.allclose(believer._base(9.0), [1.0, 2.0, 0.0])  # that is too long ago to guess


def test_a_saturated_sensor_is_silent_and_not_faulty():
    """Its reading is at the end of its range, far from the truth, and must not be taken for one."""

    def at_the_end(m):
        if m.time < 3.0:
            return m
        wrong = np.array([m.tangent_end[1], m.tangent_end[0], m.tangent_end[2]])
        return replace(m, tangent_end=wrong, saturated=("drone_azimuth", "drone_elevation"))

    believer = TetherInertialFilter(SENSING, SURE)
    for truth, estimate in fly(believer, still, 6.0, change=at_the_end):
        if estimate.time > 1.0:
            assert np.linalg.norm(estimate.position - truth) < 0.03
        if abs(estimate.time - 3.5) > 0.1:  # silent for too long is told, as it would be of a broken wire
            assert estimate.faults == (("drone_elevation",) if estimate.time > 3.5 else ())
    assert estimate.status is EstimateStatus.UNSURE
    # it is believed again as soon as it is back in its range
    *_, (_, again) = fly(_Later(believer, 6.0), still, 1.0)
    assert again.faults == ()


class _Later:
    """Hands on what it is given, as if it came later."""

    def __init__(self, inner, by):
        self.inner, self.by = inner, by

    def update(self, measurement):
        return self.inner.update(replace(measurement, time=measurement.time + self.by))


def test_wind_on_the_tether_is_accounted_for_where_it_is_known():
    """A tether under an evenly spread load is a hanging one in a frame turned towards that load."""
    drag, wind = 0.5 * 1.225 * 1.2 * 0.003, np.array([8.0, -5.0, 0.0])
    line = still(0.0)[0] / np.linalg.norm(still(0.0)[0])
    across = wind - (wind @ line) * line
    load = drag * np.linalg.norm(across) * across + np.array([0.0, 0.0, -SENSING.weight])
    z = -load / np.linalg.norm(load)
    x = np.cross([0.0, 1.0, 0.0], z)
    x /= np.linalg.norm(x)
    frame = np.column_stack([x, np.cross(z, x), z])
    how = {"wind": (frame, float(np.linalg.norm(load)))}
    moving = replace(SURE, moving_tether=True, tether_drag=drag, wind=tuple(wind[:2]))
    known = mean_error(TetherInertialFilter(SENSING, moving), still, 6.0, **how)[0]
    unknown = mean_error(TetherInertialFilter(SENSING, SURE), still, 6.0, **how)[0]
    assert known < 0.01
    assert known < 0.3 * unknown
