"""A robot that hangs among branches, looked at once per tick: what ends its run, and a row of its record."""

import math

import numpy as np

from tetherlab.contracts.columns import CANOPY_ROBOT, STATION_COUNT
from tetherlab.math.attitude import quaternion_of
from tetherlab.math.kernel import kernel, njit
from tetherlab.math.rigid_body import body_rates
from tetherlab.plant.branch import BENT_MAX
from tetherlab.plant.hanging_state import NOW
from tetherlab.plant.record import sample_tether
from tetherlab.tether.model import open_state

# Why a run has to end, in the order in which it is looked for.
GOING, ASTRAY, OVERLOAD, TURNED_OVER, OVERBENT, ANCHOR_HIT, REELED_IN = range(7)

FARTHEST = 1e6  # that a robot can be [m]
REELED_WITHIN = 1e-3  # of what stays out [m]
ROW_SIZE = len(CANOPY_ROBOT)
STATIONS_SIZE = 4 * STATION_COUNT
DEGREES = 180.0 / math.pi

# What a run may do, and what was seen of it.
WATCHED = np.dtype(
    [
        ("anchor_W", np.float64, (3,)),  # [m]
        ("depth_max", np.float64),  # of the anchor in a branch [m]
        # seen
        ("anchor_depth", np.float64),  # in a branch that bends [m]
        ("shell_force", np.float64),  # on all spheres of the shell together [N]
        ("shell_count", np.float64),  # of them that touch
    ]
)

# A branch that bends, by the numbers of its body and of the joint at its root.
LIMB = np.dtype(
    [
        ("body", np.int64),
        ("joint", np.int64),
        ("tip_B", np.float64, (3,)),  # from the root [m]
        ("radius", np.float64),  # [m]
    ]
)


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def watch_hanging(
    memory, body, contact, joint, robot, hanging, line, winch, clock, watched, limb, row, bends, stations
):
    """Why the run has to end, or GOING. Writes a row of the record, unless `row` is empty.

    memory: of the tether of the robot; body, joint: of the whole scene; contact: of the spheres of the shell;
    robot, hanging, line, winch, clock: (1,), see plant/model.py. row: (ROW_SIZE,); bends: of the branches,
    sideways and up [deg]; stations: points of the tether and tensions there, float32.
    """
    own = body[hanging[0].body]
    code = _ending(own, body, joint, robot[0], line[0], winch[0], clock[0].time, watched[0], limb)
    if row.shape[0] > 0:
        _feel(contact, own.point_count, watched[0])
        _write_row(memory, own, robot[0], hanging[0], winch[0], clock[0].time, watched[0], row)
        for i in range(limb.shape[0]):
            for k in range(2):
                bends[2 * i + k] = DEGREES * joint[limb[i].joint].angle[k]
        sample_tether(memory, stations)
    return code


@kernel
def _ending(own, body, joint, robot, line, winch, time, watched, limb):
    """Why the run has to end, or GOING."""
    p = own.p_W
    if not abs(p[0]) + abs(p[1]) + abs(p[2]) < FARTHEST:
        return ASTRAY
    if line.tension_peak > line.strength:
        return OVERLOAD
    # A robot whose propellers have failed may be dragged over a branch in any attitude.
    if own.R_WB[2, 2] < 0.0 and time < max(robot.fails_at[0], robot.fails_at[1]):
        return TURNED_OVER
    watched.anchor_depth = -1.0
    for i in range(limb.shape[0]):
        angle = joint[limb[i].joint].angle
        if max(abs(angle[0]), abs(angle[1])) > BENT_MAX:
            return OVERBENT
        watched.anchor_depth = max(
            watched.anchor_depth, _depth(body[limb[i].body], limb[i], watched.anchor_W)
        )
    if watched.anchor_depth > watched.depth_max:
        return ANCHOR_HIT
    if winch.length < winch.length_min + REELED_WITHIN:
        return REELED_IN
    return GOING


@kernel
def _depth(branch, limb, point):
    """How deep a point lies in a branch; negative: outside [m]."""
    R, root, tip = branch.R_WB, branch.p_W, limb.tip_B
    along, square, away = 0.0, 0.0, 0.0
    for k in range(3):
        way = R[k, 0] * tip[0] + R[k, 1] * tip[1] + R[k, 2] * tip[2]
        along += way * (point[k] - root[k])
        square += way * way
    share = min(max(along / square, 0.0), 1.0)
    for k in range(3):
        way = R[k, 0] * tip[0] + R[k, 1] * tip[1] + R[k, 2] * tip[2]
        away += (point[k] - root[k] - share * way) ** 2
    return limb.radius - math.sqrt(away)


@kernel
def _feel(contact, count, watched):
    """How many spheres of the shell touch, and with which force in all."""
    watched.shell_count, watched.shell_force = 0.0, 0.0
    for k in range(count):
        if contact[k].active == 1:
            watched.shell_count += 1.0
            watched.shell_force += contact[k].normal_force


@kernel
def _write_row(memory, own, robot, hanging, winch, time, watched, row):
    """The columns of CANOPY_ROBOT."""
    tether, state = open_state(memory), hanging.state[NOW]
    row[0] = time
    for k in range(3):
        row[1 + k], row[8 + k] = tether.x[0, k], tether.v[0, k]
    row[4], row[5], row[6], row[7] = quaternion_of(own.R_WB)
    row[11], row[12], row[13] = body_rates(own)
    row[14], row[15] = DEGREES * state[3], DEGREES * state[4]  # theta, phi
    row[16], row[17] = DEGREES * state[2], DEGREES * state[5]  # heading, psi
    row[18], row[19], row[20] = state[0], winch.length, winch.speed
    row[21], row[22], row[23] = robot.thrust[0], robot.thrust[1], winch.tension
    row[24], row[25] = watched.shell_count, watched.shell_force
    row[26] = hanging.object
