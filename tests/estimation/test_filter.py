"""The tether-inertial filter against flights drawn from its own model, late data, outliers and faults."""

import math
from dataclasses import replace

import numpy as np
import pytest
from matched_flight import error, fly
from scipy.stats import chi2

from tetherlab.estimation import (
    EstimateStatus,
    FilterSpec,
    Measurement,
    Sensing,
    SensorNoise,
    TetherInertialFilter,
)
from tetherlab.estimation import filter_layout as K
from tetherlab.sensors.gimbal import tangent_from_angles

NOISE = SensorNoise(
    azimuth=0.001, elevation_base=0.0032, elevation_end=0.0087, azimuth_end=0.0087, length=0.003
)
SENSING = Sensing(noise=NOISE, friction=0.0)  # the flights are drawn without play
UNMOVED = {"lag_time": 0.0, "swing": 0.0, "astray": 0.0}  # and without waves
SPEC = FilterSpec(attachment=(0.0, 0.0, -0.06), tension_walk=0.1, imu_rate=100.0, **UNMOVED)
QUICK = {"duration": 8.0, "dt": 0.01, "sensor_every": 4}


def nees(spec, seeds, **how):
    """Of position and of all 21 numbers, summed over flights that are judged once, at their end."""
    open_gate = replace(spec, gate=6.0)  # a narrow one would cut the tails off
    position, everything = 0.0, 0.0
    for seed in range(seeds):
        believer = TetherInertialFilter(SENSING, open_gate)
        for truth, _ in fly(believer, SENSING, spec, seed, **(QUICK | how)):
            wrong, covariance = error(truth, believer.state), believer.covariance.copy()
        position += wrong[:3] @ np.linalg.solve(covariance[:3, :3], wrong[:3])
        everything += wrong @ np.linalg.solve(covariance, wrong)
    return position, everything


def test_errors_are_as_large_as_the_covariance_says():
    seeds = 50
    position, everything = nees(SPEC, seeds)
    for total, size in ((position, 3), (everything, 21)):
        low, high = chi2.ppf((0.005, 0.995), size * seeds)
        assert low < total < high, (total / seeds, size)


@pytest.mark.parametrize("waves", [{"swing": 0.02}, {"astray": 0.1}])
def test_waves_of_the_tether_are_not_taken_for_noise_that_is_new_with_each_sample(waves):
    seeds = 20
    for total, size in zip(nees(replace(SPEC, **waves), seeds, sensor_every=1), (3, 21), strict=True):
        low, high = chi2.ppf((0.005, 0.995), size * seeds)
        assert low < total < high, (total / seeds, size)


def test_late_messages_lead_to_the_same_answer_as_punctual_ones():
    ends = []
    for late in (None, lambda time: 0.08 * (time > 0.5)):
        believer = TetherInertialFilter(SENSING, SPEC)
        for _ in fly(believer, SENSING, SPEC, 3, late=late, **(QUICK | {"duration": 4.0})):
            pass
        ends.append(believer)
    punctual, late = ends
    # The last two readings of the late flight are still under way: compare where both know all.
    time = late._history.message[late._history.newest, K.M_TIME]
    assert time == pytest.approx(punctual.state[K.TIME])
    assert np.linalg.norm(punctual.state[:3] - late.state[:3]) < 3.0 * math.sqrt(
        np.trace(late.covariance[:3, :3])
    )
    shared = _state_at(punctual, time - 0.1), _state_at(late, time - 0.1)
    assert np.allclose(*shared, rtol=0.0, atol=1e-9)


def _state_at(believer, time):
    """What it believed after the last message not later than a time."""
    history = believer._history
    slots = [history.order[k] for k in range(history.used[0])]
    slot = [s for s in slots if history.message[s, K.M_TIME] <= time][-1]
    return history.state[slot][: K.FORCE]


