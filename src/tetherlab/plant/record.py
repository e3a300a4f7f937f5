"""A row of every table, as the plant is now."""

import math

from tetherlab.contracts.columns import COLUMNS, STATION_COUNT
from tetherlab.math.attitude import quaternion_of
from tetherlab.math.kernel import kernel
from tetherlab.plant.deck import ROVER, rates_W
from tetherlab.plant.step import DRONE, drone_body
from tetherlab.tether import model as M
from tetherlab.vehicles.power.supply import write_supply

STATIONS = STATION_COUNT
TABLES = ("uav", "ugv", "winch")  # in a row one after another; `tether` by itself
PLATFORM_SIZE = len(COLUMNS["platform"])
TETHER_SIZE = 4 * STATIONS


@kernel
def record(plant, target, length_reference, row, stations):
    """Write a row; target: references of drone and rover, (2, 3). stations: float32, (164,).

    Behind TABLES comes `power`, where the tether supplies any.
    """
    at_centre = plant.rover_origin[0:0]  # the drone's origin is its centre of mass
    end = _motion(plant, row, 0, drone_body(plant), DRONE, at_centre)
    row[end] = plant.drone[0].thrust
    end = _surroundings(plant, row, end + 1, DRONE, target[0])
    end = _motion(plant, row, end, plant.body[ROVER], ROVER, plant.rover_origin)
    end = _surroundings(plant, row, end, ROVER, target[1])
    winch = plant.winch[0]
    row[end] = plant.clock[0]
    row[end + 1], row[end + 2], row[end + 3] = winch.length, length_reference, winch.speed
    row[end + 4], row[end + 5] = winch.tension, plant.seen[2]
    row[end + 6], row[end + 7], row[end + 8] = winch.torque, winch.power, winch.radius
    row[end + 9] = winch.limited
    end += 10
    if plant.platform[0].present == 1:
        _deck(plant, row, end)
        end += PLATFORM_SIZE
    if plant.supply.shape[0] > 0:
        write_supply(plant.supply[0], plant.clock[0], row, end)
    sample_tether(plant.memory, stations)


@kernel
def _motion(plant, row, k, body, who, origin):
    """Columns of motion from k on; origin: of the vehicle from its centre of mass, empty if that is it."""
    R, p, v = body.R_WB, body.p_W, body.v_W
    w0, w1, w2 = rates_W(body)
    o0, o1, o2 = 0.0, 0.0, 0.0
    if origin.shape[0] > 0:
        o0 = R[0, 0] * origin[0] + R[0, 1] * origin[1] + R[0, 2] * origin[2]
        o1 = R[1, 0] * origin[0] + R[1, 1] * origin[1] + R[1, 2] * origin[2]
        o2 = R[2, 0] * origin[0] + R[2, 1] * origin[1] + R[2, 2] * origin[2]
    row[k] = plant.clock[0]
    row[k + 1], row[k + 2], row[k + 3] = p[0] + o0, p[1] + o1, p[2] + o2
    row[k + 4], row[k + 5], row[k + 6], row[k + 7] = quaternion_of(R)
    row[k + 8] = v[0] + w1 * o2 - w2 * o1
    row[k + 9] = v[1] + w2 * o0 - w0 * o2
    row[k + 10] = v[2] + w0 * o1 - w1 * o0
    row[k + 11] = R[0, 0] * w0 + R[1, 0] * w1 + R[2, 0] * w2
    row[k + 12] = R[0, 1] * w0 + R[1, 1] * w1 + R[2, 1] * w2
    row[k + 13] = R[0, 2] * w0 + R[1, 2] * w1 + R[2, 2] * w2
    for i in range(3):
        row[k + 14 + i] = plant.acceleration[who, i]
    return k + 17


@kernel
def _surroundings(plant, row, k, who, target):
    """Columns of what acts on a vehicle and where it should be, from k on."""
    for i in range(3):
        row[k + i] = plant.pull[who, i]
        row[k + 4 + i] = target[i]
    row[k + 3] = plant.seen[who]
    return k + 7


@kernel
def _deck(plant, row, k):
    """Columns of the platform from k on; all but the time mean nothing where the deck is fixed."""
    platform, R = plant.platform[0], plant.body[ROVER].R_WB
    Q = platform.R_BP
    x2 = R[2, 0] * Q[0, 0] + R[2, 1] * Q[1, 0] + R[2, 2] * Q[2, 0]
    y2 = R[2, 0] * Q[0, 1] + R[2, 1] * Q[1, 1] + R[2, 2] * Q[2, 1]
    z2 = R[2, 0] * Q[0, 2] + R[2, 1] * Q[1, 2] + R[2, 2] * Q[2, 2]
    row[k] = plant.clock[0]
    row[k + 1], row[k + 2] = math.atan2(y2, z2), -math.asin(min(max(x2, -1.0), 1.0))
    row[k + 3], row[k + 4] = platform.roll, platform.pitch
    row[k + 5], row[k + 6] = platform.seen[0], platform.seen[1]
    row[k + 7], row[k + 8] = platform.stroke[0], platform.stroke[1]
    row[k + 9], row[k + 10] = platform.force[0], platform.force[1]
    row[k + 11] = platform.limited


@kernel
def sample_tether(memory, out):
    """Positions and tensions at 41 stations equally spaced in unstretched length, (164,)."""
    state = M.open_state(memory)
    count = state.number[M.COUNT]
    total = 0.0
    for j in range(count):
        total += state.rest[j]
    j, before = 0, 0.0
    for i in range(STATIONS):
        s = total * i / (STATIONS - 1)
        while j < count - 1 and before + state.rest[j] < s:
            before += state.rest[j]
            j += 1
        t = min(max((s - before) / state.rest[j], 0.0), 1.0)
        for k in range(3):
            out[3 * i + k] = (1.0 - t) * state.x[j, k] + t * state.x[j + 1, k]
        # Tensions belong to the middles of the elements.
        neighbour = j + 1 if t > 0.5 else j - 1
        w = abs(t - 0.5)
        if neighbour < 0 or neighbour >= count:
            neighbour, w = j, 0.0
        out[3 * STATIONS + i] = (1.0 - w) * state.tension[j] + w * state.tension[neighbour]
