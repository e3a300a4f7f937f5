"""The elimination of an island against a dense solve of the same system, with blocks drawn at random."""

import numpy as np
import pytest
from graph_scenes import GRAPHS, floating

from tetherlab.math.kernel import njit, plain
from tetherlab.math.record import make_records
from tetherlab.plant.elimination import (
    CHAIN,
    CONDENSE,
    DRAPE,
    LEAF,
    PIVOT,
    THROUGH,
    add_drapes,
    clear_couplings,
    solve_island,
)
from tetherlab.plant.elimination_plan import plan_elimination
from tetherlab.plant.graph_build import planned, release_end
from tetherlab.plant.joint import JOINT
from tetherlab.tether import model as M
from tetherlab.tether.band import side
from tetherlab.tether.chain import LOWER, UPPER

NEAR_TIES = 1e-9


@njit(cache=True, error_model="numpy", _nrt=False)
def solve_all(graph):
    for n in range(graph.program.island.shape[0]):
        clear_couplings(graph, n)
        solve_island(graph, n)


def jacobian(r):
    """How the velocity of a point at the arm r depends on that of its body, (3, 6)."""
    return np.hstack([np.eye(3), [[0, r[2], -r[1]], [-r[2], 0, r[0]], [r[1], -r[0], 0]]])


