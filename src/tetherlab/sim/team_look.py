"""A look at a rover, its tether and a drone after a tick: what may end their run, and a row of its record."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import kernel, njit
from tetherlab.plant.free_part import find_free_part
from tetherlab.plant.record import sample_tether, write_motion, write_surroundings, write_winch
from tetherlab.plant.watch import clearance, near_rotor
from tetherlab.tether.model import COUNT, Memory, memory_row, open_state
from tetherlab.world.field import Field

ROVER, DRONE = 0, 1  # in arrays of two

# codes, in the order in which they are looked for
GOING, DIVERGED, PERCH_LOST, COLLISION_UAV, COLLISION_TEAM, OVERLOAD, TANGLED_ROTOR = range(7)

TEAM = np.dtype(
    [
        ("body", np.int64, (2,)),  # of rover and drone
        ("tether", np.int64),
        ("origin_B", np.float64, (2, 3)),  # where they are recorded, from the centre of mass [m]
        ("strength", np.float64),  # of the tether [N]
        ("rotor_gap", np.float64),  # how near it may come to a rotor [m]
        ("perch_force", np.float64),  # that the drone holds [N]
        ("before_W", np.float64, (2, 3)),  # velocities at the last look [m/s]
        ("acceleration_W", np.float64, (2, 3)),  # mean since then [m/s^2]
        ("clearance", np.float64, (2,)),  # of their hulls from the world [m]
        ("gap", np.float64),  # between the hulls [m]
        ("distance", np.float64),  # of the ends of the tether, 0: it lies on its drum [m]
        ("touching", np.int64),  # how many spheres of the rover touch
        ("pressed", np.float64),  # and what presses on them in all [N]
    ]
)


class Looked(NamedTuple):
    """What is looked at: arrays of a scene, and spheres of the two hulls."""

    memories: Memory
    body: NDArray[Any]  # of BODY
    body_contact: NDArray[Any]
    held: NDArray[np.int64]
    stowed: NDArray[np.int64]
    rotorcraft: NDArray[Any]  # (1,) of QUADROTOR
    flown: NDArray[Any]  # (1,) of FLOWN
    driven: NDArray[Any]  # (1,) of DRIVEN
    winch: NDArray[Any]  # (1,) of WINCH
    reeled: NDArray[Any]  # (1,) of REELED
    hook: NDArray[Any]  # (1,) of HOOK
    hooked: NDArray[Any]  # (1,) of HANGING
    team: NDArray[Any]  # (1,) of TEAM
    rover_hull: NDArray[np.float64]  # spheres from the centre of mass: x, y, z, radius [m], (n, 4)
    drone_hull: NDArray[np.float64]
    field: Field


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def look_at_team(seen, time, passed, target, row, stations):
    """Why the run ends now, or GOING; passed: since the last look [s], 0: at the start.

    target: where drone and rover should be, (2, 3). row, stations: where to record it, empty if nowhere.
    """
    team = seen.team[0]
    rover, drone = seen.body[team.body[ROVER]], seen.body[team.body[DRONE]]
    memory = memory_row(seen.memories, team.tether)
    state = open_state(memory)
    count, x = state.number[COUNT], state.x
    stowed = seen.stowed[team.tether] == 1
    _find_motion(team, rover, drone, passed)
    if stowed:
        _follow_winch(rover, team, state)
    else:
        find_free_part(state, seen.field, seen.hooked[0])
    team.distance = math.sqrt(
        (x[0, 0] - x[count, 0]) ** 2 + (x[0, 1] - x[count, 1]) ** 2 + (x[0, 2] - x[count, 2]) ** 2
    )
    _feel(team, rover, seen.body_contact)
    team.clearance[ROVER] = clearance(seen.field, rover, seen.rover_hull)
    team.clearance[DRONE] = clearance(seen.field, drone, seen.drone_hull)
    team.gap = _gap(rover, seen.rover_hull, drone, seen.drone_hull)
    if row.shape[0] > 0:
        _record(seen, time, target, row)
        sample_tether(memory, stations)
    return _watch(seen, team, rover, drone, memory)


@kernel
def _watch(seen, team, rover, drone, memory):
    """That the rover touches walls is how it climbs, and no collision."""
    hook, held = seen.hook[0], seen.held[team.body[DRONE]] == 1
    p, q = rover.p_W, drone.p_W
    if not abs(p[0]) + abs(p[2]) + abs(q[0]) + abs(q[2]) < 1e6:
        return DIVERGED
    if held and hook.peak_end > team.perch_force:
        return PERCH_LOST
    if team.clearance[DRONE] < 0.0:
        return COLLISION_UAV
    if team.gap < 0.0:
        return COLLISION_TEAM
    if max(hook.peak, hook.peak_end) > team.strength:
        return OVERLOAD
    latched = not held and seen.stowed[team.tether] == 0
    if (
        latched
        and seen.rotorcraft[0].armed == 1
        and near_rotor(memory, seen.rotorcraft[0], drone, team.rotor_gap)
    ):
        return TANGLED_ROTOR
    return GOING


@kernel
def _find_motion(team, rover, drone, passed):
    """Mean accelerations since the last look."""
    for k in range(3):
        for who in range(2):
            v = rover.v_W[k] if who == ROVER else drone.v_W[k]
            team.acceleration_W[who, k] = (v - team.before_W[who, k]) / passed if passed > 0.0 else 0.0
            team.before_W[who, k] = v


@kernel
def _follow_winch(rover, team, state):
    """A tether on its drum is where it leaves the rover."""
    R, p, r = rover.R_WB, rover.p_W, team.origin_B[ROVER]
    for i in range(state.number[COUNT] + 1):
        for k in range(3):
            state.x[i, k] = p[k] + R[k, 0] * r[0] + R[k, 1] * r[1] + R[k, 2] * r[2]


@kernel
def _feel(team, rover, contacts):
    """How many spheres of the rover touch, and with which force in all [N]."""
    team.touching, team.pressed = 0, 0.0
    for k in range(rover.point_count):
        contact = contacts[team.body[ROVER], k]
        if contact.active == 1:
            team.touching += 1
            team.pressed += contact.normal_force


@kernel
def _gap(a, hull_a, b, hull_b):
    """Smallest distance between the spheres of two hulls [m]."""
    least = 1e6
    for i in range(hull_a.shape[0]):
        for k in range(hull_b.shape[0]):
            square = 0.0
            for m in range(3):
                x = a.p_W[m] - b.p_W[m]
                for n in range(3):
                    x += a.R_WB[m, n] * hull_a[i, n] - b.R_WB[m, n] * hull_b[k, n]
                square += x * x
            least = min(least, math.sqrt(square) - hull_a[i, 3] - hull_b[k, 3])
    return least


@kernel
def _record(seen, time, target, row):
    """Write the tables of drone, rover and winch, one after the other."""
    team, end = seen.team[0], 0
    rover, drone = seen.body[team.body[ROVER]], seen.body[team.body[DRONE]]
    end = write_motion(row, end, time, drone, team.origin_B[DRONE], team.acceleration_W[DRONE])
    row[end] = seen.rotorcraft[0].thrust
    pull = seen.flown[0].tether_force_W
    end = write_surroundings(row, end + 1, pull, team.clearance[DRONE], target[0])
    end = write_motion(row, end, time, rover, team.origin_B[ROVER], team.acceleration_W[ROVER])
    pull = seen.driven[0].tether_force_W
    end = write_surroundings(row, end, pull, team.clearance[ROVER], target[1])
    write_winch(row, end, time, seen.winch[0], seen.reeled[0].wanted, team.distance)
