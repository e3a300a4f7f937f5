"""Advance a graph of bodies and tethers, island by island, each in steps of its own.

An island takes the longest step that all of its members can take, and halves it for all where one of them
does not converge or contact would give energy. See tether/advance.py for the rules, which are those of one
tether.
"""

import math

from tetherlab.math.kernel import kernel, njit
from tetherlab.math.rigid_body import advance_turned, body_kinetic_energy
from tetherlab.plant.drape import (
    book_drape,
    clear_kicks,
    drape_books,
    ease_under_tether,
    kick_carriers,
    seen_from_rider,
    settle_drape,
    shield_ends,
    show_to_tether,
)
from tetherlab.plant.island_newton import ease_tied_nodes, newton_island
from tetherlab.plant.joint import (
    FREE,
    HELD,
    begin_joint_call,
    begin_joints,
    keep_joints,
    push_joints,
    spread_contact,
)
from tetherlab.plant.pair_contact import (
    begin_pairs,
    forget_pairs,
    keep_pairs,
    pair_loss,
    survey_pairs,
    touch_pairs,
)
from tetherlab.plant.rider import hide_riders, place_riders, ride_along, show_riders
from tetherlab.plant.rider_contact import ease_carriers, push_carriers, rider_books, survey_riders
from tetherlab.plant.ringing import calm_joints
from tetherlab.plant.tied_body import push_body
from tetherlab.plant.winch_feed import begin_feed, end_feed, forget_feed, load_feed, remesh_winch
from tetherlab.tether.accept import accept, evaluate_end, settle_debt
from tetherlab.tether.advance import (
    DAMPED_FROM,
    DAMPING,
    GAIN_LARGE,
    GAIN_MAX,
    HALVINGS_MAX,
    LOSS_MAX,
    STEP_SMALLEST,
    TRAVEL_MAX,
    forget,
    place_obstacles,
    snap_step,
)
from tetherlab.tether.contact_books import add_body_reactions, body_contact_books, contact_books
from tetherlab.tether.mass import share_masses
from tetherlab.tether.mesh import remesh
from tetherlab.tether.model import (
    COUNT,
    DURATION,
    EVENTS,
    STRETCH_PEAK,
    TENSION_PEAK,
    memory_row,
    open_model,
    open_state,
    open_work,
)
from tetherlab.tether.prepare import prepare
from tetherlab.tether.proximity import obstacle_speed, survey
from tetherlab.tether.reel import flow_rates
from tetherlab.world.body_contact import (
    contact_work,
    keep_body_contacts,
    survey_body,
    touch_body,
    turn_by_contacts,
)

STEP_LONGEST = 0.005  # of an island without tethers [s]
STILL = 1e-12  # velocity, momentum and bend below which a body on a joint rests [m/s, kg m^2/s, rad]


@kernel
def advance_graph_kernel(graph, field, start, wind, dt):
    """See `advance_graph`."""
    for i in range(graph.reaction.shape[0]):
        for k in range(6):
            graph.reaction[i, k] = 0.0
    good = True
    for n in range(graph.program.island.shape[0]):
        place_obstacles(field, start, 0.0)
        hide_riders(graph, field)
        good = _advance_island(graph, n, field, start, wind, dt) and good
    graph.books[0].time += dt
    place_riders(graph, field)
    return good


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def advance_graph(graph, field, start, wind, dt):
    """Advance all islands by dt as commanded; False if one of them (`failed`) cannot go on.

    field: the obstacles, with poses that are overwritten. start: where the obstacles are now, (objects, 12).
    """
    return advance_graph_kernel(graph, field, start, wind, dt)


