"""A rigid body by itself, and the same body at the end of a tether without weight."""

import math

import numpy as np
import pytest
from vehicle_scenes import drone_spec

import tetherlab as tl
from analytical import GRAVITY, slide_distance
from tetherlab.vehicles.alone import LoneQuadrotor

INERTIA = (0.02, 0.03, 0.045)
NOTHING = (0.0, 0.0, 0.0)
PLATE = np.array([(x, y, -0.1, 0.02) for x in (0.2, -0.2) for y in (0.15, -0.15)])  # four feet


def plain_body(position=NOTHING, world=None, feet=PLATE, step_max=0.005, angle=0.0, **changes):
    """A drone without rotors that turn and without drag: a rigid body on feet, pitched up by an angle."""
    spec = drone_spec(
        mass=1.0, inertia=np.array(INERTIA), feet=np.asarray(feet), drag_linear=np.zeros(3), drag_area=0.0,
        **changes,
    )  # fmt: skip
    body = LoneQuadrotor(spec, position=position, world=world or tl.World(), step_max=step_max)
    c, s = math.cos(angle), math.sin(angle)
    body.body["R_WB"][0] = body.body["R_next"][0] = [[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]]
    return body


def coast(body, time, push=NOTHING, at=NOTHING):
    body.step(time, NOTHING, armed=False, push=push, at=at)


def on_slope(angle, friction, **changes):
    """At rest on a slope that rises along x, its feet touching."""
    normal = np.array([-math.sin(angle), 0.0, math.cos(angle)])
    world = tl.World(shapes=[tl.shapes.Plane(normal=normal, friction=friction)])
    return plain_body(0.12 * normal, world, angle=angle, **changes)


def light_tether(body, **options):
    """A tether that weighs nothing, with a body at its end and nobody at its base."""
    spec = tl.TetherSpec(
        linear_density=1e-7, diameter=0.002, axial_stiffness=1.0, axial_damping=0.0,
        drag_coefficient=0.0, drag_coefficient_tangential=0.0, friction=0.5,
    )  # fmt: skip
    place = np.array(options.pop("position", (0.0, 0.0, 0.0)))
    tether = tl.Tether(
        spec,
        base=place + np.array([0.1, 0.0, 0.0]),
        end=place,
        length=0.1,
        element_length=0.05,
        end_body=body,
        **options,
    )
    tether.release("base")
    return tether


def test_it_falls_freely():
    body = plain_body()
    coast(body, 1.0)
    assert np.allclose(body.position, (0.0, 0.0, -0.5 * GRAVITY), rtol=0, atol=1e-9)


def test_free_rotation_keeps_energy_and_angular_momentum():
    body = plain_body(world=tl.World(gravity=0.0))
    momentum = np.array(INERTIA) * (0.1, 5.0, 0.2)
    body.body["L_W"][0] = momentum
    energy = 0.5 * momentum @ body.angular_velocity
    lowest = 1.0
    for _ in range(1000):
        coast(body, 0.01)
        lowest = min(lowest, body.rotation[1, 1])
    assert lowest < -0.5, "its middle axis should have turned over"
    assert np.array_equal(body.body["L_W"][0], momentum)
    assert 0.5 * momentum @ body.angular_velocity == pytest.approx(energy, rel=1e-5)
    assert np.allclose(body.rotation @ body.rotation.T, np.eye(3), rtol=0, atol=1e-12)


