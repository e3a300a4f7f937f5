"""Graphs of bodies and tethers for tests, and what a graph has in all."""

import warnings

import numpy as np

import tetherlab as tl
from tetherlab.math.kernel import plain
from tetherlab.plant.graph_build import BodyStart, TetherStart, Tie, build_graph, open_tether
from tetherlab.plant.island_step import advance_graph
from tetherlab.tether import model as M
from tetherlab.tether.readout import energy_of, node_masses

CALM = tl.Wind.calm().field
EMPTY = tl.World(gravity=0.0)

# Number of bodies, and the bodies that each tether joins.
GRAPHS = {
    "one": (2, [(0, 1)]),
    "two in a row": (3, [(0, 1), (1, 2)]),
    "star": (5, [(0, 1), (2, 0), (0, 3), (4, 0)]),
    "tree": (6, [(0, 1), (1, 2), (3, 1), (3, 4), (5, 3)]),
    "two in parallel": (2, [(0, 1), (0, 1)]),
    "ring with a chord and a branch": (5, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 4)]),
    "sling": (2, [(0, 0), (0, 1)]),
}


def rigid(mass, **options):
    return tl.RigidBody(mass=mass, inertia=np.array((0.01, 0.02, 0.015)) * mass, **options)


def hang(spec, base, end, length, *, element_length=0.1, world=EMPTY, random=None, **options):
    """A tether between two points: in balance with gravity, or as a V whose corner lies at random."""
    shape = None
    if random is not None:
        base, end = np.asarray(base, float), np.asarray(end, float)
        apart = float(np.linalg.norm(end - base))
        aside = np.cross(end - base, random.normal(size=3))
        reach = np.sqrt(max(0.25 * (length**2 - apart**2), 0.0))
        shape = [base, 0.5 * (base + end) + reach * aside / np.linalg.norm(aside), end]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an odd number of elements cuts the corner
        return tl.Tether(
            spec, base=base, end=end, length=length, element_length=element_length, shape=shape, world=world,
            **options,
        )  # fmt: skip


def floating(name, random, *, stiffness=1e4, bending=0.0, element_length=0.1, slack=None):
    """A graph that floats without gravity, damping or air; its tethers hang through, or by `slack` not."""
    count, edges = GRAPHS[name]
    places = random.uniform(-1.5, 1.5, (count, 3))
    spec = tl.TetherSpec(
        linear_density=0.03,
        diameter=0.004,
        axial_stiffness=stiffness,
        bending_stiffness=bending,
        drag_coefficient=0.0,
        drag_coefficient_tangential=0.0,
    )
    bodies = [
        BodyStart(
            rigid(random.uniform(0.2, 1.0), angular_velocity=random.uniform(-0.5, 0.5, 3)),
            place,
            random.uniform(-0.3, 0.3, 3),
        )
        for place in places
    ]
    tethers = []
    for base, end in edges:
        r_base, r_end = random.uniform(-0.05, 0.05, (2, 3))
        from_, to = places[base] + r_base, places[end] + r_end
        apart = float(np.linalg.norm(to - from_))
        length = 1.05 * apart + 0.3 if slack is None else (1.0 + slack) * apart
        tether = hang(spec, from_, to, length, element_length=element_length, random=random)
        tethers.append(TetherStart(tether, (Tie(base, r_base), Tie(end, r_end))))
    return build_graph(0.0, bodies, tethers)


def advance(graph, duration, world=EMPTY, dt=0.01, wind=CALM):
    """Run it; False if it fails."""
    field = world.field
    own = field._replace(pose=field.pose.copy())
    return all(advance_graph(graph, own, field.pose, wind, dt) for _ in range(round(duration / dt)))


def totals(graph):
    """Energy [J], the same with what the books say was given and taken, momentum, angular momentum."""
    energy, given = 0.0, 0.0
    momentum, turning = np.zeros(3), np.zeros(3)
    for t in range(len(graph.tie)):
        state = open_tether(graph, t)
        model = plain(M.open_model)(plain(M.memory_row)(graph.memories, t))
        count = int(state.number[M.COUNT])
        own = energy_of(model, state)
        energy += own.total
        given += own.work + own.work_winch - own.dissipated
        x, v, q = state.x[: count + 1], state.v[: count + 1], state.shared[:count, None]
        mass = node_masses(model, state)[:, None]
        momentum += (mass * v).sum(axis=0)
        turning += np.cross(x, mass * v).sum(axis=0)
        turning += np.cross(np.diff(x, axis=0), q * np.diff(v, axis=0)).sum(axis=0)
    for body in graph.body:
        L_B = body["R_WB"].T @ body["L_W"]
        energy += 0.5 * float(body["mass"] * body["v_W"] @ body["v_W"])
        energy += 0.5 * float(L_B @ np.linalg.solve(body["inertia_B"], L_B))
        energy += graph.gravity * float(body["mass"] * body["p_W"][2])
        momentum += body["mass"] * body["v_W"]
        turning += body["L_W"] + body["mass"] * np.cross(body["p_W"], body["v_W"])
    energy += float(graph.body_contact["stored"].sum())
    given += float(graph.books[0]["work"] - graph.books[0]["dissipated"])
    return energy, energy - given, momentum, turning


def tie_gap(graph):
    """Largest distance of an end node from the point of the body that it is tied to [m]."""
    gaps = [0.0]
    for t, end in np.argwhere(graph.tie["body"] >= 0):
        tie, state = graph.tie[t, end], open_tether(graph, t)
        body = graph.body[tie["body"]]
        node = state.x[end * int(state.number[M.COUNT])]
        gaps.append(float(np.abs(body["p_W"] + body["R_WB"] @ tie["r_B"] - node).max()))
    return max(gaps)
