"""Whether anything is near to what rides on bodies: where nothing is, a step need not look at it.

A tether that hangs clear of the deck beside its winch, and a drone in the air, are solved as if there were no
riders: by another program, which eliminates the same bodies and tethers with less work.
"""

import math

from tetherlab.math.kernel import inlined, kernel
from tetherlab.plant.graph import Graph
from tetherlab.plant.rider import turning
from tetherlab.tether.model import COUNT, memory_row, open_model, open_state
from tetherlab.world.ask import distance_to

MARGIN = 0.002  # how much farther off than anything can come within a step [m]
STRIDE = 0.005  # with which a tether is gone along where it is near [m]

TIED_SHARE = 0.9  # of the distance of a tied end, below which its element comes nearer


@inlined
def without_riders(graph, program, apart):
    """The graph, or the same without its riders, solved by another program."""
    ride = graph.ride
    chosen = graph.program
    if apart:
        ride, chosen = graph.ride[0:0], program
    return Graph(
        graph.memories, graph.tie, graph.command, graph.near, graph.flow, graph.feed, graph.carry,
        graph.corner, graph.body, graph.body_contact, graph.pair, graph.rider, ride, graph.meets,
        graph.drapes, graph.joint, graph.held, graph.stowed, graph.stock, graph.correction, graph.load,
        graph.reaction, graph.books, chosen, graph.gravity, graph.tolerance,
    )  # fmt: skip


@kernel
def all_apart(graph, field, dt):
    """Whether no foot and no tether can touch a rider within dt; the riders are in place in the field."""
    for e in range(graph.ride.shape[0]):
        ride = graph.ride[e]
        for b in range(graph.body.shape[0]):
            if graph.meets[b, ride.body] == 1 and not _foot_apart(graph, field, b, ride, dt):
                return False
        for t in range(graph.tie.shape[0]):
            if graph.drapes[t, ride.body] == 1 and not _tether_apart(graph, field, t, ride, dt):
                return False
    return True


@kernel
def look_anew(graph):
    """There is more, or less, to touch than what tethers measured."""
    for t in range(graph.tie.shape[0]):
        state = open_state(memory_row(graph.memories, t))
        for i in range(state.number[COUNT] + 1):
            state.contact[i].clearance = 0.0
            state.wrap[i].measured = 0


@kernel
def _foot_apart(graph, field, b, ride, dt):
    """Whether body b is farther from a rider than its feet can come within dt."""
    body, carrier = graph.body[b], graph.body[ride.body]
    reach = 0.0
    for k in range(body.point_count):
        contact = graph.body_contact[b, k]
        if contact.active == 1 and contact.object == ride.object:
            return False
        r = body.point_B[k]
        reach = max(reach, math.sqrt(r[0] ** 2 + r[1] ** 2 + r[2] ** 2) + body.point_radius[k])
    v, w = body.v_W, carrier.v_W
    speed = math.sqrt((v[0] - w[0]) ** 2 + (v[1] - w[1]) ** 2 + (v[2] - w[2]) ** 2)
    speed += reach * turning(body) + _lever(field, ride) * turning(carrier)
    p = body.p_W
    return distance_to(field, ride.object, p[0], p[1], p[2]) > reach + MARGIN + 2.0 * dt * speed


@kernel
def _lever(field, ride):
    """Farthest point of a rider from its own origin [m]."""
    c = field.bounds[ride.object]
    return math.sqrt(c[0] ** 2 + c[1] ** 2 + c[2] ** 2) + c[3]


@kernel
def _tether_apart(graph, field, t, ride, dt):
    """Whether tether t, but for an end that is tied to the carrier, is farther from a rider than it can come.

    It is gone along in steps as long as the distance allows, since that changes no faster than the way.
    """
    memory, carrier, who = memory_row(graph.memories, t), graph.body[ride.body], ride.object
    model, state = open_model(memory), open_state(memory)
    count, x, v, w = state.number[COUNT], state.x, state.v, carrier.v_W
    speed2 = 0.0
    for i in range(count + 1):
        if state.contact[i].active == 1 and state.contact[i].object == who:
            return False
        if state.wrap[i].active == 1 and state.wrap[i].object == who and i < count:
            return False
        u0, u1, u2 = v[i, 0] - w[0], v[i, 1] - w[1], v[i, 2] - w[2]
        speed2 = max(speed2, u0 * u0 + u1 * u1 + u2 * u2)
    speed = math.sqrt(speed2) + _lever(field, ride) * turning(carrier)
    reach = model.radius + MARGIN + 2.0 * dt * speed
    clear = reach + STRIDE
    # What is tied to the carrier is as near as it is: the element there must not come nearer.
    base = _tied_gap(graph, field, t, 0, ride, x[0])
    end = _tied_gap(graph, field, t, 1, ride, x[count])
    j, a = 0, 0.0  # element and share of its length
    while j < count:
        wanted = clear
        if j == 0:
            wanted = min(wanted, base)
        if j == count - 1:
            wanted = min(wanted, end)
        d = distance_to(
            field,
            who,
            x[j, 0] + a * (x[j + 1, 0] - x[j, 0]),
            x[j, 1] + a * (x[j + 1, 1] - x[j, 1]),
            x[j, 2] + a * (x[j + 1, 2] - x[j, 2]),
        )
        if d < wanted:
            return False
        way = STRIDE + max(d - clear, 0.0)
        while j < count and way > 0.0:
            left = (1.0 - a) * state.rest[j]
            if way < left:
                a += way / state.rest[j]
                way = 0.0
            else:
                way -= left
                j, a = j + 1, 0.0
    return True


@kernel
def _tied_gap(graph, field, t, end, ride, x):
    """How near to a rider the element at an end may be, if that is tied to its carrier [m]."""
    if graph.tie[t, end].body != ride.body:
        return 1e9
    return TIED_SHARE * distance_to(field, ride.object, x[0], x[1], x[2])