def test_it_moves_as_at_the_end_of_a_tether_that_weighs_nothing():
    alone = plain_body(position=(0.0, 0.0, 0.5), world=tl.World.ground(), friction=0.5)
    alone.body["L_W"][0] = np.array(INERTIA) * (0.3, 0.8, 0.2)
    tether = light_tether(
        tl.RigidBody(
            mass=1.0, inertia=INERTIA, feet=PLATE, angular_velocity=(0.3, 0.8, 0.2), friction=0.5,
        ),
        position=(0.0, 0.0, 0.5), world=tl.World.ground(),
    )  # fmt: skip
    alone.body["stiffness"] = 1.5e6  # what a tether gives a body of 1 kg
    for _ in range(25):
        coast(alone, 0.01)
        tether.step(0.01)
        assert np.allclose(alone.position, tether.end_body["position"], rtol=0, atol=1e-6)
    # Then both land, turning, on one foot first.
    for _ in range(100):
        coast(alone, 0.01)
        tether.step(0.01)
    assert np.allclose(alone.position[2], tether.end_body["position"][2], rtol=0, atol=2e-3)


def test_at_rest_each_of_four_feet_carries_a_quarter_of_the_weight():
    body = plain_body((0.0, 0.0, 0.12), tl.World.ground())
    coast(body, 3.0)
    assert np.allclose(body.contact_forces, (0.0, 0.0, 0.25 * GRAVITY), rtol=0, atol=1e-3)


def test_feet_about_an_off_centre_mass_balance_its_moment():
    feet = PLATE + np.array([0.05, -0.04, 0.0, 0.0])
    body = plain_body((0.0, 0.0, 0.12), tl.World.ground(), feet)
    coast(body, 6.0)
    loads = body.contact_forces[:, 2]
    assert loads.sum() == pytest.approx(GRAVITY, rel=1e-3)
    assert np.allclose(loads @ feet[:, :2], 0.0, atol=1e-2)


def test_a_plate_slides_down_a_slope_steeper_than_its_friction():
    angle, mu = 0.5, 0.3
    body = on_slope(angle, mu)
    coast(body, 1.0)
    exact = slide_distance(angle, mu, 1.0)
    down = np.array([-math.cos(angle), 0.0, -math.sin(angle)])
    start = 0.12 * np.array([-math.sin(angle), 0.0, math.cos(angle)])
    assert (body.position - start) @ down == pytest.approx(exact, rel=0.02)


def test_a_plate_stays_on_a_flatter_slope_and_does_not_creep():
    body = on_slope(math.atan(0.28), 0.3)
    coast(body, 3.0)
    start = body.position
    coast(body, 10.0)
    assert np.allclose(body.position, start, rtol=0, atol=1e-6)


@pytest.mark.parametrize(("share", "tips"), [(0.95, False), (1.05, True)])
def test_pushed_above_the_tipping_height_it_tips_over_its_edge(share, tips):
    body = plain_body((0.0, 0.0, 0.12), tl.World.ground(), friction=2.0)
    coast(body, 2.0)
    # About the front edge: force * height = weight * half length; feet touch at their lowest points.
    height = 0.4
    enough = GRAVITY * 0.2 / height
    for k in range(100):
        coast(body, 0.02, push=(share * enough * (k + 1) / 100, 0.0, 0.0), at=(0.0, 0.0, height - 0.12))
    for _ in range(100):
        coast(body, 0.01, push=(share * enough, 0.0, 0.0), at=(0.0, 0.0, height - 0.12))
    assert (body.rotation[2, 2] < 0.9) == tips


def test_pushed_low_it_slides_without_tipping():
    body = plain_body((0.0, 0.0, 0.12), tl.World.ground(), friction=0.4)
    coast(body, 2.0)
    coast(body, 0.5, push=(0.6 * GRAVITY, 0.0, 0.0), at=(0.0, 0.0, -0.1))
    before = body.velocity[0]
    coast(body, 0.5, push=(0.6 * GRAVITY, 0.0, 0.0), at=(0.0, 0.0, -0.1))
    assert body.velocity[0] - before == pytest.approx(0.5 * 0.2 * GRAVITY, rel=0.02)
    assert body.rotation[2, 2] > 0.999


