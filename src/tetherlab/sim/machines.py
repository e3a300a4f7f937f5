"""Rotors, wheels, thrusters and winches of a graph, and the compiled laws that command them.

Records lie in arrays by kind, any number of each, wired to bodies, tethers and reference points by integers.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import kernel, njit
from tetherlab.math.rigid_body import body_rates
from tetherlab.plant.free_part import find_free_part, measure_free_part
from tetherlab.plant.hanging_state import tell_state
from tetherlab.plant.hook import damp_hook, feel_hook
from tetherlab.plant.laws import drive_law, flight_law, reel_law
from tetherlab.sim.reference import Paths, move_points
from tetherlab.tether.model import COUNT, DURATION, memory_row, open_model, open_state
from tetherlab.vehicles.avocado.thrusters import damp_joint, look_behind, push_robot, turn_motors
from tetherlab.vehicles.quadrotor import fly
from tetherlab.vehicles.rover import drive
from tetherlab.vehicles.winch import LENGTH, reel, turn_drum
from tetherlab.world.wind_field import wind_at

# How a rotorcraft is flown.
FLOWN = np.dtype(
    [
        ("body", np.int64),
        ("path", np.int64),  # row of its reference point
        ("armed", np.int64),  # 0: the rotors stand still
        ("by_law", np.int64),  # 1: the compiled law decides, 0: Python has written force and yaw
        ("every", np.int64),  # steps from one decision of the law to the next
        ("yaw", np.float64),  # wanted [rad]
        ("force_W", np.float64, (3,)),  # wanted of the rotors [N]
        ("integral", np.float64, (3,)),  # memory of the law [m s]
        ("pull", np.float64, (3,)),  # tether force that the law feeds forward [N]
        ("tether_force_W", np.float64, (3,)),  # of all tethers on the body, mean of the last step [N]
    ]
)

# How a ground robot is driven.
DRIVEN = np.dtype(
    [
        ("body", np.int64),
        ("path", np.int64),
        ("by_law", np.int64),
        ("every", np.int64),
        ("origin_B", np.float64, (3,)),  # of the robot's frame from the centre of mass [m]
        ("yaw", np.float64),  # wanted [rad]
        ("forward", np.float64),  # wanted velocity, robot frame [m/s]
        ("left", np.float64),  # [m/s]
        ("turn", np.float64),  # [rad/s]
        ("integral", np.float64, (2,)),  # memory of the law [m s]
        ("tether_force_W", np.float64, (3,)),
    ]
)

# How a robot that hangs on its tether is commanded.
HUNG = np.dtype(
    [
        ("body", np.int64),
        ("tether", np.int64),  # that starts at the robot; -1: none
        ("winch", np.int64),  # its row among the winches; -1: none
        ("every", np.int64),  # steps from one decision in Python to the next
        ("thrust", np.float64),  # wanted of both motors [N]
        ("torque", np.float64),  # wanted, > 0 turns to the right [N m]
        ("tension", np.float64),  # of the tether at the robot, mean of the last step [N]
    ]
)

# How a winch is commanded.
REELED = np.dtype(
    [
        ("tether", np.int64),
        ("path", np.int64),  # row of the reference point of the robot at its end; -1: none
        ("by_law", np.int64),
        ("every", np.int64),
        ("mode", np.int64),  # what its servo controls, see vehicles/winch.py
        ("wanted", np.float64),  # [m], [m/s] or [N]
        ("rate", np.float64),  # [m/s]
    ]
)

CLOCK = np.dtype([("steps", np.int64), ("time", np.float64)])


class Machines(NamedTuple):
    """All actuators of a scene with their commands and laws."""

    rotorcraft: NDArray[Any]  # (n,) of QUADROTOR
    flown: NDArray[Any]  # (n,) of FLOWN
    flight_law: NDArray[Any]  # (n,) of FLIGHT
    rover: NDArray[Any]  # (m,) of ROVER
    driven: NDArray[Any]  # (m,) of DRIVEN
    drive_law: NDArray[Any]  # (m,) of DRIVE
    thrusters: NDArray[Any]  # (a,) of ROBOT
    hung: NDArray[Any]  # (a,) of HUNG
    hanging: NDArray[Any]  # (a,) of HANGING
    winch: NDArray[Any]  # (w,) of WINCH
    reeled: NDArray[Any]  # (w,) of REELED
    reel_law: NDArray[Any]  # (w,) of REEL
    hook: NDArray[Any]  # (k,) of HOOK
    hooked: NDArray[Any]  # what the robot of each hook hangs from, (k,) of HANGING
    paths: Paths  # reference points of the robots, (n + m, 3)
    air: NDArray[np.float64]  # velocity of the air at a robot [m/s], (3,)
    clock: NDArray[Any]  # (1,) of CLOCK


def copy_machines(machines: Machines) -> Machines:
    """An independent copy in the same state."""
    fresh: dict[str, Any] = {
        name: getattr(machines, name).copy() for name in machines._fields if name != "paths"
    }
    return machines._replace(paths=Paths(*machines.paths.together.copy()), **fresh)


@kernel
def act(machines, graph, field, wind, h):
    """Before a step h: decide by law, set loads and reel speeds. field: the obstacles where they are now."""
    clock = machines.clock[0]
    for i in range(machines.rotorcraft.shape[0]):
        _fly(machines, graph, wind, i, h)
    for i in range(machines.rover.shape[0]):
        _drive(machines, graph, i, h)
    for i in range(machines.thrusters.shape[0]):
        _push(machines, graph, field, wind, i, h)
    for i in range(machines.hook.shape[0]):
        damp_hook(machines.hook[i], machines.hooked[i], graph, field, h)
    for i in range(machines.winch.shape[0]):
        _reel(machines, graph, i, h)
    clock.steps += 1
    clock.time = clock.steps * h  # no rounding adds up


@kernel
def look(machines, graph, h):
    """After a step h: read what it did, and move the references on, for laws and controllers in Python."""
    _read_tethers(machines, graph, h)
    move_points(machines.paths, h)


@kernel
def _read_tethers(machines, graph, h):
    """Tensions at the winches, and what all tethers do to the robots, mean of the last step."""
    for i in range(machines.hook.shape[0]):
        feel_hook(machines.hook[i], graph, h)
    for i in range(machines.winch.shape[0]):
        if graph.stowed[machines.reeled[i].tether] == 1:
            continue
        state = open_state(memory_row(graph.memories, machines.reeled[i].tether))
        turn_drum(machines.winch[i], h, _tension(state, h))
    for i in range(machines.thrusters.shape[0]):
        hung = machines.hung[i]
        hung.tension = 0.0
        if _is_hung(graph, hung):
            hung.tension = _tension(open_state(memory_row(graph.memories, hung.tether)), h)
    for i in range(machines.rotorcraft.shape[0]):
        _sum_pulls(graph, machines.flown[i].body, machines.flown[i].tether_force_W)
    for i in range(machines.rover.shape[0]):
        _sum_pulls(graph, machines.driven[i].body, machines.driven[i].tether_force_W)


@kernel
def _tension(state, h):
    """Mean tension at the start of a tether in the last step [N]; 0 where it pushes."""
    f, a, b = state.impulse[0], state.x[0], state.x[1]
    along = f[0] * (b[0] - a[0]) + f[1] * (b[1] - a[1]) + f[2] * (b[2] - a[2])
    return math.sqrt(f[0] ** 2 + f[1] ** 2 + f[2] ** 2) / h if along > 0.0 else 0.0


@kernel
def _sum_pulls(graph, body, out):
    """Force of all tethers on a body, mean of the last step [N]."""
    out[0] = out[1] = out[2] = 0.0
    for t in range(graph.tie.shape[0]):
        for end in range(2):
            if graph.tie[t, end].body == body:
                state = open_state(memory_row(graph.memories, t))
                duration = max(state.total[DURATION], 1e-12)
                for k in range(3):
                    out[k] += state.impulse[end, k] / duration


@kernel
def _fly(machines, graph, wind, i, h):
    """Decide for rotorcraft i, and set force and torque of its body: autopilot, rotors, drag."""
    flown, drone, paths, clock = machines.flown[i], machines.rotorcraft[i], machines.paths, machines.clock[0]
    body, r = graph.body[flown.body], machines.flown[i].path
    if flown.by_law == 1 and flown.armed == 1 and clock.steps % flown.every == 0:
        flight_law(
            machines.flight_law[i], body.p_W, body.v_W, flown.tether_force_W,
            paths.position[r], paths.velocity[r], paths.acceleration[r],
            flown.integral, flown.pull, flown.force_W,
        )  # fmt: skip
    p, air = body.p_W, machines.air
    air[0], air[1], air[2] = wind_at(wind, p[0], p[1], p[2], clock.time)
    drone.armed = flown.armed
    fly(drone, body, air, flown.force_W, flown.yaw, h)


@kernel
def _drive(machines, graph, i, h):
    """Decide for ground robot i, and turn its wheels."""
    driven, rover, paths = machines.driven[i], machines.rover[i], machines.paths
    body, r, o = graph.body[driven.body], machines.driven[i].path, machines.driven[i].origin_B
    if driven.by_law == 1 and machines.clock[0].steps % driven.every == 0:
        R, p = body.R_WB, body.p_W
        origin = (
            p[0] + R[0, 0] * o[0] + R[0, 1] * o[1] + R[0, 2] * o[2],
            p[1] + R[1, 0] * o[0] + R[1, 1] * o[1] + R[1, 2] * o[2],
        )
        driven.forward, driven.left, driven.turn = drive_law(
            machines.drive_law[i], origin, R, paths.position[r], paths.velocity[r], driven.yaw,
            driven.integral,
        )  # fmt: skip
    contacts = graph.body_contact[driven.body]
    drive(rover, body, contacts, driven.forward, driven.left, driven.turn, h)
    for k in range(3):
        body.force_W[k] = 0.0
        body.torque_W[k] = rover.reaction_W[k]


@kernel
def _is_hung(graph, hung):
    """Whether the tether of the robot starts at it still."""
    return hung.tether >= 0 and graph.tie[hung.tether, 0].body == hung.body


@kernel
def _push(machines, graph, field, wind, i, h):
    """Loads of hanging robot i: propellers, air, and the joint where its tether is tied, while that pulls."""
    robot, hung, hanging = machines.thrusters[i], machines.hung[i], machines.hanging[i]
    time = machines.clock[0].time
    body, air, rate = graph.body[hung.body], machines.air, hanging.rate_W
    p, R, w = body.p_W, body.R_WB, body_rates(body)
    if field.objects.shape[0] > 0:
        look_behind(robot, body, field)
    air[0], air[1], air[2] = wind_at(wind, p[0], p[1], p[2], time)
    turn_motors(robot, hung.thrust, hung.torque, time, h)
    push_robot(robot, body, air, w[0], w[1], w[2])
    if hung.tension > 0.0 and _is_hung(graph, hung):
        state = open_state(memory_row(graph.memories, hung.tether))
        find_free_part(state, field, hanging)
        for k in range(3):
            rate[k] = R[k, 0] * w[0] + R[k, 1] * w[1] + R[k, 2] * w[2]
        v, speed = state.v[0], hanging.speed_W
        damp_joint(
            robot, body, hanging.along_W, hanging.length,
            v[0] - speed[0], v[1] - speed[1], v[2] - speed[2], rate, h,
        )  # fmt: skip


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def look_at_hung(machines, graph, field, i):
    """Fill in what hanging robot i hangs from and its state in the paper's words, as they are now."""
    hung, hanging = machines.hung[i], machines.hanging[i]
    if _is_hung(graph, hung):
        state = open_state(memory_row(graph.memories, hung.tether))
        if machines.clock[0].steps > 0:
            find_free_part(state, field, hanging)
        else:
            measure_free_part(state, hanging)  # no contact is known yet: from where it was built to
        length = 0.0
        for j in range(state.number[COUNT]):
            length += state.rest[j]
        tell_state(
            graph.body[hung.body], hanging.along_W, hanging.speed_W, hanging.length, hanging.rate, state.v[0],
            length, hanging.state, hanging,
        )  # fmt: skip


@kernel
def _reel(machines, graph, i, h):
    """Decide for winch i, and set the speed of its tether."""
    reeled, winch, paths = machines.reeled[i], machines.winch[i], machines.paths
    if graph.stowed[reeled.tether] == 1:
        return
    memory = memory_row(graph.memories, reeled.tether)
    model, state = open_model(memory), open_state(memory)
    count, r = state.number[COUNT], machines.reeled[i].path
    if reeled.by_law == 1 and machines.clock[0].steps % reeled.every == 0:
        # The wanted velocity of the far end: the winch would answer to the trembling of the true one.
        far = paths.velocity[r] if r >= 0 else state.v[count]
        mode, reeled.wanted, reeled.rate = reel_law(
            machines.reel_law[i], state.x[0], state.x[count], state.v[0], far, math.nan
        )
        reeled.mode = mode
    elif reeled.mode == LENGTH:
        reeled.wanted += h * reeled.rate  # goes on until the next command
    stiffness = model.axial_stiffness / max(winch.length, 0.1)
    speed = reel(winch, reeled.mode, reeled.wanted, reeled.rate, stiffness, h)
    graph.command[reeled.tether].reel_speed = speed