def test_what_is_older_than_all_that_is_remembered_changes_nothing():
    believer = _flown(4.0)
    before = believer.state.copy()
    believer.update(Measurement(time=0.5, length=9.0))
    assert np.array_equal(before, believer.state, equal_nan=True)


def test_one_wild_reading_is_refused():
    believer = _flown(4.0)
    before = believer.estimate
    time = before.time
    after = believer.update(Measurement(time=time, length=before.position[2] + 3.0))
    assert np.allclose(before.position, after.position, atol=1e-12)
    assert after.faults == ()


@pytest.mark.parametrize(
    ("reading", "change"),
    [
        ("length", lambda m: {"length": m.length + 0.2}),
        ("base_elevation", lambda m: {"tangent_base": _raised(m.tangent_base, 0.1)}),
        ("drone_elevation", lambda m: {"tangent_end": _raised(m.tangent_end, 0.1)}),
        ("base_azimuth", lambda m: {"tangent_base": _turned(m.tangent_base, 0.1)}),
    ],
)
def test_an_offset_sensor_is_noticed_within_two_seconds_and_not_believed(reading, change):
    believer = TetherInertialFilter(SENSING, SPEC)
    teller = _Liar(believer, change, start=6.0)
    noticed = math.inf
    for truth, estimate in fly(teller, SENSING, SPEC, 5, **(QUICK | {"duration": 12.0})):
        if estimate.faults and noticed == math.inf:
            noticed = estimate.time
            assert estimate.faults == (reading,)
        if estimate.time > 1.0:
            end = truth[:3] + truth[6:15].reshape(3, 3) @ np.array(SPEC.attachment)
            assert np.linalg.norm(estimate.position - end) < 0.25
    assert noticed < 8.0
    assert estimate.status is EstimateStatus.UNSURE


@pytest.mark.parametrize(("angle", "seed"), [(0.1, 1), (0.06, 3), (0.06, 5)])
def test_an_angle_that_leaps_is_told_before_the_filter_has_come_to_agree_with_it(angle, seed):
    believer = TetherInertialFilter(SENSING, SPEC)
    leaps = _Liar(believer, lambda m: {"tangent_base": _raised(m.tangent_base, angle)}, start=6.0)
    for _, estimate in fly(leaps, SENSING, SPEC, seed, **QUICK):
        assert estimate.faults in ((), ("base_elevation",))
    assert estimate.faults


@pytest.mark.parametrize("seed", [5, 7])
@pytest.mark.parametrize("reading", ["base_azimuth", "base_elevation", "drone_azimuth", "drone_elevation"])
def test_a_stuck_angle_is_told_and_nobody_else_is_blamed(reading, seed):
    """The contradiction alone does not tell which of two elevations is wrong; that one stays does."""
    believer = TetherInertialFilter(SENSING, SPEC)
    stuck = _Liar(believer, _Stays(reading), start=5.0)
    told = math.inf
    for _, estimate in fly(stuck, SENSING, SPEC, seed, **(QUICK | {"duration": 9.0})):
        assert estimate.faults in ((), (reading,))
        told = min(told, estimate.time if estimate.faults else math.inf)
    assert 5.0 < told < 7.0


class _Stays:
    """One angle of a tangent as it was first asked for."""

    def __init__(self, reading):
        self.side = "tangent_base" if reading.startswith("base") else "tangent_end"
        self.axis = 0 if reading.endswith("azimuth") else 1
        self.value = None

    def __call__(self, measurement):
        x, y, z = getattr(measurement, self.side)
        angles = [math.atan2(y, x), math.atan2(z, math.hypot(x, y))]
        self.value = angles[self.axis] if self.value is None else self.value
        angles[self.axis] = self.value
        return {self.side: np.array(tangent_from_angles(*angles))}


