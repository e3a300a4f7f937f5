"""What users read off a tether agrees with plain NumPy, and changing it changes nothing."""

import math

import numpy as np
import pytest
from tether_scenes import leaning_line, make_spec, run

import tetherlab as tl
from analytical import GRAVITY


def test_nodes_run_from_base_to_end_and_are_copies():
    tether = tl.Tether(make_spec(), base=(1, 2, 3), end=(2, 2, 3), length=1.5, element_length=0.1)
    nodes, velocities, tensions = tether.nodes, tether.velocities, tether.tensions
    assert nodes.shape == velocities.shape == (16, 3)
    assert tensions.shape == (15,)
    assert np.array_equal(nodes[0], (1, 2, 3))
    assert np.allclose(nodes[-1], (2, 2, 3))
    for array in (nodes, velocities, tensions):
        array[:] = 77.0
    assert not (tether.nodes == 77.0).any()
    assert not (tether.velocities == 77.0).any()
    assert not (tether.tensions == 77.0).any()


def test_a_start_without_shape_hangs_as_the_catenary():
    tether = tl.Tether(make_spec(), base=(0, 0, 0), end=(2, 1, 0.5), length=3.0)
    curve = tl.ElasticCatenary.between((0, 0, 0), (2, 1, 0.5), 3.0, linear_density=0.05, axial_stiffness=1e4)
    assert np.allclose(tether.nodes, curve.sample(31), rtol=0, atol=1e-3)


@pytest.mark.parametrize("aside", [0.0, 0.02])
def test_a_start_with_one_end_above_the_other_is_not_crushed(aside):
    tether = tl.Tether(make_spec(), base=(0, 0, 1), end=(aside, 0, 0.1), length=1.2)
    assert tether.energy.elastic < 1.0


def test_a_start_with_shape_follows_it_at_equal_distances():
    shape = [(0, 0, 0), (1, 0, 0), (1, 1, 0)]
    tether = tl.Tether(
        make_spec(), base=(0, 0, 0), end=(1, 1, 0), length=2.0, element_length=0.25, shape=shape
    )
    assert np.allclose(tether.nodes[:5, 0], [0, 0.25, 0.5, 0.75, 1.0])
    assert np.allclose(tether.nodes[4:, 1], [0, 0.25, 0.5, 0.75, 1.0])


def test_energy_parts_are_those_of_the_text_book():
    tether = tl.Tether(
        make_spec(axial_stiffness=1e3),
        base=(0, 0, 2),
        end=(1.01, 0, 2),
        length=1.0,
        end_body=tl.PointMass(0.5),
    )
    energy = tether.energy
    assert energy.kinetic == 0.0
    assert energy.potential == pytest.approx((0.05 + 0.5) * GRAVITY * 2.0, rel=1e-12)
    assert energy.elastic == pytest.approx(0.5 * 1e3 * 0.01**2, rel=1e-9)
    assert energy.total == pytest.approx(energy.potential + energy.elastic)
    assert energy.dissipated == energy.work == 0.0


def test_kinetic_energy_counts_tether_and_bodies():
    world = tl.World(gravity=0.0)
    body = tl.RigidBody(mass=2.0, inertia=(0.1, 0.2, 0.25), angular_velocity=(0.0, 3.0, 0.0))
    tether = leaning_line(0.0, 1.0, world=world)
    for k in range(10):
        shift = np.array((0.03 * (k + 1), 0.0, 0.0))
        tether.step(
            0.01, base=shift, end=shift - np.eye(3)[2], base_velocity=(3, 0, 0), end_velocity=(3, 0, 0)
        )
    tether.attach("end", body)
    x, v = tether.nodes, tether.velocities
    masses = np.full(len(x), 0.05 / (len(x) - 1))
    masses[[0, -1]] *= 0.5
    # Masses sit half way between at the nodes and along the elements, but for the elements at the ends.
    shared = -0.05 / (len(x) - 1) / 12.0 * (np.diff(v[1:-1], axis=0) ** 2).sum()
    exact = 0.5 * (masses @ (v**2).sum(axis=1) + shared) + 0.5 * 2.0 * 9.0 + 0.5 * 0.2 * 9.0
    assert tether.energy.kinetic == pytest.approx(exact, rel=1e-9)


