"""Bodies and tethers in one solve: the engine's own answer, statics, conserved quantities, books, changes."""

import numpy as np
import pytest
from graph_scenes import GRAPHS, advance, floating, hang, rigid, tie_gap, totals
from scipy.optimize import fsolve

import tetherlab as tl
from tetherlab.plant.graph_build import (
    BodyStart,
    TetherStart,
    Tie,
    build_graph,
    open_tether,
    release_end,
    tie_end,
)
from tetherlab.tether import model as M

CORD = tl.TetherSpec(linear_density=0.03, diameter=0.004, axial_stiffness=1e4, axial_damping=10.0)
THICK = tl.TetherSpec(
    linear_density=0.03, diameter=0.004, axial_stiffness=1e4, drag_coefficient=400.0, axial_damping=10.0
)
ORIGIN = np.zeros(3)


def test_one_tether_with_two_bodies_is_the_tether_alone():
    world = tl.World(gravity=0.0)
    base, end = np.array([0.0, 0.0, 3.0]), np.array([3.0, 0.0, 3.0])
    shape = [base, (1.5, 0.0, 3.5568), end]
    attachment = np.array([0.02, 0.01, 0.05])
    bodies = [rigid(mass, attachment=attachment, angular_velocity=(0.03, -0.02, 0.05)) for mass in (1.0, 0.5)]
    options = {"base": base, "end": end, "length": 3.2, "shape": shape, "world": world}
    alone = tl.Tether(CORD, **options, base_body=bodies[0], end_body=bodies[1])
    starts = [
        BodyStart(body, place - attachment, now["velocity"])
        for body, place, now in zip(bodies, (base, end), (alone.base_body, alone.end_body), strict=True)
    ]
    ties = (Tie(0, attachment), Tie(1, attachment))
    graph = build_graph(0.0, starts, [TetherStart(tl.Tether(CORD, **options), ties)])
    state = open_tether(graph, 0)
    state.v[:] = alone._state.v
    assert advance(graph, 10.0)
    for _ in range(1000):
        alone.step(0.01)
    np.testing.assert_allclose(state.x[: len(alone.nodes)], alone.nodes, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(graph.body[1]["p_W"], alone.end_body["position"], rtol=0.0, atol=1e-12)


def settled(graph, world, duration):
    """Let it come to rest in thick air, which brakes the bodies as well."""
    for _ in range(round(duration / 0.1)):
        graph.body["force_W"] = -2.0 * graph.body["v_W"]
        graph.body["torque_W"] = -2.0 * graph.body["L_W"]
        assert advance(graph, 0.1, world, dt=0.02)
    for t in range(len(graph.tie)):
        inner = open_tether(graph, t).v[1 : int(graph.memories.number[t, M.COUNT])]
        assert np.abs(inner).max() < 2e-3  # drag grows with the square of speed: the last of it stays long
    assert np.abs(graph.body["v_W"]).max() < 1e-4


def pull_of(position, anchor, length):
    """Force of a hanging elastic cord on what holds its end at `position` [N], closed form."""
    curve = tl.ElasticCatenary.between(anchor, position, length, CORD.linear_density, CORD.axial_stiffness)
    return np.asarray(curve.end_forces().on_end)


def test_three_cords_and_a_load_hang_as_elastic_catenaries_do():
    world = tl.World()
    anchors = np.array([(0.0, 0.0, 4.0), (3.0, 0.2, 4.2), (1.2, 2.5, 3.6)])
    lengths = (2.4, 2.6, 2.2)
    mass = 0.5

    def unbalance(p):
        return sum(pull_of(p, a, n) for a, n in zip(anchors, lengths, strict=True)) - (0, 0, mass * 9.80665)

    start = np.array((1.4, 0.9, 2.7))
    body = tl.RigidBody(mass=mass, inertia=(1e-3,) * 3)
    tethers = [
        TetherStart(hang(THICK, anchor, start, length, world=world), (None, Tie(0, ORIGIN)))
        for anchor, length in zip(anchors, lengths, strict=True)
    ]
    graph = build_graph(9.80665, [BodyStart(body, start)], tethers)
    settled(graph, world, 40.0)
    found = graph.body[0]["p_W"]
    junction, _, solved, _ = fsolve(unbalance, found, xtol=1e-12, full_output=True)
    assert solved == 1
    assert np.linalg.norm(found - junction) < 1e-4 * max(lengths)


@pytest.mark.parametrize("bending", [0.0, 1e-3])
@pytest.mark.parametrize("name", GRAPHS)
def test_what_floats_freely_keeps_energy_and_both_momenta(random, name, bending):
    graph = floating(name, random, bending=bending)
    energy, balance, momentum, turning = totals(graph)
    assert advance(graph, 5.0)
    _, balance_after, momentum_after, turning_after = totals(graph)
    assert abs(balance_after - balance) < 1e-3 * energy
    assert np.abs(momentum_after - momentum).max() < 1e-6 * np.linalg.norm(momentum)
    assert np.abs(turning_after - turning).max() < 1e-4 * np.linalg.norm(turning)
    assert tie_gap(graph) < 1e-9


def test_a_load_on_four_legs_hangs_on_them_alike():
    world = tl.World()
    height, half = 1.0, 0.2
    corners = half * np.array([(1, 1, 0), (1, -1, 0), (-1, 1, 0), (-1, -1, 0)], float)
    hook = np.array([0.0, 0.0, 3.0])
    length = float(np.linalg.norm((half, half, height))) / (1.0 + 2.0 * 9.80665 / 4.0 / 1e4)
    load = BodyStart(tl.RigidBody(mass=2.0, inertia=(0.05,) * 3), hook - (0, 0, height))
    ring = BodyStart(tl.RigidBody(mass=0.05, inertia=(1e-4,) * 3), hook)
    top = hang(THICK, (0.0, 0.0, 5.0), hook, 2.0, world=world)
    legs = [hang(THICK, hook, load.position + corner, length, world=world) for corner in corners]
    graph = build_graph(
        9.80665,
        [load, ring],
        [TetherStart(top, (None, Tie(1, ORIGIN)))]
        + [
            TetherStart(leg, (Tie(1, ORIGIN), Tie(0, corner)))
            for leg, corner in zip(legs, corners, strict=True)
        ],
    )
    settled(graph, world, 30.0)
    sine = height / np.linalg.norm((half, half, height))
    weight_of_leg = CORD.linear_density * length * 9.80665
    for t in range(1, 5):
        state = open_tether(graph, t)
        lowest = float(state.tension[int(state.number[M.COUNT]) - 1])
        # At the load each leg carries a quarter of its weight; the last element a part of its own.
        assert lowest == pytest.approx(2.0 * 9.80665 / 4.0 / sine, abs=0.2 * weight_of_leg + 0.01)


def on_the_ground(random):
    """Three bodies, two of them on their feet, joined by slack tethers in gravity."""
    world = tl.World.ground()
    feet = np.array([(x, y, -0.1, 0.05) for x in (-0.1, 0.1) for y in (-0.1, 0.1)])
    places = np.array([(0.0, 0.0, 0.1505), (1.5, 0.0, 0.1505), (0.75, 0.3, 1.2)])
    bodies = [BodyStart(rigid(mass, feet=feet), p) for mass, p in zip((2.0, 1.0, 0.3), places, strict=True)]
    spec = tl.TetherSpec(linear_density=0.03, diameter=0.004, axial_stiffness=1e4, axial_damping=10.0)
    up = np.array((0.0, 0.0, 0.1))
    tethers = []
    for base, end, length in ((0, 1, 1.9), (0, 2, 1.8), (1, 2, 1.8)):
        tether = hang(spec, places[base] + up, places[end] + up, length, world=world)
        tethers.append(TetherStart(tether, (Tie(base, up), Tie(end, up))))
    return world, build_graph(9.80665, bodies, tethers, len(world.names))


def test_bodies_and_tethers_fall_on_the_ground_and_the_books_close(random):
    world, graph = on_the_ground(random)
    graph.command["reel_speed"] = (0.3, 0.0, -0.2)
    energy, balance, _, _ = totals(graph)
    for _ in range(3):
        assert advance(graph, 1.0, world)
        assert totals(graph)[1] == pytest.approx(balance, abs=0.01 * energy)
    length = open_tether(graph, 0).rest[: int(graph.memories.number[0, M.COUNT])].sum()
    assert length == pytest.approx(1.9 + 3 * 0.3)
    assert np.all(graph.body["p_W"][:, 2] > 0.1)


def test_a_tether_that_is_cut_and_tied_again_gives_no_energy(random):
    graph = floating("star", random)
    assert advance(graph, 1.0)
    balance = totals(graph)[1]
    graph = release_end(graph, 0, 1)
    assert len(graph.program.island) == 2
    assert totals(graph)[1] == balance
    assert advance(graph, 1.0)
    assert totals(graph)[1] == pytest.approx(balance, rel=1e-3)
    # The free end catches a body where it happens to be: their common motion is that of the body.
    state = open_tether(graph, 0)
    body = graph.body[3]
    r_B = body["R_WB"].T @ (state.x[int(state.number[M.COUNT])] - body["p_W"])
    graph = tie_end(graph, 0, 1, Tie(3, r_B))
    assert len(graph.program.island) == 2
    balance = totals(graph)[1]
    assert advance(graph, 1.0)
    assert totals(graph)[1] == pytest.approx(balance, rel=1e-3)
    assert tie_gap(graph) < 1e-9


def test_the_answer_converges_with_the_square_of_the_step(random):
    places = []
    for step in (0.0025, 0.00125, 0.000625, 0.00008):
        seed = np.random.default_rng(7)
        graph = floating("ring with a chord and a branch", seed, stiffness=100.0, slack=-0.02)
        graph.memories.constants[:, M.TetherModel._fields.index("step_max")] = step
        assert advance(graph, 0.4, dt=0.02)
        places.append(graph.body["p_W"].copy())
    errors = [np.abs(p - places[-1]).max() for p in places[:-1]]
    slope = np.polyfit(np.log((0.0025, 0.00125, 0.000625)), np.log(errors), 1)[0]
    assert slope == pytest.approx(2.0, abs=0.3)
