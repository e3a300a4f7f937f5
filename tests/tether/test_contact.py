"""Contact with obstacles: weight carried, friction, moving obstacles, and nothing that passes through."""

import math

import numpy as np
import pytest
from tether_scenes import book, make_spec, momentum, run

import tetherlab as tl
from analytical import GRAVITY, slide_distance
from tetherlab.world.contact import capstan_friction


def lying(world, start, end, **options):
    """A free tether laid straight between two points, its ends released."""
    length = float(np.linalg.norm(np.subtract(end, start)))
    tether = tl.Tether(
        make_spec(**options), base=start, end=end, length=length, element_length=0.1, world=world
    )
    tether.release("base")
    tether.release("end")
    return tether


def contact_force(tether):
    return np.sum([c.force for c in tether.contacts], axis=0) if tether.contacts else np.zeros(3)


def test_the_ground_carries_the_weight_of_what_lies_on_it():
    tether = lying(tl.World.ground(), (0, 0, 0.05), (2, 0, 0.05))
    run(tether, 2.0)
    assert np.allclose(contact_force(tether), (0.0, 0.0, 0.05 * 2.0 * GRAVITY), rtol=0, atol=1e-4)
    assert np.allclose(tether.nodes[:, 2], 0.004, rtol=0, atol=1e-4)
    assert np.allclose(tether.velocities, 0.0, atol=1e-4)
    force, _ = tether.reaction_on("ground")
    assert np.allclose(force, -contact_force(tether))


def test_a_hanging_tether_shares_its_weight_between_holders_and_ground():
    shape = [(0, 0, 1), (0, 0, 0.02), (2, 0, 0.02), (2, 0, 1)]
    tether = tl.Tether(
        make_spec(axial_damping=100.0, drag_coefficient=100.0), base=(0, 0, 1), end=(2, 0, 1), length=3.96,
        shape=shape, world=tl.World.ground(),
    )  # fmt: skip
    run(tether, 8.0)
    outside = np.zeros(3)
    for _ in range(20):
        forces = tether.step(0.005)
        outside += (forces.on_base + forces.on_end - contact_force(tether)) / 20.0
    assert np.allclose(outside, (0.0, 0.0, -0.05 * 3.96 * GRAVITY), rtol=0, atol=1e-3)


def test_momentum_changes_by_weight_holders_and_contact_in_an_impact():
    tether = tl.Tether(
        make_spec(), base=(0, 0, 0.3), end=(1, 0, 0.3), length=1.0, world=tl.World.ground(), step_max=2e-4
    )
    tether.release("end")
    touched = 0.0
    before = momentum(tether)
    for _ in range(3000):
        forces = tether.step(2e-4)  # one internal step, so that contacts tell the whole of it
        after = momentum(tether)
        push = contact_force(tether)
        outside = push - forces.on_base - forces.on_end + (0.0, 0.0, -0.05 * GRAVITY)
        assert np.allclose((after - before) / 2e-4, outside, rtol=0, atol=3e-3 * (1.0 + np.abs(push).max()))
        touched = max(touched, push[2])
        before = after
    assert touched > 0.1


@pytest.mark.parametrize(("slope_deg", "slides"), [(15.0, False), (18.0, True)])
def test_on_a_slope_it_holds_below_the_friction_angle_and_slides_above(slope_deg, slides):
    slope = math.radians(slope_deg)  # friction 0.3 holds to 16.7 degrees
    down, normal = (
        np.array((math.cos(slope), 0, -math.sin(slope))),
        np.array((math.sin(slope), 0, math.cos(slope))),
    )
    world = tl.World([tl.shapes.Plane(normal=normal, name="slope")])
    # Set down at the depth at which the ground carries the weight, so that it does not bounce.
    depth = 0.05 * 0.1 * GRAVITY * math.cos(slope) / 1e5
    tether = lying(world, (0.004 - depth) * normal, (0.004 - depth) * normal + 1.0 * down, friction=0.3)
    start = tether.nodes.mean(axis=0)
    run(tether, 1.5)
    moved = float((tether.nodes.mean(axis=0) - start) @ down)
    if slides:
        assert moved == pytest.approx(slide_distance(slope, 0.3, 1.5), rel=0.02)
    else:
        assert moved < 1e-4
        settled = tether.nodes
        run(tether, 2.0)
        assert np.allclose(tether.nodes, settled, rtol=0, atol=1e-6)