@kernel
def _advance_island(graph, n, field, start, wind, dt):
    """Advance island n by dt; False if it cannot go on."""
    island = graph.program.island[n]
    island.failed = 0
    if _rests(graph, n):
        return True
    longest = dt / max(1, math.ceil(dt / _begin_call(graph, n, dt) - 1e-9))
    obstacles = obstacle_speed(field)
    done, halvings, failures = 0.0, 0, 0
    deepest = HALVINGS_MAX
    while longest / 2**deepest > STEP_SMALLEST:
        deepest += 1
    while done < dt * (1.0 - 1e-9):
        wanted = _survey(graph, n, field, dt, longest, obstacles)
        level = halvings
        while level < HALVINGS_MAX and longest / 2**level > wanted:
            level += 1
        h = min(longest / 2**level, dt - done)
        s = min(1.0, (done + h) / dt)
        if obstacles > 0.0:
            place_obstacles(field, start, done + h)
            hide_riders(graph, field)
        _prepare(graph, n, wind, h, DAMPING * h if failures >= DAMPED_FROM else 0.0)
        converged, used = newton_island(graph, n, field, h, dt, s, level >= deepest)
        island.iterations += used
        gained = 0.0
        if converged:
            gained = _evaluate_end(graph, n, field, h)
            converged = abs(gained) < LOSS_MAX  # else, or where it is no number, this is no solution
        if not converged:
            _forget_step(graph, n)
            halvings = level + 1
            failures += 1
            if halvings > deepest:
                island.failed = 1
                return False
            continue
        if gained > (GAIN_MAX if level < HALVINGS_MAX else GAIN_LARGE) and level < deepest:
            _forget_step(graph, n)
            halvings = level + 1
            continue
        _accept(graph, n, field, h, dt, s, obstacles)
        done += h
        island.steps += 1
        _remesh(graph, n, field)
        halvings = max(0, halvings - 1)
        failures = max(0, failures - 1)
    return True


@kernel
def _rests(graph, n):
    """Whether a step leaves island n as it is: bodies on joints of the world, with springs that are relaxed.

    Its last step has left it at rest, and nothing pushes, turns or is about to release it.
    """
    island, program = graph.program.island[n], graph.program
    if (
        island.steps == 0
        or island.first_joint == island.last_joint
        or island.first_tether < island.last_tether
        or island.first_pair < island.last_pair
    ):
        return False
    rests = True
    for k in range(island.first_body, island.last_body):
        body = graph.body[program.body[k]]
        rests = rests and body.point_count == 0
        for c in range(3):
            rests = rests and body.force_W[c] == 0.0 and body.torque_W[c] == 0.0
            rests = rests and abs(body.v_W[c]) < STILL and abs(body.L_W[c]) < STILL
    for k in range(island.first_joint, island.last_joint):
        joint = graph.joint[program.joint[k]]
        rests = rests and joint.body[0] < 0 and joint.settling == 0
        for axis in range(2):
            if joint.lock[axis] == HELD:
                rests = rests and joint.held_rate[axis] == 0.0 and not joint.release_time[axis] < 1e300
            else:
                rests = rests and joint.lock[axis] == FREE and joint.torque[axis] == 0.0
                rests = rests and abs(joint.angle[axis] - joint.rest[axis]) < STILL
    return rests


@kernel
def _begin_call(graph, n, dt):
    """Paths of prescribed ends, and what is summed up over the call; the longest step of any tether [s]."""
    island, program = graph.program.island[n], graph.program
    begin_joint_call(graph, n)
    longest = STEP_LONGEST if island.first_tether == island.last_tether else 1e9
    for k in range(island.first_tether, island.last_tether):
        t = program.tether[k]
        memory = memory_row(graph.memories, t)
        model, state, command = open_model(memory), open_state(memory), graph.command[t]
        longest = min(longest, model.step_max)
        state.total[DURATION] = dt
        state.total[TENSION_PEAK] = state.total[STRETCH_PEAK] = 0.0
        for i in range(state.reaction.shape[0]):
            for c in range(6):
                state.reaction[i, c] = 0.0
        for end in range(2):
            i = end * state.number[COUNT]
            for c in range(3):
                state.path[end, 0, c] = state.x[i, c]
                state.path[end, 1, c] = state.v[i, c]
                state.path[end, 2, c] = command.position_W[end, c]
                state.path[end, 3, c] = command.velocity_W[end, c]
                state.impulse[end, c] = 0.0
    return longest


