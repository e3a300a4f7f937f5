"""One step of everything: motors, rover, winch, tether with the drone at its end."""

import math

from tetherlab.math.kernel import kernel
from tetherlab.plant import model as P
from tetherlab.plant.deck import (
    ROVER,
    level_deck,
    load_rover,
    motion_on_deck,
    on_rover,
    place_deck,
    twist_deck,
)
from tetherlab.tether import model as M
from tetherlab.tether.advance import advance_kernel
from tetherlab.vehicles.lone import advance_lone
from tetherlab.vehicles.quadrotor import fly
from tetherlab.vehicles.rover import drive
from tetherlab.vehicles.winch import LENGTH, reel, turn_drum
from tetherlab.world.wind_field import wind_at

DRONE = 1


@kernel
def step_plant(plant, command, h):
    """Motors, then the rover under what tether and drone did last, then tether and drone."""
    _fly(plant, command, h)
    rover = plant.body[ROVER]
    drive(plant.rover[0], rover, plant.contact[ROVER], command[4], command[5], command[6], h)
    place_deck(plant)
    _move_rover(plant, h)
    level_deck(plant, h)
    after = motion_on_deck(plant, plant.exit_B)
    twist_deck(plant, h)
    _move_tether(plant, command, after, h)
    plant.flag[P.STEPS] += 1
    plant.clock[0] = plant.flag[P.STEPS] * h  # no rounding adds up


@kernel
def find_places(plant):
    """Where the points of `place` are now."""
    rover, drone = plant.body[ROVER], drone_body(plant)
    _at(rover, plant.rover_origin, plant.place[P.ORIGIN])
    _at(rover, on_rover(plant.platform[0], plant.exit_B), plant.place[P.EXIT])
    _at(rover, on_rover(plant.platform[0], plant.stand_B), plant.place[P.STAND])
    _at(drone, drone.attachment_B, plant.place[P.ATTACHMENT])


@kernel
def _at(body, r, out):
    """A point of a body's frame in the world's."""
    R, p = body.R_WB, body.p_W
    for i in range(3):
        out[i] = p[i] + R[i, 0] * r[0] + R[i, 1] * r[1] + R[i, 2] * r[2]


@kernel
def drone_body(plant):
    """The drone's body, at the end of the tether."""
    return plant.memory.body[M.END]


@kernel
def _fly(plant, command, h):
    """Loads of the drone: rotors and air."""
    body = drone_body(plant)
    p, air = body.p_W, plant.scratch[0].wind
    air[0], air[1], air[2] = wind_at(plant.wind, p[0], p[1], p[2], plant.clock[0])
    plant.drone[0].armed = 1 if command[P.ARMED] > 0.5 else 0
    fly(plant.drone[0], body, air, command[0:3], command[P.YAW], h)


@kernel
def _move_rover(plant, h):
    """The rover alone, under what tether and deck did to it in the last step."""
    body = plant.body[ROVER]
    for k in range(3):
        body.force_W[k] = plant.load[k]
        body.torque_W[k] = plant.load[3 + k] + plant.rover[0].reaction_W[k]
    v0, v1, v2 = body.v_W[0], body.v_W[1], body.v_W[2]
    g = plant.memory.constants[10]
    if not advance_lone(body, plant.contact[ROVER], plant.ground, h, g, 0.0, 0.0, 0.0, 0.0, plant.scratch[0]):
        plant.flag[P.FAILED] = 1
    a = plant.acceleration[ROVER]
    a[0], a[1], a[2] = (body.v_W[0] - v0) / h, (body.v_W[1] - v1) / h, (body.v_W[2] - v2) / h


@kernel
def _move_tether(plant, command, after, h):
    """Winch, tether and drone; then what they do to the rover."""
    memory, winch, body = plant.memory, plant.winch[0], plant.memory.body[M.END]
    state = M.open_state(memory)
    v0, v1, v2 = body.v_W[0], body.v_W[1], body.v_W[2]
    stiffness = memory.constants[1] / max(winch.length, 0.1)
    mode, rate = int(command[P.REEL_MODE]), command[P.REEL_RATE]
    if mode == LENGTH:
        command[P.REEL_WANTED] += h * rate  # goes on until the next command
    speed = reel(winch, mode, command[P.REEL_WANTED], rate, stiffness, h)
    order = plant.scratch[0].tether_command
    order[M.DT], order[M.REEL_SPEED] = h, speed
    for k in range(6):
        order[M.TO_BASE + k], order[M.TO_END + k] = after[k], 0.0
    advance_kernel(memory, plant.field, plant.pose, plant.wind, order)
    if state.number[M.FAILED] != 0:
        plant.flag[P.FAILED] = 1
        return
    a = plant.acceleration[DRONE]
    a[0], a[1], a[2] = (body.v_W[0] - v0) / h, (body.v_W[1] - v1) / h, (body.v_W[2] - v2) / h
    pull = plant.pull
    for k in range(3):
        pull[ROVER, k] = state.impulse[0, k] / h
        pull[DRONE, k] = state.impulse[1, k] / h
    tension = _tension_at(pull[ROVER], state.x[0], state.x[1])
    turn_drum(winch, h, tension)
    # Means of the step: where an edge catches a slack tether, single elements peak for less than a
    # millisecond at many times what either end feels.
    count = state.number[M.COUNT]
    at_drone = _tension_at(pull[DRONE], state.x[count], state.x[count - 1])
    plant.clock[1] = max(plant.clock[1], tension, at_drone)
    load_rover(plant, after)


@kernel
def _tension_at(pull, end, next_to_it):
    """Size of a pull at an end of the tether [N]; 0 where it pushes instead, which is no tension."""
    along = 0.0
    for k in range(3):
        along += pull[k] * (next_to_it[k] - end[k])
    return math.sqrt(pull[0] ** 2 + pull[1] ** 2 + pull[2] ** 2) if along > 0.0 else 0.0
