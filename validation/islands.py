"""Bodies and tethers in one solve: statics, the same answer as for a tether alone, order of convergence."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import root

import tetherlab as tl
from tetherlab.plant.graph import Graph
from tetherlab.plant.graph_build import BodyStart, TetherStart, Tie, build_graph, open_tether
from tetherlab.plant.island_step import advance_graph
from tetherlab.tether import model as M
from validation.table import Study, at_most, reported, within

Vector = NDArray[np.float64]
GRAVITY = 9.80665
DENSITY, STIFFNESS = 0.03, 1e4  # [kg/m], [N]
CALM = tl.Wind.calm().field
CORD = tl.TetherSpec(linear_density=DENSITY, diameter=0.004, axial_stiffness=STIFFNESS, axial_damping=10.0)
THICK = tl.TetherSpec(
    linear_density=DENSITY, diameter=0.004, axial_stiffness=STIFFNESS, axial_damping=10.0,
    drag_coefficient=400.0, drag_coefficient_tangential=400.0,
)  # fmt: skip
ELEMENTS = (0.1, 0.05)  # [m]
STAGES, STAGE_TIME = 4, 20.0  # of settling, [s]
# Anchors [m], unstretched lengths [m] and the mass of the load [kg].
LOADS: dict[str, tuple[list[tuple[float, ...]], tuple[float, ...], float]] = {
    "junction of three tethers": ([(0, 0, 4), (3, 0.2, 4.2), (1.2, 2.5, 3.6)], (2.4, 2.6, 2.2), 0.2),
    "load on four lines": (
        [(0, 0, 4), (2.6, 0, 4.1), (2.5, 2.4, 3.9), (-0.1, 2.5, 4)], (2.4, 2.5, 2.45, 2.55), 1.5,
    ),
    "bridge with a load in the middle": ([(0, 0, 3), (6, 0.5, 3.3)], (3.3, 3.3), 1.0),
}  # fmt: skip


def run(say: Callable[[str], None]) -> Study:
    """All of it, about half a minute."""
    study = Study(
        title="Islands: bodies and tethers in one solve",
        model=(
            "Graphs of rigid bodies and tethers of 0.03 kg/m with EA = 10 kN, with elements of 0.05 m. "
            "Statics: left to settle in thick air; error: the farthest that a node is from the point of the "
            "true curve at the same unstretched arc length, in % of the longest tether."
        ),
        truth=(
            "Elastic catenaries in closed form that meet at the load, solved by SciPy; `tl.Tether`; the same "
            "run with much shorter steps."
        ),
    )
    for name in LOADS:
        say(name)
        coarse, fine = (statics_error(name, element_length=element) for element in ELEMENTS)
        study.rows += [
            at_most(f"{name}: largest error", "% of length", 0.01, fine),
            reported(f"{name}: with elements of {ELEMENTS[0]:g} m", "% of length", coarse),
        ]
    say("one tether")
    apart, shaken = identity()
    study.rows += [
        at_most("one tether with two bodies, 10 s of free flight, apart from `tl.Tether`", "m", 1e-12, apart),
        reported("the same of two `tl.Tether`s, one moved by 1e-15 m at the start", "m", shaken),
    ]
    say("order")
    study.rows.append(
        within("order of convergence with the step, a ring with a chord", "", 2.0, 0.2, order())
    )
    return study


def hanging_line(H: float, V: float, s: Vector) -> tuple[Vector, Vector]:
    """Horizontal and vertical distance from the load along an elastic line that pulls it with H and V."""
    w = DENSITY * GRAVITY
    x = H * s / STIFFNESS + H / w * (np.arcsinh((V + w * s) / H) - np.arcsinh(V / H))
    z = s / STIFFNESS * (V + 0.5 * w * s) + (np.hypot(H, V + w * s) - np.hypot(H, V)) / w
    return x, z


def balance(anchors: Vector, lengths: Sequence[float], mass: float, start: Vector) -> tuple[Vector, Vector]:
    """Where the load hangs [m], and the horizontal and vertical pull of each line [N], (n, 2)."""

    def unbalance(unknown: Vector) -> Vector:
        place, forces = unknown[:3], unknown[3:].reshape(-1, 2)

        out, total = [], np.array((0.0, 0.0, -mass * GRAVITY))
        for anchor, length, H, V in zip(anchors, lengths, np.exp(forces[:, 0]), forces[:, 1], strict=True):
            away = anchor - place
            reach = float(np.hypot(away[0], away[1]))
            x, z = hanging_line(H, V, np.array(length))
            out += [x - reach, z - away[2]]
            total += (H * away[0] / reach, H * away[1] / reach, V)
        return np.array([*out, *total])

    share = mass * GRAVITY / len(lengths)
    guess = np.concatenate((start, np.tile((np.log(share), share), len(lengths))))
    found = root(unbalance, guess, tol=1e-13)
    if np.abs(found.fun).max() > 1e-9:
        raise RuntimeError(f"no balance found: {found.message}")
    pulls = found.x[3:].reshape(-1, 2).copy()
    pulls[:, 0] = np.exp(pulls[:, 0])
    return found.x[:3], pulls


def statics_error(name: str, *, element_length: float) -> float:
    """Farthest that a node is from where it belongs [% of the longest tether]."""
    places, lengths, mass = LOADS[name]
    anchors = np.array(places, float)
    start = anchors.mean(axis=0) - (0.0, 0.0, 0.9)
    world = tl.World()
    tethers = [
        TetherStart(
            tl.Tether(THICK, base=a, end=start, length=n, element_length=element_length, world=world),
            (None, Tie(0, np.zeros(3))),
        )
        for a, n in zip(anchors, lengths, strict=True)
    ]
    graph = build_graph(GRAVITY, [BodyStart(tl.RigidBody(mass=mass, inertia=(1e-3,) * 3), start)], tethers)
    drag = [M.TetherModel._fields.index(name) for name in ("drag_normal", "drag_tangential")]
    for _ in range(STAGES):
        for _ in range(round(STAGE_TIME / 0.1)):
            graph.body["force_W"] = -2.0 * graph.body["v_W"]
            graph.body["torque_W"] = -2.0 * graph.body["L_W"]
            advance(graph, world, 0.1)
        graph.memories.constants[:, drag] *= 10.0  # it grows with the square of speed: the last stays long
    place, pulls = balance(anchors, lengths, mass, np.array(graph.body[0]["p_W"]))
    errors = [float(np.linalg.norm(graph.body[0]["p_W"] - place))]
    for t, (anchor, length) in enumerate(zip(anchors, lengths, strict=True)):
        state = open_tether(graph, t)
        count = int(state.number[M.COUNT])
        x, z = hanging_line(*pulls[t], length - np.concatenate(([0.0], np.cumsum(state.rest[:count]))))
        way = (anchor - place)[:2] / np.linalg.norm((anchor - place)[:2])
        curve = place + np.column_stack((x * way[0], x * way[1], z))
        errors.append(float(np.linalg.norm(state.x[: count + 1] - curve, axis=1).max()))
    return 100.0 * max(errors) / max(lengths)


def advance(graph: Graph, world: tl.World, duration: float, dt: float = 0.02) -> None:
    """Run it."""
    field = world.field
    own = field._replace(pose=field.pose.copy())
    for _ in range(round(duration / dt)):
        if not advance_graph(graph, own, field.pose, CALM, dt):
            raise RuntimeError("an island did not converge")


def identity(duration: float = 10.0) -> tuple[float, float]:
    """How far a tether in a graph, and one that starts 1e-15 m off, end from `tl.Tether` [m]."""
    world = tl.World(gravity=0.0)
    base, end, arm = np.array((0.0, 0.0, 3.0)), np.array((3.0, 0.0, 3.0)), np.array((0.02, 0.01, 0.05))
    shape = [base, np.array((1.5, 0.0, 3.5568)), end]

    def inertia(mass: float) -> Vector:
        return mass * np.array((0.01, 0.02, 0.015))

    bodies = [
        tl.RigidBody(mass=m, inertia=inertia(m), attachment=arm, angular_velocity=(0.03, -0.02, 0.05))
        for m in (1.0, 0.5)
    ]
    options = {"base": base, "end": end, "length": 3.2, "shape": shape, "world": world}
    alone, other = (tl.Tether(CORD, **options, base_body=bodies[0], end_body=bodies[1]) for _ in range(2))
    other._state.x[10, 1] += 1e-15
    starts = [
        BodyStart(body, place - arm, now["velocity"])
        for body, place, now in zip(bodies, (base, end), (alone.base_body, alone.end_body), strict=True)
    ]
    graph = build_graph(0.0, starts, [TetherStart(tl.Tether(CORD, **options), (Tie(0, arm), Tie(1, arm)))])
    state = open_tether(graph, 0)
    state.v[:] = alone._state.v
    advance(graph, world, duration, 0.01)
    for _ in range(round(duration / 0.01)):
        alone.step(0.01)
        other.step(0.01)
    nodes = alone.nodes
    return float(np.abs(state.x[: len(nodes)] - nodes).max()), float(np.abs(other.nodes - nodes).max())


def order() -> float:
    """Slope of the error over the step, for taut soft tethers between four bodies that float."""
    world = tl.World(gravity=0.0)
    spec = tl.TetherSpec(
        linear_density=DENSITY, diameter=0.004, axial_stiffness=100.0, drag_coefficient=0.0,
        drag_coefficient_tangential=0.0,
    )  # fmt: skip
    steps = (0.0025, 0.00125, 0.000625, 0.00008)
    places = []
    for step in steps:
        random = np.random.default_rng(11)
        corners = random.uniform(-1.5, 1.5, (4, 3))
        bodies = [
            BodyStart(
                tl.RigidBody(
                    mass=0.5, inertia=(5e-3, 1e-2, 8e-3), angular_velocity=random.uniform(-0.5, 0.5, 3)
                ),
                corner,
                random.uniform(-0.3, 0.3, 3),
            )
            for corner in corners
        ]  # fmt: skip
        tethers = []
        for one, two in ((0, 1), (1, 2), (2, 3), (3, 0), (0, 2)):
            apart = float(np.linalg.norm(corners[two] - corners[one]))
            tether = tl.Tether(
                spec, base=corners[one], end=corners[two], length=0.98 * apart, step_max=step, world=world,
                shape=[corners[one], corners[two]],
            )  # fmt: skip
            tethers.append(TetherStart(tether, (Tie(one, np.zeros(3)), Tie(two, np.zeros(3)))))
        graph = build_graph(0.0, bodies, tethers)
        advance(graph, world, 0.4)
        places.append(graph.body["p_W"].copy())
    errors = [float(np.abs(place - places[-1]).max()) for place in places[:-1]]
    return float(np.polyfit(np.log(steps[:-1]), np.log(errors), 1)[0])
