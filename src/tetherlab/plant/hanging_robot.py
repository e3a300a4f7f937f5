"""A robot that hangs on the tether that starts at it: loads of its propellers, and where it is."""

import math

from tetherlab.math.kernel import kernel, njit
from tetherlab.math.rigid_body import body_rates
from tetherlab.plant.free_part import find_free_part, measure_free_part
from tetherlab.plant.hanging_state import tell_state
from tetherlab.tether.model import COUNT, memory_row, open_state
from tetherlab.vehicles.avocado.thrusters import damp_joint, look_behind, push_robot, turn_motors
from tetherlab.world.wind_field import wind_at


@kernel
def push_hanging(plant, i, command, h):
    """Loads of hanging robot i: propellers, air, and the joint where its tether is tied, while that pulls."""
    graph, field, time = plant.graph, plant.field, plant.clock[0].time
    robot, hanging = plant.thrusters[i], plant.hanging[i]
    body, air, rate = graph.body[hanging.body], plant.scratch[0].wind, hanging.rate_W
    p, R, w = body.p_W, body.R_WB, body_rates(body)
    if field.objects.shape[0] > 0:
        look_behind(robot, body, field)
    air[0], air[1], air[2] = wind_at(plant.wind, p[0], p[1], p[2], time)
    turn_motors(robot, command.thrust, command.torque, time, h)
    push_robot(robot, body, air, w[0], w[1], w[2])
    if hanging.tension > 0.0 and _is_hung(graph, hanging):
        state = open_state(memory_row(graph.memories, hanging.tether))
        find_free_part(state, field, hanging)
        for k in range(3):
            rate[k] = R[k, 0] * w[0] + R[k, 1] * w[1] + R[k, 2] * w[2]
        v, speed = state.v[0], hanging.speed_W
        damp_joint(
            robot, body, hanging.along_W, hanging.length,
            v[0] - speed[0], v[1] - speed[1], v[2] - speed[2], rate, h,
        )  # fmt: skip


@kernel
def feel_tether(plant, i, h):
    """Tension of the tether of hanging robot i, mean of the last step."""
    graph, hanging = plant.graph, plant.hanging[i]
    hanging.tension = 0.0
    if _is_hung(graph, hanging):
        state = open_state(memory_row(graph.memories, hanging.tether))
        hanging.tension = tension_at(state.impulse[0], state.x[0], state.x[1]) / h


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def look_at_hanging(plant, i):
    """Fill in what hanging robot i hangs from and its state in the paper's words, as they are now."""
    find_state(plant, i)


@kernel
def find_state(plant, i):
    """The same, for kernels."""
    graph, hanging = plant.graph, plant.hanging[i]
    if _is_hung(graph, hanging):
        state = open_state(memory_row(graph.memories, hanging.tether))
        if plant.clock[0].steps > 0:
            find_free_part(state, plant.field, hanging)
        else:
            measure_free_part(state, hanging)  # no contact is known yet: from where it was built to
        length = 0.0
        for j in range(state.number[COUNT]):
            length += state.rest[j]
        tell_state(
            graph.body[hanging.body], hanging.along_W, hanging.speed_W, hanging.length, hanging.rate,
            state.v[0], length, hanging.state, hanging,
        )  # fmt: skip


@kernel
def tension_at(pull, end, next_to_it):
    """Size of a pull at an end of a tether; 0 where it pushes instead, which is no tension."""
    along = 0.0
    for k in range(3):
        along += pull[k] * (next_to_it[k] - end[k])
    return math.sqrt(pull[0] ** 2 + pull[1] ** 2 + pull[2] ** 2) if along > 0.0 else 0.0


@kernel
def _is_hung(graph, hanging):
    """Whether the tether of the robot starts at it still."""
    return hanging.tether >= 0 and graph.tie[hanging.tether, 0].body == hanging.body