def test_a_ball_rolls_down_a_slope_as_a_rolling_sphere_does():
    angle, radius = 0.2, 0.1
    inertia = 0.4 * radius**2
    normal = np.array([-math.sin(angle), 0.0, math.cos(angle)])
    world = tl.World(shapes=[tl.shapes.Plane(normal=normal, friction=0.8)])
    body = plain_body(radius * normal, world, feet=[(0.0, 0.0, 0.0, radius)])
    body.body["inertia_B"][0] = np.diag([inertia] * 3)
    coast(body, 0.5)
    before = body.velocity
    coast(body, 1.0)
    down = np.array([-math.cos(angle), 0.0, -math.sin(angle)])
    assert (body.velocity - before) @ down == pytest.approx(5.0 / 7.0 * GRAVITY * math.sin(angle), rel=2e-3)
    # Without slip.
    assert body.angular_velocity[1] * radius == pytest.approx(-body.velocity @ down, rel=2e-3)


def test_a_ball_on_a_slope_steeper_than_rolling_allows_slips_and_spins_up_by_friction():
    angle, radius, mu = 0.9, 0.1, 0.1
    inertia = 0.4 * radius**2
    normal = np.array([-math.sin(angle), 0.0, math.cos(angle)])
    world = tl.World(shapes=[tl.shapes.Plane(normal=normal, friction=mu)])
    body = plain_body(radius * normal, world, feet=[(0.0, 0.0, 0.0, radius)])
    body.body["inertia_B"][0] = np.diag([inertia] * 3)
    coast(body, 1.0)
    spin = mu * GRAVITY * math.cos(angle) * radius / inertia
    assert -body.angular_velocity[1] == pytest.approx(spin, rel=0.02)


def test_an_impact_on_one_foot_only_loses_energy():
    body = plain_body((0.0, 0.0, 0.4), tl.World.ground(), angle=0.4)
    last = np.inf
    for _ in range(300):
        coast(body, 0.005)
        L = body.body["L_W"][0]
        kinetic = 0.5 * body.velocity @ body.velocity + 0.5 * L @ body.angular_velocity
        feet = 0.5 * (body.contacts["depth"] ** 2).sum() * body.body["stiffness"][0]
        energy = kinetic + GRAVITY * body.position[2] + feet
        assert energy < last + 5e-3
        last = min(last, energy)
    assert last < 0.5 * GRAVITY * 0.4


def test_the_energy_book_of_a_tether_closes_with_a_body_on_feet():
    spec = tl.TetherSpec(linear_density=0.05, diameter=0.008, friction=0.5)
    tether = tl.Tether(
        spec, base=(0, 0, 1.0), end=(0.5, 0, 0.3), length=1.2, world=tl.World.ground(),
        end_body=tl.RigidBody(mass=1.0, inertia=INERTIA, feet=PLATE, angular_velocity=(0.0, 1.0, 0.5)),
    )  # fmt: skip

    def book():
        energy = tether.energy
        return energy.total + energy.dissipated - energy.work - energy.work_winch

    start, worst = book(), 0.0
    for k in range(300):
        tether.step(0.01, base=(0.1 * math.sin(0.02 * k), 0.0, 1.0))
        worst = max(worst, abs(book() - start))
    assert tether.energy.dissipated > 1.0
    assert worst < 2e-3 * tether.energy.dissipated


def test_momentum_that_a_landing_body_loses_goes_to_the_obstacle():
    body = tl.RigidBody(mass=1.0, inertia=INERTIA, feet=PLATE)
    tether = light_tether(body, position=(0.0, 0.0, 0.3), world=tl.World.ground())
    given, time = 0.0, 0.0
    for _ in range(100):
        forces = tether.step(0.01)
        given += tether._memory.reaction[0, 2]
        time += 0.01
    momentum = tether.end_body["velocity"][2]
    assert forces is not None
    # Weight gives it momentum downwards; what it no longer has, the ground got.
    assert -given == pytest.approx(GRAVITY * time + momentum, rel=1e-3)
