"""Bodies that touch each other: what is kept, what is lost, and what holds a stack."""

import numpy as np
import pytest
from graph_scenes import totals

import tetherlab as tl
from tetherlab.assembly.scene import Scene
from tetherlab.assembly.scene_simulation import SceneSimulation

G = 9.80665
RADIUS = 0.1
CORD = tl.TetherSpec(linear_density=0.02, diameter=0.004, axial_stiffness=5e3, axial_damping=5.0)


def ball(mass, friction=0.3, **options):
    inertia = (0.4 * mass * RADIUS**2,) * 3
    return tl.RigidBody(mass=mass, inertia=inertia, radius=RADIUS, friction=friction, **options)


def balance(sim):
    """Energy, energy less what the books explain, momentum and angular momentum."""
    energy, books, momentum, turning = totals(sim.graph)
    held = float(sim.graph.pair["stored"].sum())
    return energy + held, books + held, momentum, turning


def touches(sim):
    return bool(sim.graph.pair["active"].any())


@pytest.mark.parametrize("seed", range(6))
def test_a_collision_keeps_both_momenta_and_gives_no_energy(seed):
    random = np.random.default_rng(seed)
    drift = random.uniform(-20.0, 20.0, 3)  # the same, however fast all moves
    scene = Scene(tl.World(gravity=0.0))
    masses = 10.0 ** random.uniform(-2.0, 1.0, 2)
    for name, mass, side in zip("ab", masses, (-1.0, 1.0), strict=True):
        body = ball(mass, angular_velocity=random.uniform(-10.0, 10.0, 3))
        place = (side * 0.4, *random.uniform(-0.06, 0.06, 2))
        velocity = drift - side * random.uniform(0.5, 4.0) * np.eye(3)[0]
        scene.add_body(body, name=name, position=place, velocity=velocity)
    sim = SceneSimulation(scene)
    start, before = balance(sim), sim["a"].velocity.copy()
    while sim.time < 1.0:
        sim.step()
        assert np.linalg.norm(sim["a"].position - sim["b"].position) > 2 * RADIUS - 5e-3
    end = balance(sim)
    assert np.linalg.norm(sim["a"].velocity - before) > 1e-3 and not touches(sim)
    scale = masses.sum() * 4.0
    np.testing.assert_allclose(end[2], start[2], atol=1e-12 * scale + 1e-12 * np.abs(start[2]).max())
    np.testing.assert_allclose(end[3], start[3], atol=1e-4 * scale)
    # Energy as the common centre sees it.
    v = start[2] / masses.sum()
    lost = start[0] - end[0] - (start[2] - end[2]) @ v
    assert lost > 1e-6
    assert end[1] == pytest.approx(start[1], rel=1e-9)


def test_spheres_part_after_a_central_collision_not_faster_than_they_met():
    scene = Scene(tl.World(gravity=0.0))
    scene.add_body(ball(0.5), name="a", position=(-0.3, 0, 0), velocity=(1, 0, 0))
    scene.add_body(ball(0.5), name="b", position=(0.0, 0, 0))
    sim = SceneSimulation(scene)
    sim.run(until=1.0)
    a, b = sim["a"].velocity, sim["b"].velocity
    assert a[0] + b[0] == pytest.approx(1.0, abs=1e-12)
    assert -1e-9 < b[0] - a[0] <= 1.0
    np.testing.assert_allclose([a[1:], b[1:]], 0.0, atol=1e-12)


def test_a_stack_rests_on_the_ground_with_the_weights_above_each_contact():
    scene = Scene(tl.World([tl.shapes.Plane(name="ground")]))
    masses = (1.0, 0.5, 2.0)
    for k, mass in enumerate(masses):
        scene.add_body(ball(mass), name=f"b{k}", position=(0, 0, RADIUS + 2.02 * RADIUS * k))
    sim = SceneSimulation(scene)
    start = balance(sim)
    sim.run(until=3.0)
    np.testing.assert_allclose(sim.graph.pair["normal_force"], [2.5 * G, 2.0 * G], rtol=1e-5)
    assert np.linalg.norm(sim["b2"].velocity) < 1e-6
    end = balance(sim)
    assert end[1] == pytest.approx(start[1], abs=1e-9)
    assert end[0] < start[0]


