"""What ends a run of a hoist: looked at once per tick. Names and sentences are in contracts/outcome.py."""

import math

from tetherlab.math.kernel import kernel
from tetherlab.plant import hoist_model as H
from tetherlab.plant.watch import clearance, near_rotor
from tetherlab.tether import model as M

ROVER, DRONE = H.ROVER, H.DRONE

# codes, in the order in which they are looked for
GOING, DIVERGED, PERCH_LOST, COLLISION_UAV, COLLISION_TEAM, OVERLOAD, TANGLED_ROTOR = range(7)


@kernel
def watch_hoist(plant):
    """Why the run has to end, or GOING; plant.seen gets clearances and what presses on the rover.

    That the rover touches walls is how it climbs, and no collision.
    """
    seen, rover, drone = plant.seen, plant.body[ROVER], plant.body[DRONE]
    p, q = rover.p_W, drone.p_W
    if plant.flag[H.FAILED] != 0 or not abs(p[0]) + abs(p[2]) + abs(q[0]) + abs(q[2]) < 1e6:
        return DIVERGED
    _feel(plant)
    seen[ROVER] = clearance(plant.field, rover, plant.rover_hull)
    seen[DRONE] = clearance(plant.field, drone, plant.drone_hull)
    seen[H.DISTANCE] = _apart(plant)
    seen[H.GAP] = _gap(rover, plant.rover_hull, drone, plant.drone_hull)
    if plant.flag[H.LOST] != 0:
        return PERCH_LOST
    if seen[DRONE] < 0.0:
        return COLLISION_UAV
    if seen[H.GAP] < 0.0:
        return COLLISION_TEAM
    if plant.clock[1] > plant.limits[H.STRENGTH]:
        return OVERLOAD
    tied = plant.flag[H.LINK] == H.LATCHED
    if (
        tied
        and plant.drone[0].armed == 1
        and near_rotor(plant.memory, plant.drone[0], drone, plant.limits[H.ROTOR_CLOSE], False, True)
    ):
        return TANGLED_ROTOR
    return GOING


@kernel
def _feel(plant):
    """How many spheres of the rover touch, and with which force in all [N]."""
    number, force = 0, 0.0
    for k in range(plant.body[ROVER].point_count):
        contact = plant.memory.body_contact[ROVER, k]
        if contact.active == 1:
            number += 1
            force += contact.normal_force
    plant.seen[H.SHELL_COUNT], plant.seen[H.SHELL_FORCE] = number, force


@kernel
def _apart(plant):
    """Of the ends of the tether [m]; 0 where there is none."""
    if plant.flag[H.LINK] == H.APART:
        return 0.0
    state = M.open_state(plant.memory)
    a, b = state.x[0], state.x[state.number[M.COUNT]]
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)


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