@kernel
def _survey(graph, n, field, dt, longest, obstacles):
    """What may touch in a step of that length; the longest step that all members allow [s]."""
    island, program = graph.program.island[n], graph.program
    wanted = 1e9
    ride_along(graph)
    for k in range(island.first_tether, island.last_tether):
        t = program.tether[k]
        memory = memory_row(graph.memories, t)
        flow = graph.flow[t]
        flow[0], flow[1] = flow_rates(memory, graph.command[t].reel_speed)
        wanted = min(wanted, snap_step(memory, dt, flow[0], flow[1]))
        graph.near[t] = 0
        if field.objects.shape[0] > 0 or memory.number[EVENTS] > 0:
            pace, d0, d1, d2 = obstacles, 0.0, 0.0, 0.0
            if show_to_tether(graph, field, t):
                pace, d0, d1, d2 = seen_from_rider(graph, field, t)
            near, allowed = survey(memory, field, longest, TRAVEL_MAX, pace, d0, d1, d2)
            wanted = min(wanted, allowed)
            graph.near[t] = 1 if near else 0
            hide_riders(graph, field)
            shield_ends(graph, t, open_state(memory))
    for k in range(island.first_body, island.last_body):
        b = program.body[k]
        _, allowed = survey_body(field, graph.body[b], graph.body_contact[b], longest, TRAVEL_MAX, obstacles)
        wanted = min(wanted, allowed, survey_riders(graph, field, b, longest, TRAVEL_MAX))
    return min(wanted, survey_pairs(graph, n, longest, TRAVEL_MAX))


@kernel
def _prepare(graph, n, wind, h, damping):
    """What does not depend on the unknowns of the step."""
    island, program = graph.program.island[n], graph.program
    for k in range(island.first_body, island.last_body):
        b = program.body[k]
        graph.body[b].implicit = 0.0
        for p in range(graph.body[b].point_count):
            if graph.body_contact[b, p].active == 1:
                graph.body[b].implicit = 1.0
    begin_pairs(graph, n)
    ease_carriers(graph, n)
    begin_joints(graph, n, h)
    for k in range(island.first_tether, island.last_tether):
        t = program.tether[k]
        memory = memory_row(graph.memories, t)
        ease_under_tether(graph, t, open_state(memory))
        share_masses(memory)
        prepare(memory, wind, h, graph.command[t].reel_speed)
        open_work(memory).damping[0] = damping
        begin_feed(graph, t)


@kernel
def _evaluate_end(graph, n, field, h):
    """Forces at the solution of the step; the energy that contact has given in it [J]."""
    island, program = graph.program.island[n], graph.program
    gained = 0.0
    for k in range(island.first_body, island.last_body):
        b = program.body[k]
        show_riders(graph, field, b)
        if touch_body(field, graph.body[b], graph.body_contact[b], h):
            graph.body[b].implicit = 1.0
            _, lost = body_contact_books(field, graph.body[b], graph.body_contact[b], h)
            _, more = rider_books(graph, field, b, h)
            gained -= lost + more
        hide_riders(graph, field)
    ease_carriers(graph, n)
    touch_pairs(graph, n, h)
    spread_contact(graph, n)
    gained -= pair_loss(graph, n, h)
    for k in range(island.first_tether, island.last_tether):
        t = program.tether[k]
        memory = memory_row(graph.memories, t)
        near = graph.near[t] == 1
        ease_tied_nodes(graph, t, open_state(memory), open_work(memory))
        show_to_tether(graph, field, t)
        evaluate_end(memory, field, h, near)
        if near:
            _, _, lost = contact_books(memory, field, h)
            ease_under_tether(graph, t, open_state(memory))
            _, more = drape_books(graph, field, t, h)
            gained -= lost + more
        hide_riders(graph, field)
    return gained


