"""The path of an element round a cylinder: shortest, continuous, and pulling along its gradient."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

import tetherlab as tl
from tetherlab.tether import model as M
from tetherlab.tether.mesh import split_leg
from tetherlab.tether.wrap import WRAP, wrap_path

RADIUS = 0.25
FIELD = tl.World([tl.shapes.Cylinder(start=(0, 0, -5), end=(0, 0, 5), radius=RADIUS)]).field
STILL = np.zeros((2, 3))


def make_wrap(side=1.0, angle=0.0):
    """A wrap on the cylinder about the z axis; angle 0 lies towards +x."""
    wrap = np.zeros(1, WRAP)[0]
    wrap["axis_O"] = (0, 0, 1)
    wrap["zero_O"] = (1, 0, 0)
    wrap["radius"] = RADIUS
    wrap["side"] = side
    wrap["angle"] = wrap["angle_a"] = angle
    wrap["stretch_a"] = wrap["stretch_b"] = 1.0
    return wrap


def geodesic(wrap, a, b):
    """Length of the path, with the anchor where the unrolled path is straight; NaN if it does not touch."""
    x = np.array([a, b], dtype=float)
    for _ in range(2):
        s_a, s_b = wrap_path(FIELD, wrap, x, STILL, 0, 0.0, 0.5, 1.0)
        if s_b < 0.0:
            return math.nan
        flat_a = wrap["leg_a"] + RADIUS * wrap["angle_a_next"]
        flat = wrap["leg_a"] + wrap["leg_b"] + RADIUS * wrap["angle_next"]
        wrap["axial_next"] = a[2] + (b[2] - a[2]) * flat_a / flat
        wrap["polar"] = wrap["polar_next"]
        wrap["angle"], wrap["angle_a"] = wrap["angle_next"], wrap["angle_a_next"]
    return s_a + s_b


def shortest_by_search(a, b, side, turns=0):
    """Minimise leg + helix + leg over where the legs touch, each within what its node can see."""

    def visible(p):
        return math.atan2(p[1], p[0]), math.acos(RADIUS / math.hypot(p[0], p[1]))

    centre_a, reach_a = visible(a)
    centre_b, reach_b = visible(b)
    if side > 0:
        while centre_b < centre_a:
            centre_b += 2.0 * math.pi
    else:
        while centre_b > centre_a:
            centre_b -= 2.0 * math.pi
    centre_b += side * 2.0 * math.pi * turns

    def length(q):
        angle_a, angle_b, z_a, z_b = q
        p = np.array((RADIUS * math.cos(angle_a), RADIUS * math.sin(angle_a), z_a))
        r = np.array((RADIUS * math.cos(angle_b), RADIUS * math.sin(angle_b), z_b))
        helix = math.hypot(RADIUS * (angle_b - angle_a), z_b - z_a)
        return np.linalg.norm(a - p) + helix + np.linalg.norm(b - r)

    guess = (centre_a + side * 0.9 * reach_a, centre_b - side * 0.9 * reach_b, a[2], b[2])
    bounds = [
        (centre_a - reach_a, centre_a + reach_a),
        (centre_b - reach_b, centre_b + reach_b),
        (-9, 9),
        (-9, 9),
    ]
    options = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 1000}
    return minimize(length, guess, bounds=bounds, method="L-BFGS-B", options=options).fun


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("turns", [0, 1, 2])
def test_the_path_is_the_shortest_round_the_cylinder(random, side, turns):
    for _ in range(10):
        start = random.uniform(-math.pi, math.pi)
        between = random.uniform(2.9, 5.0)
        r_a, r_b = random.uniform(1.1, 3.0, 2) * RADIUS
        z = random.uniform(-0.4, 0.4, 2)
        a = np.array((r_a * math.cos(start), r_a * math.sin(start), z[0]))
        stop = start + side * between
        b = np.array((r_b * math.cos(stop), r_b * math.sin(stop), z[1]))
        wrapped = between - math.acos(RADIUS / r_a) - math.acos(RADIUS / r_b) + 2.0 * math.pi * turns
        wrap = make_wrap(side, angle=wrapped)
        seen = geodesic(wrap, a, b)
        assert wrap["angle_next"] == pytest.approx(wrapped, abs=1e-9)
        assert seen == pytest.approx(shortest_by_search(a, b, side, turns), abs=2e-6)


def test_length_and_pulls_are_continuous_at_the_first_touch():
    half = 0.5
    lengths, heights = [], np.linspace(RADIUS + 1e-4, RADIUS - 1e-4, 9)
    for y in heights:
        a, b = np.array((half, y, 0.05)), np.array((-half, y, -0.02))
        wrap = make_wrap(1.0)
        wrap["polar"] = 0.5 * math.pi
        length = geodesic(wrap, a, b)
        straight = np.linalg.norm(b - a)
        lengths.append(straight if math.isnan(length) else length)
        if y > RADIUS:
            assert math.isnan(length), "a straight line that clears the cylinder is not bent"
        elif y < RADIUS:
            assert 0.0 <= length - straight < 1e-6
            assert np.allclose(wrap["pull_a"], (b - a) / straight, rtol=0, atol=1e-3)
    assert np.abs(np.diff(lengths)).max() < 1e-7


def test_the_angle_counts_through_full_turns_and_back_without_a_jump():
    wrap = make_wrap(1.0, angle=0.5)
    wrap["polar"] = 0.5 * math.pi
    a = np.array((0.5, 0.1, 0.0))
    way = np.concatenate([np.linspace(2.6, 16.0, 300), np.linspace(16.0, 2.6, 300)])
    lengths, angles = [], []
    for polar in way:
        b = np.array((0.6 * math.cos(polar), 0.6 * math.sin(polar), 0.0))
        lengths.append(geodesic(wrap, a, b))
        angles.append(wrap["angle_next"])
    step = RADIUS * (way[1] - way[0])
    assert max(angles) > 4.0 * math.pi
    assert np.allclose(np.abs(np.diff(lengths)), np.where(np.diff(way) == 0.0, 0.0, step), rtol=0, atol=1e-9)
    assert lengths[-1] == pytest.approx(lengths[0], abs=1e-9)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_pulls_are_minus_the_gradient_of_the_lengths(random, side):
    for _ in range(20):
        a = np.array((0.4 + 0.2 * random.uniform(), -side * 0.1 * random.uniform(), 0.3 * random.normal()))
        b = np.array((-0.4 - 0.2 * random.uniform(), -side * 0.1 * random.uniform(), 0.3 * random.normal()))
        wrap = make_wrap(side, angle=1.0)
        wrap["polar"] = side * 0.5 * math.pi
        wrap["axial_next"] = wrap["axial"] = 0.1 * random.normal()
        wrap["angle_a"] = 0.5

        def lengths(x, start=wrap):
            probe = np.array([start])[0]
            return np.array(wrap_path(FIELD, probe, x, STILL, 0, 0.0, 0.5, 1.0))

        x = np.array([a, b])
        wrap_path(FIELD, wrap, x, STILL, 0, 0.0, 0.5, 1.0)
        assert 0.0 < wrap["angle_a_next"] < wrap["angle_next"], "the anchor should lie inside the contact"
        for node, pull in ((0, wrap["pull_a"].copy()), (1, wrap["pull_b"].copy())):
            assert np.linalg.norm(pull) == pytest.approx(1.0, abs=1e-7)
            for axis in range(3):
                step = np.zeros((2, 3))
                step[node, axis] = 1e-6
                slope = (lengths(x + step) - lengths(x - step))[node] / 2e-6
                assert slope == pytest.approx(-pull[axis], abs=1e-6)


def test_a_node_pressed_into_the_cylinder_is_pulled_along_the_gradient_too():
    wrap = make_wrap(1.0, angle=1.5)
    wrap["polar"] = 0.5 * math.pi
    wrap["angle_a"] = 1.0
    x = np.array([(0.6 * RADIUS, 0.5 * RADIUS, 0.02), (-0.5, 0.1, 0.05)])
    wrap_path(FIELD, wrap, x, STILL, 0, 0.0, 0.5, 1.0)
    pull = wrap["pull_a"].copy()
    assert 0.0 < wrap["angle_a_next"] < wrap["angle_next"]
    assert wrap["leg_a"] == 0.0
    for axis in range(3):
        step = np.zeros((2, 3))
        step[0, axis] = 1e-6
        ahead, behind = (
            wrap_path(FIELD, np.array([wrap])[0], x + sign * step, STILL, 0, 0.0, 0.5, 1.0)[0]
            for sign in (1, -1)
        )
        assert (ahead - behind) / 2e-6 == pytest.approx(-pull[axis], abs=1e-6)


def test_the_iterate_moves_the_nodes_by_h_u():
    a, b = np.array((0.5, 0.1, 0.0)), np.array((-0.5, 0.05, 0.1))
    u = np.array([(1.0, 2.0, -1.0), (-2.0, 1.0, 0.5)])
    one, two = make_wrap(angle=1.0), make_wrap(angle=1.0)
    for wrap in (one, two):
        wrap["polar"] = 0.5 * math.pi
    there = np.array([a, b]) + 0.01 * u
    moved = wrap_path(FIELD, one, np.array([a, b]), u, 0, 0.01, 0.5, 1.0)
    assert moved == pytest.approx(wrap_path(FIELD, two, there, STILL, 0, 0.0, 0.5, 1.0), abs=1e-14)


@pytest.mark.parametrize("axial", [0.0, 0.02, -0.05])
def test_with_the_anchor_at_a_node_both_ends_are_pulled_along_the_whole_way(axial):
    # Node a lies on the cylinder, where the anchor is as well: that side has no length, and no direction.
    a, b = np.array([RADIUS, 0.0, 0.0]), np.array([-0.3, 0.6, 0.4])
    wrap = make_wrap()
    wrap["axial_next"] = axial
    x = np.array([a, b])
    wrap_path(FIELD, wrap, x, STILL, 0, 0.0, 0.0, 1.0)
    assert wrap["angle_a_next"] == pytest.approx(0.0, abs=1e-9)
    flat, rise = wrap["leg_b"] + RADIUS * wrap["angle_next"], b[2] - a[2]
    assert wrap["pull_a"] == pytest.approx(np.array([0.0, flat, rise]) / math.hypot(flat, rise), abs=1e-6)
    assert np.linalg.norm(wrap["pull_b"]) == pytest.approx(1.0, abs=1e-6)
    assert wrap["pull_b"][2] == pytest.approx(-rise / math.hypot(flat, rise), abs=1e-6)


@pytest.mark.parametrize("at_a", [True, False])
@pytest.mark.parametrize("eased", [-0.1, 0.0, 0.3, 0.9])
def test_a_cut_leg_takes_its_share_of_the_material_however_short_the_path_counts(at_a, eased):
    spec = tl.TetherSpec(linear_density=0.05, diameter=0.008, axial_stiffness=1e4)
    world = tl.World([tl.shapes.Cylinder(start=(0, 0, -5), end=(0, 0, 5), radius=RADIUS)])
    shape = np.array([(-1.0, -0.2, 0.0), (0.0, 0.3, 0.0), (1.0, -0.2, 0.0)])
    length = float(np.linalg.norm(np.diff(shape, axis=0), axis=1).sum())
    tether = tl.Tether(
        spec, base=shape[0], end=shape[-1], length=length, shape=shape, element_length=0.7, world=world
    )
    for k in range(100):
        tether.step(0.005, base=shape[0] - (0.0005 * k, 0.0, 0.0))
    memory, state = tether._memory, tether._state
    count = int(state.number[M.COUNT])
    j = int(np.flatnonzero(state.wrap["active"][:count])[0])
    wrap = state.wrap[j]
    rest = float(state.rest[j])
    # Count the path as shorter by a share of it.
    way = float(wrap["stretch_a"] * wrap["rest_a"] + wrap["stretch_b"] * (rest - wrap["rest_a"]))
    wrap["ease"] = eased * way
    wrap["stretch_a"] *= 1.0 - eased
    wrap["stretch_b"] *= 1.0 - eased
    counted = (1.0 - eased) * way
    stretch = float(wrap["stretch_a" if at_a else "stretch_b"])
    reach = 0.9 * float(wrap["reach_a" if at_a else "reach_b"])
    lengths = state.rest[:count].sum()

    split_leg(memory, j, reach, at_a)

    straight, bent = (j, j + 1) if at_a else (j + 1, j)
    assert state.rest[: count + 1].min() > 0.0
    assert state.rest[: count + 1].sum() == pytest.approx(lengths, rel=1e-14)
    span = np.linalg.norm(state.x[straight + 1] - state.x[straight])
    assert span == pytest.approx(reach, rel=1e-6)
    after = (span - state.offset[straight]) / state.rest[straight]
    assert after == pytest.approx(max(stretch, 1.0) if span > state.rest[straight] else stretch, rel=1e-6)
    # What is left counts as long as before, less what was cut off.
    wrap = state.wrap[bent]
    legs = [float(wrap[name]) for name in ("reach_a", "leg_a", "reach_b", "leg_b")]
    s_a, s_b = wrap_path(
        world.field, wrap, state.x, np.zeros_like(state.x), bent, 0.0, wrap["rest_a"], state.rest[bent]
    )
    # It knows how long its legs are: another obstacle on them may cut them again at once.
    assert legs == pytest.approx([wrap[name] for name in ("reach_a", "leg_a", "reach_b", "leg_b")], rel=1e-3)
    cut = float(state.rest[straight]) * stretch
    assert s_a + s_b == pytest.approx(counted - cut, abs=1e-6 * way)
