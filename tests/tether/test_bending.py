"""Bending stiffness against Euler-Bernoulli beams that are free to turn at their ends."""

import math

import numpy as np
import pytest
from tether_scenes import book, make_spec, mean_period, observed_order, run

import tetherlab as tl
from analytical import pinned_beam_frequency, pinned_beam_sag


def bowed_beam(count, amplitude=1e-3, gravity=0.0, step_max=5e-4, **spec):
    """A beam of 1 m between pins, bowed as its first mode; soft along, so that the pins do not stiffen it."""
    values = {
        "linear_density": 0.1,
        "axial_stiffness": 100.0,
        "axial_damping": 0.0,
        "bending_stiffness": 1.0,
        **spec,
    }
    x = np.linspace(0.0, 1.0, 401)
    shape = np.stack([x, 0.0 * x, amplitude * np.sin(math.pi * x)], axis=1)
    return tl.Tether(
        make_spec(**values),
        base=(0, 0, 0),
        end=(1, 0, 0),
        length=1.0,
        element_length=1.0 / count,
        shape=shape,
        world=tl.World(gravity=gravity),
        step_max=step_max,
    )


def middle(tether):
    return tether.nodes[len(tether.nodes) // 2, 2]


def test_a_pinned_beam_rings_at_its_euler_bernoulli_frequency_with_order_2():
    exact = pinned_beam_frequency(1.0, 1.0, 0.1)
    counts, errors = np.array([24, 48, 96]), []
    for count in counts:
        tether = bowed_beam(count, amplitude=1e-4, step_max=1e-4)
        times, heights = [], []
        for _ in range(1000):
            tether.step(1e-3)
            times.append(tether.time)
            heights.append(middle(tether))
        errors.append(abs(2.0 * math.pi / mean_period(times, heights) / exact - 1.0))
    assert errors[-1] < 1e-4
    assert observed_order(1.0 / counts, errors) == pytest.approx(2.0, abs=0.15)


def test_a_pinned_beam_sags_under_its_weight_as_the_text_book_says():
    # Soft along, so that the pins do not carry it; the sag of 0.6 mm is small against sqrt(EI / EA) = 0.1 m.
    tether = bowed_beam(
        40, amplitude=0.0, gravity=9.80665, bending_stiffness=20.0, axial_stiffness=1e3, bending_damping=0.5,
        step_max=1e-3,
    )  # fmt: skip
    run(tether, 5.0)
    assert -middle(tether) == pytest.approx(pinned_beam_sag(1.0, 20.0, 0.1), rel=1e-3)


def test_bending_damping_lets_the_first_mode_decay_as_kelvin_voigt():
    damping = 2e-3
    tether = bowed_beam(20, bending_damping=damping, step_max=1e-4)
    period = 2.0 * math.pi / pinned_beam_frequency(1.0, 1.0, 0.1)
    heights = []
    for _ in range(450):
        tether.step(period / 100.0)
        heights.append(middle(tether))
    heights = np.array(heights)
    peaks = 1 + np.flatnonzero((heights[1:-1] > heights[:-2]) & (heights[1:-1] > heights[2:]))
    rate = damping * math.pi**4 / (2.0 * 0.1)
    assert len(peaks) == 4
    assert heights[peaks] == pytest.approx(1e-3 * np.exp(-rate * (peaks + 1) * period / 100.0), rel=0.02)


def test_the_energy_book_closes_with_bending_damping():
    tether = bowed_beam(20, amplitude=0.02, bending_damping=2e-3, step_max=1e-4)
    start = tether.energy.total
    run(tether, 0.3)
    assert tether.energy.total < 0.7 * start
    assert tether.energy.total + tether.energy.dissipated == pytest.approx(start, rel=1e-6)


@pytest.mark.parametrize("stiffness", [1.0, 100.0, 1e4])
@pytest.mark.parametrize("step", [0.005, 0.05])
def test_bending_is_stable_at_any_stiffness_and_step(stiffness, step):
    tether = bowed_beam(20, amplitude=1e-3, step_max=step, bending_stiffness=stiffness)
    start = tether.energy.total
    for _ in range(200):
        tether.step(step)
        assert tether.energy.total < 1.002 * start
    assert np.abs(tether.nodes[:, 2]).max() < 4e-3


def test_the_bending_energy_is_that_of_the_curvature():
    # 1/2 EI kappa^2 per length, on a quarter circle of radius 1 m.
    angle = np.linspace(0.0, 0.5 * math.pi, 2001)
    shape = np.stack([np.sin(angle), 0.0 * angle, np.cos(angle)], axis=1)
    spec = make_spec(bending_stiffness=3.0, axial_stiffness=1e-3)
    tether = tl.Tether(
        spec, base=shape[0], end=shape[-1], length=0.5 * math.pi, element_length=0.02, shape=shape,
        world=tl.World(gravity=0.0),
    )  # fmt: skip
    assert tether.energy.elastic == pytest.approx(0.5 * 3.0 * 0.5 * math.pi, rel=0.02)


def test_a_stiff_tether_in_free_space_keeps_momentum_and_angular_momentum():
    tether = bowed_beam(20, amplitude=0.05, bending_stiffness=0.1)
    tether.release("base")
    tether.release("end")
    half = 0.05 * tether._state.rest[:20]
    masses = np.append(half, 0.0) + np.insert(half, 0, 0.0)
    for _ in range(100):
        tether.step(0.005)
    p = masses @ tether.velocities
    L = masses @ np.cross(tether.nodes, tether.velocities)
    assert np.abs(tether.velocities).max() > 0.05, "it should ring"
    assert np.allclose(p, 0.0, atol=1e-9)
    assert np.allclose(L, 0.0, atol=1e-6)


def test_bending_damping_does_not_brake_a_bent_tether_that_spins_as_a_whole():
    angle = np.linspace(0.0, 1.5 * math.pi, 401)
    shape = 0.2 * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    spec = make_spec(bending_stiffness=0.05, bending_damping=5e-3)
    tether = tl.Tether(
        spec, base=shape[0], end=shape[-1], length=0.3 * math.pi, element_length=0.05, shape=shape,
        world=tl.World(gravity=0.0),
    )  # fmt: skip
    tether.release("base")
    tether.release("end")
    half = 0.5 * 0.05 * tether._state.rest[: len(tether.nodes) - 1]
    masses = np.append(half, 0.0) + np.insert(half, 0, 0.0)
    centre = masses @ tether.nodes / masses.sum()
    tether._state.v[: len(masses)] = np.cross((0.0, 0.0, 5.0), tether.nodes - centre)
    momenta = []
    for _ in range(200):
        tether.step(0.001)
        shared = tether._state.shared[: len(tether.nodes) - 1]  # between neighbours: see mass.py
        x, v = tether.nodes - centre, tether.velocities
        between = np.cross(np.diff(x, axis=0), np.diff(v, axis=0))
        momenta.append(float((masses @ np.cross(x, v) + shared @ between)[2]))
    assert momenta[-1] == pytest.approx(momenta[0], rel=1e-4)
    assert tether.energy.dissipated > 0.01, "it straightens"


@pytest.mark.filterwarnings("ignore:.*shape is too")
@pytest.mark.parametrize("step", [1e-2, 1e-3])
@pytest.mark.parametrize("amplitude", [0.02, 0.2])
def test_bending_keeps_its_energy_in_long_steps_and_wide_swings(step, amplitude):
    # The fifth mode of this beam turns by 7.8 rad in a step of 10 ms.
    tether = bowed_beam(20, amplitude=amplitude, step_max=step)
    start = tether.energy.total
    for _ in range(round(0.4 / step)):
        tether.step(step)
        assert tether.energy.total == pytest.approx(start, rel=1e-4)


def test_a_body_on_a_stiff_tether_keeps_its_energy():
    # A cantilever of nearly its own length of tether, with a light body off its centre at the end.
    spec = make_spec(linear_density=0.05, axial_stiffness=1e4, axial_damping=0.0, bending_stiffness=0.3)
    body = tl.RigidBody(mass=0.02, inertia=(1e-5, 1e-5, 1e-5), attachment=(0.0, 0.03, 0.0))
    tether = tl.Tether(
        spec, base=(0, 0, 0), end=(1, 0, 0), length=1.0, element_length=0.05, world=tl.World(), end_body=body
    )
    start = tether.energy.total
    for _ in range(100):
        tether.step(0.005)
    assert tether.energy.kinetic > 0.1, "it should swing"
    assert tether.energy.total + tether.energy.dissipated == pytest.approx(start, abs=2e-4)


def test_a_stiff_tether_that_is_pulled_over_a_pole_only_loses_energy():
    # Elements that are wrapped or crumpled have no direction of their own; the nodes beside them give way.
    world = tl.World(
        [tl.shapes.Plane(), tl.shapes.Cylinder(start=(0, -5, 1), end=(0, 5, 1), radius=0.02, name="pole")]
    )
    spec = make_spec(linear_density=0.03, axial_stiffness=1e4, axial_damping=0.0, bending_stiffness=0.02)
    tether = tl.Tether(
        spec, base=(-1, 0, 1.2), end=(1, 0, 1.2), length=2.6, element_length=0.1, world=world,
        shape=[(-1, 0, 1.2), (0, 0, 2.03), (1, 0, 1.2)],
    )  # fmt: skip
    tether.release("end")
    start = before = tether.energy.total
    for _ in range(300):
        tether.step(0.005)
        assert tether.energy.total < before + 1e-3
        before = min(before, tether.energy.total)
    assert before < start - 0.1, "it should fall over the pole"
    assert book(tether) == pytest.approx(start, abs=0.01 * start)
