"""Logs without a simulator: a drone circles over a rover, and between them hangs a catenary."""

import numpy as np

from tetherlab.contracts.columns import COLUMNS, STATION_COUNT
from tetherlab.contracts.log import Event, Log
from tetherlab.contracts.outcome import Outcome
from tetherlab.contracts.table import Table
from tetherlab.tether.catenary_batch import solve_many

RADIUS, HEIGHT, RATE = 2.0, 4.0, 0.2  # of the circle [m], [m], [rad/s]
SPEED = 0.05  # of the rover along x [m/s]
SLACK = 1.2
LINEAR_DENSITY = 0.067  # [kg/m]
SCENARIO = {
    "schema": 1,
    "description": "A drone circles over a rover.",
    "world": {"shapes": [{"type": "plane", "name": "ground", "point_m": [0, 0, -0.5]}]},
    "tether": {"diameter_m": 0.008, "length_m": 18.0},
    "run": {"seed": 7, "record_hz": 50},
}


def circling(duration=30.0, rate=50.0, radius=RADIUS, name="circle"):
    """The log of a run of this duration [s] at this rate [1/s], exact in every column that metrics read."""
    time = np.arange(round(duration * rate) + 1) / rate
    angle = RATE * time
    zero, one = np.zeros_like(time), np.ones_like(time)
    uav = np.column_stack((radius * np.cos(angle), radius * np.sin(angle), HEIGHT * one))
    velocity = radius * RATE * np.column_stack((-np.sin(angle), np.cos(angle), zero))
    ugv = np.column_stack((SPEED * time, zero, 0.5 * one))
    distance = np.linalg.norm(uav - ugv, axis=1)
    length = SLACK * distance
    curves = solve_many(ugv, uav, length)
    weight = LINEAR_DENSITY * 9.80665
    pull = -weight * curves.tension_end[:, None] * curves.tangent_end
    reel_speed = np.gradient(length, time)
    tension = weight * curves.tension_base
    columns = {
        "uav": [
            time, uav, one, zero, zero, zero, velocity, zero, zero, zero, -(RATE**2) * uav[:, :2], zero,
            15.0 * one, pull, uav[:, 2] - 0.3, uav + np.array((0.1, 0.0, 0.0)),
        ],
        "ugv": [
            time, ugv, one, zero, zero, zero, SPEED * one, zero, zero, zero, zero, zero, zero, zero, zero,
            -pull, 0.2 * one, ugv,
        ],
        "winch": [
            time, length, length + 0.02 * np.sin(0.7 * time), reel_speed, tension, distance, 0.1 * tension,
            -tension * reel_speed, 0.1 * one, zero,
        ],
        "tether": [
            time, curves.sample(STATION_COUNT).reshape(len(time), -1),
            np.linspace(tension, weight * curves.tension_end, STATION_COUNT, axis=1),
        ],
    }  # fmt: skip
    tables = {key: Table.from_rows(COLUMNS[key], np.column_stack(parts)) for key, parts in columns.items()}
    tables["targets"] = targets(duration, radius)
    return Log(
        tables=tables,
        outcome=Outcome.COMPLETED,
        events=[
            Event(0.0, "start", "Everything rests."),
            Event(12.5, "warning", "Wind <b>rises</b> & falls."),
        ],
        scenario=SCENARIO,
        name=name,
    )


def targets(duration, radius):
    """Five targets on the circle, of which the last is not reached."""
    start = np.linspace(0.0, 0.9 * duration, 5)
    angle = RATE * start
    reached = np.array([*start[1:], np.nan])
    uav = np.column_stack((radius * np.cos(angle), radius * np.sin(angle), np.full(5, HEIGHT)))
    ugv = np.column_stack((SPEED * start, np.zeros(5), np.full(5, 0.5)))
    rows = np.column_stack((start, np.arange(5), uav, ugv, np.full(5, np.nan), reached))
    return Table.from_rows(COLUMNS["targets"], rows)
