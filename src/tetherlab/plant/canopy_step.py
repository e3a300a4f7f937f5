"""One step of everything in a canopy: motors and air, spool, tether with the robot, branches.

Robot and tether are one implicit solve. A branch may be much lighter than the robot that hangs over it, and
the tether is stiff, so that a branch which answered a step later would gain energy: steps in which something
touches a branch that bends are repeated until the load on it is the one that it was turned by.
"""

import math

from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import body_rates
from tetherlab.plant import canopy_model as C
from tetherlab.plant.branch import branch_twist, find_load, keep_branch, turn_branch
from tetherlab.plant.canopy_free import find_free_part
from tetherlab.tether import model as M
from tetherlab.tether.advance import advance_kernel
from tetherlab.vehicles.avocado.thrusters import damp_joint, push_robot, turn_motors
from tetherlab.vehicles.winch import SPEED, reel, turn_drum
from tetherlab.world.wind_field import wind_at

PASSES_MAX = 8
AGREED = 1e-9  # how far the tip of a branch may be off after a step [m]
PACE_MIN, PACE_MAX = 0.02, 1.0


@kernel
def step_canopy(plant, command, h):
    """Advance by h [s] under a constant command."""
    _push(plant, command, h)
    spool = plant.spool[0]
    stiffness = plant.memory.constants[1] / max(spool.length, 0.1)
    speed = reel(spool, SPEED, command[C.REEL_SPEED], 0.0, stiffness, h)
    _move(plant, speed, h)
    _keep(plant, h)
    plant.flag[C.STEPS] += 1
    plant.clock[0] = plant.flag[C.STEPS] * h  # no rounding adds up
    find_free_part(plant)


@kernel
def robot_body(plant):
    """The robot's body, at the base of the tether."""
    return plant.memory.body[M.BASE]


@kernel
def _push(plant, command, h):
    """Loads of the robot: propellers, air, and the joint where the tether is tied."""
    body, robot, time = robot_body(plant), plant.robot[0], plant.clock[0]
    p, R, air, rate = body.p_W, body.R_WB, plant.scratch[0].wind, plant.scratch[0].rate
    air[0], air[1], air[2] = wind_at(plant.wind, p[0], p[1], p[2], time)
    w0, w1, w2 = body_rates(body)
    turn_motors(robot, command[C.THRUST], command[C.TORQUE], time, h)
    push_robot(robot, body, air, w0, w1, w2)
    if plant.spool[0].tension > 0.0:
        for i in range(3):
            rate[i] = R[i, 0] * w0 + R[i, 1] * w1 + R[i, 2] * w2
        v, speed, free = M.open_state(plant.memory).v[0], plant.free[9:12], plant.free
        damp_joint(
            robot, body, free[6:9], free[C.FREE_LENGTH],
            v[0] - speed[0], v[1] - speed[1], v[2] - speed[2], rate, h,
        )  # fmt: skip


@kernel
def _move(plant, speed, h):
    """Tether, robot and branches, until they agree on the loads between them."""
    count = plant.branch.shape[0]
    if count == 0:
        _solve(plant, speed, h)
        return
    nodes = plant.memory.number[M.COUNT] + 2
    for i in range(len(plant.live)):
        _copy(plant.live[i], plant.kept[i], nodes)
    pace = plant.clock[1]
    for attempt in range(PASSES_MAX):
        plant.flag[C.PASSES] += 1
        _solve(plant, speed, h)
        if plant.flag[C.FAILED] != 0 or not _disagree(plant, h) or attempt == PASSES_MAX - 1:
            break
        # Aitken: what the last change of the load did to the disagreement says how far to go.
        if attempt > 0:
            product, square = 0.0, 1e-300
            for i in range(count):
                for k in range(2):
                    branch = plant.branch[i]
                    now = branch.found[k] - branch.load[k]
                    old = branch.missed[k]
                    product += old * (now - old)
                    square += (now - old) ** 2
            pace = min(max(-pace * product / square, PACE_MIN), PACE_MAX)
        for i in range(count):
            branch = plant.branch[i]
            for k in range(2):
                branch.missed[k] = branch.found[k] - branch.load[k]
                branch.load[k] += pace * branch.missed[k]
        for i in range(len(plant.live)):
            _copy(plant.kept[i], plant.live[i], nodes)
    plant.clock[1] = pace


@kernel
def _copy(source, target, nodes):
    """Of the first so many nodes."""
    for i in range(source.shape[0]):
        for j in range(min(nodes, source.shape[1])):
            for k in range(source.shape[2]):
                target[i, j, k] = source[i, j, k]


@kernel
def _solve(plant, speed, h):
    """Turn the branches by the loads assumed, and let tether and robot meet them."""
    time = plant.clock[0]
    for i in range(plant.branch.shape[0]):
        branch = plant.branch[i]
        turn_branch(branch, time, h)
        who = branch.object
        branch_twist(branch, h, plant.field.twist[who])
        for k in range(9):
            plant.pose[who, k] = branch.pose[k]
    order = plant.tether_command
    order[M.DT], order[M.REEL_SPEED] = h, speed
    for k in range(6):
        order[M.TO_BASE + k] = order[M.TO_END + k] = 0.0
    for k in range(3):
        order[M.TO_END + k] = plant.anchor[k]
    plant.flag[C.ITERATIONS] += advance_kernel(plant.memory, plant.field, plant.pose, plant.wind, order)
    if plant.memory.number[M.FAILED] != 0:
        plant.flag[C.FAILED] = 1
    for i in range(plant.branch.shape[0]):
        branch = plant.branch[i]
        find_load(branch, plant.memory.reaction[branch.object], h)


@kernel
def _disagree(plant, h):
    """Whether a branch that is free to move would go elsewhere under the load found than it went."""
    for i in range(plant.branch.shape[0]):
        branch = plant.branch[i]
        if plant.clock[0] < branch.release_time:
            continue
        for k in range(2):
            off = abs(branch.found[k] - branch.load[k])
            if 0.5 * h * h * off / branch.inertia * branch.reach > AGREED:
                return True
    return False


@kernel
def _keep(plant, h):
    """After the step: where branches are, and what pulled at the spool."""
    for i in range(plant.branch.shape[0]):
        branch = plant.branch[i]
        keep_branch(branch)
        for k in range(9):
            plant.field.pose[branch.object, k] = branch.pose_next[k]
    state = M.open_state(plant.memory)
    pull, x, count = state.impulse[M.BASE], state.x, state.number[M.COUNT]
    tension = _tension(pull, x[0], x[1], h)
    turn_drum(plant.spool[0], h, tension)
    at_anchor = _tension(state.impulse[M.END], x[count], x[count - 1], h)
    plant.seen[C.TENSION_PEAK] = max(plant.seen[C.TENSION_PEAK], tension, at_anchor)


@kernel
def _tension(impulse, end, next_to_it, h):
    """Mean pull at an end of the tether over the step [N]; 0 where it pushes."""
    along = 0.0
    for k in range(3):
        along += impulse[k] * (next_to_it[k] - end[k])
    if along <= 0.0:
        return 0.0
    return math.sqrt(impulse[0] ** 2 + impulse[1] ** 2 + impulse[2] ** 2) / h
