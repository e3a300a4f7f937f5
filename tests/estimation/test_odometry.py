"""Odometry that is held by other sensors: closed forms, consistency, and sensors that lie."""

import math

import numpy as np
import pytest

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.estimate import Estimate, EstimateStatus
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.odometry import OdometryFilter, OdometrySpec, Witness
from tetherlab.sensors.readings import OdometryReading, RangeReading, VerticalReading

BASE = np.array([0.0, 0.0, 0.5])
RATE = 10.0  # of odometry in these tests [Hz]
WHITE = {"uwb": Witness(deviation=0.05), "altimeter": Witness(deviation=0.05)}


def path(duration=240.0):
    """A path to and fro before a wall: times, positions, velocities, yaws."""
    time = np.arange(0.0, duration, 1.0 / RATE)
    position = np.stack(
        [3.0 + 0.2 * np.sin(0.2 * time), 5.0 * np.sin(0.07 * time), 1.5 + time / 120.0], axis=1
    )
    return time, position, np.gradient(position, 1.0 / RATE, axis=0), 0.1 * np.sin(0.1 * time)


def turned(angle, vector):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1], vector[2]])


def visual(b, w=None, spec=None):
    """What VIO says of the path with errors b (n, 3) and w (n,), in a frame of its own, turned by 0.5 rad."""
    time, position, velocity, yaw = path()
    spec = spec or OdometrySpec()
    w = np.zeros(len(time)) if w is None else w
    told, place, wrong = [], np.array([7.0, -2.0, 1.0]), 0.0
    for k in range(len(time)):
        if k:
            step_H = turned(-yaw[k - 1], position[k] - position[k - 1])
            speed = float(np.linalg.norm(velocity[k]))
            step_H = step_H + b[k] * math.hypot(speed, spec.hover_speed) / RATE
            place = place + turned(yaw[k - 1] + wrong + 0.5, step_H)
            wrong += w[k] / RATE
        told.append(OdometryReading(time[k], place, turned(-yaw[k], velocity[k]), yaw[k] + wrong + 0.5, True))
    return told


def fly(filter, told, random=None, *, distance=True, height=True, wrong=None):
    """Feed a filter; wrong: what to add to the k-th distance [m]."""
    time, position, _, _ = path()
    for k, reading in enumerate(told):
        filter.hear("odometry", reading)
        noise = random.normal(size=2) if random is not None else (0.0, 0.0)
        if distance:
            far = float(np.linalg.norm(position[k] - BASE)) + 0.05 * noise[0] + (wrong(k) if wrong else 0.0)
            filter.hear("uwb", RangeReading(time[k], far))
        if height:
            filter.hear("altimeter", VerticalReading(time[k], position[k, 2] + 0.05 * noise[1]))
    return filter


def started(**changes):
    spec = OdometrySpec(base=tuple(BASE), **{**WHITE, **changes})
    _, position, _, yaw = path()
    return OdometryFilter(spec, position[0], float(yaw[0]))


def errors(filter):
    return filter.track().position - path()[1]


def test_odometry_without_errors_is_the_truth_in_the_frame_of_the_base():
    filter = fly(started(), visual(np.zeros((len(path()[0]), 3))), distance=False, height=False)
    assert np.allclose(filter.known_then(), path()[1], atol=1e-9)
    # looking back, motion within half a second is a parabola
    assert np.allclose(filter.track().yaw, path()[3], atol=1e-6)
    assert np.allclose(filter.track().position, path()[1], atol=1e-4)
    assert filter.estimate.status is EstimateStatus.OK


def test_without_other_sensors_it_drifts_as_odometry_does():
    b = np.tile([0.0, 0.04, 0.0], (len(path()[0]), 1))
    filter = fly(started(), visual(b), distance=False, height=False)
    assert np.linalg.norm(errors(filter)[-1]) > 1.0
    # and knows how uncertain it is by then
    assert math.sqrt(filter.track().covariance[-1, 1, 1]) > 0.5


def test_a_constant_drift_is_found_and_taken_away(random):
    b = np.tile([-0.02, 0.05, 0.01], (len(path()[0]), 1))
    alone = fly(started(), visual(b), distance=False, height=False)
    held = fly(started(), visual(b), random)
    size = np.linalg.norm(errors(held), axis=1).mean()
    assert size < 0.1 and size < 0.1 * np.linalg.norm(errors(alone), axis=1).mean()
    assert np.linalg.norm(held.known_then() - path()[1], axis=1).mean() < 0.2
    assert held.refused["uwb"] < 0.005 * len(b) and held.refused["altimeter"] < 0.005 * len(b)


