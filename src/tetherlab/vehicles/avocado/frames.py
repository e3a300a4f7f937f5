"""Between the paper's angles and the records that are integrated."""

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import kernel, njit
from tetherlab.vehicles.avocado.model import AvocadoModel
from tetherlab.vehicles.avocado.motion import ANGLES, SLACK, TETHER, fill_balance
from tetherlab.vehicles.avocado.record import ATTITUDE, DISTANCE, LENGTH, PHI, RATES, RECORD
from tetherlab.vehicles.avocado.state import AvocadoState
from tetherlab.vehicles.avocado.work import Work

Array = NDArray[np.float64]

# Columns of a table: the fields of AvocadoState, in their order.
OMEGA, THETA, PSI = 2, 3, 5
OMEGA_RATE, THETA_RATE, PHI_RATE, PSI_RATE = 7, 8, 9, 10
COLUMNS = 11
UPRIGHT = 1e-9  # sine of theta below which Omega and psi are told apart by what they were before


def chart_of(model: AvocadoModel) -> int:
    """In which coordinates to integrate: see motion.py."""
    return ANGLES if model.damping_heading + model.damping_psi > 0.0 else TETHER


def make_record(model: AvocadoModel, chart: int, state: AvocadoState, work: Work) -> Array:
    """The record of a state, (12,)."""
    record = np.zeros(RECORD)
    record[DISTANCE], record[LENGTH], record[PHI] = state.distance, state.tether_length, state.phi
    record[RATES], record[RATES + 4] = state.distance_rate, state.phi_rate
    c, s, cp, sp = (f(x) for x in (state.theta, state.psi) for f in (math.cos, math.sin))
    if chart == ANGLES:
        record[ATTITUDE : ATTITUDE + 3] = state.heading, state.theta, state.psi
        record[RATES + 1 : RATES + 4] = state.heading_rate, state.theta_rate, state.psi_rate
        _settle(model, record, work)
        return record
    half = 0.5 * state.theta
    add, less = 0.5 * (state.heading + state.psi), 0.5 * (state.heading - state.psi)
    # (heading about y)(theta about z)(psi about y), multiplied out.
    record[ATTITUDE : ATTITUDE + 4] = (
        math.cos(half) * math.cos(add),
        math.sin(half) * math.sin(less),
        math.cos(half) * math.sin(add),
        math.sin(half) * math.cos(less),
    )
    record[RATES + 1] = state.heading_rate * s * cp - state.theta_rate * sp
    record[RATES + 2] = state.heading_rate * c + state.psi_rate
    record[RATES + 3] = state.heading_rate * s * sp + state.theta_rate * cp
    return record


def _settle(model: AvocadoModel, record: Array, work: Work) -> None:
    """Share a turn about the vertical between Omega and psi next to theta = 0, where their damping shares it.

    The motion is the same, whatever the shares. With any others the damping would put them right within the
    first nanosecond, and the integrator would have to follow.
    """
    y, out = np.zeros(10), np.zeros(10)
    y[0], y[1:4], y[4], y[5:] = record[DISTANCE], record[ATTITUDE : ATTITUDE + 3], record[PHI], record[RATES:]
    fill_balance(model, ANGLES, np.zeros(3), y, SLACK, record[LENGTH], np.zeros(3), work, out)
    shift = np.array([0.0, 1.0, 0.0, -math.cos(y[2]), 0.0])
    damping = model.damping_heading + model.damping_psi * shift[3] ** 2
    if shift @ work.M @ shift < 1e-9 * damping:
        record[RATES:] += shift * (shift @ work.r / damping)


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def read_records(chart, records, table):
    """Fill table[1:] (n, 11) with the states of records[1:]; table[0] says on which branch they begin."""
    for k in range(1, records.shape[0]):
        record, row, before = records[k], table[k], table[k - 1]
        row[0], row[1], row[4] = record[DISTANCE], record[LENGTH], record[PHI]
        row[6], row[PHI_RATE] = record[RATES], record[RATES + 4]
        if chart == ANGLES:
            row[OMEGA], row[THETA], row[PSI] = record[ATTITUDE], record[ATTITUDE + 1], record[ATTITUDE + 2]
            row[OMEGA_RATE], row[THETA_RATE] = record[RATES + 1], record[RATES + 2]
            row[PSI_RATE] = record[RATES + 3]
        else:
            read_angles(record, before, row)


@kernel
def read_angles(record, before, row):
    """Omega, theta, psi and their rates, on the branch that is nearest to where they were before.

    Of the two branches one has theta < 0: a swing through the vertical leaves Omega and psi as they are.
    """
    w, a, b, c = record[ATTITUDE], record[ATTITUDE + 1], record[ATTITUDE + 2], record[ATTITUDE + 3]
    g0, g1, g2 = 2.0 * (a * b + w * c), 1.0 - 2.0 * (a * a + c * c), 2.0 * (b * c - w * a)  # the vertical
    w1, w2, w3 = record[RATES + 1], record[RATES + 2], record[RATES + 3]
    sine = math.sqrt(g0 * g0 + g2 * g2)
    if sine < UPRIGHT:
        # Only the sum of heading and psi is known (above the anchor, their difference). The tether leaves
        # towards its heading; at rest psi stays.
        psi = before[PSI]
        if w1 * w1 + w3 * w3 > 0.0:
            psi = math.atan2(-w1, w3)
            psi += math.pi * math.floor((before[PSI] - psi) / math.pi + 0.5)
        total = 2.0 * math.atan2(b, w) if g1 > 0.0 else 2.0 * math.atan2(a, c)
        theta = 0.0 if g1 > 0.0 else math.pi
        omega = total - psi if g1 > 0.0 else total + psi
        row[OMEGA], row[PSI] = near(omega, before[OMEGA]), psi
        row[THETA] = near(theta, before[THETA])
        row[THETA_RATE] = w3 * math.cos(psi) - w1 * math.sin(psi)
        row[OMEGA_RATE], row[PSI_RATE] = (w2 if g1 > 0.0 else -w2), 0.0
        return
    theta, psi = math.atan2(sine, g1), math.atan2(g2, g0)
    omega = math.atan2(2.0 * (b * c + w * a), 2.0 * (w * c - a * b))
    same = _apart(omega, psi, theta, before)
    other = _apart(omega + math.pi, psi - math.pi, -theta, before)
    if other < same:
        omega, psi, theta, sine = omega + math.pi, psi - math.pi, -theta, -sine
    row[OMEGA], row[PSI] = near(omega, before[OMEGA]), near(psi, before[PSI])
    row[THETA] = near(theta, before[THETA])
    cp, sp = math.cos(psi), math.sin(psi)
    row[THETA_RATE] = w3 * cp - w1 * sp
    row[OMEGA_RATE] = (w1 * cp + w3 * sp) / sine
    row[PSI_RATE] = w2 - row[OMEGA_RATE] * g1


@kernel
def near(angle, other):
    """The same angle within half a turn of another."""
    return angle + 2.0 * math.pi * math.floor((other - angle) / (2.0 * math.pi) + 0.5)


@kernel
def _apart(omega, psi, theta, before):
    """How far angles are from those before."""
    return (
        abs(near(omega, before[OMEGA]) - before[OMEGA])
        + abs(near(psi, before[PSI]) - before[PSI])
        + abs(near(theta, before[THETA]) - before[THETA])
    )