def draw_system(graph, random, stiff):
    """Fill a graph with random rows; the dense matrix and right-hand side of the same system."""
    bodies = len(graph.body)
    at_nodes, size = [], 6 * bodies
    for t in range(len(graph.tie)):
        at_nodes.append(size)
        size += 3 * (int(graph.memories.number[t, M.COUNT]) + 1)
    A, b = np.zeros((size, size)), np.zeros(size)
    for i, body in enumerate(graph.body):
        spread = random.normal(size=(6, 6))
        body["block"] = 20.0 * np.eye(6) + spread @ spread.T
        body["rhs"] = random.normal(size=6)
        A[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = body["block"]
        b[6 * i : 6 * i + 6] = body["rhs"]
    graph.tie["arm_W"] = random.normal(size=graph.tie["arm_W"].shape)
    for t, first in enumerate(at_nodes):
        memory = plain(M.memory_row)(graph.memories, t)
        work, count = plain(M.open_work)(memory), int(memory.number[M.COUNT])
        rows = [slice(first + 3 * i, first + 3 * i + 3) for i in range(count + 1)]
        for i in range(count + 1):
            block = 8.0 * np.eye(3) + random.normal(size=(3, 3))
            work.diagonal[i, :9], work.rhs[i] = block.ravel(), random.normal(size=3)
            A[rows[i], rows[i]], b[rows[i]] = block, work.rhs[i]
        for j in range(count):
            for to, row, column in ((UPPER, j, j + 1), (LOWER, j + 1, j)):
                link = random.normal(size=7)
                work.link[j, to : to + 7] = link
                A[rows[row], rows[column]] = -link[0] * np.eye(3) - np.outer(link[1:4], link[4:7])
        if stiff:
            for row in range(count + 1):
                for column in range(max(0, row - 2), min(count, row + 2) + 1):
                    if row != column:
                        if abs(row - column) == 2:
                            A[rows[row], rows[column]] = random.normal(size=(3, 3))
                        work.band[plain(side)(row, column), row, :9] = A[rows[row], rows[column]].ravel()
    return A, b, at_nodes


def reduced(graph, A, b, at_nodes):
    """End nodes follow their bodies, or are held: (matrix, right-hand side, map from the unknowns to all)."""
    size = len(b)
    bodies = 6 * len(graph.body)
    free = np.ones(size, bool)
    follow = np.eye(size)
    for t, first in enumerate(at_nodes):
        count = int(graph.memories.number[t, M.COUNT])
        for end in range(2):
            if graph.memories.number[t, M.KIND_BASE + end] == M.FREE:
                continue
            rows = slice(first + 3 * end * count, first + 3 * end * count + 3)
            free[rows] = False
            follow[rows] = 0.0
            body = int(graph.tie[t, end]["body"])
            if body >= 0:
                follow[rows, 6 * body : 6 * body + 6] = jacobian(graph.tie[t, end]["arm_W"])
    assert bodies <= size
    follow = follow[:, free]
    return follow.T @ A @ follow, follow.T @ b, follow


def fold_ends_into_bodies(graph):
    """What assembling does: rows of tied end nodes join those of their bodies."""
    for t in range(len(graph.tie)):
        memory = plain(M.memory_row)(graph.memories, t)
        work, count = plain(M.open_work)(memory), int(memory.number[M.COUNT])
        for end in range(2):
            tie = graph.tie[t, end]
            if tie["body"] >= 0:
                J, body, i = jacobian(tie["arm_W"]), graph.body[tie["body"]], end * count
                body["block"] += J.T @ work.diagonal[i, :9].reshape(3, 3) @ J
                body["rhs"] += J.T @ work.rhs[i]


def assert_solved(graph, at_nodes, expected):
    """What was found for all bodies and nodes is as expected."""
    found = np.zeros_like(expected)
    found[: 6 * len(graph.body)] = graph.correction.ravel()
    for t, first in enumerate(at_nodes):
        memory = plain(M.memory_row)(graph.memories, t)
        count = int(memory.number[M.COUNT])
        solved = plain(M.open_work)(memory).solved[: count + 1].copy()
        for end in range(2):
            if memory.number[M.KIND_BASE + end] == M.PRESCRIBED:
                solved[end * count] = 0.0
        found[first : first + solved.size] = solved.ravel()
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("stiff", [False, True])
@pytest.mark.parametrize("name", [*GRAPHS, "ring with loose ends"])
def test_an_island_is_solved_as_a_dense_matrix_is(random, name, stiff):
    graph = floating(
        "ring with a chord and a branch" if name == "ring with loose ends" else name,
        random, bending=1e-3 * stiff, element_length=0.35,
    )  # fmt: skip
    if name == "ring with loose ends":
        graph = release_end(graph, 5, 1)
        graph.tie[4, 0]["body"] = -1
        graph.memories.number[4, M.KIND_BASE] = M.PRESCRIBED
        graph = planned(graph)
    A, b, at_nodes = draw_system(graph, random, stiff)
    matrix, rhs, follow = reduced(graph, A, b, at_nodes)
    expected = follow @ np.linalg.solve(matrix, rhs)
    fold_ends_into_bodies(graph)

    solve_all(graph)

    assert_solved(graph, at_nodes, expected)


@njit(cache=True, error_model="numpy", _nrt=False)
def solve_draped(graph, column, row):
    """column, row: what couples inner nodes and bodies beside ties."""
    for n in range(graph.program.island.shape[0]):
        clear_couplings(graph, n)
        add_drapes(graph, n, 0.01)
    for e in range(graph.program.border.shape[0]):
        graph.program.border[e].low, graph.program.border[e].high = 0, column.shape[1] - 1
        for i in range(column.shape[1]):
            for k in range(18):
                graph.program.column[e, i, k] += column[e, i, k]
                graph.program.row[e, i, k] += row[e, i, k]
    for n in range(graph.program.island.shape[0]):
        solve_island(graph, n)


@pytest.mark.parametrize("stiff", [False, True])
@pytest.mark.parametrize("name", GRAPHS)
def test_tethers_that_touch_bodies_are_solved_as_a_dense_matrix_is(random, name, stiff):
    graph = floating(name, random, bending=1e-3 * stiff, element_length=0.35)
    graph.drapes[0, len(graph.body) - 1] = graph.drapes[0, 0] = graph.drapes[-1, 0] = 1
    graph = planned(graph)
    assert (graph.program.operation["code"] == DRAPE).sum() == len({0, len(graph.tie) - 1})
    A, b, at_nodes = draw_system(graph, random, stiff)
    shape = graph.program.column.shape
    column, row = np.zeros(shape), np.zeros(shape)
    for e, border in enumerate(graph.program.border):
        t, body = int(border["tether"]), slice(6 * border["body"], 6 * border["body"] + 6)
        for i in range(1, int(graph.memories.number[t, M.COUNT])):
            node = slice(at_nodes[t] + 3 * i, at_nodes[t] + 3 * i + 3)
            column[e, i], row[e, i] = 0.3 * random.normal(size=(2, 18))
            A[node, body] += np.hstack(column[e, i].reshape(2, 3, 3))
            A[body, node] += row[e, i].reshape(6, 3)
    matrix, rhs, follow = reduced(graph, A, b, at_nodes)
    expected = follow @ np.linalg.solve(matrix, rhs)
    fold_ends_into_bodies(graph)
    graph.body["half_W"] = 0.0
    graph.memories.contact["near"] = 0

    solve_draped(graph, column, row)

    assert_solved(graph, at_nodes, expected)


@njit(cache=True, error_model="numpy", _nrt=False)
def clear_all(graph):
    for n in range(graph.program.island.shape[0]):
        clear_couplings(graph, n)


@njit(cache=True, error_model="numpy", _nrt=False)
def solve_filled(graph):
    for n in range(graph.program.island.shape[0]):
        solve_island(graph, n)


@pytest.mark.parametrize(
    "joined",
    [
        [(0, 1)],
        [(-1, 3)],
        [(0, 1), (1, 2), (4, 2)],
        [(2, 1), (-1, 2), (1, 0), (0, 3)],
        [(0, 1), (1, 2), (2, 0), (3, 4)],
        [(-1, 0), (0, 1), (1, 2), (-1, 2)],
    ],
)
@pytest.mark.parametrize("name", ["tree", "ring with a chord and a branch"])
def test_joints_are_eliminated_as_a_dense_matrix_is(random, name, joined):
    """Joints have four rows, with nothing on their diagonals; the other two are not used."""
    graph = floating(name, random, element_length=0.35)
    bodies = len(graph.body)
    joint = make_records(len(joined), JOINT)
    joint["body"] = joined
    graph = planned(graph._replace(joint=joint, correction=np.zeros((bodies + len(joined), 6))))
    A, b, at_nodes = draw_system(graph, random, False)
    matrix, rhs, _ = reduced(graph, A, b, at_nodes)
    clear_all(graph)
    size, extra = len(rhs), 6 * len(joined)
    whole = np.zeros((size + extra, size + extra))
    whole[:size, :size] = matrix
    joint["rhs"][:, :4] = random.normal(size=(len(joined), 4))
    joint["block"] = np.diag((0.0, 0.0, 0.0, 0.0, 1.0, 1.0))
    whole[size:, size:] = np.kron(np.eye(len(joined)), joint["block"][0])
    for j, pair in enumerate(joined):
        for body in pair:
            if body >= 0:
                down, back = np.zeros((2, 6, 6))
                down[:, :4] = random.normal(size=(6, 4))
                back[:4] = down[:, :4].T + 0.05 * random.normal(size=(4, 6))
                slot, node = graph.program.slot, bodies + j
                graph.program.coupling[slot[body, node]] = down
                graph.program.coupling[slot[node, body]] = back
                rows, own = slice(size + 6 * j, size + 6 * j + 6), slice(6 * body, 6 * body + 6)
                whole[own, rows], whole[rows, own] = down, back
    expected = np.linalg.solve(whole, np.r_[rhs, joint["rhs"].ravel()])
    fold_ends_into_bodies(graph)

    solve_filled(graph)

    found = np.r_[graph.correction[:bodies].ravel(), graph.correction[bodies:].ravel()]
    wanted = np.r_[expected[: 6 * bodies], expected[size:]]
    np.testing.assert_allclose(found, wanted, atol=1e-7 * np.abs(wanted).max())
    eliminated = [int(op["what"]) for op in graph.program.operation if op["code"] == PIVOT]
    assert set(range(bodies, bodies + len(joined))) <= set(eliminated)


def codes(bodies, ends):
    return plan_elimination(bodies, ends).operation["code"].tolist()


def test_trees_are_swept_and_loops_condensed():
    assert codes(2, [(0, 1)]) == [CHAIN]
    assert codes(1, [(-1, 0), (0, -1)]) == [LEAF, LEAF, PIVOT]
    assert codes(3, [(0, 1), (1, 2)]) == [THROUGH, THROUGH, PIVOT]
    assert codes(2, [(0, 1), (0, 1)]) == [CONDENSE, CONDENSE, PIVOT, PIVOT]
    assert codes(1, [(0, 0)]) == [CONDENSE, PIVOT]
    assert codes(1, []) == [PIVOT]
    assert codes(0, [(-1, -1)]) == [CHAIN]


def test_what_does_not_hang_together_is_solved_apart():
    program = plan_elimination(5, [(0, 1), (2, 3), (3, -1)])
    assert len(program.island) == 3
    members = [
        sorted(program.body[island["first_body"] : island["last_body"]].tolist()) for island in program.island
    ]
    assert members == [[0, 1], [2, 3], [4]]


def test_many_tethers_are_planned_in_a_moment(random):
    """Every body and tether is eliminated once, whatever the graph."""
    for _ in range(50):
        bodies = int(random.integers(1, 9))
        ends = [tuple(random.integers(-1, bodies, 2).tolist()) for _ in range(random.integers(0, 13))]
        program = plan_elimination(bodies, ends)
        tethers = [op["what"] for op in program.operation if op["code"] != PIVOT]
        assert sorted(tethers) == list(range(len(ends)))
        eliminated = [int(op["what"]) for op in program.operation if op["code"] == PIVOT]
        for op in program.operation:
            pair = ends[op["what"]] if op["code"] != PIVOT else ()
            if op["code"] == THROUGH:
                eliminated.append(pair[op["end"]])
            elif op["code"] == CHAIN:
                eliminated += [body for body in pair if body >= 0]
        assert sorted(eliminated) == list(range(bodies))
