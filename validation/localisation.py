"""Localisation by the tether: precision, honesty, speed, and what faults do to a flight; five minutes."""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from mpmath import mp

import tetherlab as tl
from tetherlab.contracts.measurement_rows import read_measurements
from tetherlab.estimation import (
    CatenaryLocalizer,
    Measurement,
    Sensing,
    SensorNoise,
    TetherInertialFilter,
    locate_many,
)
from tetherlab.estimation.catenary import locate
from tetherlab.estimation.sparse_fit import fit_gp
from tetherlab.studies.tether_inertial_flights import Flight, overrides
from tetherlab.tether.catenary_angles import end_from_elevations
from validation.table import Row, Study, at_least, at_most

Say = Callable[[str], None]

# Slopes at base and end [rad]: sagging, usual, taut to the last digit, straight above the base.
POINTS = (
    (-0.6, 0.9),
    (0.841, 1.117),
    (0.8, 0.8),
    (0.8, 0.8 + 1e-9),
    (1.3, 1.5),
    (1.5706, 1.57079),
    (1.2, 1.58),
)
# Sensor, axis, kind, value; and the reading that is to be blamed.
FAULTS = {
    "base elevation off by 0.1 rad": ("base_angles", "elevation", "offset", 0.1, "base_elevation"),
    "base azimuth off by 0.1 rad": ("base_angles", "azimuth", "offset", 0.1, "base_azimuth"),
    "drone elevation off by 0.1 rad": ("drone_angles", "elevation", "offset", 0.1, "drone_elevation"),
    "drone azimuth off by 0.1 rad": ("drone_angles", "azimuth", "offset", 0.1, "drone_azimuth"),
    "length off by 0.2 m": ("length", None, "offset", 0.2, "length"),
    "base elevation stuck": ("base_angles", "elevation", "stuck", 0.0, "base_elevation"),
    "base azimuth stuck": ("base_angles", "azimuth", "stuck", 0.0, "base_azimuth"),
    "drone elevation stuck": ("drone_angles", "elevation", "stuck", 0.0, "drone_elevation"),
    "drone azimuth stuck": ("drone_angles", "azimuth", "stuck", 0.0, "drone_azimuth"),
    "length stuck": ("length", None, "stuck", 0.0, "length"),
    "tension stuck": ("tension", None, "stuck", 0.0, "tension"),
    "drum stuck": ("drum", None, "stuck", 0.0, "drum"),
    "IMU stuck": ("imu", None, "stuck", 0.0, "imu"),
    "IMU silent": ("imu", None, "drop_out", 0.0, "imu"),
    "base angles silent": ("base_angles", None, "drop_out", 0.0, "base_azimuth"),
    "drone angles silent": ("drone_angles", None, "drop_out", 0.0, "drone_elevation"),
    "length silent": ("length", None, "drop_out", 0.0, "length"),
    "tension silent": ("tension", None, "drop_out", 0.0, "tension"),
    "base elevation saturated": ("base_angles", "elevation", "saturated", 0.0, "base_elevation"),
    "drone elevation saturated": ("drone_angles", "elevation", "saturated", 0.0, "drone_elevation"),
    "length saturated": ("length", None, "saturated", 0.0, "length"),
}
START, END = 30.0, 60.0  # of a fault, and of the flight [s]


def run(say: Say) -> Study:
    """All of it."""
    rows = [*_precision(), *_spread(say), *_speed(say)]
    for title in FAULTS:
        say(title)
        rows += _fault(title)
    return Study(
        title="Localisation by the tether",
        model=(
            "The closed form of paper 002 and its Jacobian; its covariance; the filter. Faults: "
            "the triangle of 1.5 m at 2 m, flown by the filter, with one sensor at fault from 30 s on; the "
            "drone is to hold its place until 60 s."
        ),
        truth="Formulas (7) to (13) with 60 digits; 400 000 random readings; the simulated drone.",
        rows=rows,
    )


def _exact(length: float, azimuth: float, low: float, high: float) -> Any:
    """x, y, z by the printed formulas, the limit where both slopes are equal [m]."""
    mp.dps = 60
    L, alpha, b0, b1 = (mp.mpf(v) for v in (length, azimuth, low, high))
    if b0 == b1:
        return L * mp.cos(b0) * mp.cos(alpha), L * mp.cos(b0) * mp.sin(alpha), L * mp.sin(b0)
    t0, t1 = mp.tan(b0), mp.tan(b1)
    a = L / (t1 - t0)
    r = a * (mp.asinh(t1) - mp.asinh(t0))
    z = a * (mp.sqrt(1 + t1 * t1) - mp.sqrt(1 + t0 * t0))
    return r * mp.cos(alpha), r * mp.sin(alpha), z


def _precision() -> list[Row]:
    worst, slope = 0.0, 0.0
    for low, high in POINTS:
        if high >= 0.5 * math.pi:  # beyond it the printed branch is wrong
            continue
        reading = (4.284, 1.774, low, high)
        _, end, jacobian = end_from_elevations(*reading, 0.05)
        truth = [float(v) for v in _exact(*reading)]
        worst = max(worst, float(np.abs(end - truth).max()))
        if low == high:
            continue
        step = mp.mpf(10) ** -20
        for j in range(4):
            up, down = ([mp.mpf(v) for v in reading] for _ in range(2))
            up[j] += step
            down[j] -= step
            by = [(a - b) / (2 * step) for a, b in zip(_exact(*up), _exact(*down), strict=True)]
            slope = max(slope, float(np.abs(jacobian[:, j] - [float(v) for v in by]).max()))
    return [
        at_most("closed form against 60 digits, worst of its coordinates", "m", 1e-9, worst),
        at_most("its Jacobian, worst entry", "m/rad", 1e-9, slope),
    ]


