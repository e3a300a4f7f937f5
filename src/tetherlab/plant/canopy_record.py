"""A row of every table, as the canopy is now."""

import math

from tetherlab.contracts.columns import CANOPY_ROBOT, STATION_COUNT
from tetherlab.math.attitude import quaternion_of
from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import body_rates
from tetherlab.plant import canopy_model as C
from tetherlab.plant.canopy_step import robot_body
from tetherlab.plant.hanging_state import NOW
from tetherlab.plant.record import sample_tether
from tetherlab.tether import model as M

ROW_SIZE = len(CANOPY_ROBOT)
TETHER_SIZE = 4 * STATION_COUNT
DEGREES = 180.0 / math.pi


@kernel
def record_canopy(plant, row, bends, stations):
    """Write a row of the robot (n,), of the bends of branches [deg], 2 each, and of the tether (164,)."""
    body, robot, spool, state = robot_body(plant), plant.robot[0], plant.spool[0], plant.truth[NOW]
    tether = M.open_state(plant.memory)
    row[0] = plant.clock[0]
    for k in range(3):
        row[1 + k], row[8 + k] = tether.x[0, k], tether.v[0, k]
    row[4], row[5], row[6], row[7] = quaternion_of(body.R_WB)
    row[11], row[12], row[13] = body_rates(body)
    row[14], row[15] = DEGREES * state[3], DEGREES * state[4]  # theta, phi
    row[16], row[17] = DEGREES * state[2], DEGREES * state[5]  # heading, psi
    row[18], row[19], row[20] = state[0], spool.length, spool.speed
    row[21], row[22], row[23] = robot.thrust[0], robot.thrust[1], spool.tension
    row[24], row[25] = plant.seen[C.SHELL_COUNT], plant.seen[C.SHELL_FORCE]
    row[26] = plant.free[C.FREE_OBJECT]
    for i in range(plant.branch.shape[0]):
        for k in range(2):
            bends[2 * i + k] = DEGREES * plant.branch[i].bent[k]
    sample_tether(plant.memory, stations)
