"""Many ticks at once, compiled: references, laws, plant and record, until Python has to decide."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import kernel, njit
from tetherlab.plant import watch as W
from tetherlab.plant.advance import advance_plant
from tetherlab.plant.laws import drive_law, flight_law, reel_law
from tetherlab.plant.record import record
from tetherlab.sim.reference import move_points, near_targets

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
            drone, rover = plant.rotorcraft[0].body, plant.rover[0].body
            if near_targets(plant.graph.body[drone].p_W, plant.part[rover].origin_W, goal, near[0], near[1]):
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
    d, r, every = DRONE_POINT, ROVER_POINT, laws.every
    down = plant.rover[0].body
    rover, place = plant.graph.body[down], plant.part[down]
    flight, drive, reel = command.flight[0], command.drive[0], command.reel[0]
    if laws.flight.shape[0] > 0 and tick % every[0] == 0 and flight.armed == 1:
        up = plant.rotorcraft[0].body
        drone = plant.graph.body[up]
        flight_law(
            laws.flight[0], drone.p_W, drone.v_W, plant.part[up].pull_W,
            paths.position[d], paths.velocity[d], paths.acceleration[d], laws.integral, laws.pull, laws.force,
        )  # fmt: skip
        for k in range(3):
            flight.force_W[k] = laws.force[k]
        flight.yaw = laws.wanted[0]
    if laws.drive.shape[0] > 0 and tick % every[1] == 0:
        drive.forward, drive.left, drive.turn = drive_law(
            laws.drive[0], place.origin_W, rover.R_WB, paths.position[r], paths.velocity[r],
            laws.wanted[1], laws.drive_integral,
        )  # fmt: skip
    if laws.reel.shape[0] > 0 and tick % every[2] == 0:
        line = plant.line[plant.winch[0].tether]
        reel.mode, reel.wanted, reel.rate = reel_law(
            laws.reel[0], line.base_W, line.end_W, rover.v_W, paths.velocity[d], laws.wanted[2],
        )  # fmt: skip


@kernel
def _write_row(plant, command, paths, count, rows, stations):
    """The next row; whether `rows` is full then."""
    k = count[ROWS] % rows.shape[0]
    record(plant, paths.position, command, rows[k], stations[k])
    count[ROWS] += 1
    return k + 1 == rows.shape[0]