def test_the_place_is_known_no_better_than_the_angles_of_the_base():
    """However long it looks: a turn about the base is seen by no sensor."""
    believer = TetherInertialFilter(SENSING, replace(SPEC, bias_time=1e4))
    *_, (truth, estimate) = fly(believer, SENSING, SPEC, 4, **(QUICK | {"duration": 20.0}))
    turned = SPEC.bias[0] * np.hypot(truth[0], truth[1])
    across = np.array([-truth[1], truth[0], 0.0]) / np.hypot(truth[0], truth[1])
    assert math.sqrt(across @ estimate.covariance @ across) > 0.8 * turned


class _Liar:
    """Passes measurements on, changed from a time on."""

    def __init__(self, inner, change, start):
        self.inner, self.change, self.start, self.until = inner, change, start, math.inf

    def update(self, measurement):
        if self.start <= measurement.time < self.until and measurement.tangent_base is not None:
            measurement = replace(measurement, **self.change(measurement))
        return self.inner.update(measurement)


def _raised(tangent, angle):
    flat = math.hypot(tangent[0], tangent[1])
    elevation = math.atan2(tangent[2], flat) + angle
    c = math.cos(elevation) / flat
    return np.array([c * tangent[0], c * tangent[1], math.sin(elevation)])


def _turned(tangent, angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ tangent


def _flown(duration):
    believer = TetherInertialFilter(SENSING, SPEC)
    for _ in fly(believer, SENSING, SPEC, 1, **(QUICK | {"duration": duration})):
        pass
    return believer


def test_heading_is_found_from_a_wrong_start():
    """The autopilot's heading is wrong by a radian; the tether's azimuth at the drone tells."""
    believer = TetherInertialFilter(SENSING, SPEC)
    wrong = _Liar(believer, lambda m: {"rotation": _about_z(1.0) @ m.rotation}, start=0.0)
    *_, (truth, estimate) = fly(wrong, SENSING, SPEC, 2, **QUICK)
    rotation = truth[6:15].reshape(3, 3)
    off = estimate.heading - math.atan2(rotation[1, 0], rotation[0, 0])
    assert abs(math.remainder(off, 2 * math.pi)) < 4.0 * estimate.heading_deviation < 0.2


def _about_z(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def test_silence_is_told():
    """For a while the IMU is enough; then there is no position any more."""
    believer = _flown(2.0)
    answers = [believer.update(m) for m in _hovering(believer.estimate.time, 800)]
    everyone = {"base_azimuth", "base_elevation", "drone_elevation", "length", "tension"}
    assert set(answers[60].faults) == everyone
    assert answers[60].status is EstimateStatus.UNSURE
    assert answers[-1].status in (EstimateStatus.STALE, EstimateStatus.CANNOT_SAY)
    assert not answers[-1].status.usable


def test_time_goes_on_when_all_sensors_are_dead_but_one_that_is_stuck():
    believer = _flown(2.0)
    start = believer.estimate.time
    answers = [believer.update(m) for m in _hovering(start, 200, noise=0.0)]
    assert answers[-1].time == pytest.approx(start + 2.0)
    assert "imu" in answers[-1].faults
    assert not answers[-1].status.usable
    assert np.trace(answers[-1].covariance) > np.trace(answers[20].covariance)


def _hovering(start, count, noise=1e-6):
    """What an IMU says of a drone that stands in the air."""
    rng = np.random.default_rng(1)
    for k in range(1, count + 1):
        force = np.array([0.0, 0.0, 9.80665]) + noise * rng.standard_normal(3)
        yield Measurement(time=start + 0.01 * k, specific_force=force, angular_velocity=np.zeros(3))


def test_a_stuck_imu_is_told_and_the_tether_alone_is_believed():
    """It repeats its last sample; without that being noticed the drone would seem to fly away."""
    believer = TetherInertialFilter(SENSING, SPEC)
    told = math.inf
    for truth, estimate in fly(_StuckImu(believer, 5.0), SENSING, SPEC, 6, **(QUICK | {"duration": 10.0})):
        if estimate.faults:
            assert estimate.faults == ("imu",)
            told = min(told, estimate.time)
        if estimate.time > 1.0:
            end = truth[:3] + truth[6:15].reshape(3, 3) @ np.array(SPEC.attachment)
            assert np.linalg.norm(estimate.position - end) < 0.35
    assert 5.0 < told < 7.0
    assert estimate.status is EstimateStatus.UNSURE


class _StuckImu:
    """Passes measurements on, those of the IMU as they were at a time."""

    def __init__(self, inner, start):
        self.inner, self.start, self.last = inner, start, None

    def update(self, measurement):
        if measurement.specific_force is not None:
            if measurement.time < self.start:
                self.last = measurement
            force, rate = self.last.specific_force, self.last.angular_velocity
            measurement = replace(measurement, specific_force=force, angular_velocity=rate)
        return self.inner.update(measurement)


def test_before_it_has_begun_it_knows_nothing_and_after_a_reset_again():
    believer = TetherInertialFilter(SENSING, SPEC)
    assert np.isnan(believer.estimate.position).all()
    believer = _flown(2.0)
    believer.reset()
    assert believer.estimate.status is EstimateStatus.MISSING
    assert np.isnan(believer.estimate.position).all()


def test_the_covariance_is_that_of_the_attachment():
    """A long arm moves with the drone's attitude, which is not known exactly."""
    believer = _flown(3.0)
    rotation = believer.state[K.R : K.R + 9].reshape(3, 3)
    arm = np.array(SPEC.attachment)
    moved = []
    rng = np.random.default_rng(2)
    for change in rng.multivariate_normal(np.zeros(K.ERROR_SIZE), believer.covariance, 20_000):
        turned = rotation @ (arm + np.cross(change[K.DR : K.DR + 3], arm))
        moved.append(change[:3] + turned)
    assert np.allclose(np.cov(np.array(moved).T), believer.estimate.covariance, rtol=0.1, atol=2e-6)


@pytest.mark.parametrize("seed", range(3))
def test_a_tether_that_goes_slack_and_taut_again_accuses_nobody(seed):
    believer = TetherInertialFilter(replace(SENSING, friction=0.029), SPEC)
    slack = _Liar(
        believer, lambda m: {"tension": 0.1, "tangent_base": _raised(m.tangent_base, -0.4)}, start=5.0
    )
    slack.until = 7.0
    for _, estimate in fly(slack, SENSING, SPEC, seed, **(QUICK | {"duration": 10.0})):
        assert estimate.faults == ()


def test_sensors_that_are_stuck_are_not_believed_by_beginning_anew():
    """Base and drone's elevation and the length stay: there is no position any more, and none is made up."""
    believer = TetherInertialFilter(SENSING, SPEC)
    parts = _Stays("base_elevation"), _Stays("drone_elevation")
    stuck = _Liar(believer, lambda m: parts[0](m) | parts[1](m) | {"length": 3.0}, start=5.0)
    for truth, estimate in fly(stuck, SENSING, SPEC, 8, **(QUICK | {"duration": 25.0})):
        end = truth[:3] + truth[6:15].reshape(3, 3) @ np.array(SPEC.attachment)
        if estimate.time > 9.0 and estimate.status.usable:
            assert np.linalg.norm(estimate.position - end) < 1.0
            assert estimate.faults


def test_a_tension_that_falls_silent_is_told_and_forgotten():
    believer = TetherInertialFilter(SENSING, SPEC)
    silent = _Liar(believer, lambda m: {"tension": math.nan}, start=4.0)
    told = math.inf
    for truth, estimate in fly(silent, SENSING, SPEC, 9, **(QUICK | {"duration": 12.0})):
        assert estimate.faults in ((), ("tension",))
        told = min(told, estimate.time if estimate.faults else math.inf)
        if estimate.time > 1.0:
            end = truth[:3] + truth[6:15].reshape(3, 3) @ np.array(SPEC.attachment)
            assert np.linalg.norm(estimate.position - end) < 0.25
    assert 4.4 < told < 4.7


def test_rows_of_an_imu_without_attitude_leave_that_of_the_tangent_alone():
    """A tether that is seen by a tilted drone would seem to be bent."""
    believer = TetherInertialFilter(SENSING, SPEC)
    for _, estimate in fly(believer, SENSING, SPEC, 4, **(QUICK | {"duration": 4.0})):
        if estimate.time > 1.0:
            assert estimate.status is EstimateStatus.OK


def test_roller_and_drum_in_one_row_tell_a_stuck_roller():
    believer = TetherInertialFilter(SENSING, SPEC)
    stuck = _Liar(believer, lambda m: {"reeled": m.length + 1.0, "length": 3.0}, start=5.0)
    both = _Liar(stuck, lambda m: {"reeled": m.length + 1.0}, start=0.0)
    both.until = 5.0
    for truth, estimate in fly(both, SENSING, SPEC, 5, **(QUICK | {"duration": 10.0})):
        assert estimate.faults in ((), ("length",))
        if estimate.time > 1.0:
            end = truth[:3] + truth[6:15].reshape(3, 3) @ np.array(SPEC.attachment)
            assert np.linalg.norm(estimate.position - end) < 0.25
    assert estimate.faults == ("length",)


def start(length, azimuth, low, high, *, moving_tether=False, **others):
    """A filter after three measurements of a tether with these slopes [rad], from a cold start."""
    believer = TetherInertialFilter(spec=FilterSpec(moving_tether=moving_tether))
    for i in range(3):
        believer.update(Measurement.from_angles(length, azimuth, low, high, time=0.01 * i, **others))
    return believer


@pytest.mark.parametrize("low, high", [(1.5, 1.6), (math.pi / 2, math.pi / 2), (math.acos(0.1 / 3.0),) * 2])
@pytest.mark.parametrize("moving_tether", [False, True])
def test_a_cold_start_above_the_base_or_close_to_it_finds_the_height(low, high, moving_tether):
    estimate = start(3.0, 0.3, low, high, moving_tether=moving_tether).estimate
    assert estimate.status is EstimateStatus.OK
    assert np.linalg.norm(estimate.position - (0.0, 0.0, 3.0)) < 0.2
    assert np.isfinite(estimate.covariance).all()


def test_a_cold_start_in_any_direction_gives_finite_numbers(random):
    started = 0
    for i in range(300):
        n = random.normal(size=3)
        if i % 3 == 0:  # at the poles, or next to them
            n[:2] *= random.choice([0.0, 10.0 ** random.uniform(-12.0, -1.0)])
        elevation, sag = math.atan2(n[2], math.hypot(n[0], n[1])), random.choice([0.0, 0.05])
        believer = start(
            random.uniform(0.3, 10.0), math.atan2(n[1], n[0]), elevation - sag, elevation + sag,
            moving_tether=bool(i % 2), tension=random.uniform(1.0, 10.0),
        )  # fmt: skip
        if believer.started:
            started += 1
            assert np.isfinite(believer.estimate.position).all()
            assert np.isfinite(believer.state[: K.LINK]).all() and np.isfinite(believer.covariance).all()
    assert started > 250


@pytest.mark.parametrize("moving_tether", [False, True])
def test_a_drone_that_stands_where_its_tether_begins_waits_for_a_direction(moving_tether):
    believer = TetherInertialFilter(spec=FilterSpec(moving_tether=moving_tether))
    believer.stand(0.0, np.zeros(3))
    estimate = believer.update(Measurement.from_angles(0.3, 0.0, 1.0, 1.1, time=0.01, tension=3.0))
    assert np.linalg.norm(estimate.position) < 0.1
    assert np.isfinite(believer.covariance).all()