def _spread(say: Say) -> list[Row]:
    """Predicted against drawn standard deviations."""
    say("random readings")
    rng = np.random.default_rng(1)
    noise = SensorNoise(azimuth=5e-4 / 3, elevation_base=0.0096 / 3, elevation_end=0.026 / 3, length=0.001)
    sensing, worst = Sensing(noise=noise), 0.0
    for low, high in ((0.3, 0.5), (0.841, 1.117), (1.2, 1.35), (-0.3, 0.6)):
        reading = np.array([4.284, 1.774, low, high])
        drawn = reading + rng.standard_normal((400_000, 4)) * np.sqrt(np.diag(noise.catenary_covariance))
        found = locate_many(drawn, sensing)
        measured = np.nanstd(found.position, axis=0)
        estimate = CatenaryLocalizer(sensing).update(Measurement.from_angles(*reading))
        worst = max(worst, float(np.abs(estimate.deviation / measured - 1.0).max()))
    return [at_most("predicted over drawn standard deviation, less one", "%", 3.0, 100.0 * worst)]


def _speed(say: Say) -> list[Row]:
    say("speed")
    noise = SensorNoise().catenary_covariance
    rows = np.tile([4.284, 1.774, 0.841, 1.117], (1_000_000, 1))
    locate(*rows[0], noise, 0.1)
    locate_many(rows[:10])
    one = _best(lambda: [locate(4.284, 1.774, 0.841, 1.117, noise, 0.1) for _ in range(20_000)]) / 20_000
    many = 1e6 / _best(lambda: locate_many(rows))
    return [
        at_most("one raw estimate, called from Python", "µs", 5.0, 1e6 * one),
        at_least("raw estimates at once, per second", "million", 1.0, many / 1e6),
        at_most("one learned correction by 300 inducing points", "µs", 100.0, 1e6 * _correction_time()),
        at_least("messages that the filter takes per second", "thousand", 1.0, 1e-3 / _message_time()),
    ]


def _correction_time() -> float:
    """Of one point by a model of seven inputs and three outputs [s]."""
    rng = np.random.default_rng(3)
    inputs = rng.uniform(-1.0, 1.0, (2000, 7))
    model = fit_gp(inputs, np.sin(inputs[:, :3]) + 0.1 * rng.standard_normal((2000, 3)), inducing=300)
    model.predict_one(inputs[0])
    return _best(lambda: [model.predict_one(row) for row in inputs[:500]]) / 500


def _message_time() -> float:
    """Of one message of any sensor in flight [s]."""
    flight = Flight("triangle", 1.5, 2.0, 700, laps=1)
    simulation = tl.Simulation("tether_inertial", overrides(flight, {"in_loop": False}), seed=flight.seed)
    simulation.run(until=12.0)
    messages = list(read_measurements(simulation.log["measurements"]))[-2000:]
    return _best(lambda: [*map(TetherInertialFilter().update, messages)]) / len(messages)


def _best(work: Callable[[], Any]) -> float:
    """CPU time of the quickest of five [s]."""
    times = []
    for _ in range(5):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def _fault(title: str) -> list[Row]:
    """Fly with a fault; when the right one was blamed, and how far the drone went from where it should be."""
    sensor, axis, kind, value, blamed = FAULTS[title]
    fault = {"sensor": sensor, "kind": kind, "value": value, "start_s": START}
    if axis is not None:
        fault["axis"] = axis
    flight = Flight("triangle", 1.5, 2.0, 700, laps=3)
    settings = {"method": "ekf", "on_fault": "hold", "faults": [fault]}
    simulation = tl.Simulation("tether_inertial", overrides(flight, settings), seed=flight.seed)
    simulation.run(until=END)
    log = simulation.log
    events = [event for event in log.events if event.kind == "localisation"]
    told = [event.time - START for event in events if event.time >= START and blamed in event.sentence]
    others = {name for event in events for name in _named(event.sentence)} - {blamed}
    if kind in ("drop_out", "saturated"):  # a message is one tangent: what is lost of it, both angles lose
        others -= {f"{sensor.removesuffix('_angles')}_{angle}" for angle in ("azimuth", "elevation")}
    uav = log["uav"]
    after = uav["time_s"] > START
    away = uav.rows("x_m", "y_m", "z_m") - uav.rows("target_x_m", "target_y_m", "target_z_m")
    tube = float(np.linalg.norm(away, axis=1)[after].max()) if after.any() else math.inf
    note = "" if log.outcome is None else log.outcome_sentence
    rows = [
        at_most(f"{title}: noticed after", "s", 2.0, told[0] if told else math.inf, note),
        at_most(f"{title}: farthest from its path then", "m", 0.5, tube),
    ]
    if others:
        names = ", ".join(sorted(others))
        rows.append(at_most(f"{title}: others blamed", "", 0, float(len(others)), names))
    return rows


def _named(sentence: str) -> list[str]:
    """Readings that an event says are not believed."""
    before, _, names = sentence.partition("not believed: ")
    return names.split(", ") if names and not before else []
