"""Tethers on what bodies carry: pulleys, drums, loads in a bight, tethers on a deck."""

import numpy as np
import pytest
from graph_scenes import totals

import tetherlab as tl
from tetherlab.assembly.scene import Scene
from tetherlab.assembly.scene_simulation import SceneSimulation
from tetherlab.tether import model as M

G = 9.80665
AIRLESS = {"drag_coefficient": 0.0, "drag_coefficient_tangential": 0.0}
CORD = tl.TetherSpec(linear_density=0.02, diameter=0.004, axial_stiffness=5e3, axial_damping=5.0, **AIRLESS)
LIGHT = tl.TetherSpec(
    linear_density=0.002, diameter=0.004, axial_stiffness=2e3, axial_damping=20.0, **AIRLESS
)
RADIUS = 0.1  # of the middle of a cord on a pulley


def touched(sim, name):
    """Nodes and elements of a tether that touch something."""
    t, m = sim._tethers[name], sim.graph.memories
    count = int(m.number[t, M.COUNT])
    return int(m.contact["active"][t, : count + 1].sum() + m.wrap["active"][t, :count].sum())


def drum(mass, inertia, friction):
    """A cylinder across x and z, that a cord of 2 mm radius goes round at RADIUS."""
    shape = tl.shapes.Cylinder(start=(0, -0.2, 0), end=(0, 0.2, 0), radius=RADIUS - 0.0017, friction=friction)
    return tl.RigidBody(mass=mass, inertia=(inertia,) * 3), [shape]


@pytest.mark.parametrize("mass", [2.0, 0.05])
def test_a_cord_that_catches_a_free_drum_keeps_momentum_and_gives_no_energy(mass):
    scene = Scene(tl.World(gravity=0.0))
    body, shapes = drum(mass, 0.5 * mass * RADIUS**2, 0.3)
    scene.add_body(body, name="drum", position=(0.02, 0, 0), shapes=shapes)
    ends = []
    for name, x in (("a", -0.6), ("b", 0.6)):
        end = tl.RigidBody(mass=0.3, inertia=(1e-3,) * 3)
        ends.append(scene.add_body(end, name=name, position=(x, 0, 0.15), velocity=(0, 0, -0.5)))
    start, end = (part.site() for part in ends)
    scene.add_tether(CORD, name="cord", start=start, end=end, length=1.2, element_length=0.05)
    sim = SceneSimulation(scene, tolerance=1e-11)
    start, most, met = totals(sim.graph), -np.inf, 0
    assert len(sim.graph.program.island) == 2
    for _ in range(150):
        sim.step()
        met = max(met, touched(sim, "cord"))
        most = max(most, totals(sim.graph)[0])
    end = totals(sim.graph)
    assert met > 3 and sim["drum"].velocity[2] < -0.05
    np.testing.assert_allclose(end[2], start[2], atol=2e-12)
    np.testing.assert_allclose(end[3], start[3], atol=1e-5)  # of 0.1: between nodes that touch and do not
    assert most < start[0] + 1e-7
    assert end[1] == pytest.approx(start[1], abs=1e-8)


def over(left, right, points=24):
    """A cord over a pulley at the origin, down to these depths."""
    angles = np.linspace(np.pi, 0.0, points)
    arc = RADIUS * np.stack([np.cos(angles), 0 * angles, np.sin(angles)], axis=1)
    return np.vstack([(-RADIUS, 0, -left), arc, (RADIUS, 0, -right)])


