"""What rests in a graph: bodies that are held where they are, and tethers of which all lies on the drum.

Neither is solved for, and neither meets anything: a graph is as fast as if they were not there. What hangs on
a body that is held hangs on a fixed point.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from tetherlab.contracts.errors import InputError
from tetherlab.plant.graph import Graph
from tetherlab.plant.graph_build import Tie, follow_ends, hold_here, open_tether, planned, tie_to_body
from tetherlab.tether import model as M
from tetherlab.tether.tether import Tether


def hold_body(graph: Graph, b: int) -> Graph:
    """Stop body b at once, and hold it where it is."""
    if (graph.joint["body"] == b).any() or (graph.rider == b).any():
        raise InputError("a body with joints, or with shapes that others touch, cannot be held")
    graph.held[b] = 1
    row = graph.body[b]
    row["v_W"] = row["L_W"] = 0.0
    for t, end in np.argwhere(graph.tie["body"] == b).tolist():
        _fix_end(graph, t, end)
    return planned(graph._replace(pair=graph.pair[(graph.pair["body"] != b).all(axis=1)]))


def let_go_of_body(graph: Graph, b: int, ties: Mapping[tuple[int, int], Tie]) -> Graph:
    """Body b moves again, from rest; ties: of the ends of tethers that hang on it, (tether, end)."""
    graph.held[b] = 0
    row = graph.body[b]
    row["v_W"] = row["L_W"] = 0.0
    for (t, end), tie in ties.items():
        tie_to_body(graph, t, end, tie)
    return planned(graph)


def stow_tether(graph: Graph, t: int) -> Graph:
    """All of tether t is on the drum at its start, whose body has its mass again."""
    state = open_tether(graph, t)
    _give(graph, t, -_mass(graph, t))
    graph.stowed[t] = 1
    count = int(state.number[M.COUNT])
    state.x[: count + 1] = state.x[0]
    for array in (state.v, state.tension, state.impulse):
        array[...] = 0.0
    for records in (graph.memories.contact, graph.memories.wrap):
        records[t] = np.zeros((), records.dtype)
    for end in range(2):
        _fix_end(graph, t, end)
    graph.command[t]["reel_speed"] = 0.0
    return planned(graph)


def lay_tether(graph: Graph, t: int, tether: Tether, ties: Sequence[Tie | None]) -> Graph:
    """Tether t leaves its drum and is at once as this one, at rest; ties: of its base and end, None: fixed.

    There must be room for its nodes.
    """
    room = graph.memories.scalars.shape[2]
    for live, fresh in zip(graph.memories, M.stack_memories([tether._memory], room), strict=True):
        live[t] = fresh[0]
    graph.stowed[t] = 0
    for end, tie in enumerate(ties):
        if tie is None:
            _fix_end(graph, t, end)
        else:
            tie_to_body(graph, t, end, tie)
    _give(graph, t, _mass(graph, t))
    follow_ends(graph, t)
    hold_here(graph, t)
    return planned(graph)


def _fix_end(graph: Graph, t: int, end: int) -> None:
    """An end of tether t stays where it is."""
    state = open_tether(graph, t)
    graph.tie[t, end]["body"] = -1
    state.number[M.KIND_BASE + end] = M.PRESCRIBED
    node = end * int(state.number[M.COUNT])
    state.v[node] = 0.0
    graph.command[t]["position_W"][end], graph.command[t]["velocity_W"][end] = state.x[node], 0.0


def _mass(graph: Graph, t: int) -> float:
    """Of what is out of tether t [kg]."""
    state = open_tether(graph, t)
    density = float(graph.memories.constants[t, M.TetherModel._fields.index("linear_density")])
    return density * float(state.rest[: int(state.number[M.COUNT])].sum())


def _give(graph: Graph, t: int, mass: float) -> None:
    """The body with the drum of tether t grows lighter, as far as it has tether to give."""
    b = int(graph.tie[t, 0]["body"])
    if b >= 0 and mass <= graph.stock[b]:
        graph.body[b]["mass"] -= mass
        graph.stock[b] -= mass
