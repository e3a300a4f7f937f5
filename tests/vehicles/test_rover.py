"""The rover on its wheels: it drives, steers, slides, tips, climbs and can be lifted."""

import math

import numpy as np
import pytest
from vehicle_scenes import ROVERS, ground_spec, heading, rover_on, slope, yawed

import tetherlab as tl
from analytical import GRAVITY

FREE = {"rolling_resistance": 0.0}


def tilted_rover(angle, friction, **changes):
    """At rest on a slope that rises along its own x axis."""
    rover = rover_on(slope(angle, friction), settle=1e-9, **changes)
    c, s = math.cos(angle), math.sin(angle)
    R = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
    rover.body["R_WB"][0] = rover.body["R_next"][0] = R
    rover.body["p_W"][0] = R @ rover.spec.center_of_mass
    rover.body["v_W"][0] = rover.body["L_W"][0] = 0.0
    rover.contacts["active"] = rover.contacts["touching"] = 0
    rover.step(1.0)
    return rover


@pytest.mark.parametrize("name", ROVERS)
def test_at_rest_its_wheels_carry_its_weight_and_the_moments_balance(name):
    rover = rover_on(name=name, center_of_mass=np.array([0.05, -0.03, 0.2]), settle=5.0)
    loads, hubs = rover.contact_forces[:, 2], rover.spec.wheel_positions
    weight = rover.spec.mass * GRAVITY
    assert loads.sum() == pytest.approx(weight, rel=1e-4)
    # Four springs stand on a statically indeterminate footing, but about both axes they balance the weight;
    # it stands tilted by a millimetre, so that its centre is not exactly where it would be on rigid wheels.
    assert loads @ hubs[:, 0] == pytest.approx(0.05 * weight, rel=0.02)
    assert loads @ hubs[:, 1] == pytest.approx(-0.03 * weight, rel=0.02)


@pytest.mark.parametrize("name", ROVERS)
def test_it_drives_straight_at_the_speed_it_is_told(name):
    rover = rover_on(name=name)
    rover.step(3.0, 0.5)
    start = rover.origin
    rover.step(2.0, 0.5)
    assert np.allclose(rover.origin - start, (1.0, 0.0, 0.0), rtol=0, atol=1e-6)
    assert heading(rover) == pytest.approx(0.0, abs=1e-9)


def test_four_steered_wheels_turn_it_on_the_spot():
    rover = rover_on()
    rover.step(1.0, 0.0, 0.0, 0.5)
    before = heading(rover)
    rover.step(2.0, 0.0, 0.0, 0.5)
    assert heading(rover) - before == pytest.approx(1.0, abs=2e-3)
    assert np.allclose(rover.origin[:2], 0.0, atol=1e-6)


def test_four_steered_wheels_take_it_sideways_without_turning():
    rover = rover_on()
    rover.step(2.0, 0.0, 0.3)
    start = rover.origin
    rover.step(2.0, 0.0, 0.3)
    assert np.allclose(rover.origin - start, (0.0, 0.6, 0.0), rtol=0, atol=1e-3)
    assert heading(rover) == pytest.approx(0.0, abs=1e-3)


def test_its_wheels_stop_at_their_steering_angle_and_it_goes_as_far_that_way_as_they_point():
    rover = rover_on(steering_angle_max=0.5)
    rover.step(3.0, 0.0, 0.3)
    assert np.abs(rover.wheels["steering"][0, :4]).max() == pytest.approx(0.5, abs=1e-12)
    # What the wheels can give of (0, 0.3) is its part along them.
    along = 0.3 * math.sin(0.5)
    assert np.linalg.norm(rover.velocity[:2]) == pytest.approx(along, rel=1e-3)
    assert abs(math.atan2(rover.velocity[1], rover.velocity[0])) == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize("turn", [0.3, -0.3, 2.8])
def test_wheels_that_steer_far_enough_never_pass_their_stops(turn):
    rover = rover_on(steering_angle_max=1.75)
    for k in range(12):
        rover.step(0.5, 0.2 * math.cos(turn * k), 0.2 * math.sin(turn * k))
        assert np.abs(rover.wheels["steering"][0]).max() <= 1.75
    angle = turn * 11
    rover.step(2.0, 0.2 * math.cos(angle), 0.2 * math.sin(angle))
    assert np.allclose(rover.velocity[:2], yawed((0.2, 0.0, 0.0), angle)[:2], atol=2e-3)


