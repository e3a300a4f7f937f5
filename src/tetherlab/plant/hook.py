"""The joint of a tether with the robot at its start, which resists turning while the tether pulls."""

import numpy as np

from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import body_rates
from tetherlab.plant.free_part import find_free_part
from tetherlab.plant.hanging_robot import tension_at
from tetherlab.tether.model import memory_row, open_state
from tetherlab.vehicles.avocado.thrusters import damp_tie

HOOK = np.dtype(
    [
        ("tether", np.int64),
        ("damping_phi", np.float64),  # about the robot's y axis [N m s]
        ("damping_roll", np.float64),  # across that and the tether [N m s]
        ("damping_spin", np.float64),  # about the tether [N m s]
        ("tension", np.float64),  # at the start of the tether, mean of the last step [N]
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
    """Read the tension of the last step."""
    state = open_state(memory_row(graph.memories, hook.tether))
    hook.tension = tension_at(state.impulse[0], state.x[0], state.x[1]) / h
