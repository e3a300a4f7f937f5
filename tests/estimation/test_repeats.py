"""Which readings repeat themselves, and what the filter makes of it."""

import math

import numpy as np

from tetherlab.estimation import Measurement
from tetherlab.estimation.repeats import IMU_TIMES, TIMES, RepeatWatch
from tetherlab.sensors.gimbal import tangent_from_angles


def tangent(azimuth, elevation):
    return np.array(tangent_from_angles(azimuth, elevation))


def test_a_reading_counts_after_some_repetitions_and_not_when_it_changes():
    watch = RepeatWatch()
    seen = [watch.take(Measurement(length=2.0)) for _ in range(TIMES + 2)]
    assert seen == [()] * TIMES + [("length",)] * 2
    assert watch.take(Measurement(length=2.0 + 1e-6)) == ()
    assert watch.take(Measurement(length=2.0 + 1e-6)) == ()


def test_one_angle_of_two_is_told_whichever_way_the_other_goes():
    """Also beyond the vertical, where the tangent is that of another pair of angles."""
    for elevation in (0.4, 1.5, 2.0):
        watch = RepeatWatch()
        for step in range(TIMES + 1):
            told = watch.take(Measurement(tangent_base=tangent(0.1 * step, elevation)))
        assert told == ("base_elevation",)
    watch = RepeatWatch()
    for step in range(TIMES + 1):
        told = watch.take(Measurement(tangent_end=tangent(0.3, 0.1 * step)))
    assert told == ("drone_azimuth",)


def test_what_is_silent_in_between_has_still_repeated_itself():
    watch = RepeatWatch()
    for _ in range(TIMES + 1):
        told = watch.take(Measurement(tension=3.5))
        assert watch.take(Measurement(altitude=math.nan)) == ()
    assert told == ("tension",)


def test_at_the_end_of_its_range_a_reading_has_to_repeat_itself():
    watch = RepeatWatch()
    for _ in range(9):
        assert watch.take(Measurement(tension=6.0, saturated=("tension",))) == ()
    assert watch.take(Measurement(tension=6.0)) == ()


def test_an_imu_is_stuck_after_many_equal_samples_of_all_six_numbers():
    watch, still = RepeatWatch(), np.array([0.0, 0.0, 9.8])
    for step in range(3 * IMU_TIMES):
        watch.take(Measurement(specific_force=still, angular_velocity=np.array([1e-9 * step, 0.0, 0.0])))
    assert watch.stuck == set()
    for _ in range(IMU_TIMES + 1):
        watch.take(Measurement(specific_force=still, angular_velocity=np.zeros(3)))
    assert watch.stuck == {"imu"}
    watch.reset()
    assert watch.stuck == set()