def test_the_friction_of_an_obstacle_goes_before_that_of_the_tether():
    slope = math.radians(18.0)
    normal = np.array((math.sin(slope), 0, math.cos(slope)))
    down = np.array((math.cos(slope), 0, -math.sin(slope)))
    world = tl.World([tl.shapes.Plane(normal=normal, friction=0.6, name="slope")])
    tether = lying(world, 0.004 * normal, 0.004 * normal + down, friction=0.3)
    start = tether.nodes
    run(tether, 1.0)
    assert np.abs(tether.nodes - start).max() < 1e-3


def test_a_deck_carries_a_resting_tether_along_by_friction():
    deck = tl.shapes.Box(lower=(-3, -1, -0.1), upper=(3, 1, 0), name="deck", friction=0.5)
    world = tl.World([deck])
    world.place("deck", position=(0, 0, 0))
    tether = lying(world, (-0.5, 0, 0.004), (0.5, 0, 0.004))
    run(tether, 0.3)
    start = tether.nodes
    x = 0.0
    for k in range(150):
        v = min(1.0, 0.02 * k)  # 2 m/s^2 < mu g
        world.place("deck", position=(x, 0, 0), velocity=(v, 0, 0))
        tether.step(0.01)
        x += 0.01 * v
    assert x > 0.9
    assert np.allclose(tether.nodes - start, (x, 0, 0), rtol=0, atol=5e-3)
    assert np.allclose(tether.velocities, (1.0, 0, 0), rtol=0, atol=5e-3)


def test_a_turning_deck_carries_a_resting_tether_round():
    deck = tl.shapes.Cylinder(start=(0, 0, -0.1), end=(0, 0, 0), radius=1.0, name="deck", friction=0.8)
    world = tl.World([deck])
    world.place("deck", position=(0, 0, 0))
    tether = lying(world, (-0.5, 0, 0.004), (0.5, 0, 0.004))
    run(tether, 0.3)
    angle = 0.0
    for k in range(150):
        w = min(1.0, 0.02 * k)
        world.place(
            "deck", position=(0, 0, 0), rotation_wxyz=(math.cos(angle / 2), 0, 0, math.sin(angle / 2)),
            angular_velocity=(0, 0, w),
        )  # fmt: skip
        tether.step(0.01)
        angle += 0.01 * w
    turned = np.arctan2(tether.nodes[-1, 1], tether.nodes[-1, 0])
    assert turned == pytest.approx(angle, abs=0.02)


def test_a_moving_obstacle_pushes_the_tether_and_feels_the_reverse():
    world = tl.World(
        [tl.shapes.Capsule(start=(1, -1, 0), end=(1, 1, 0), radius=0.05, name="arm")], gravity=0.0
    )
    world.place("arm", position=(0, 0, -0.2), velocity=(0, 0, 0.5))
    tether = tl.Tether(make_spec(), base=(0, 0, 0), end=(2, 0, 0), length=2.0, world=world)
    for k in range(100):
        world.place("arm", position=(0, 0, -0.2 + 0.005 * k), velocity=(0, 0, 0.5))
        forces = tether.step(0.01)
    assert world.distance(tether.nodes).min() > 0.0
    force, torque = tether.reaction_on("arm")
    assert force[2] < -5.0
    assert np.allclose(force, -contact_force(tether), rtol=0.05, atol=0.05), (
        "mean of the call and its last step"
    )
    # The line is bent up over x = 1 of the object's frame, so the torque about its origin is x cross F.
    assert torque[1] == pytest.approx(-1.0 * force[2], rel=0.05)
    assert tether.energy.work > 0.0
    total = forces.on_base + forces.on_end + force
    assert np.allclose(total, 0.0, atol=0.1 * abs(force[2])), "the masses are small against the pull"


def test_an_obstacle_gets_all_the_momentum_that_a_falling_tether_loses_on_it():
    world = tl.World.ground()
    spec = make_spec(drag_coefficient=0.0, drag_coefficient_tangential=0.0)
    tether = tl.Tether(spec, base=(0, 0, 1), end=(2, 0, 1), length=2.0, world=world)
    tether.release("base")
    tether.release("end")
    received = np.zeros(3)
    for _ in range(100):
        tether.step(0.01)
        received += 0.01 * tether.reaction_on("ground")[0]
    assert np.allclose(received, (0.0, 0.0, -0.05 * 2.0 * GRAVITY * 1.0), rtol=0, atol=1e-4)