def wandering(random, spec):
    count, kept = len(path()[0]), math.exp(-1.0 / RATE / spec.drift_time)
    deviation = np.array([*spec.drift, spec.turn_drift])
    x = np.empty((count, 4))
    x[0] = deviation * random.normal(size=4)
    for k in range(1, count):
        x[k] = kept * x[k - 1] + math.sqrt(1.0 - kept**2) * deviation * random.normal(size=4)
    return x[:, :3], x[:, 3]


def test_errors_are_as_large_as_the_covariance_says_over_many_flights(random):
    """NEES of x, y, z, yaw: 4 on average; 12 flights, of which far apart samples count."""
    spec = OdometrySpec(base=tuple(BASE), **WHITE, walk=1e-4, yaw_walk=1e-5)
    _, position, _, yaw = path()
    samples = np.arange(200, len(yaw), 400)
    live, back = [], []
    for _ in range(12):
        b, w = wandering(random, spec)
        begun = position[0] + spec.start_deviation * random.normal(size=3)
        turn = float(yaw[0]) + spec.yaw_deviation * float(random.normal())
        filter = fly(OdometryFilter(spec, begun, turn), visual(b, w, spec), random)
        track = filter.track()
        error = np.hstack([track.position - position, (track.yaw - yaw)[:, None]])[samples]
        covariance = track.covariance[samples, :4, :4]
        back += [e @ np.linalg.solve(P, e) for e, P in zip(error, covariance, strict=True)]
        then = filter._steps
        now = np.array([then[k].mean[:4] - [*position[k], yaw[k]] for k in samples])
        live += [
            e @ np.linalg.solve(then[k].covariance[:4, :4], e) for e, k in zip(now, samples, strict=True)
        ]
    assert 2.8 < np.mean(live) < 5.4
    assert 2.8 < np.mean(back) < 5.4


def test_looking_back_is_what_all_readings_together_say():
    """Heights alone, a linear problem: against least squares over the whole flight, solved densely."""
    spec = OdometrySpec(
        base=tuple(BASE), altimeter=Witness(deviation=0.05), start_deviation=0.2, walk=0.01, calm=0.0
    )
    random = np.random.default_rng(4)
    count, dt = 60, 0.5
    told = [OdometryReading(k * dt, np.zeros(3), np.zeros(3), 0.0, True) for k in range(count)]
    heights = 1.0 + 0.05 * random.normal(size=count)
    filter = OdometryFilter(spec, np.array([0.0, 0.0, 1.0]), 0.0)
    for reading, height in zip(told, heights, strict=True):
        filter.hear("odometry", reading)
        filter.hear("altimeter", VerticalReading(reading.time, float(height)))
    assert filter.refused["altimeter"] == 0
    # unknowns: z and b of each time; b wanders, z walks and moves by -b times the way of hovering
    kept, way = math.exp(-dt / spec.drift_time), dt * spec.hover_speed
    rows, right = [], []

    def row(terms, value, deviation):
        line = np.zeros(2 * count)
        for place, factor in terms:
            line[place] = factor / deviation
        rows.append(line)
        right.append(value / deviation)

    row([(0, 1.0)], 1.0, spec.start_deviation)
    row([(count, 1.0)], 0.0, spec.drift[2])
    for k in range(count):
        row([(k, 1.0)], heights[k], 0.05)
        if k:
            row([(k, 1.0), (k - 1, -1.0), (count + k - 1, way)], 0.0, spec.walk * math.sqrt(dt))
            row([(count + k, 1.0), (count + k - 1, -kept)], 0.0, spec.drift[2] * math.sqrt(1.0 - kept**2))
    A = np.array(rows)
    expected = np.linalg.lstsq(A, np.array(right), rcond=None)[0][:count]
    covariance = np.linalg.inv(A.T @ A)
    track = filter.track()
    assert np.allclose(track.position[:, 2], expected, atol=1e-9)
    assert np.allclose(track.covariance[:, 2, 2], np.diagonal(covariance)[:count], rtol=1e-6)
    # and errors hang together from one time to the next as the gains say
    both = np.einsum("kij,kjl->kil", track.gain, track.covariance[1:])[:, 2, 2]
    assert np.allclose(both, np.diagonal(covariance, 1)[: count - 1], rtol=1e-6)