@pytest.mark.parametrize("friction", [(0.2, 0.2), (0.1, 0.4)])
def test_a_body_that_is_dragged_over_another_feels_coulomb_friction(friction):
    """The lower one cannot move: it weighs a thousand times as much, and nothing turns."""
    scene = Scene(tl.World(gravity=0.0))
    heavy = tl.RigidBody(mass=1e4, inertia=(1e4,) * 3, radius=5.0, friction=friction[0])
    scene.add_body(heavy, name="heavy", position=(0, 0, -5.0))
    slider = tl.RigidBody(mass=1.0, inertia=(1e4,) * 3, radius=RADIUS, friction=friction[1])
    scene.add_body(slider, name="slider", position=(0, 0, RADIUS + 1e-4), velocity=(0.5, 0, 0))
    sim = SceneSimulation(scene)
    ratios = []
    for _ in range(15):
        sim.command("slider", force=(0, 0, -10.0))
        sim.step()
        pair = sim.graph.pair[0]
        along = pair["force_W"] - pair["normal_force"] * pair["normal_W"]
        ratios.append(np.linalg.norm(along) / pair["normal_force"] if pair["normal_force"] > 0 else np.nan)
    assert np.nanmedian(ratios) == pytest.approx(0.2, rel=1e-6)
    assert sim["slider"].velocity[0] < 0.5 - 0.5 * 0.2 * 10.0 * 0.15


def cradle():
    """Two loads side by side on tethers of their own; one is drawn aside."""
    scene = Scene()
    for name, x, aside in (("one", 0.0, -0.5), ("two", 2.0 * RADIUS + 0.002, 0.0)):
        hand = scene.add_hand(name=f"{name}_hand", position=(x, 0, 2))
        place = np.array((x + np.sin(aside), 0, 2 - np.cos(aside)))
        load = scene.add_body(ball(0.4), name=name, position=place)
        scene.add_tether(
            CORD, name=f"{name}_tether", start=hand.site(), end=load.site(), length=1.0, element_length=0.05
        )
    return SceneSimulation(scene)


def test_loads_on_tethers_of_their_own_hand_on_their_swing():
    sim = cradle()
    start, highest, apart = balance(sim), 0.0, False
    assert len(sim.graph.program.island) == 2
    for _ in range(400):
        sim.step()
        islands = len(sim.graph.program.island)
        apart = apart or islands == 2
        assert islands == 1 or not touches(sim)
        highest = max(highest, sim["two"].position[0])
        assert sim["two"].position[0] - sim["one"].position[0] > 2 * RADIUS - 2e-3
        energy, books, _, _ = balance(sim)
        assert books == pytest.approx(start[1], abs=0.01 * 0.5)  # of the joules that swing
        assert energy < start[0] + 1e-3
    assert highest > 0.2 + 0.2  # it was struck


def test_a_state_that_is_set_again_goes_on_with_the_same_contact():
    sim = cradle()
    while not touches(sim):
        sim.step()
    state = sim.get_state()
    sim.run(until=sim.time + 0.3)
    first = [sim[name].position.copy() for name in ("one", "two")]
    sim.set_state(state)
    sim.run(until=sim.time + 0.3)
    for name, place in zip(("one", "two"), first, strict=True):
        np.testing.assert_array_equal(sim[name].position, place)


def test_bodies_joined_by_a_tether_touch_each_other_as_well():
    """A loop of tether and contact: the tether pulls the two together."""
    scene = Scene(tl.World(gravity=0.0))
    a = scene.add_body(ball(0.5), name="a", position=(0, 0, 0), velocity=(0.3, 0, 0))
    b = scene.add_body(ball(0.5), name="b", position=(0.6, 0, 0), velocity=(0, 0, 0.02))
    scene.add_tether(CORD, name="cord", start=a.site(), end=b.site(), length=0.6, element_length=0.05)
    sim = SceneSimulation(scene)
    start = balance(sim)
    met = False
    while sim.time < 5.0:
        sim.step()
        met = met or touches(sim)
    end = balance(sim)
    assert met and end[0] < start[0] + 1e-9
    np.testing.assert_allclose(end[2], start[2], atol=1e-4)  # the cord moves through air
