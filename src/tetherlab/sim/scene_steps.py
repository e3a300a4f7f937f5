"""Steps of a scene, several in one compiled call: what may touch, laws, the plant, what ends the run."""

from tetherlab.math.kernel import kernel, njit
from tetherlab.plant import watch as W
from tetherlab.plant.drape import find_near_tethers
from tetherlab.plant.hanging_robot import find_state
from tetherlab.plant.pair_contact import find_near_bodies
from tetherlab.plant.rider import find_near_riders
from tetherlab.plant.step import find_places, step_plant
from tetherlab.sim.decisions import carry_points, decide
from tetherlab.sim.reference import move_points

STEPS_AT_ONCE = 10  # at most


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def run_steps(plant, laws, command, paths, near, h, count, watch_every, inputs):
    """Take up to `count` steps of h [s]; (how many were taken, why the run ends or 0, see plant/watch.py).

    It stops where other things may touch than before, so that the plan must be made anew: near, graph.meets
    and graph.drapes say which. watch_every: steps from one look at what may end the run to the next. inputs:
    gets the commands and loads of each step, for a failure file, (steps, floats).
    """
    graph, clock = plant.graph, plant.clock[0]
    taken, code = 0, W.FLYING
    find_places(plant)
    while taken < count and code == W.FLYING:
        if _other_contacts(plant, near, h):
            break
        if clock.steps % watch_every == 0:
            for t in range(plant.line.shape[0]):
                plant.line[t].tension_peak = plant.line[t].end_peak = 0.0
        decide(plant, laws, command, paths, clock.steps)
        step_plant(plant, command, h)
        _note(graph, inputs[taken])
        if clock.failed != 0:
            code = W.DIVERGED
            break
        taken += 1
        find_places(plant)
        move_points(paths, h)
        carry_points(plant, laws, command, paths)
        if clock.steps % watch_every == 0:
            code = W.watch(plant, command, watch_every * h)
    for i in range(plant.hanging.shape[0]):
        find_state(plant, i)
    return taken, code


@kernel
def _other_contacts(plant, near, h):
    """Whether other things may touch within the next step than the plan knows."""
    graph, field = plant.graph, plant.field
    changed = find_near_bodies(graph.body, h, near)
    if graph.ride.shape[0] > 0:
        changed = find_near_riders(graph.body, graph.ride, field.bounds, h, graph.meets) or changed
        tethers = find_near_tethers(graph.memories, graph.body, graph.ride, field, h, graph.drapes)
        changed = tethers or changed
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