@pytest.mark.parametrize("forward", [0.0, 0.4])
def test_a_differential_drive_turns_slower_than_its_wheels_by_the_slip_of_skid_steering(forward):
    rover = rover_on(name="differential_ugv", **FREE)
    rover.step(2.0, forward, 0.0, 0.4)
    before = heading(rover)
    points = []
    for _ in range(60):
        rover.step(0.05, forward, 0.0, 0.4)
        points.append(rover.origin[:2])
    # Wheels at (+-a, +-b) scrub sideways with w a and slip lengthwise with (w' - w) b. Coulomb friction acts
    # along the slip: its moments balance where (w' - w) b^2 = w a^2.
    a, b = rover.spec.wheel_positions[0, :2]
    rate = 0.4 * b**2 / (a**2 + b**2)
    assert (heading(rover) - before) / 3.0 == pytest.approx(rate, rel=1e-2)
    if forward:
        p = np.array(points)
        fit = np.linalg.lstsq(np.c_[2 * p, np.ones(len(p))], (p**2).sum(1), rcond=None)[0]
        radius = math.sqrt(fit[2] + fit[0] ** 2 + fit[1] ** 2)
        assert radius == pytest.approx(forward / rate, rel=2e-2)


@pytest.mark.parametrize("h", [0.005, 0.00125])
def test_the_torque_of_its_wheels_limits_its_acceleration(h):
    rover = rover_on(step_max=h, wheel_torque_max=1.0, settle=2.0, **FREE)
    rover.step(0.4, 5.0)
    before = rover.velocity[0]
    rover.step(1.0, 5.0)
    spec = rover.spec
    force = 4 * 1.0 / spec.wheel_radius
    mass = spec.mass + 4 * spec.wheel_inertia / spec.wheel_radius**2
    # A wheel meets the tyre's spring within its step, as if the rover were heavier by k h^2 a wheel.
    late = 4 * spec.tyre_stiffness * h**2
    assert late / mass < 0.08
    assert rover.velocity[0] - before == pytest.approx(force / (mass + late), rel=5e-3)


def test_on_ice_it_gains_speed_by_friction_alone():
    rover = rover_on(friction=0.05)
    rover.step(0.5, 1.0)
    before = rover.velocity[0]
    rover.step(0.5, 1.0)
    assert (rover.velocity[0] - before) / 0.5 == pytest.approx(0.05 * GRAVITY, rel=1e-3)


def test_it_slides_on_when_its_wheels_stop_on_ice():
    rover = rover_on(friction=0.05)
    rover.body["v_W"][0, 0] = 1.0
    rover.step(0.1)
    before = rover.velocity[0]
    rover.step(1.0)
    assert rover.velocity[0] - before == pytest.approx(-0.05 * GRAVITY, rel=1e-2)


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_it_climbs_a_ramp_below_the_friction_limit(share):
    angle = math.atan(0.5 * share)
    rover = tilted_rover(angle, 0.5)
    rover.step(1.0, 0.3)
    start = rover.origin
    rover.step(2.0, 0.3)
    assert np.linalg.norm(rover.origin - start) == pytest.approx(0.6, rel=1e-3)
    assert rover.origin[2] > start[2]


def test_it_slips_back_on_a_ramp_above_the_friction_limit():
    angle = math.atan(0.55)
    rover = tilted_rover(angle, 0.5)
    along = np.array([math.cos(angle), 0.0, math.sin(angle)])
    before = rover.velocity @ along
    rover.step(1.0, 0.3)
    gained = rover.velocity @ along - before
    assert gained == pytest.approx(-GRAVITY * (math.sin(angle) - 0.5 * math.cos(angle)), rel=0.02)


def test_with_its_wheels_still_it_stays_on_a_slope_and_does_not_creep():
    rover = tilted_rover(math.atan(0.4), 0.5)
    rover.step(2.0)
    start = rover.position
    rover.step(10.0)
    assert np.allclose(rover.position, start, rtol=0, atol=1e-5)


@pytest.mark.parametrize(("share", "tips"), [(0.93, False), (1.05, True)])
def test_it_tips_about_the_wheels_on_the_ground_when_pulled_sideways(share, tips):
    rover = rover_on(friction=2.0)
    height, half_track = 0.8, rover.spec.wheel_positions[0, 1]
    enough = rover.spec.mass * GRAVITY * half_track / height
    for k in range(100):  # slowly, so that its tyres do not swing
        rover.step(0.05, push=(0.0, share * enough * (k + 1) / 100, 0.0), at=(0.0, 0.0, height))
    rover.step(2.0, push=(0.0, share * enough, 0.0), at=(0.0, 0.0, height))
    assert (rover.rotation[2, 2] < 0.5) == tips


def test_a_pull_below_the_tipping_height_makes_it_slide_instead():
    rover = rover_on(friction=0.5)
    force = 1.2 * 0.5 * rover.spec.mass * GRAVITY
    rover.step(1.0, push=(0.0, force, 0.0), at=(0.0, 0.0, 0.1))
    before = rover.velocity[1]
    rover.step(1.0, push=(0.0, force, 0.0), at=(0.0, 0.0, 0.1))
    assert rover.rotation[2, 2] > 0.99
    assert rover.velocity[1] - before == pytest.approx(0.2 * 0.5 * GRAVITY, rel=0.01)