def test_radio_that_took_a_detour_is_not_believed(random):
    told = visual(np.tile([0.0, 0.03, 0.0], (len(path()[0]), 1)))
    honest = np.linalg.norm(errors(fly(started(), told, np.random.default_rng(1))), axis=1).mean()
    filter = fly(
        started(), told, np.random.default_rng(1), wrong=lambda k: 1.5 if k % 5 == 0 and k > 100 else 0.0
    )
    assert filter.refused["uwb"] > 400
    assert np.linalg.norm(errors(filter), axis=1).mean() < 1.5 * honest


def test_a_radio_that_insists_is_listened_to_in_the_end(random):
    """A filter that starts a metre off and is too sure of it does not stay there."""
    still = {"drift": (1e-6, 1e-6, 1e-6), "turn_drift": 1e-9, "walk": 1e-6, "yaw_walk": 1e-9}
    spec = OdometrySpec(base=tuple(BASE), **WHITE, **still)
    _, position, _, yaw = path()
    filter = OdometryFilter(spec, position[0] + np.array([1.0, 0.0, 0.0]), float(yaw[0]))
    fly(filter, visual(np.zeros((len(yaw), 3))), random)
    assert filter.refused["uwb"] > 10
    assert np.linalg.norm(filter.known_then()[-1] - position[-1]) < 0.3


def test_readings_that_hardly_change_count_as_few():
    """An error that lasts: a hundred equal readings within its memory tell little more than one."""

    def sure(memory):
        filter = started(altimeter=Witness(deviation=0.1, memory=memory), start_deviation=1.0)
        for k in range(100):
            filter.hear("odometry", OdometryReading(0.01 * k, np.zeros(3), np.zeros(3), 0.0, True))
            filter.hear("altimeter", VerticalReading(0.01 * k, 1.5))
        return math.sqrt(filter.estimate.covariance[2, 2])

    assert sure(0.0) < 0.012
    assert 0.07 < sure(1.0) < 0.15


def test_lost_odometry_is_unsure_and_goes_on_from_where_it_comes_back(random):
    told = visual(np.zeros((len(path()[0]), 3)))
    gone = [
        reading
        if not 100 <= k < 130
        else OdometryReading(reading.time, np.full(3, 9.0), np.zeros(3), 0.0, False)
        for k, reading in enumerate(told)
    ]
    filter = started()
    fly(filter, gone[:120], random)
    assert filter.estimate.status is EstimateStatus.UNSURE
    filter = fly(started(), gone, random)
    assert np.linalg.norm(filter.known_then()[-1] - path()[1][-1]) < 0.3


class Told:
    """A tether that says what it is told to."""

    def __init__(self, status):
        self.status = status

    def update(self, measurement):
        return Estimate(measurement.time, np.array([2.0, 0.5, 1.5]), 1e-4 * np.eye(3), self.status)

    def reset(self):
        pass


@pytest.mark.parametrize("status", list(EstimateStatus))
def test_a_tether_counts_if_its_place_may_be_flown_by(status):
    spec = OdometrySpec(base=tuple(BASE), start_deviation=0.5, tether=Witness(deviation=0.01))
    filter = OdometryFilter(spec, np.array([2.0, 0.0, 1.5]), 0.0, Told(status))
    filter.hear("odometry", OdometryReading(0.0, np.zeros(3), np.zeros(3), 0.0, True))
    filter.hear("length", Measurement(time=0.0, length=3.0))
    moved = abs(filter.estimate.position[1] - 0.5) < 0.05
    assert moved == status.usable


def test_before_odometry_speaks_nothing_is_known():
    filter = started()
    filter.hear("uwb", RangeReading(0.0, 3.0))
    assert filter.estimate.status is EstimateStatus.MISSING
    with pytest.raises(InputError, match="at least one"):
        filter.track()


@pytest.mark.parametrize(
    "wrong", [{"base": (0.0, 0.0)}, {"drift_time": 0.0}, {"yaw_walk": -1.0}, {"flor": 0.0}]
)
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(InputError):
        OdometrySpec(**wrong)
