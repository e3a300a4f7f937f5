"""Many ticks at once, compiled: references, laws, plant and record, until Python has to decide."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import kernel, njit
from tetherlab.plant import model as P
from tetherlab.plant import watch as W
from tetherlab.plant.advance import advance_plant
from tetherlab.plant.laws import drive_law, flight_law, reel_law
from tetherlab.plant.record import record
from tetherlab.plant.step import DRONE, ROVER, drone_body
from tetherlab.sim.reference import move_points, near_targets
from tetherlab.vehicles.winch import LENGTH

DRONE_POINT, ROVER_POINT = 0, 1  # rows of the points
TICKS, ROWS = 0, 1  # places of `count`


class Laws(NamedTuple):
    """By which compiled code decides, and what they remember. Where one is empty, Python was asked."""

    flight: NDArray[Any]  # (1,) of FLIGHT, or (0,)
    drive: NDArray[Any]  # (1,) of DRIVE, or (0,)
    reel: NDArray[Any]  # (1,) of REEL, or (0,)
    integral: NDArray[np.float64]  # what flight remembers [m s], (3,)
    pull: NDArray[np.float64]  # [N], (3,)
    force: NDArray[np.float64]  # and wanted last [N], (3,)
    drive_integral: NDArray[np.float64]  # [m s], (2,)
    every: NDArray[np.int64]  # ticks from one decision of each to the next, (3,)
    wanted: NDArray[np.float64]  # headings of drone and rover [rad], length over distance or NaN, (3,)


class Clock(NamedTuple):
    """What a tick is."""

    tick: float  # [s]
    steps: int  # of a tick
    step: float  # [s]
    row_every: int  # ticks from one row of the record to the next; 0: none is written


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def run_ticks(plant, laws, command, paths, goal, near, clock, count, rows, stations, ticks):
    """At most so many ticks; why the run ends (see plant/watch.py), or 0. No tick: a row of what is.

    Stops before a tick in which both are near their goal (targets of drone and rover [m], (6,); near: how
    near [m], (2,)), and where `rows` is full: row k is written to k modulo its length. The first tick's
    references have moved already. count: ticks and rows since the start, (2,).
    """
    if ticks == 0:
        _write_row(plant, command, paths, count, rows, stations)
    for k in range(ticks):
        if k > 0:
            if near_targets(drone_body(plant).p_W, plant.place[P.ORIGIN], goal, near[0], near[1]):
                break
            move_points(paths, clock.tick)
        _decide(plant, laws, command, paths, count[TICKS])
        code = advance_plant(plant, command, clock.step, clock.steps)
        full = False
        if clock.row_every > 0 and count[TICKS] % clock.row_every == 0:
            full = _write_row(plant, command, paths, count, rows, stations)
        count[TICKS] += 1
        if code != W.FLYING:
            return code
        if full:
            break
    return W.FLYING


@kernel
def _decide(plant, laws, command, paths, tick):
    """Those whose turn it is."""
    rover, drone = plant.body[ROVER], drone_body(plant)
    d, r, every = DRONE_POINT, ROVER_POINT, laws.every
    if laws.flight.shape[0] > 0 and tick % every[0] == 0 and command[P.ARMED] > 0.5:
        flight_law(
            laws.flight[0], drone.p_W, drone.v_W, plant.pull[DRONE],
            paths.position[d], paths.velocity[d], paths.acceleration[d], laws.integral, laws.pull, laws.force,
        )  # fmt: skip
        command[0], command[1], command[2] = laws.force[0], laws.force[1], laws.force[2]
        command[P.YAW] = laws.wanted[0]
    if laws.drive.shape[0] > 0 and tick % every[1] == 0:
        command[4], command[5], command[6] = drive_law(
            laws.drive[0], plant.place[P.ORIGIN], rover.R_WB, paths.position[r], paths.velocity[r],
            laws.wanted[1], laws.drive_integral,
        )  # fmt: skip
    if laws.reel.shape[0] > 0 and tick % every[2] == 0:
        command[P.REEL_MODE], command[P.REEL_WANTED], command[P.REEL_RATE] = reel_law(
            laws.reel[0], plant.place[P.EXIT], plant.place[P.ATTACHMENT], rover.v_W, paths.velocity[d],
            laws.wanted[2],
        )  # fmt: skip


@kernel
def _write_row(plant, command, paths, count, rows, stations):
    """The next row; whether `rows` is full then."""
    k = count[ROWS] % rows.shape[0]
    wanted = command[P.REEL_WANTED] if command[P.REEL_MODE] == LENGTH else math.nan
    record(plant, paths.position, wanted, rows[k], stations[k])
    count[ROWS] += 1
    return k + 1 == rows.shape[0]
