"""A tether starts in balance, to rounding, wherever its ends are; or as its shape says."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tether_scenes import make_spec, node_masses, run

import tetherlab as tl

# base, end, length [m]
STARTS = {
    "slack": ((0, 0, 0), (2, 1, 0.5), 3.0),
    "hardly slack": ((0, 0, 0), (2, 0, 0), 2.0001),
    "taut": ((0, 0, 0), (2.0, 0, 0.3), 2.0),
    "level hairpin": ((0, 0, 0), (0.03, 0, 0), 2.0),
    "hairpin with a turn too narrow for its element": ((0, 0, 0), (0.03, 0, 0), 2.1),
    "coincident ends, even": ((0, 0, 0), (0, 0, 0), 2.0),
    "coincident ends, odd": ((0, 0, 0), (0, 0, 0), 2.1),
    "end right above": ((0, 0, 0), (0, 0, 1.23), 2.1),
    "end right below": ((0, 0, 0), (0, 0, -1.23), 2.0),
    "taut upright": ((0, 0, 0), (0, 0, 2.01), 2.0),
    "taut and plumb": ((0, 0, 0), (0, 0, -2.01), 2.0),
    "two elements": ((0, 0, 0), (0.1, 0, 0.05), 0.2),
}
starts = pytest.mark.parametrize(("base", "end", "length"), STARTS.values(), ids=STARTS)


def hang(base, end, length, **options):
    return tl.Tether(make_spec(), base=base, end=end, length=length, **options)


def forces_of_elements(tether):
    """Tension vectors from base to end [N], (n - 1, 3), and the tensions (n - 1,), by Hooke's law."""
    chord = np.diff(tether.nodes, axis=0)
    span = np.linalg.norm(chord, axis=1)
    rest = tether.length / len(chord)
    tension = tether.spec.axial_stiffness * (span / rest - 1.0)
    return (tension / span)[:, None] * chord, tension


def residual(tether):
    """Force left over at each inner node [N], (n - 2, 3)."""
    pull, _ = forces_of_elements(tether)
    weight = node_masses(tether)[1:-1, None] * np.array([0.0, 0.0, -tether.world.gravity])
    return pull[1:] - pull[:-1] + weight


@starts
@pytest.mark.parametrize("gravity", [9.80665, 1.62, 1e-3])
def test_every_node_starts_in_balance(base, end, length, gravity):
    tether = hang(base, end, length, world=tl.World(gravity=gravity))
    assert np.abs(residual(tether)).max() < 1e-7
    assert np.array_equal(tether.nodes[[0, -1]], np.array([base, end], float))


@given(
    span=st.floats(0.0, 1.5),
    rise=st.floats(-1.5, 1.5),
    more=st.floats(1e-6, 3.0),
    count=st.integers(2, 60),
    stiffness=st.sampled_from([1e3, 1e4, 1e6]),
)
def test_any_slack_tether_starts_in_balance(span, rise, more, count, stiffness):
    length = max((1.0 + more) * math.hypot(span, rise), 0.05)
    spec = make_spec(axial_stiffness=stiffness)
    tether = tl.Tether(
        spec, base=(0, 0, 0), end=(span, 0, rise), length=length, element_length=length / count
    )
    # A node out of place by the last digit is out of balance by this much.
    assert np.abs(residual(tether)).max() < 1e-14 * stiffness * count * 10


def test_without_gravity_a_taut_tether_is_straight():
    tether = hang((0, 0, 0), (2, 0, 1), 2.2, world=tl.World(gravity=0.0))
    assert np.allclose(tether.nodes, np.linspace((0, 0, 0), (2, 0, 1), 23), rtol=0, atol=1e-12)


@starts
def test_the_first_force_is_the_static_one(base, end, length):
    tether = hang(base, end, length)
    pull, _ = forces_of_elements(tether)
    half = np.array([0.0, 0.0, -0.5 * node_masses(tether)[1] * tether.world.gravity])
    forces = tether.step(0.001)
    assert np.allclose(forces.on_base, pull[0] + half, rtol=0, atol=1e-6)
    assert np.allclose(forces.on_end, half - pull[-1], rtol=0, atol=1e-6)


@starts
def test_nothing_moves_afterwards(base, end, length):
    tether = hang(base, end, length)
    start = tether.nodes
    run(tether, 1.0)
    assert np.abs(tether.velocities).max() < 1e-6
    assert np.allclose(tether.nodes, start, rtol=0, atol=1e-6)


def test_a_turn_that_is_too_narrow_pushes_its_legs_apart():
    _, tension = forces_of_elements(hang((0, 0, 0), (0, 0, 0), 2.1))
    assert tension.argmin() == 10
    assert -0.1 < tension.min() < 0.0
    assert (np.delete(tension, 10) > 0.0).all()


def test_a_tether_as_long_as_its_ends_are_apart_starts_straight():
    tether = hang((0, 0, 0), (1.2, 0, 1.6), 2.0)
    assert np.allclose(tether.nodes, np.linspace((0, 0, 0), (1.2, 0, 1.6), 21), rtol=0, atol=1e-12)