def pulley(masses, inertia, friction, element_length=0.025):
    """Two weights on a cord over a pulley that hangs on two cords and may turn about its axis."""
    scene, top, depths = Scene(), np.array((0.0, 0.0, 2.0)), (0.4, 0.7)
    body, shapes = drum(0.5, inertia, friction)
    wheel = scene.add_body(body, name="pulley", position=top, shapes=shapes)
    carried = 0.5 * G * (0.5 + sum(masses))
    for name, y in (("one", -0.25), ("two", 0.25)):
        place = top + np.array((0, y, 1.0))
        hand = scene.add_hand(name=f"{name}_hand", position=place)
        scene.add_tether(
            LIGHT, name=name, start=hand.site(), end=wheel.site((0, y, 0)),
            length=1.0 / (1.0 + carried / 2e3), shape=[place, place - np.array((0, 0, 1.0))],
        )  # fmt: skip
    sites = []
    for name, x, depth, mass in zip("ab", (-RADIUS, RADIUS), depths, masses, strict=True):
        load = tl.RigidBody(mass=mass, inertia=(1e-4,) * 3)
        sites.append(scene.add_body(load, name=name, position=top + np.array((x, 0, -depth))).site())
    tension = 2.0 * G * masses[0] * masses[1] / sum(masses)
    length = (sum(depths) + np.pi * RADIUS) / (1.0 + tension / LIGHT.axial_stiffness)
    scene.add_tether(
        LIGHT, name="cord", start=sites[0], end=sites[1], length=length, element_length=element_length,
        shape=over(*depths) + top,
    )  # fmt: skip
    return SceneSimulation(scene), LIGHT.linear_density * (sum(depths) + np.pi * RADIUS)


def fall(sim, first=0.1, last=0.4):
    """Mean acceleration of the weights, and of the pulley's turn."""
    sim.run(until=first)
    before = sim["b"].velocity[2] - sim["a"].velocity[2], sim["pulley"].angular_velocity[1]
    sim.run(until=last)
    after = sim["b"].velocity[2] - sim["a"].velocity[2], sim["pulley"].angular_velocity[1]
    return 0.5 * (after[0] - before[0]) / (last - first), (after[1] - before[1]) / (last - first)


def test_a_pulley_that_grips_its_cord_turns_with_it():
    """Atwood: the inertia of the pulley counts as I / r^2."""
    masses, inertia = (0.3, 0.2), 1e-3
    sim, cord = pulley(masses, inertia, friction=2.0)
    acceleration, turning = fall(sim)
    weight = G * (masses[0] - masses[1] - 0.3 * LIGHT.linear_density)
    assert acceleration == pytest.approx(weight / (sum(masses) + cord + inertia / RADIUS**2), rel=0.01)
    assert turning == pytest.approx(-acceleration / RADIUS, rel=0.02)
    assert sim["pulley"].position[2] == pytest.approx(2.0, abs=1e-3)


def test_a_cord_slides_over_a_pulley_without_friction():
    masses = (0.3, 0.2)
    sim, cord = pulley(masses, 1e-3, friction=0.0)
    acceleration, turning = fall(sim)
    weight = G * (masses[0] - masses[1] - 0.3 * LIGHT.linear_density)
    assert acceleration == pytest.approx(weight / (sum(masses) + cord), rel=0.06)
    assert abs(turning) < 2.0  # of 19 if it gripped: backward Euler drags along by its step


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_a_pulley_that_does_not_turn_holds_as_much_as_a_capstan(share):
    light = 0.15
    sim, _ = pulley((share * np.exp(0.3 * np.pi) * light, light), 1e4, friction=0.3)
    acceleration, _ = fall(sim, 0.2, 0.5)
    assert (acceleration > 0.1) == (share > 1.0)
    assert abs(acceleration) < 0.03 or share > 1.0


@pytest.mark.parametrize("mass", [2.0, 0.05])
def test_a_body_hangs_in_the_bight_of_a_tether(mass):
    scene = Scene()
    body, shapes = drum(mass, 1e-2 * mass, 0.3)
    scene.add_body(body, name="load", position=(0, 0, 1.0), shapes=shapes)
    hands = [scene.add_hand(name=n, position=(x, 0, 2.0)) for n, x in (("left", -RADIUS), ("right", RADIUS))]
    shape = over(1.0, 1.0) * (1, 1, -1) + (0, 0, 1.0)
    length = 2.0 + np.pi * RADIUS
    damped = tl.TetherSpec(linear_density=0.02, diameter=0.004, axial_stiffness=5e3, axial_damping=50.0)
    left, right = (hand.site() for hand in hands)
    scene.add_tether(
        damped, name="cord", start=left, end=right, length=length, element_length=0.05, shape=shape
    )
    sim = SceneSimulation(scene)
    for _ in range(200):
        now = sim["load"]
        sim.command("load", force=-2.0 * mass * now.velocity, torque=-0.02 * mass * now.angular_velocity)
        sim.step()
    assert np.linalg.norm(sim["load"].velocity) < 0.02
    np.testing.assert_allclose(sim["load"].position, (0, 0, 1.0), atol=5e-3)
    pulls = sim["cord"].forces
    weight = G * (mass + 0.02 * length)
    np.testing.assert_allclose(pulls.sum(axis=0), (0, 0, -weight), atol=0.05 * weight)


