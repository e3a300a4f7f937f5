"""One step of everything: rotors, wheels, platforms and winches, then all bodies and tethers in one solve."""

import math

from tetherlab.math.kernel import kernel
from tetherlab.plant.apart import all_apart, look_anew, without_riders
from tetherlab.plant.deck import feel_load, find_stand, level_deck
from tetherlab.plant.hanging_robot import feel_tether, push_hanging, tension_at
from tetherlab.plant.hook import damp_hook, feel_hook
from tetherlab.plant.island_step import advance_graph_kernel
from tetherlab.plant.rider import FAR, hide_riders, place_riders
from tetherlab.tether.model import COUNT, memory_row, open_model, open_state
from tetherlab.vehicles.quadrotor import fly
from tetherlab.vehicles.rover import drive
from tetherlab.vehicles.winch import LENGTH, reel, turn_drum
from tetherlab.world.wind_field import wind_at

STIFFENED_BY = 0.1  # at least so much tether answers to a winch [m]


@kernel
def step_plant(plant, command, h):
    """Advance by h [s] under a constant command."""
    graph = plant.graph
    for b in range(graph.body.shape[0]):
        for k in range(3):
            plant.part[b].before_W[k] = graph.body[b].v_W[k]
    for i in range(plant.rotorcraft.shape[0]):
        _fly(plant, i, command.flight[i], h)
    for i in range(plant.rover.shape[0]):
        _drive(plant, i, command.drive[i], h)
    for i in range(plant.thrusters.shape[0]):
        push_hanging(plant, i, command.thrust[i], h)
    for i in range(plant.hook.shape[0]):
        damp_hook(plant.hook[i], plant.hooked[i], graph, plant.field, h)
    for i in range(plant.berth.shape[0]):
        level_deck(plant, i, h)
    for i in range(plant.winch.shape[0]):
        _reel(plant, i, command.reel[i], h)
    clock = plant.clock[0]
    if not _solve(plant, h):
        clock.failed = 1
        return
    _read_bodies(plant, h)
    for i in range(plant.winch.shape[0]):
        winch = plant.winch[i]
        if graph.stowed[winch.tether] == 1:
            continue
        state = open_state(memory_row(graph.memories, winch.tether))
        turn_drum(winch, h, tension_at(state.impulse[0], state.x[0], state.x[1]) / h)
    for i in range(plant.hanging.shape[0]):
        feel_tether(plant, i, h)
    for i in range(plant.hook.shape[0]):
        feel_hook(plant.hook[i], graph, h)
    for t in range(plant.line.shape[0]):
        _read_tether(plant, t, h)
    for i in range(plant.berth.shape[0]):
        feel_load(plant, i, h)
    clock.steps += 1
    clock.time = clock.steps * h  # no rounding adds up


@kernel
def _solve(plant, h):
    """Advance all bodies and tethers, and let what rides on bodies be where these are; False if it fails."""
    graph, field, pose = plant.graph, plant.field, plant.pose
    place_riders(graph, field)
    apart = 1 if plant.parted.island.shape[0] > 0 and all_apart(graph, field, h) else 0
    if apart != plant.clock[0].apart:
        plant.clock[0].apart = apart
        look_anew(graph)
    hide_riders(graph, field)
    for e in range(graph.ride.shape[0]):
        pose[graph.ride[e].object, 9] = FAR
    seen = without_riders(graph, plant.parted, apart == 1)
    good = advance_graph_kernel(seen, field, pose, plant.wind, h)
    place_riders(graph, field)
    for e in range(graph.ride.shape[0]):
        who = graph.ride[e].object
        for k in range(12):
            pose[who, k] = field.pose[who, k]
    return good


@kernel
def find_places(plant):
    """Where the points of bodies, tethers and berths are now."""
    for b in range(plant.part.shape[0]):
        body, part = plant.graph.body[b], plant.part[b]
        R, r = body.R_WB, part.origin_B
        for k in range(3):
            part.origin_W[k] = body.p_W[k] + R[k, 0] * r[0] + R[k, 1] * r[1] + R[k, 2] * r[2]
    for t in range(plant.line.shape[0]):
        line, state = plant.line[t], open_state(memory_row(plant.graph.memories, t))
        count, square = state.number[COUNT], 0.0
        for k in range(3):
            line.base_W[k], line.end_W[k] = state.x[0, k], state.x[count, k]
            square += (line.base_W[k] - line.end_W[k]) ** 2
        line.distance = math.sqrt(square)
    for i in range(plant.berth.shape[0]):
        find_stand(plant, i)


@kernel
def _fly(plant, i, command, h):
    """Loads of a drone: rotors and air."""
    drone = plant.rotorcraft[i]
    body = plant.graph.body[drone.body]
    p, air = body.p_W, plant.scratch[0].wind
    air[0], air[1], air[2] = wind_at(plant.wind, p[0], p[1], p[2], plant.clock[0].time)
    drone.armed = command.armed
    fly(drone, body, air, command.force_W, command.yaw, h)


@kernel
def _drive(plant, i, command, h):
    """Loads of a rover: what its wheels do as they turn faster or slower; their grip is contact."""
    rover = plant.rover[i]
    body, contacts = plant.graph.body[rover.body], plant.graph.body_contact[rover.body]
    drive(rover, body, contacts, command.forward, command.left, command.turn, h)
    for k in range(3):
        body.force_W[k], body.torque_W[k] = 0.0, rover.reaction_W[k]


@kernel
def _reel(plant, i, command, h):
    """Speed of a tether at its winch."""
    winch = plant.winch[i]
    if plant.graph.stowed[winch.tether] == 1:
        return
    model = open_model(memory_row(plant.graph.memories, winch.tether))
    stiffness = model.axial_stiffness / max(winch.length, STIFFENED_BY)
    if command.mode == LENGTH:
        command.wanted += h * command.rate  # goes on until the next command
    speed = reel(winch, command.mode, command.wanted, command.rate, stiffness, h)
    plant.graph.command[winch.tether].reel_speed = speed


@kernel
def _read_bodies(plant, h):
    """Accelerations, and the pull of all tethers, as means of the step."""
    graph = plant.graph
    for b in range(plant.part.shape[0]):
        part, v = plant.part[b], graph.body[b].v_W
        for k in range(3):
            part.acceleration_W[k] = (v[k] - part.before_W[k]) / h
            part.pull_W[k] = 0.0
    for t in range(plant.line.shape[0]):
        state = open_state(memory_row(graph.memories, t))
        for end in range(2):
            b = graph.tie[t, end].body
            if b >= 0:
                for k in range(3):
                    plant.part[b].pull_W[k] += state.impulse[end, k] / h


@kernel
def _read_tether(plant, t, h):
    """Largest tension at its ends.

    Means of the step: where an edge catches a slack tether, single elements peak for less than a millisecond
    at many times what either end feels.
    """
    line, state = plant.line[t], open_state(memory_row(plant.graph.memories, t))
    count, x = state.number[COUNT], state.x
    at_base = tension_at(state.impulse[0], x[0], x[1])
    at_end = tension_at(state.impulse[1], x[count], x[count - 1])
    line.end_peak = max(line.end_peak, at_end / h)
    line.tension_peak = max(line.tension_peak, at_base / h, line.end_peak)
