"""What ends a run in the canopy: looked at once per tick. Names and sentences are in contracts/outcome.py."""

from tetherlab.math.kernel import kernel
from tetherlab.plant import canopy_model as C
from tetherlab.plant.branch import BENT_MAX
from tetherlab.plant.canopy_step import robot_body
from tetherlab.tether import model as M
from tetherlab.world.ask import distance

# codes, in the order in which they are looked for
HANGING, DIVERGED, OVERLOAD, TURNED_OVER, OVERBENT, ANCHOR_HIT, REELED_IN = range(7)

REELED_WITHIN = 1e-3  # of what stays out [m]


@kernel
def watch_canopy(plant):
    """Why the run has to end, or HANGING; plant.seen gets what touches the shell and covers the anchor."""
    body, seen = robot_body(plant), plant.seen
    p = body.p_W
    if plant.flag[C.FAILED] != 0 or not abs(p[0]) + abs(p[1]) + abs(p[2]) < 1e6:
        return DIVERGED
    _feel(plant)
    if seen[C.TENSION_PEAK] > plant.limits[0]:
        return OVERLOAD
    # A robot whose propellers have failed may be dragged over a branch in any attitude.
    robot = plant.robot[0]
    driven = plant.clock[0] < max(robot.fails_at[0], robot.fails_at[1])
    if body.R_WB[2, 2] < 0.0 and driven:
        return TURNED_OVER
    for i in range(plant.branch.shape[0]):
        bent = plant.branch[i].bent
        if max(abs(bent[0]), abs(bent[1])) > BENT_MAX:
            return OVERBENT
    a = plant.anchor
    seen[C.ANCHOR_DEPTH] = -distance(plant.field, a[0], a[1], a[2])
    if seen[C.ANCHOR_DEPTH] > plant.limits[1]:
        return ANCHOR_HIT
    spool = plant.spool[0]
    if spool.length < spool.length_min + REELED_WITHIN:
        return REELED_IN
    return HANGING


@kernel
def _feel(plant):
    """How many spheres of the shell touch, and with which force in all [N]."""
    number, force = 0, 0.0
    body = robot_body(plant)
    for k in range(body.point_count):
        contact = plant.memory.body_contact[M.BASE, k]
        if contact.active == 1:
            number += 1
            force += contact.normal_force
    plant.seen[C.SHELL_COUNT], plant.seen[C.SHELL_FORCE] = number, force