def test_lifted_by_more_than_its_weight_it_leaves_the_ground():
    rover = rover_on()
    lift = (0.0, 0.0, 1.1 * rover.spec.mass * GRAVITY)
    rover.step(0.2, push=lift)
    before = rover.velocity[2]
    rover.step(0.5, push=lift)
    assert np.array_equal(rover.contact_forces, np.zeros((4, 3)))
    assert rover.velocity[2] - before == pytest.approx(0.1 * GRAVITY * 0.5, rel=1e-6)


def test_lifted_at_its_front_it_stands_on_its_rear_wheels():
    rover = rover_on()
    spec = rover.spec
    # The rear axle lies 0.3 m behind its centre, the pull 0.6 m before the axle: half the weight lifts it.
    rover.step(5.0, push=(0.0, 0.0, 0.45 * spec.mass * GRAVITY), at=(0.3, 0.0, 0.3))
    loads = rover.contact_forces[:, 2]
    assert loads[:2].sum() == pytest.approx(0.05 * spec.mass * GRAVITY, rel=0.05)
    assert loads[2:].sum() == pytest.approx(0.5 * spec.mass * GRAVITY, rel=0.01)


def test_braking_loads_the_front_wheels_by_the_height_of_its_centre_above_the_ground():
    rover = rover_on(wheel_torque_max=2.0, **FREE)
    spec = rover.spec
    rover.step(4.0, 1.0)
    rover.step(0.1)
    start, loads = rover.velocity[0], []
    for _ in range(100):
        rover.step(0.005)
        loads.append(rover.contact_forces[:, 2])
    braking = (start - rover.velocity[0]) / 0.5
    # Its wheels slow down, too, and turn the body as they do.
    spin = 4 * spec.wheel_inertia / spec.wheel_radius
    moved = braking * (spec.mass * spec.center_of_mass[2] + spin) / 0.6
    mean = np.mean(loads, axis=0)  # it nods on its tyres
    assert braking > 1.0
    assert 0.5 * (mean[:2].sum() - mean[2:].sum()) == pytest.approx(moved, rel=0.03)


def test_it_keeps_contact_over_bumps_and_rises_with_them():
    bumps = [
        tl.shapes.Cylinder(start=(x, -1.0, -0.06), end=(x, 1.0, -0.06), radius=0.1) for x in (1.0, 1.7, 2.4)
    ]
    rover = rover_on(tl.World(shapes=[tl.shapes.Plane(), *bumps]))
    highest, together, deepest = 0.0, 0, 0.0
    for _ in range(400):
        rover.step(0.02, 0.3)
        highest = max(highest, rover.origin[2])
        together += (rover.contact_forces[:, 2] > 0.0).sum() >= 2
        hubs = rover.position + (rover.spec.wheel_positions - rover.spec.center_of_mass) @ rover.rotation.T
        deepest = max(deepest, rover.spec.wheel_radius - rover.world.distance(hubs).min())
    assert rover.origin[0] > 2.0
    assert highest > 0.015, "two wheels on a bump 40 mm high lift its middle by 20 mm"
    assert together > 390
    assert deepest < 0.02


def test_energy_of_its_motors_is_what_it_gains_and_what_the_ground_takes():
    rover = rover_on(**FREE)
    spent = 0.0
    for _ in range(200):
        rover.step(0.005, 0.5)
        spent += 0.005 * rover.wheels["drive_power"][0]
    spec = rover.spec
    gained = 0.5 * spec.mass * 0.25 + 4 * 0.5 * spec.wheel_inertia * (0.5 / spec.wheel_radius) ** 2
    assert np.linalg.norm(rover.velocity) == pytest.approx(0.5, rel=1e-3)
    assert gained * 0.99 < spent < 2.5 * gained


@pytest.mark.parametrize("angle", [0.7, 2.5])
def test_turn_the_scene_and_the_drive_turns_with_it(angle):
    one = rover_on()
    two = rover_on(yaw=angle)
    for rover in (one, two):
        rover.step(1.0, 0.4, 0.1, 0.3)
    assert np.allclose(yawed(one.position, angle), two.position, rtol=0, atol=1e-7)


def test_the_same_drive_gives_the_same_bits():
    def driven():
        rover = rover_on()
        rover.step(1.0, 0.3, 0.1, 0.2)
        return rover.position

    assert np.array_equal(driven(), driven())


def test_steering_rate_limits_how_fast_the_wheels_turn():
    rover = rover_on()
    rover.step(0.2, 0.0, 0.3)
    assert np.abs(rover.wheels["steering"][0, :4]) == pytest.approx(0.2 * ground_spec().steering_rate_max)
