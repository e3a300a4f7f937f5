"""The joint of a tether with the robot at its start, which resists turning while the tether pulls."""

import numpy as np

from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import body_rates
from tetherlab.plant.free_part import find_free_part
from tetherlab.tether.model import COUNT, memory_row, open_state
from tetherlab.vehicles.avocado.thrusters import damp_tie

HOOK = np.dtype(
    [
        ("tether", np.int64),
        ("damping_phi", np.float64),  # about the robot's y axis [N m s]
        ("damping_roll", np.float64),  # across that and the tether [N m s]
        ("damping_spin", np.float64),  # about the tether [N m s]
        # means of the last step
        ("tension", np.float64),  # at the start of the tether [N]
        ("tension_end", np.float64),  # at its end [N]
        # largest of these since somebody set them to zero
        ("peak", np.float64),
        ("peak_end", np.float64),
    ]
)


@kernel
def damp_hook(hook, hanging, graph, field, h):
    """Add the damping of a hook to the loads of its robot; hanging: gets what the robot hangs from."""
    if hook.tension <= 0.0 or graph.tie[hook.tether, 0].body < 0:
        return
    tie = graph.tie[hook.tether, 0]
    body, rate, along = graph.body[tie.body], hanging.rate_W, hanging.along_W
    R, w = body.R_WB, body_rates(body)
    state = open_state(memory_row(graph.memories, hook.tether))
    find_free_part(state, field, hanging)
    for k in range(3):
        rate[k] = R[k, 0] * w[0] + R[k, 1] * w[1] + R[k, 2] * w[2]
    v, speed = state.v[0], hanging.speed_W
    damp_tie(
        hook, body, tie.r_B[2], along, hanging.length,
        v[0] - speed[0], v[1] - speed[1], v[2] - speed[2], rate, h,
    )  # fmt: skip
    spin = hook.damping_spin * (rate[0] * along[0] + rate[1] * along[1] + rate[2] * along[2])
    for k in range(3):
        body.torque_W[k] -= spin * along[k]


@kernel
def feel_hook(hook, graph, h):
    """Read the tensions of the last step."""
    state = open_state(memory_row(graph.memories, hook.tether))
    count, x = state.number[COUNT], state.x
    hook.tension = tension_at(state.impulse[0], x[0], x[1]) / h
    hook.tension_end = tension_at(state.impulse[1], x[count], x[count - 1]) / h
    hook.peak, hook.peak_end = max(hook.peak, hook.tension), max(hook.peak_end, hook.tension_end)


@kernel
def tension_at(pull, end, next_to_it):
    """Size of a pull at an end of a tether; 0 where it pushes instead, which is no tension."""
    along = 0.0
    for k in range(3):
        along += pull[k] * (next_to_it[k] - end[k])
    return (pull[0] ** 2 + pull[1] ** 2 + pull[2] ** 2) ** 0.5 if along > 0.0 else 0.0