def test_a_held_end_is_not_touched_by_what_it_lay_on():
    tether = tl.Tether(
        make_spec(), base=(0, 0, 1), end=(1, 0, 0.004), length=1.6, world=tl.World.ground(),
        end_body=tl.PointMass(0.1),
    )  # fmt: skip
    run(tether, 1.0)
    assert any(np.allclose(c.point, tether.nodes[-1]) for c in tether.contacts)
    tether.attach("end")
    run(tether, 0.1)
    assert not any(np.allclose(c.point, tether.nodes[-1]) for c in tether.contacts)


def test_the_force_on_a_point_mass_that_lies_on_the_ground_is_that_of_the_tether_alone():
    tether = tl.Tether(
        make_spec(), base=(0, 0, 1), end=(1, 0, 0.1), length=1.6, world=tl.World.ground(),
        end_body=tl.PointMass(1.0, radius=0.1),
    )  # fmt: skip
    forces = run(tether, 2.0)
    assert np.linalg.norm(forces.on_end) == pytest.approx(tether.tensions[-1], abs=0.05)


def test_a_body_that_stands_on_its_attachment_falls_over_as_an_inverted_pendulum():
    tilt = math.radians(10.0)
    body = tl.RigidBody(
        mass=1.0, inertia=(0.01, 0.01, 0.01), attachment=(0, 0, -0.1),
        rotation_wxyz=(math.cos(tilt / 2), 0, math.sin(tilt / 2), 0),
    )  # fmt: skip
    spec = make_spec(linear_density=0.001, friction=1.0)
    world = tl.World.ground(friction=1.0)
    tether = tl.Tether(spec, base=(0, 0, 0.5), end=(0.5, 0, 0.00395), length=0.9, world=world, end_body=body)
    start = book(tether)
    run(tether, 0.2)
    arm = tether.end_body["position"] - tether.nodes[-1]
    # (J + m l^2) tilt'' = m g l tilt: it grows with cosh(7 t)
    rate = math.sqrt(1.0 * GRAVITY * 0.1 / (0.01 + 1.0 * 0.1**2))
    assert math.atan2(arm[0], arm[2]) == pytest.approx(tilt * math.cosh(rate * 0.2), rel=0.02)
    assert tether.end_body["angular_velocity"][1] == pytest.approx(
        rate * tilt * math.sinh(rate * 0.2), rel=0.03
    )
    assert book(tether) == pytest.approx(start, abs=1e-5)


def capstan_ratio(radius, friction, element_length, pull=20.0, duration=1.2):
    """Tension ratio of a tether drawn slowly over half a turn of a cylinder against a constant force."""
    spec = make_spec(linear_density=0.0667, axial_damping=20.0, friction=friction)
    world = tl.World(
        [tl.shapes.Cylinder(start=(0, -1, 0), end=(0, 1, 0), radius=radius, name="pole")], gravity=0.0
    )
    r = radius + 0.004
    angle = np.linspace(0.0, math.pi, 400)
    arc = np.stack([r * np.cos(angle), 0.0 * angle, r * np.sin(angle)], axis=1)
    legs = np.array([(0.0, 0.0, -0.7)])
    shape = np.concatenate([arc[:1] + legs, arc, arc[-1:] + legs])
    path = float(np.linalg.norm(np.diff(shape, axis=0), axis=1).sum())
    tether = tl.Tether(
        spec, base=shape[0], end=shape[-1], length=path / (1.0 + pull / 1e4), element_length=element_length,
        shape=shape, world=world, end_body=tl.PointMass(0.5), step_max=0.002,
    )  # fmt: skip
    base = shape[0].copy()
    ratios = []
    for k in range(round(duration / 0.01)):
        speed = 0.1 * min(1.0, k * 0.05)
        base[2] -= 0.01 * speed
        forces = tether.step(0.01, base=base, base_velocity=(0, 0, -speed), end_force=(0, 0, -pull))
        if k * 0.01 > 0.6 * duration:
            ratios.append(np.linalg.norm(forces.on_base) / tether.tensions[-1])
    return float(np.mean(ratios))