def deck(friction=0.5):
    """A rover with a deck at 0.3 m."""
    wheels = [(x, y, -0.1, 0.1) for x in (-0.4, 0.4) for y in (-0.25, 0.25)]
    shape = tl.shapes.Box(lower=(-0.6, -0.3, 0.05), upper=(0.6, 0.3, 0.1), friction=friction)
    return tl.RigidBody(mass=5.0, inertia=(0.5, 0.7, 1.0), feet=wheels, friction=0.0), [shape]


def ground_force(sim, name):
    return sim.graph.body_contact["force_W"][sim._bodies[name]].sum(axis=0)


def test_a_tether_that_lies_on_a_deck_weighs_on_the_wheels_and_rides_along():
    scene = Scene(tl.World.ground(friction=0.0))
    body, shapes = deck()
    scene.add_body(body, name="rover", position=(0, 0, 0.2), shapes=shapes)
    hands = [scene.add_hand(name=n, position=(x, 0, 0.303)) for n, x in (("left", -0.4), ("right", 0.4))]
    start, end = (hand.site() for hand in hands)
    scene.add_tether(
        tl.TetherSpec(linear_density=0.5, diameter=0.004, axial_stiffness=5e3, axial_damping=50.0),
        name="rope", start=start, end=end, length=0.8, element_length=0.1,
        shape=[(-0.4, 0, 0.303), (0.4, 0, 0.303)],
    )  # fmt: skip
    sim = SceneSimulation(scene)
    sim.release("rope", "start")
    sim.release("rope", "end")
    sim.run(until=0.5)
    assert ground_force(sim, "rover")[2] == pytest.approx(G * (5.0 + 0.4), rel=1e-3)
    sim.command("rover", force=(2.0 * 5.4, 0, 0))
    sim.run(until=1.0)
    rope = sim.graph.memories.vectors[0, 1, : int(sim.graph.memories.number[0, M.COUNT]) + 1]
    assert sim["rover"].velocity[0] == pytest.approx(1.0, rel=2e-3)
    np.testing.assert_allclose(rope[:, 0], sim["rover"].velocity[0], rtol=5e-3)
    sim.command("rover", force=(20.0 * 5.4, 0, 0))  # more than friction on the deck can pass on
    before = rope[:, 0].mean()
    sim.run(until=1.02)
    assert (rope[:, 0].mean() - before) / 0.02 == pytest.approx(0.5 * G, rel=0.1)


def test_a_tether_tied_to_a_deck_hangs_over_its_edge():
    """All weight comes down on the wheels: no force is left over between tie, edge and what hangs on it."""
    scene = Scene(tl.World.ground(friction=0.5))
    body, shapes = deck()
    rover = scene.add_body(body, name="rover", position=(0, 0, 0.2), shapes=shapes)
    load = scene.add_body(tl.RigidBody(mass=0.2, inertia=(1e-4,) * 3), name="load", position=(0.6025, 0, 0.1))
    path = [(0.2, 0, 0.3025), (0.55, 0, 0.3025), (0.6025, 0, 0.3025), (0.6025, 0, 0.1)]
    damped = tl.TetherSpec(linear_density=0.02, diameter=0.004, axial_stiffness=5e3, axial_damping=50.0)
    scene.add_tether(
        damped, name="cord", start=rover.site((0.2, 0, 0.1025)), end=load.site(), length=0.604,
        element_length=0.05, shape=path,
    )  # fmt: skip
    sim = SceneSimulation(scene)
    sim.run(until=1.0)
    assert touched(sim, "cord") > 0
    weight, pushed = G * (5.2 + 0.604 * 0.02), []
    for _ in range(20):
        sim.step()
        pushed.append(ground_force(sim, "rover"))
    np.testing.assert_allclose(np.mean(pushed, axis=0), (0, 0, weight), atol=2e-3 * weight)
    assert np.linalg.norm(sim["rover"].velocity) < 1e-3
    assert sim["cord"].tensions[-1] == pytest.approx(0.2 * G, rel=0.02)
