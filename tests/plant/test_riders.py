"""Bodies that carry shapes: others stand, slide and land on them, and both feel the same force."""

import numpy as np
import pytest
from graph_scenes import totals

import tetherlab as tl
from tetherlab.assembly.scene import Scene
from tetherlab.assembly.scene_simulation import SceneSimulation
from tetherlab.contracts.errors import InputError
from tetherlab.plant.graph_build import planned

G = 9.80665


def cube(mass, half, **options):
    """A cube with a foot in each corner of its base, and its shape."""
    radius = 0.1 * half
    inner = half - radius
    feet = [(x, y, -inner, radius) for x in (-inner, inner) for y in (-inner, inner)]
    friction = options.pop("surface", None)
    body = tl.RigidBody(mass=mass, inertia=(mass * (2 * half) ** 2 / 6,) * 3, feet=feet, **options)
    return body, tl.shapes.Box(lower=(-half,) * 3, upper=(half,) * 3, friction=friction)


def add_cube(scene, name, mass, half, position, velocity=(0, 0, 0), **options):
    body, shape = cube(mass, half, **options)
    scene.add_body(body, name=name, position=position, velocity=velocity, shapes=[shape])


def forces(sim, name):
    """Of what a body stands on, on it [N], (feet, 3)."""
    return sim.graph.body_contact["force_W"][sim._bodies[name]]


def test_a_stack_rests_on_the_ground_with_the_weights_above_each_contact():
    scene = Scene(tl.World.ground())
    for k, mass in enumerate((2.0, 0.5, 1.0)):
        add_cube(scene, f"b{k}", mass, 0.1, (0.005 * k, 0, 0.1 + 0.2005 * k))
    sim = SceneSimulation(scene)
    start = totals(sim.graph)
    assert len(sim.graph.program.island) == 3
    sim.run(until=2.0)
    assert len(sim.graph.program.island) == 1
    for name, carried in (("b0", 3.5), ("b1", 1.5), ("b2", 1.0)):
        np.testing.assert_allclose(forces(sim, name).sum(axis=0), (0, 0, carried * G), atol=1e-5)
        assert np.linalg.norm(sim[name].velocity) < 1e-6
    end = totals(sim.graph)
    assert end[1] == pytest.approx(start[1], abs=1e-9)
    assert end[0] < start[0]


def test_a_box_slides_on_a_free_one_at_mu_N_until_both_move_alike():
    """The lower one slides freely on ice; momentum and Coulomb's law say how both end up."""
    scene = Scene(tl.World.ground(friction=0.0))
    add_cube(scene, "low", 3.0, 0.3, (0, 0, 0.3), surface=0.2)
    add_cube(scene, "top", 1.0, 0.05, (0.0, 0, 0.65), velocity=(0.8, 0, 0))
    sim = SceneSimulation(scene)
    sim.run(until=0.1)
    before = sim["top"].velocity[0], sim["low"].velocity[0]
    sim.run(until=0.2)
    assert (sim["top"].velocity[0] - before[0]) / 0.1 == pytest.approx(-0.2 * G, rel=1e-3)
    assert (sim["low"].velocity[0] - before[1]) / 0.1 == pytest.approx(0.2 * G / 3.0, rel=1e-3)
    sim.run(until=0.6)
    assert sim["top"].velocity[0] == pytest.approx(0.2, rel=1e-6)
    assert sim["low"].velocity[0] == pytest.approx(0.2, rel=1e-6)


@pytest.mark.parametrize("share", [0.97, 1.03])
def test_a_stack_tips_over_when_a_push_on_its_top_outweighs_it(share):
    """About the feet of the lower one, at 9 of its 10 cm."""
    scene = Scene(tl.World.ground(friction=2.0))
    add_cube(scene, "low", 0.5, 0.1, (0, 0, 0.1), surface=2.0)
    add_cube(scene, "top", 2.0, 0.05, (0, 0, 0.25))
    sim = SceneSimulation(scene)
    sim.run(until=0.3)
    sim.command("top", force=(share * 2.5 * G * 0.09 / 0.25, 0, 0))
    sim.run(until=1.5)
    tipped = sim["low"].rotation[0] < np.cos(np.radians(10.0) / 2.0)
    assert tipped == (share > 1.0)


