"""Robots, states and integrators that the tests of AVOCADO share."""

import dataclasses

import numpy as np
from numba import njit

from tetherlab.vehicles.avocado import AvocadoSpec, AvocadoState
from tetherlab.vehicles.avocado.advance import advance
from tetherlab.vehicles.avocado.frames import COLUMNS, make_record, read_records
from tetherlab.vehicles.avocado.model import make_model
from tetherlab.vehicles.avocado.motion import PULLS, REEL_SPEED
from tetherlab.vehicles.avocado.prepare import prepare
from tetherlab.vehicles.avocado.radau import factorise, keep_rate, solve_stages
from tetherlab.vehicles.avocado.record import LENGTH, RECORD, pack, unpack
from tetherlab.vehicles.avocado.work import make_work

SPEC = AvocadoSpec()
NUMERICAL = {"damping_heading": 0.0, "damping_psi": 0.0}  # without the damping of Omega and psi
LOSSLESS = AvocadoSpec(**NUMERICAL, damping_phi=0.0, drag_coefficient=0.0, tether_damping=0.0)
FREE = dataclasses.replace(SPEC, **NUMERICAL)

# A swing in space, taut all the time.
SWING = AvocadoState(
    distance=1.0004,
    tether_length=1.0,
    heading=0.3,
    theta=0.8,
    phi=0.2,
    psi=0.3,
    heading_rate=0.5,
    theta_rate=-0.5,
    phi_rate=1.0,
    psi_rate=1.0,
)


def swing(**changes):
    """The same with other numbers."""
    return dataclasses.replace(SWING, **changes)


def run_in_chart(chart, spec, state, command, count, hold=0.01, rtol=1e-10, atol=1e-12):
    """The table of states, (count + 1, 11), integrated in a chart that is chosen here."""
    model, work = make_model(spec), make_work()
    records, table = np.zeros((count + 1, RECORD)), np.zeros((count + 1, COLUMNS))
    records[0] = make_record(model, chart, state, work)
    table[0] = dataclasses.astuple(state)
    steps = np.array([hold, 0.0, 0.0])
    commands, holds = np.tile(np.array(command, float), (count, 1)), np.full(count, hold)
    assert advance(model, chart, commands, holds, rtol, atol, work, records, steps) == (0, count + 1)
    read_records(chart, records, table)
    return table


@njit(cache=False, error_model="numpy", _nrt=False)
def _fixed_steps(model, chart, record, command, h, count, work):
    for _ in range(count):
        unpack(chart, record, work.now, work.base)
        prepare(model, chart, work.now, PULLS, record[LENGTH], command, True, work)
        work.scale[:] = 1e-13
        factorise(work, h)
        solve_stages(model, chart, work.now, PULLS, record[LENGTH], command, h, 1e-2, work)
        keep_rate(work, h)
        pack(chart, record, work.now, work)
        record[LENGTH] += h * command[REEL_SPEED]


def fixed_steps(chart, spec, state, command, duration, count):
    """The state after so many equal steps while the tether pulls, in the paper's coordinates, (11,)."""
    model, work = make_model(spec), make_work()
    records, table = np.zeros((2, RECORD)), np.zeros((2, COLUMNS))
    records[:] = make_record(model, chart, state, work)
    table[0] = dataclasses.astuple(state)
    _fixed_steps(model, chart, records[1], np.array(command, float), duration / count, count, work)
    read_records(chart, records, table)
    return table[1]
