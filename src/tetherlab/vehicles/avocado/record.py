"""A moment of the motion as twelve numbers, between the steps of the integrator."""

import math

from tetherlab.math.kernel import inlined
from tetherlab.vehicles.avocado.motion import ANGLES
from tetherlab.vehicles.avocado.radau_table import STAGES

# A record: l, l_T, attitude, phi, and the rates of the chart. The attitude is that of the tether frame (wxyz,
# to the paper's frame) for TETHER, and Omega, theta, psi for ANGLES.
DISTANCE, LENGTH, ATTITUDE, PHI, RATES = 0, 1, 2, 6, 7
RECORD = 12


@inlined
def unpack(chart, record, y, base):
    """The state of a record; base: the vertical in the tether frame as it is there."""
    y[0], y[4] = record[DISTANCE], record[PHI]
    for i in range(5):
        y[5 + i] = record[RATES + i]
    if chart == ANGLES:
        y[1], y[2], y[3] = record[ATTITUDE], record[ATTITUDE + 1], record[ATTITUDE + 2]
        return
    y[1], y[2], y[3] = 0.0, 0.0, 0.0
    w, a, b, c = record[ATTITUDE], record[ATTITUDE + 1], record[ATTITUDE + 2], record[ATTITUDE + 3]
    base[0] = 2.0 * (a * b + w * c)
    base[1] = 1.0 - 2.0 * (a * a + c * c)
    base[2] = 2.0 * (b * c - w * a)


@inlined
def pack(chart, record, y, work):
    """Write the end of a solved step into the record."""
    Z = work.Z[STAGES - 1]
    record[DISTANCE], record[PHI] = y[0] + Z[0], y[4] + Z[4]
    for i in range(5):
        record[RATES + i] = y[5 + i] + Z[5 + i]
    if chart == ANGLES:
        for i in range(3):
            record[ATTITUDE + i] = y[1 + i] + Z[1 + i]
        return
    # The quaternion of Cayley's map is (1, a / 2), normalised.
    w, a, b, c = record[ATTITUDE], record[ATTITUDE + 1], record[ATTITUDE + 2], record[ATTITUDE + 3]
    t0, t1, t2 = 0.5 * Z[1], 0.5 * Z[2], 0.5 * Z[3]
    q0, q1 = w - a * t0 - b * t1 - c * t2, w * t0 + a + b * t2 - c * t1
    q2, q3 = w * t1 - a * t2 + b + c * t0, w * t2 + a * t1 - b * t0 + c
    size = math.sqrt(q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
    record[ATTITUDE], record[ATTITUDE + 1] = q0 / size, q1 / size
    record[ATTITUDE + 2], record[ATTITUDE + 3] = q2 / size, q3 / size
