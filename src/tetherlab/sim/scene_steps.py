"""Steps of a scene, several in one compiled call: what may touch, actuators, then all islands."""

from tetherlab.math.kernel import kernel, njit
from tetherlab.plant.drape import find_near_tethers
from tetherlab.plant.island_step import advance_graph_kernel
from tetherlab.plant.pair_contact import find_near_bodies
from tetherlab.plant.rider import find_near_riders
from tetherlab.sim.machines import act, look_at_hung

STEPS_AT_ONCE = 10  # at most


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def run_steps(machines, graph, near, field, start, wind, h, count, inputs):
    """Take up to `count` steps of h [s]; (how many were taken, whether the next one failed).

    It stops where other things may touch than before, so that the plan must be made anew: near, graph.meets
    and graph.drapes say which. field: the obstacles, with poses that are overwritten; start: their poses,
    (objects, 12). inputs: gets the commands and loads of each step, for a failure file, (steps, floats).
    """
    taken, failed = 0, False
    while taken < count:
        if _other_contacts(graph, near, field.bounds, h):
            break
        act(machines, graph, field, wind, h)
        _note(graph, inputs[taken])
        if not advance_graph_kernel(graph, field, start, wind, h):
            failed = True
            break
        taken += 1
    for i in range(machines.hung.shape[0]):
        look_at_hung(machines, graph, field, i)
    return taken, failed


@kernel
def _other_contacts(graph, near, bounds, h):
    """Whether other things may touch within the next step than the plan knows."""
    changed = find_near_bodies(graph.body, h, near)
    if graph.ride.shape[0] > 0:
        changed = find_near_riders(graph.body, graph.ride, bounds, h, graph.meets) or changed
        changed = (
            find_near_tethers(graph.memories, graph.body, graph.ride, bounds, h, graph.drapes) or changed
        )
    return changed


@kernel
def _note(graph, row):
    """Commands of all tethers, loads of all bodies and drives of all joints, one after the other."""
    k = 0
    for t in range(graph.command.shape[0]):
        command = graph.command[t]
        row[k] = command.reel_speed
        for end in range(2):
            for c in range(3):
                row[k + 1 + 3 * end + c] = command.position_W[end, c]
                row[k + 7 + 3 * end + c] = command.velocity_W[end, c]
        k += 13
    for b in range(graph.body.shape[0]):
        for c in range(3):
            row[k + c], row[k + 3 + c] = graph.body[b].force_W[c], graph.body[b].torque_W[c]
        k += 6
    for j in range(graph.joint.shape[0]):
        for axis in range(2):
            row[k + axis] = graph.joint[j].torque[axis]
            row[k + 2 + axis] = graph.joint[j].held_rate[axis]
        k += 4
