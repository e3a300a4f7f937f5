"""What a hanging tether would be read as: against the solver of curves, many digits, and at its limits."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tetherlab.sensors.hanging import BASE, END, LENGTH, LOG_TENSION, READ_SIZE, STATE_SIZE, read_hanging
from tetherlab.tether.catenary_batch import solve_many

# End from the base [m], b.
STATES = [
    (2.0, 1.0, 3.0, 0.5),
    (-3.0, 3.0, 1.0, 2.0),
    (4.0, 0.0, -6.0, 0.8),
    (0.3, -0.1, 0.2, 5.0),
    (6.0, 2.0, 0.0, 0.0999999),  # on both sides of where the series takes over
    (6.0, 2.0, 0.0, 0.1000001),
    (6.0, 2.0, 5.0, 1e-3),
    (6.0, 2.0, 5.0, 1e-8),  # taut
    (1e-9, 0.0, 8.0, 0.2),
    (0.0, 0.0, 8.0, 0.2),  # straight above
    (0.0, 0.0, 8.0, 1e-7),
    (0.0, 0.0, -8.0, 0.7),
]


def read(state):
    out, jacobian = np.empty(READ_SIZE), np.empty((READ_SIZE, STATE_SIZE))
    read_hanging(*state, out, jacobian)
    return out, jacobian


def exact(x, y, z, b):
    """The formulas of the module without any care for digits."""
    s, k = mp.sinh(b) / b, b * mp.coth(b)
    square = x * x + y * y
    length = mp.sqrt(z * z + square * s * s)
    rows = [length]
    for side in (-1, 1):
        up = z * k + side * b * length
        size = mp.sqrt(square + up * up)
        rows += [x / size, y / size, up / size]
        if side < 0:
            log_tension = mp.log(size / (2 * b))
    return [*rows, log_tension]


def many_digits(state):
    """Values and central differences with 100 digits."""
    with mp.workdps(100):
        state = [mp.mpf(value) for value in state]
        columns = []
        for j in range(STATE_SIZE):
            step = mp.mpf(10) ** -30
            plus, minus = list(state), list(state)
            plus[j] += step
            minus[j] -= step
            columns.append([(p - m) / (2 * step) for p, m in zip(exact(*plus), exact(*minus), strict=True)])
        return np.array(exact(*state), float), np.array(columns, float).T


@pytest.mark.parametrize("state", STATES)
def test_what_is_read_and_its_derivatives_match_many_digits(state):
    out, jacobian = read(state)
    expected, derivatives = many_digits(state)
    assert np.allclose(out, expected, rtol=0, atol=1e-13 * max(1.0, abs(expected[LENGTH])))
    # log T falls by 1/b: taut, its derivative is large and right to as many digits.
    assert np.allclose(jacobian, derivatives, rtol=1e-9, atol=1e-9)


@settings(deadline=None)
@given(
    st.floats(-10, 10), st.floats(-10, 10), st.floats(-10, 10), st.floats(-3.0, 1.0).map(lambda e: 10.0**e)
)
def test_the_solver_of_curves_finds_the_same_tether(x, y, z, b):
    if math.hypot(x, y) < 1e-3:
        x += 1.0
    out, _ = read((x, y, z, b))
    curve = solve_many((0.0, 0.0, 0.0), (x, y, z), out[LENGTH])
    # Taut, the solver sees the sag through the rounding of the length only.
    rounding = 1e-15 * (1.0 + out[LENGTH] ** 2 / (x * x + y * y) / (b * b))
    assert np.allclose(curve.tangent_base[0], out[BASE : BASE + 3], rtol=0, atol=1e-12 + 10 * rounding)
    assert np.allclose(curve.tangent_end[0], out[END : END + 3], rtol=0, atol=1e-12 + 10 * rounding)
    assert curve.tension_base[0] == pytest.approx(math.exp(out[LOG_TENSION]), rel=1e-11 + 100 * rounding)
    assert math.hypot(x, y) / (2 * curve.parameter[0]) == pytest.approx(b, rel=1e-11 + 100 * rounding)


def test_a_taut_tether_is_a_straight_line_with_b_half_its_weight_over_its_tension():
    end = np.array([3.0, -1.0, 2.0])
    length = np.linalg.norm(end)
    out, _ = read((*end, 1e-9))
    assert out[LENGTH] == pytest.approx(length, rel=1e-15)
    assert np.allclose(out[BASE : BASE + 3], end / length, rtol=0, atol=1e-8)
    assert np.allclose(out[END : END + 3], end / length, rtol=0, atol=1e-8)
    assert math.exp(out[LOG_TENSION]) == pytest.approx(0.5 * length / 1e-9, rel=1e-8)


@pytest.mark.parametrize("up", [1.0, -1.0])
def test_straight_above_or_below_nothing_happens(up):
    """Tangents are vertical, and turn with the end as they do beside the vertical."""
    out, jacobian = read((0.0, 0.0, 8.0 * up, 0.3))
    assert out[LENGTH] == pytest.approx(8.0)
    assert np.allclose(out[BASE : BASE + 3], (0, 0, up), atol=1e-15)
    assert np.allclose(out[END : END + 3], (0, 0, up), atol=1e-15)
    beside, near = read((1e-6, 0.0, 8.0 * up, 0.3))
    assert np.allclose(beside, out + 1e-6 * jacobian[:, 0], rtol=0, atol=1e-12)
    assert np.allclose(jacobian, near, rtol=0, atol=1e-6)


def test_turning_the_end_turns_the_tangents():
    out, _ = read((2.0, 1.0, 3.0, 0.5))
    c, s = math.cos(0.9), math.sin(0.9)
    turned, _ = read((2.0 * c - s, 2.0 * s + c, 3.0, 0.5))
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    assert turned[LENGTH] == pytest.approx(out[LENGTH], rel=1e-15)
    assert turned[LOG_TENSION] == pytest.approx(out[LOG_TENSION], rel=1e-14)
    for row in (BASE, END):
        assert np.allclose(turned[row : row + 3], R @ out[row : row + 3], rtol=0, atol=1e-15)
