"""Many ticks at once, compiled: references, laws, plant and record, until Python has to decide."""

from typing import NamedTuple

from tetherlab.math.kernel import kernel, njit
from tetherlab.plant import watch as W
from tetherlab.plant.advance import advance_plant
from tetherlab.plant.record import record
from tetherlab.sim.decisions import decide
from tetherlab.sim.reference import move_points, near_targets

DRONE_POINT, ROVER_POINT = 0, 1  # rows of the points
TICKS, ROWS = 0, 1  # places of `count`


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
        decide(plant, laws, command, paths, count[TICKS])
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
def _write_row(plant, command, paths, count, rows, stations):
    """The next row; whether `rows` is full then."""
    k = count[ROWS] % rows.shape[0]
    record(plant, paths.position, command, rows[k], stations[k])
    count[ROWS] += 1
    return k + 1 == rows.shape[0]