@pytest.mark.parametrize("seed", range(6))
def test_a_landing_in_free_space_keeps_both_momenta_and_gives_no_energy(seed):
    random = np.random.default_rng(100 + seed)
    scene = Scene(tl.World(gravity=0.0))
    masses = 10.0 ** random.uniform((0.0, -1.5), (1.5, 0.5))
    drift = random.uniform(-3.0, 3.0, 3)
    spins = random.uniform(-1.0, 1.0, (2, 3))
    add_cube(scene, "large", masses[0], 0.5, (0, 0, 0), velocity=drift, angular_velocity=spins[0])
    place = (*random.uniform(-0.2, 0.2, 2), 0.85)
    velocity = drift + np.array((*random.uniform(-0.5, 0.5, 2), -random.uniform(0.5, 2.0)))
    add_cube(scene, "small", masses[1], 0.1, place, velocity=velocity, angular_velocity=spins[1])
    sim = SceneSimulation(scene, tolerance=1e-11)
    start, touched, most = totals(sim.graph), False, -np.inf
    for _ in range(120):
        sim.step()
        touched = touched or bool(sim.graph.body_contact["active"].any())
        most = max(most, totals(sim.graph)[0])
    end = totals(sim.graph)
    scale = masses.sum() * 3.0
    assert touched
    np.testing.assert_allclose(end[2], start[2], atol=1e-12 * scale)
    np.testing.assert_allclose(end[3], start[3], atol=1e-9 * scale)
    assert end[1] == pytest.approx(start[1], abs=1e-9 * start[0])
    relative = 0.5 * masses.prod() / masses.sum() * np.sum((velocity - drift) ** 2)
    assert most < start[0] + 1e-6 * relative


def rover_with_drone(acceleration, friction=0.8):
    scene = Scene(tl.World.ground(friction=0.0))
    wheels = [(x, y, -0.1, 0.1) for x in (-0.3, 0.3) for y in (-0.25, 0.25)]
    deck = tl.shapes.Box(lower=(-0.4, -0.3, 0.05), upper=(0.4, 0.3, 0.15), friction=friction)
    rover = tl.RigidBody(mass=20.0, inertia=(1.0, 1.5, 2.0), feet=wheels)
    scene.add_body(rover, name="rover", position=(0, 0, 0.2), shapes=[deck])
    legs = [(x, y, -0.1, 0.02) for x in (-0.15, 0.15) for y in (-0.15, 0.15)]
    drone = tl.RigidBody(mass=1.5, inertia=(0.02, 0.02, 0.03), feet=legs)
    scene.add_body(drone, name="drone", position=(0.1, 0, 0.4701))
    sim = SceneSimulation(scene)
    sim.run(until=0.5)
    sim.command("rover", force=(acceleration * 21.5, 0, 0))
    return sim


def test_a_drone_stands_on_a_rover_that_accelerates():
    sim = rover_with_drone(2.0)
    before = sim["drone"].position - sim["rover"].position
    sim.run(until=1.5)
    assert sim["rover"].velocity[0] == pytest.approx(2.0, rel=1e-6)
    assert sim["drone"].velocity[0] == pytest.approx(2.0, rel=1e-6)
    np.testing.assert_allclose(sim["drone"].position - sim["rover"].position, before, atol=5e-4)
    np.testing.assert_allclose(
        forces(sim, "drone").sum(axis=0), (1.5 * 2.0, 0, 1.5 * G), rtol=1e-3, atol=1e-6
    )
    # What rides is in the field where its body is.
    np.testing.assert_array_equal(sim.plant.field.pose[1, 9:], sim["rover"].position)


def test_a_drone_slides_back_on_a_rover_that_accelerates_too_fast():
    sim = rover_with_drone(3.0, friction=0.2)
    sim.run(until=0.7)
    assert sim["drone"].velocity[0] == pytest.approx(0.2 * 0.2 * G, rel=5e-3)
    assert sim["rover"].velocity[0] == pytest.approx(0.2 * (3.0 * 21.5 - 0.2 * 1.5 * G) / 20.0, rel=1e-3)


def test_feet_do_not_touch_the_shapes_of_their_own_body():
    scene = Scene(tl.World(gravity=0.0))
    body = tl.RigidBody(mass=1.0, inertia=(0.1,) * 3, radius=0.1)
    scene.add_body(
        body, name="b", position=(0, 0, 0), shapes=[tl.shapes.Sphere(center=(0, 0, 0), radius=0.3)]
    )
    sim = SceneSimulation(scene)
    sim.run(until=0.1)
    assert not sim.graph.body_contact["active"].any()
    np.testing.assert_array_equal(sim["b"].position, 0.0)


def test_a_body_that_would_start_in_another_is_refused():
    scene = Scene()
    add_cube(scene, "a", 1.0, 0.2, (0, 0, 0))
    add_cube(scene, "b", 1.0, 0.05, (0.1, 0, 0))
    with pytest.raises(InputError, match="body 'b': it would start"):
        SceneSimulation(scene)
    with pytest.raises(InputError, match="finite"):
        scene.add_body(cube(1.0, 0.1)[0], name="c", position=(3, 0, 0), shapes=[tl.shapes.Plane()])


def test_a_state_that_is_set_again_goes_on_with_the_same_contact():
    sim = rover_with_drone(3.0)
    state = sim.get_state()
    sim.run(until=0.8)
    first = [sim[name].position.copy() for name in ("rover", "drone")]
    sim.set_state(state)
    sim.run(until=0.8)
    for name, place in zip(("rover", "drone"), first, strict=True):
        np.testing.assert_array_equal(sim[name].position, place)


def test_what_is_told_never_to_touch_does_not():
    sim = rover_with_drone(0.0)
    sim.graph.meets[1, 0] = -1
    sim.graph = planned(sim.graph)
    sim._compiled = None
    sim.run(until=0.7)
    assert sim["drone"].position[2] < 0.42 - 0.1
