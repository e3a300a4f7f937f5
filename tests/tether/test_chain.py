"""The block-tridiagonal solve against a dense one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tetherlab.tether.chain import LINK_COLUMNS, solve_chain


def make_system(random, first, last, head, tail, symmetric=False):
    """Arrays for `solve_chain`, and the same system dense over nodes lowest..highest."""
    lowest, highest = first - head, last + tail
    room = highest + 2
    link = random.normal(size=(room, LINK_COLUMNS))
    link[:, [0, 7]] = np.abs(link[:, [0, 7]])
    if symmetric:
        link[:, 4:7] = np.abs(random.normal(size=(room, 1))) * link[:, 1:4]
        link[:, 7:] = link[:, :7]
    blocks = random.normal(size=(room, 3, 3)) + 25.0 * np.eye(3)
    rhs = random.normal(size=(room, 3))
    size = 3 * (highest - lowest + 1)
    dense = np.zeros((size, size))

    def part(i, k):
        return dense[3 * (i - lowest) : 3 * (i - lowest) + 3, 3 * (k - lowest) : 3 * (k - lowest) + 3]

    for i in range(lowest, highest + 1):
        part(i, i)[:] = blocks[i]
    for j in range(lowest, highest):
        s, n, m = link[j, 0], link[j, 1:4], link[j, 4:7]
        r, p, q = link[j, 7], link[j, 8:11], link[j, 11:14]
        part(j, j + 1)[:] = -(s * np.eye(3) + np.outer(n, m))
        part(j + 1, j)[:] = -(r * np.eye(3) + np.outer(p, q))
    return link, blocks, rhs, dense, rhs[lowest : highest + 1].ravel()


def solve(link, blocks, rhs, first, last, head, tail):
    inverse = np.zeros((len(blocks), LINK_COLUMNS))
    solved = np.zeros((len(blocks), 3))
    diagonal = np.zeros((len(blocks), LINK_COLUMNS))
    diagonal[:, :9] = blocks.reshape(-1, 9)
    for outside, there in ((first - 1, head), (last + 1, tail)):
        if there:
            inverse[outside, :9] = np.linalg.inv(blocks[outside]).ravel()
            solved[outside] = np.linalg.solve(blocks[outside], rhs[outside])
    solve_chain(first, last, head, tail, diagonal, rhs.copy(), link, inverse, solved)
    return solved[first : last + 1]


@settings(deadline=None)
@given(
    count=st.integers(1, 12),
    before=st.integers(1, 3),
    head=st.booleans(),
    tail=st.booleans(),
    symmetric=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_chain_solve_agrees_with_a_dense_solve(count, before, head, tail, symmetric, seed):
    random = np.random.default_rng(seed)
    first, last = before, before + count - 1
    link, blocks, rhs, dense, right = make_system(random, first, last, head, tail, symmetric)
    exact = np.linalg.solve(dense, right).reshape(-1, 3)[head : head + count]
    assert np.allclose(solve(link, blocks, rhs, first, last, head, tail), exact, rtol=0, atol=1e-11)


@pytest.mark.parametrize("ends", [(False, False), (True, False), (False, True), (True, True)])
def test_a_chain_of_300_nodes_keeps_its_digits(random, ends):
    link, blocks, rhs, dense, right = make_system(random, 1, 300, *ends)
    exact = np.linalg.solve(dense, right).reshape(-1, 3)[ends[0] : ends[0] + 300]
    assert np.allclose(solve(link, blocks, rhs, 1, 300, *ends), exact, rtol=0, atol=1e-12)


def test_two_solves_of_the_same_system_give_the_same_bits(random):
    link, blocks, rhs, _, _ = make_system(random, 1, 40, True, True)
    first = solve(link, blocks, rhs, 1, 40, True, True)
    assert np.array_equal(first, solve(link, blocks, rhs, 1, 40, True, True))