def test_a_taut_tether_with_a_body_starts_straight():
    tether = hang((0, 0, 0), (2.02, 0, 0), 2.0, end_body=tl.PointMass(1.0))
    assert np.allclose(tether.nodes, np.linspace((0, 0, 0), (2.02, 0, 0), 21), rtol=0, atol=1e-12)


def test_a_taut_tether_just_above_the_ground_starts_straight():
    spec = make_spec(axial_stiffness=1e3)
    ground = tl.World.ground()
    tether = tl.Tether(spec, base=(0, 0, 0.004), end=(2.001, 0, 0.004), length=2.0, world=ground)
    assert np.allclose(tether.nodes[:, 2], 0.004, rtol=0, atol=1e-12)


def test_a_shape_with_the_points_of_the_nodes_is_kept():
    shape = hang((0, 0, 0), (1, 0, 0.5), 2.0).nodes
    tether = hang((0, 0, 0), (1, 0, 0.5), 2.0, shape=shape)
    assert np.array_equal(tether.nodes, shape)


def test_a_shape_with_the_number_of_the_nodes_but_uneven_is_spaced_evenly():
    shape = [(0, 0, 0), (0.5, 0, 0), (1.5, 0, 0), (2.0, 0, 0)]
    tether = hang((0, 0, 0), (2, 0, 0), 2.0, shape=shape, element_length=2.0 / 3.0)
    assert np.allclose(np.diff(tether.nodes[:, 0]), 2.0 / 3.0)


@pytest.mark.parametrize(("height", "strain"), [(0.49, "-0.79 %"), (0.55, "4.3 %")])
def test_a_shape_of_another_length_than_the_tether_is_told_with_its_strain(height, strain):
    shape = [(0, 0, 0), (1, 0, height), (2, 0, 0)]
    with pytest.warns(UserWarning, match=f"too (short|long) for its length, a strain of {strain}"):
        hang((0, 0, 0), (2, 0, 0), 2.245 if height < 0.5 else 2.188, shape=shape)


@pytest.mark.filterwarnings("ignore:.*shape is too short")
def test_a_tether_that_starts_too_short_does_not_burst():
    # 1.9 % of 10 kN: compressed, it would hold 1.8 J per metre.
    tether = hang((0, 0, 0), (2, 0, 0), 2.0385, shape=[(0, 0, 0), (2, 0, 0)], world=tl.World(gravity=0.0))
    assert tether.energy.elastic == pytest.approx(0.0, abs=1e-12)
    for _ in range(100):
        tether.step(0.005)
        assert tether.energy.kinetic < 0.4


@pytest.mark.filterwarnings("ignore:.*shape is too short")
def test_corners_of_a_shape_between_two_nodes_compress_nothing():
    shape = [(0, 0, 0), (0.95, 0, 0), (0.95, 0, 0.95), (0.95, 0.95, 0.95)]
    tether = hang(shape[0], shape[-1], 2.84, shape=shape)
    rest = tether._state.rest[: len(tether.nodes) - 1]
    assert rest.min() < 0.08, "the element across the corner is shorter"
    assert tether.energy.elastic == pytest.approx(0.0, abs=1e-9)


def test_a_tether_that_came_down_on_the_ground_has_pushed_nothing_yet():
    tether = hang((0, 0, 1), (1, 0, 1), 4.0, world=tl.World.ground())
    assert tether.time == 0.0
    assert np.array_equal(tether.reaction_on("ground"), np.zeros((2, 3)))


def test_a_tether_that_lies_on_the_ground_starts_in_wind_as_it_does_in_still_air():
    spec = tl.TetherSpec(linear_density=0.038, diameter=0.0045, axial_stiffness=2e4)
    settings = {"base": (0.0, 0.0, 0.8), "end": (6.0, 0.0, 0.5), "length": 6.6, "element_length": 0.15}
    tethers = [
        tl.Tether(spec, world=tl.World.ground(), wind=tl.Wind.uniform(wind), **settings)
        for wind in ((0.0, 0.0, 0.0), (0.0, 5.0, 0.0))
    ]
    calm, windy = (tether.tensions.max() for tether in tethers)
    assert calm < 5.0
    assert windy == pytest.approx(calm)
    assert np.allclose(tethers[0].nodes, tethers[1].nodes)


def test_a_long_tether_over_the_ground_rests_at_the_start():
    spec = tl.TetherSpec(linear_density=0.03, diameter=0.006)
    tether = tl.Tether(
        spec, base=(0, 0, 0.5), end=(10, 0, 0.5), length=30, element_length=0.5, world=tl.World.ground()
    )
    before = tether.nodes
    assert before[5:-5, 2].max() < 0.05  # it lies on the ground
    tether.step(0.5)
    assert np.abs(tether.nodes - before).max() < 0.05


def test_settling_that_takes_long_is_said(caplog, monkeypatch):
    monkeypatch.setattr("tetherlab.tether.tether.PATIENCE", 0.0)
    spec = tl.TetherSpec(linear_density=0.03, diameter=0.006)
    tl.Tether(spec, base=(0, 0, 0.5), end=(1, 0, 0.5), length=3, world=tl.World.ground(), name="main")
    (record,) = caplog.records
    assert record.getMessage().startswith("main: settling 3 m") and record.levelname == "WARNING"
