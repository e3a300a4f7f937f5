"""One step of rover, winch, tether and drone: apart, latched to each other, or with the drone perched.

Where the tether joins them, both bodies are in its solve: a rover that hangs on a stiff tether and learnt of
its pull a step later would gain energy.
"""

import math

from tetherlab.math.kernel import kernel
from tetherlab.plant import hoist_model as H
from tetherlab.plant.canopy_free import find_free_part
from tetherlab.plant.deck import rates_W
from tetherlab.tether import model as M
from tetherlab.tether.advance import advance_kernel
from tetherlab.vehicles.avocado.thrusters import damp_joint
from tetherlab.vehicles.lone import advance_lone
from tetherlab.vehicles.quadrotor import fly
from tetherlab.vehicles.rover import drive
from tetherlab.vehicles.winch import LENGTH, reel, turn_drum
from tetherlab.world.wind_field import wind_at

ROVER, DRONE = H.ROVER, H.DRONE


@kernel
def step_hoist(plant, command, h):
    """Advance by h [s] under a constant command."""
    before = plant.scratch[0].velocity
    for who in range(2):
        for k in range(3):
            before[who, k] = plant.body[who].v_W[k]
    _drive(plant, command, h)
    if plant.flag[H.LINK] != H.PERCHED:
        _fly(plant, command, h)
    if plant.flag[H.LINK] == H.APART:
        _move_apart(plant, h)
    else:
        _damp_hook(plant, h)
        _move_together(plant, command, h)
    for who in range(2):
        for k in range(3):
            plant.acceleration[who, k] = (plant.body[who].v_W[k] - before[who, k]) / h
    plant.flag[H.STEPS] += 1
    plant.clock[0] = plant.flag[H.STEPS] * h  # no rounding adds up


@kernel
def _drive(plant, command, h):
    """Loads of the rover: what its wheels do as they turn faster or slower; their grip is contact."""
    body, rover = plant.body[ROVER], plant.rover[0]
    drive(rover, body, plant.memory.body_contact[ROVER], command[H.DRIVE], 0.0, command[H.TURN], h)
    for k in range(3):
        body.force_W[k] = 0.0
        body.torque_W[k] = rover.reaction_W[k]


@kernel
def _fly(plant, command, h):
    """Loads of the drone: rotors and air."""
    body = plant.body[DRONE]
    p, air = body.p_W, plant.scratch[0].wind
    air[0], air[1], air[2] = wind_at(plant.wind, p[0], p[1], p[2], plant.clock[0])
    plant.drone[0].armed = 1 if command[H.ARMED] > 0.5 else 0
    fly(plant.drone[0], body, air, command[0:3], command[H.YAW], h)


@kernel
def _damp_hook(plant, h):
    """The joint where the tether is tied to the rover resists turning, while the tether pulls."""
    if plant.winch[0].tension <= 0.0:
        return
    find_free_part(plant)
    rate, free, v = plant.scratch[0].rate, plant.free, M.open_state(plant.memory).v[0]
    rate[0], rate[1], rate[2] = rates_W(plant.body[ROVER])
    damp_joint(
        plant.hook[0], plant.body[ROVER], free[6:9], free[0],
        v[0] - free[9], v[1] - free[10], v[2] - free[11], rate, h,
    )  # fmt: skip
    spin = plant.hook[0].damping_spin * (rate[0] * free[6] + rate[1] * free[7] + rate[2] * free[8])
    for k in range(3):
        plant.body[ROVER].torque_W[k] -= spin * free[6 + k]


@kernel
def _move_apart(plant, h):
    """Each by itself."""
    g = plant.memory.constants[10]
    for who in range(2):
        if not advance_lone(
            plant.body[who], plant.memory.body_contact[who], plant.field, h, g, 0.0, 0.0, 0.0, 0.0,
            plant.scratch[0],
        ):  # fmt: skip
            plant.flag[H.FAILED] = 1


@kernel
def find_hoist_places(plant):
    """Where the points of `place` are now; a tether that is not latched ends where it leaves the rover."""
    rover, drone = plant.body[ROVER], plant.body[DRONE]
    for k in range(3):
        plant.place[0, k] = _at(rover, plant.rover_origin, k)
        plant.place[1, k] = _at(rover, rover["attachment_B"], k)
        plant.place[2, k] = _at(drone, plant.drone_origin, k)
        plant.place[3, k] = _at(drone, drone["attachment_B"], k)
    if plant.flag[H.LINK] == H.APART:
        state = M.open_state(plant.memory)
        for i in range(state.number[M.COUNT] + 1):
            for k in range(3):
                state.x[i, k] = plant.place[1, k]


@kernel
def _at(body, r, k):
    """Coordinate k of a point of a body's frame in the world."""
    R = body["R_WB"]
    return body["p_W"][k] + R[k, 0] * r[0] + R[k, 1] * r[1] + R[k, 2] * r[2]


@kernel
def _move_together(plant, command, h):
    """Winch, tether, and the bodies at its ends."""
    memory, winch = plant.memory, plant.winch[0]
    state = M.open_state(memory)
    stiffness = memory.constants[1] / max(winch.length, 0.1)
    mode, rate = int(command[H.REEL_MODE]), command[H.REEL_RATE]
    if mode == LENGTH:
        command[H.REEL_WANTED] += h * rate  # goes on until the next command
    speed = reel(winch, mode, command[H.REEL_WANTED], rate, stiffness, h)
    order = plant.scratch[0].tether_command
    order[M.DT], order[M.REEL_SPEED] = h, speed
    for k in range(6):
        order[M.TO_BASE + k] = order[M.TO_END + k] = 0.0
    for k in range(3):
        order[M.TO_END + k] = plant.perch[k]
    advance_kernel(memory, plant.field, plant.pose, plant.wind, order)
    if state.number[M.FAILED] != 0:
        plant.flag[H.FAILED] = 1
        return
    count, x = state.number[M.COUNT], state.x
    for who in range(2):
        for k in range(3):
            plant.pull[who, k] = state.impulse[who, k] / h
    tension = _tension(plant.pull[ROVER], x[0], x[1])
    at_drone = _tension(plant.pull[DRONE], x[count], x[count - 1])
    turn_drum(winch, h, tension)
    plant.clock[1] = max(plant.clock[1], tension, at_drone)
    if plant.flag[H.LINK] == H.PERCHED:
        plant.seen[H.PERCH_PEAK] = max(plant.seen[H.PERCH_PEAK], at_drone)
        if at_drone > plant.limits[H.PERCH_FORCE]:
            _let_go(plant)


@kernel
def _let_go(plant):
    """The drone no longer holds on: it is a body at the end of the tether again, at rest."""
    plant.flag[H.LINK], plant.flag[H.LOST] = H.LATCHED, 1
    plant.memory.number[M.KIND_END] = M.RIGID
    for k in range(3):
        plant.body[DRONE].v_W[k] = plant.body[DRONE].L_W[k] = 0.0


@kernel
def _tension(pull, end, next_to_it):
    """Size of a pull at an end of the tether [N]; 0 where it pushes, which is no tension."""
    along = 0.0
    for k in range(3):
        along += pull[k] * (next_to_it[k] - end[k])
    return math.sqrt(pull[0] ** 2 + pull[1] ** 2 + pull[2] ** 2) if along > 0.0 else 0.0