@kernel
def _forget_step(graph, n):
    """A step is discarded: contacts that began in it did not happen, and its guess was poor."""
    island, program = graph.program.island[n], graph.program
    graph.program.island[n].discarded += 1
    for k in range(island.first_tether, island.last_tether):
        forget(memory_row(graph.memories, program.tether[k]))
        forget_feed(graph, program.tether[k])
    for k in range(island.first_body, island.last_body):
        b = program.body[k]
        for p in range(graph.body[b].point_count):
            if graph.body_contact[b, p].touching == 0:
                graph.body_contact[b, p].active = 0
    forget_pairs(graph, n)


@kernel
def _accept(graph, n, field, h, dt, s, obstacles):
    """The solution becomes the state: tethers, what they push their bodies with, then the bodies."""
    island, program = graph.program.island[n], graph.program
    clear_kicks(graph)
    for k in range(island.first_body, island.last_body):
        for c in range(6):
            graph.load[program.body[k], c] = 0.0
    for k in range(island.first_tether, island.last_tether):
        t = program.tether[k]
        memory = memory_row(graph.memories, t)
        state = open_state(memory)
        load_feed(graph, t, h)
        pace, near, draped = obstacles, graph.near[t] == 1, show_to_tether(graph, field, t)
        if draped:
            pace = obstacle_speed(field)
            if near:
                book_drape(graph, field, t, h)
        accept(memory, field, h, dt, s, near, graph.flow[t, 0], pace)
        if draped and near:
            settle_drape(graph, field, t, h)
        else:
            settle_debt(memory, field, h, near, False)
        hide_riders(graph, field)
        for end in range(2):
            tie = graph.tie[t, end]
            if tie.body >= 0:
                f = state.push[end]
                push_body(graph.load[tie.body], tie.arm_W, f[0] / h, f[1] / h, f[2] / h)
                for c in range(3):
                    tie.r_B[c] += h * tie.slide_B[c]
    graph.books[0].dissipated += pair_loss(graph, n, h)
    keep_pairs(graph, n)
    push_carriers(graph, n, field, h)
    push_joints(graph, n, h)
    keep_joints(graph, n, h)
    for k in range(island.first_body, island.last_body):
        b = program.body[k]
        v0, v1, v2 = graph.body[b].v_W[0], graph.body[b].v_W[1], graph.body[b].v_W[2]
        show_riders(graph, field, b)
        _accept_body(graph, field, graph.body[b], graph.body_contact[b], graph.load[b], h)
        hide_riders(graph, field)
        for j in range(island.first_tether, island.last_tether):
            if graph.tie[program.tether[j], 0].body == b:
                end_feed(graph, program.tether[j], h, v0, v1, v2)
    calm_joints(graph, n, h)
    kick_carriers(graph, n)
    ride_along(graph)


@kernel
def _accept_body(graph, field, body, contacts, load, h):
    """Move a body to the end of the step and keep its books; load: mean force and torque of its ties."""
    books = graph.books[0]
    given, lost = body_contact_books(field, body, contacts, h)
    add_body_reactions(graph.reaction, field, body, contacts, h)
    pushed, before = 0.0, body_kinetic_energy(body)
    for c in range(3):
        pushed += h * (body.force_W[c] * body.u[c] + body.torque_W[c] * body.u[3 + c])
    books.work += given + pushed
    for c in range(6):
        pushed += h * load[c] * body.u[c]
    pushed += contact_work(body, contacts, h) - h * body.mass * graph.gravity * body.u[2]
    keep_body_contacts(field, body, contacts, h)
    turn_by_contacts(body, contacts, h)
    advance_turned(body, h, load[3], load[4], load[5])
    books.dissipated += lost
    if body.implicit > 0.5:
        books.dissipated += before + pushed - body_kinetic_energy(body)


@kernel
def _remesh(graph, n, field):
    """Nodes come and go."""
    island, program = graph.program.island[n], graph.program
    for k in range(island.first_tether, island.last_tether):
        t = program.tether[k]
        memory = memory_row(graph.memories, t)
        if graph.near[t] == 1:
            show_to_tether(graph, field, t)
            remesh(memory, field, memory.scalars.shape[1])
            hide_riders(graph, field)
        if graph.command[t].reel_speed != 0.0:
            remesh_winch(graph, n, t)