@pytest.mark.parametrize(
    ("radius", "element_length", "tolerance"),
    [pytest.param(0.3, 0.05, 0.01, id="drum of 0.6 m"), pytest.param(0.01, 0.1, 0.05, id="pole of 2 cm")],
)
def test_a_half_turn_multiplies_tension_by_the_capstan_law(radius, element_length, tolerance):
    assert capstan_ratio(radius, 0.3, element_length) == pytest.approx(math.exp(0.3 * math.pi), rel=tolerance)


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_a_tether_thrown_at_a_pole_at_10_m_per_s_does_not_pass(friction):
    world = tl.World(
        [tl.shapes.Cylinder(start=(1, -1, 0), end=(1, 1, 0), radius=0.01, name="pole")], gravity=0.0
    )
    tether = tl.Tether(
        make_spec(friction=friction, axial_stiffness=2e3),
        base=(0, 0, 0.1),
        end=(2, 0, 0.1),
        length=2.0,
        world=world,
    )
    z = 0.1
    for k in range(60):
        v = -10.0 * min(1.0, 0.2 * k)
        if z < -0.4:
            v = 0.0
        z += 0.01 * v
        tether.step(0.01, base=(0, 0, z), end=(2, 0, z), base_velocity=(0, 0, v), end_velocity=(0, 0, v))
    assert z < -0.3
    path = np.concatenate(
        [np.linspace(a, b, 20) for a, b in zip(tether.nodes[:-1], tether.nodes[1:], strict=True)]
    )
    over = path[np.abs(path[:, 0] - 1.0) < 0.005]
    assert len(over) > 0
    # A chord may cut the corner; what matters is that nothing is below the pole.
    assert over[:, 2].min() > -0.02
    assert tether.contacts


@pytest.mark.parametrize("friction", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("turn", [0.05, 0.5, 1.5])
def test_capstan_friction_gives_a_node_the_ratio_of_the_capstan_law(friction, turn):
    mu = capstan_friction(friction, math.cos(turn))
    t = math.tan(0.5 * turn)
    assert (1.0 + mu * t) / (1.0 - mu * t) == pytest.approx(math.exp(friction * turn), rel=1e-9)


def test_capstan_friction_is_that_of_the_material_where_the_tether_is_straight():
    assert capstan_friction(0.3, 1.0) == 0.3


def test_a_start_that_hangs_into_the_ground_is_laid_on_it_without_being_crushed():
    tether = tl.Tether(make_spec(), base=(0, 0, 0.1), end=(2, 0, 0.1), length=3.5, world=tl.World.ground())
    assert tether.energy.elastic < 1.0
    fastest = 0.0
    for _ in range(50):
        tether.step(0.01)
        fastest = max(fastest, np.abs(tether.velocities).max())
    assert fastest < 5.0
    assert tether.nodes[:, 2].min() > 0.0


def test_the_energy_book_closes_in_impacts_and_friction():
    tether = tl.Tether(
        make_spec(),
        base=(0, 0, 1),
        end=(2, 0, 1),
        length=2.5,
        world=tl.World.ground(),
        end_body=tl.PointMass(0.2),
    )
    energy = tether.energy
    start, highest, worst = energy.total, energy.total, 0.0
    for _ in range(200):
        tether.step(0.01)
        energy = tether.energy
        worst = max(worst, abs(energy.total + energy.dissipated - energy.work - start))
        highest = max(highest, energy.total)
    assert tether.contacts
    assert energy.dissipated > 1.0
    assert worst < 5e-3 * energy.dissipated
    assert highest < start + 1e-3


def test_contacts_end_when_the_tether_is_lifted_off():
    tether = lying(tl.World.ground(), (0, 0, 0.01), (1, 0, 0.01))
    run(tether, 0.5)
    assert tether.contacts
    tether.attach("base")
    tether.attach("end")
    base, end = tether.nodes[0], tether.nodes[-1]
    for k in range(100):
        lift = np.array((0, 0, 0.005 * (k + 1)))
        tether.step(0.01, base=base + lift, end=end + lift)
    assert tether.nodes[:, 2].min() > 0.2
    assert tether.contacts == []
    assert np.allclose(tether.reaction_on("ground"), 0.0)
