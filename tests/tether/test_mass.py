"""Where the mass of an element sits: waves on a taut tether travel as they should."""

import math

import numpy as np
import pytest
from tether_scenes import make_spec, mean_period, observed_order

import tetherlab as tl
from tetherlab.tether import model as M
from tetherlab.tether.contact_books import pay_debt
from tetherlab.tether.mass import share_masses
from tetherlab.tether.mesh import merge_at
from tetherlab.tether.readout import node_masses

TENSION, LENGTH = 20.0, 2.0


def ringing_string(mode, count):
    """A string of 2 m under 20 N, not heavy and without losses, at rest in the shape of one of its modes."""
    spec = make_spec(axial_damping=0.0, drag_coefficient=0.0, drag_coefficient_tangential=0.0)
    x = np.linspace(0.0, LENGTH, 801)
    shape = np.stack([x, 0.0 * x, 1e-4 * np.sin(mode * math.pi * x / LENGTH)], axis=1)
    unstretched = LENGTH / (1.0 + TENSION / spec.axial_stiffness)
    return tl.Tether(
        spec,
        base=(0, 0, 0),
        end=(LENGTH, 0, 0),
        length=unstretched,
        element_length=unstretched / count,
        shape=shape,
        world=tl.World(gravity=0.0),
        step_max=2e-4,
    )


def frequency_error(mode, count):
    tether = ringing_string(mode, count)
    node = round(count / (2 * mode))
    times, heights = [], []
    for _ in range(600):
        tether.step(1e-3)
        times.append(tether.time)
        heights.append(tether.nodes[node, 2])
    density = tether.spec.linear_density / (1.0 + TENSION / tether.spec.axial_stiffness)
    exact = mode * math.pi / LENGTH * math.sqrt(TENSION / density)
    return 2.0 * math.pi / mean_period(times, heights) / exact - 1.0


def test_a_short_wave_travels_at_the_speed_of_a_long_one():
    """Five elements per half wave: with masses at nodes it would be too slow by (k l)^2 / 24, 1.6 %."""
    assert abs(frequency_error(4, 20)) < 0.004


def test_what_is_left_of_the_error_falls_faster_than_with_the_square_of_the_elements():
    counts = np.array([12, 24, 48])
    errors = [frequency_error(3, count) for count in counts]
    assert observed_order(1.0 / counts, np.abs(errors)) > 2.5


def test_energy_is_kept_while_the_string_rings():
    tether = ringing_string(4, 20)
    energies = []
    for _ in range(400):
        tether.step(1e-3)
        energies.append(tether.energy.total)
    swing = energies[0] - 0.5 * TENSION**2 / tether.spec.axial_stiffness * tether.length
    assert np.ptp(energies) < 1e-4 * abs(swing) + 1e-9


@pytest.mark.parametrize(
    "body",
    [tl.PointMass(100.0), tl.RigidBody(mass=100.0, inertia=(1, 1, 1), attachment=(0, 0, 0.1)), None],
)
def test_a_node_that_is_merged_away_beside_an_end_gives_what_is_held_there_no_speed(body):
    spec = tl.TetherSpec(linear_density=0.05, diameter=0.006)
    tether = tl.Tether(spec, base=(0, 0, 3), end=(0, 0, 1), length=2.0, end_body=body, element_length=0.2)
    tether.step(0.01)
    state, model = tether._state, tether._model
    last = int(state.number[M.COUNT])
    state.v[last - 1, 0] += 1.0
    before = tether.energy.kinetic
    carried = node_masses(model, state) @ tether.velocities[:, 0]
    held = state.v[last].copy()
    merge_at(tether._memory, last - 1, 0.0)
    np.testing.assert_array_equal(state.v[last - 1], held)
    assert tether.energy.kinetic < before
    assert node_masses(model, state) @ tether.velocities[:, 0] == pytest.approx(carried, rel=1e-9)


@pytest.mark.parametrize("near", [range(12), range(4, 8), (3, 5, 6)])
def test_what_contact_owes_is_paid_in_full_although_nodes_share_mass(near):
    """Braking the nodes raises the energy of the shared masses, which is negative: they pay for that, too."""
    spec = make_spec(axial_damping=0.0, drag_coefficient=0.0, drag_coefficient_tangential=0.0)
    world = tl.World([tl.shapes.Sphere(center=(0, 0, -9), radius=1.0)], gravity=0.0)
    tether = tl.Tether(spec, base=(0, 0, 0), end=(2, 0, 0), length=2.0, element_length=0.2, world=world)
    state, count = tether._state, int(tether._state.number[M.COUNT])
    tether.step(1e-4)
    state.v[1:count] = np.random.default_rng(3).normal(scale=10.0, size=(count - 1, 3))
    share_masses(tether._memory)
    state.total[M.DEBT] = 0.0
    for i in near:
        if 0 < i < count:
            state.contact["near"][i] = 1
    before = tether.energy
    state.total[M.DEBT] = 0.5
    pay_debt(tether._memory, world.field, 0.0, False)
    after = tether.energy
    assert state.total[M.DEBT] == 0.0
    assert before.total - after.total == pytest.approx(0.5, rel=1e-9)
    assert after.dissipated - before.dissipated == pytest.approx(0.5, rel=1e-9)