def test_the_work_of_a_hand_that_lifts_is_the_gain_of_potential_energy():
    tether = leaning_line(0.0, 1.0, spec=make_spec(axial_damping=100.0))
    tether.release("end")
    run(tether, 1.0)
    before = tether.energy
    for k in range(200):
        # Rise by 0.5 m with a smooth start and stop.
        s = (k + 1) / 200
        tether.step(0.01, base=(0, 0, 0.5 * s * s * (3 - 2 * s)), base_velocity=(0, 0, 1.5 * s * (1 - s)))
    run(tether, 1.0)
    after = tether.energy
    assert after.work - before.work == pytest.approx(0.05 * GRAVITY * 0.5, rel=0.01)


def test_length_time_and_repr_tell_the_state():
    tether = tl.Tether(make_spec(), base=(0, 0, 0), end=(2, 0, 0), length=3.0, name="line")
    tether.step(0.25, reel_speed=0.4)
    assert tether.length == pytest.approx(3.1)
    assert tether.time == pytest.approx(0.25)
    assert repr(tether) == "<Tether 'line': 3.100 m in 31 elements, t = 0.250 s>"


def test_forces_show_themselves_rounded():
    tether = tl.Tether(
        make_spec(axial_stiffness=1e3),
        base=(0, 0, 0),
        end=(1.01, 0, 0),
        length=1.0,
        world=tl.World(gravity=0.0),
    )
    assert repr(tether.step(0.01)) == "Forces(on_base=[10.  0.  0.], on_end=[-10.   0.   0.])"


def test_a_rigid_body_tells_its_state_and_an_end_without_one_none():
    body = tl.RigidBody(
        mass=2.0, inertia=(0.1, 0.2, 0.25), attachment=(0.0, 0.0, 0.5), angular_velocity=(0.1, 0.2, 0.3),
        rotation_wxyz=(math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0),
    )  # fmt: skip
    tether = leaning_line(0.0, 1.0, end_body=body)
    state = tether.end_body
    assert tether.base_body is None
    # A quarter turn about x takes the attachment from +z to -y of the centre of mass.
    assert np.allclose(state["position"], (0.0, 0.5, -1.0))
    assert np.allclose(state["rotation_wxyz"], body.rotation_wxyz)
    assert np.allclose(state["angular_velocity"], (0.1, 0.2, 0.3))
    assert np.allclose(state["velocity"], -np.cross((0.1, 0.2, 0.3), (0.0, -0.5, 0.0)))
    state["position"][:] = 99.0
    assert not (tether.end_body["position"] == 99.0).any()


@pytest.mark.filterwarnings("ignore:.*shape is too")
def test_contacts_run_from_base_to_end_and_carry_the_name_of_the_obstacle():
    world = tl.World([tl.shapes.Plane(name="floor"), tl.shapes.Box(lower=(0.9, -1, 0), upper=(1.1, 1, 0.1))])
    shape = [(0, 0, 0.05), (0.5, 0, 0.02), (0.8, 0, 0.02), (0.88, 0, 0.12), (1.12, 0, 0.12), (1.2, 0, 0.02),
             (1.5, 0, 0.02), (2, 0, 0.05)]  # fmt: skip
    length = float(np.linalg.norm(np.diff(shape, axis=0), axis=1).sum())
    tether = tl.Tether(
        make_spec(axial_damping=100.0), base=shape[0], end=shape[-1], length=length, element_length=0.05,
        shape=shape, world=world,
    )  # fmt: skip
    run(tether, 2.0)
    tether.step(1e-4)  # one internal step, of which the contacts tell
    contacts = tether.contacts
    assert {c.object for c in contacts} == {"floor", "box_1"}
    places = [c.point[0] for c in contacts]
    assert places == sorted(places)
    for contact in contacts:
        assert np.linalg.norm(contact.normal) == pytest.approx(1.0, abs=1e-9)
        assert contact.force @ contact.normal > -1e-9
        # On the tether's centre line, at its radius from the obstacle (elements at 85 % of it).
        assert world.distance(contact.point) == pytest.approx(0.004, abs=1e-3)
    total = sum(tether.reaction_on(name)[0] for name in world.names)
    assert np.allclose(total, -sum(c.force for c in contacts))


def test_tension_of_a_slack_tether_does_not_push():
    tether = tl.Tether(make_spec(drag_coefficient=100.0), base=(0, 0, 0), end=(2, 0, 0), length=3.0)
    run(tether, 5.0, 0.1)
    assert tether.tensions.min() > 0.0
