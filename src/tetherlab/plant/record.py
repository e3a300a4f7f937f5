"""A row of every table, as the plant is now."""

import math

from tetherlab.contracts.columns import COLUMNS, STATION_COUNT
from tetherlab.math.attitude import quaternion_of
from tetherlab.math.kernel import kernel, njit
from tetherlab.plant.deck import rates_W
from tetherlab.tether import model as M
from tetherlab.vehicles.power.supply import write_supply
from tetherlab.vehicles.winch import LENGTH

STATIONS = STATION_COUNT
TABLES = ("uav", "ugv", "winch")  # in a row one after another; `tether` by itself
PLATFORM_SIZE = len(COLUMNS["platform"])
POWER_SIZE = len(COLUMNS["power"])
TETHER_SIZE = 4 * STATIONS


@kernel
def record(plant, target, command, row, stations):
    """Write a row; target: references of drones, then of rovers, (n, 3). stations: float32, of each tether.

    Behind TABLES come `platform` and `power`, where there are any.
    """
    time, end = plant.clock[0].time, 0
    for i in range(plant.rotorcraft.shape[0]):
        drone = plant.rotorcraft[i]
        part = plant.part[drone.body]
        end = write_motion(row, end, time, plant.graph.body[drone.body], part.origin_B, part.acceleration_W)
        row[end] = drone.thrust
        end = write_surroundings(row, end + 1, part.pull_W, part.clearance, target[i])
    for i in range(plant.rover.shape[0]):
        b = plant.rover[i].body
        part, wanted = plant.part[b], target[plant.rotorcraft.shape[0] + i]
        end = write_motion(row, end, time, plant.graph.body[b], part.origin_B, part.acceleration_W)
        end = write_surroundings(row, end, part.pull_W, part.clearance, wanted)
    for i in range(plant.winch.shape[0]):
        winch, told = plant.winch[i], command.reel[i]
        length = told.wanted if told.mode == LENGTH else math.nan
        end = write_winch(row, end, time, winch, length, plant.line[winch.tether].distance)
    for i in range(plant.berth.shape[0]):
        if plant.platform[i].present == 1:
            _deck(row, end, time, plant.platform[i], plant.graph.body[plant.berth[i].body].R_WB)
            end += PLATFORM_SIZE
    for i in range(plant.supply.shape[0]):
        write_supply(plant.supply[i], time, row, end)
        end += POWER_SIZE
    for t in range(plant.line.shape[0]):
        first = t * TETHER_SIZE
        sample_tether(M.memory_row(plant.graph.memories, t), stations[first : first + TETHER_SIZE])


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def record_now(plant, target, command, row, stations):
    """The same, for Python."""
    record(plant, target, command, row, stations)


@kernel
def write_motion(row, k, time, body, origin, acceleration):
    """Columns of motion from k on; origin: of the vehicle from its centre of mass."""
    R, p, v = body.R_WB, body.p_W, body.v_W
    w0, w1, w2 = rates_W(body)
    o0 = R[0, 0] * origin[0] + R[0, 1] * origin[1] + R[0, 2] * origin[2]
    o1 = R[1, 0] * origin[0] + R[1, 1] * origin[1] + R[1, 2] * origin[2]
    o2 = R[2, 0] * origin[0] + R[2, 1] * origin[1] + R[2, 2] * origin[2]
    row[k] = time
    row[k + 1], row[k + 2], row[k + 3] = p[0] + o0, p[1] + o1, p[2] + o2
    row[k + 4], row[k + 5], row[k + 6], row[k + 7] = quaternion_of(R)
    row[k + 8] = v[0] + w1 * o2 - w2 * o1
    row[k + 9] = v[1] + w2 * o0 - w0 * o2
    row[k + 10] = v[2] + w0 * o1 - w1 * o0
    row[k + 11] = R[0, 0] * w0 + R[1, 0] * w1 + R[2, 0] * w2
    row[k + 12] = R[0, 1] * w0 + R[1, 1] * w1 + R[2, 1] * w2
    row[k + 13] = R[0, 2] * w0 + R[1, 2] * w1 + R[2, 2] * w2
    for i in range(3):
        row[k + 14 + i] = acceleration[i]
    return k + 17


@kernel
def write_surroundings(row, k, pull, clearance, target):
    """Columns of what acts on a vehicle and where it should be, from k on."""
    for i in range(3):
        row[k + i] = pull[i]
        row[k + 4 + i] = target[i]
    row[k + 3] = clearance
    return k + 7


@kernel
def write_winch(row, k, time, winch, length_reference, distance):
    """Columns of a winch from k on."""
    row[k] = time
    row[k + 1], row[k + 2], row[k + 3] = winch.length, length_reference, winch.speed
    row[k + 4], row[k + 5] = winch.tension, distance
    row[k + 6], row[k + 7], row[k + 8] = winch.torque, winch.power, winch.radius
    row[k + 9] = winch.limited
    return k + 10


@kernel
def _deck(row, k, time, platform, R):
    """Columns of a platform from k on; R: of its body."""
    Q = platform.R_BP
    x2 = R[2, 0] * Q[0, 0] + R[2, 1] * Q[1, 0] + R[2, 2] * Q[2, 0]
    y2 = R[2, 0] * Q[0, 1] + R[2, 1] * Q[1, 1] + R[2, 2] * Q[2, 1]
    z2 = R[2, 0] * Q[0, 2] + R[2, 1] * Q[1, 2] + R[2, 2] * Q[2, 2]
    row[k] = time
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
