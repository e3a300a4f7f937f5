"""Angles that leap, told from noise and from a tether that swings; what is felt when no IMU speaks."""

import math

import numpy as np
import pytest

from tetherlab.estimation import FilterSpec, Measurement, Sensing, TetherInertialFilter
from tetherlab.estimation import filter_layout as K
from tetherlab.estimation.filter_kernel import gimbal_axes
from tetherlab.estimation.filter_watch import watch_leaps
from tetherlab.sensors.gimbal import tangent_from_angles

AZIMUTH, ELEVATION = 0.7, math.acos(0.15)  # of a steep tether at the drone [rad]
NOISE = 0.0087  # of both angles [rad]
DT, LEAP_AT = 0.01, 20.0  # [s]
SECOND = round(1.0 / DT)


def _leapt(seed, *, swing, leap):
    """Whether the azimuth at the drone counts as leapt after each sample; swing: of the tangent [rad]."""
    rng = np.random.default_rng(seed)
    x = np.full(K.STATE_SIZE, math.nan)
    x[K.BEGAN] = x[K.HEARD + K.DRONE_AZIMUTH] = 0.0
    expected, flat = np.array(tangent_from_angles(AZIMUTH, ELEVATION)), math.cos(ELEVATION)
    axes, told, leapt = gimbal_axes(expected), [], np.zeros(2, np.bool_)
    for time in np.arange(DT, LEAP_AT + 2.0, DT):
        x[K.TIME] = time
        azimuth = AZIMUTH + swing / flat * math.sin(6.0 * math.pi * time) + leap * (time >= LEAP_AT)
        noisy = np.array([azimuth, ELEVATION]) + NOISE * rng.standard_normal(2)
        sensed = np.array(tangent_from_angles(*noisy))
        variance, own = NOISE**2 * np.array([flat**2, 1.0]), gimbal_axes(x[K.SENSED + 3 : K.SENSED + 6])
        off = sensed - expected
        watch_leaps(x, sensed, off, axes, own, variance, K.DRONE_AZIMUTH, time > 2.0, leapt)
        x[K.HEARD + K.DRONE_AZIMUTH] = time
        told.append(bool(leapt[0]))
    return np.array(told)


@pytest.mark.parametrize("leap", [-0.1, 0.1])
def test_an_azimuth_that_leaps_is_told_also_where_it_hardly_moves_the_tangent(leap):
    """By 15 mrad, which the tether swings by as well, but not from one sample to the next."""
    noticed = [_leapt(seed, swing=0.003, leap=leap)[-2 * SECOND :] for seed in range(20)]
    assert sum(told[:SECOND].mean() > 0.9 for told in noticed) >= 18


@pytest.mark.parametrize("swing", [0.0, 0.003, 0.03])
def test_neither_noise_nor_waves_pass_for_a_leap(swing):
    for seed in range(20):
        assert not _leapt(seed, swing=swing, leap=0.0).any()


TILT, TENSION, HEIGHT, MASS = 0.2, 3.5, 3.0, 0.7  # [rad], [N], [m], [kg]


def _felt(mass):
    """What the filter takes for the specific force in the world, 0.2 s after its IMU spoke last, (3,)."""
    sensing = Sensing(drone_mass=mass)
    believer = TetherInertialFilter(sensing, FilterSpec())
    believer.stand(0.0, np.array([0.0, 0.0, HEIGHT]))
    believer.update(Measurement(time=0.01, tension=TENSION))
    c, s = math.cos(TILT), math.sin(TILT)
    rotation = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])  # about y: its z axis leans to +x
    upright = rotation.T @ np.array([0.0, 0.0, 1.0])
    believer.update(Measurement(time=0.2, tangent_end=upright, rotation=rotation))
    x = believer.state
    return rotation @ (x[K.FORCE : K.FORCE + 3] - x[K.FORCE_BIAS : K.FORCE_BIAS + 3]), sensing


def test_without_an_imu_tilt_and_pull_tell_the_acceleration():
    """Rotors carry drone and pull, so that it accelerates by (g + T/m) tan(tilt) where it leans to."""
    force, sensing = _felt(MASS)
    lifted = sensing.gravity + (TENSION + sensing.weight * HEIGHT) / MASS
    assert force == pytest.approx([lifted * math.tan(TILT), 0.0, sensing.gravity], abs=0.02)


def test_without_imu_and_mass_it_flies_on_as_it_did():
    force, sensing = _felt(math.nan)
    assert force == pytest.approx([0.0, 0.0, sensing.gravity], abs=1e-9)


def test_a_jerk_of_a_short_tether_does_not_pass_for_a_place():
    """At take-off a hand's breadth of tether goes slack and taut; its tension then tells nothing else."""
    believer = TetherInertialFilter()
    place = np.array([0.0, 0.0, 0.04])
    believer.stand(0.0, place)
    believer.state[K.LOG_B] = math.log(Sensing().weight * place[2] / (2.0 * TENSION))
    moved = believer.update(Measurement(time=0.001, tension=5.9)).position - place
    assert np.abs(moved).max() < 1e-5


def test_a_drone_that_falls_faster_than_its_tether_leaves_a_place():
    """With inertia of the tether accounted for, its load would else turn upside down."""
    believer = TetherInertialFilter(spec=FilterSpec(moving_tether=True))
    believer.stand(0.0, np.array([1.0, 0.0, 2.0]))
    jerk = np.array([0.0, 0.0, -Sensing().gravity])  # together with gravity twice as much downwards
    believer.update(Measurement(time=0.001, specific_force=jerk, angular_velocity=np.zeros(3)))
    slope = np.array(tangent_from_angles(0.0, math.atan2(2.0, 1.0)))
    answer = believer.update(Measurement(time=0.002, tangent_base=slope, tension=TENSION))
    assert answer.position == pytest.approx([1.0, 0.0, 2.0], abs=0.01)
