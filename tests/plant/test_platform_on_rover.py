"""A deck that keeps itself level on a rover, and a drone whose ring fits its depression."""

import math

import numpy as np
import pytest
from plant_scenes import OXPECKER, Team, packaged, turned

import tetherlab as tl
from analytical import GRAVITY
from tetherlab.plant.build import ROVER
from tetherlab.plant.deck_build import lean_on_ground

CABLE = tl.TetherSpec(linear_density=0.038, diameter=0.0045, axial_stiffness=2e4, axial_damping=10.0)


def slope(angle, azimuth=0.0, start=None):
    """A plane that rises along an azimuth; start: level ground up to there [m]."""
    normal = turned((-math.sin(angle), 0.0, math.cos(angle)), azimuth)
    plane = tl.shapes.Plane(point=(start or 0.0, 0.0, 0.0), normal=normal, friction=0.8, name="slope")
    return tl.World([plane] if start is None else [tl.shapes.Plane(name="ground", friction=0.8), plane])


def docked(**changes):
    """The team of paper 003, its tether reeled in."""
    return Team(spec=CABLE, robots=OXPECKER, **({"paid_out": 0.3} | changes))


def deck(team):
    """R_WP of the deck, (3, 3)."""
    return team.state.deck_rotation


def tilt(rotation):
    """Of a body's z axis against the vertical [deg]."""
    return math.degrees(math.acos(min(rotation[2, 2], 1.0)))


def off_centre(team):
    """Of the drone from where it should stand, frame of the deck [m], (3,)."""
    return deck(team).T @ (team.state.uav.position - team.state.deck)


def above(x, y):
    """A place beside that where the drone stands on the deck, a hand's breadth higher [m], (3,)."""
    return docked().state.deck + np.array((x, y, 0.09))


def advance(team, time, drive=0.0):
    """In pieces, all of them without an accident; the largest distance off the centre [m]."""
    team.drive(drive)
    worst = 0.0
    for _ in range(round(time / 0.1)):
        assert team.advance(0.1) == 0
        worst = max(worst, float(np.hypot(*off_centre(team)[:2])))
    return worst


@pytest.mark.parametrize("azimuth", [0.0, 0.5 * math.pi, 2.5])
def test_a_rover_on_a_slope_of_ten_degrees_has_its_deck_level_within_half_a_degree_after_eight_seconds(
    azimuth,
):
    team = docked(world=slope(math.radians(10.0), azimuth))
    team.advance(0.1)
    assert tilt(deck(team)) == pytest.approx(10.0, abs=0.5)
    team.advance(8.0)
    assert tilt(team.state.ugv.rotation) == pytest.approx(10.0, abs=0.5)
    for _ in range(20):
        team.advance(0.25)
        assert tilt(deck(team)) < 0.5


def test_exit_and_stand_ride_on_the_deck_about_its_joint():
    team = docked(world=slope(math.radians(12.0), 0.8))
    team.advance(6.0)
    plant, rover = team.plant, team.rover_body
    R, Q, joint = rover["R_WB"], plant.platform["R_BP"][0], plant.platform["joint_B"][0]
    exit_B, stand_B = plant.berth["exit_B"][0], plant.berth["stand_B"][0]
    leaves = team.state.exit
    for place, point in ((leaves, exit_B), (team.state.deck, stand_B)):
        wanted = rover["p_W"] + R @ (joint + Q @ (point - joint))
        np.testing.assert_allclose(place, wanted, atol=1e-12)
    # The deck of the world is where its exit is: the floor of the depression, 2 cm below it.
    floor = leaves - 0.02 * deck(team)[:, 2]
    pose = plant.field.pose[plant.berth["deck"][0]]
    np.testing.assert_allclose(pose[:9].reshape(3, 3), R @ Q, atol=1e-4)
    np.testing.assert_allclose(
        pose[:9].reshape(3, 3).T @ (floor - pose[9:]), exit_B - [0, 0, 0.02], atol=1e-4
    )


def test_velocity_of_the_exit_is_that_of_its_places():
    team = docked(world=slope(math.radians(15.0), 0.8))
    team.drive(0.3, 0.0, 0.2)
    team.advance(2.0)  # while it drives, turns and levels
    fast = 0.0
    for _ in range(20):
        before, slow = team.state.exit.copy(), team.state.exit_velocity
        team.advance(0.005)
        mean = 0.5 * (slow + team.state.exit_velocity)
        np.testing.assert_allclose((team.state.exit - before) / 0.005, mean, atol=3e-3)
        # Of its first node, which on a rover in contact has the mean velocity of the step: w^2 r h / 2 aside.
        np.testing.assert_allclose(team.tether[1][0], team.state.exit_velocity, atol=1e-5)
        fast = max(fast, float(np.linalg.norm(team.plant.platform["rate_B"][0])))
    assert fast > 0.01


def test_the_load_on_a_rover_with_a_turned_deck_is_the_weight_where_it_stands():
    """Force and torque about the rover's centre, and what the actuators push with, by the lever."""
    team = docked(world=slope(math.radians(12.0), 0.8))
    team.advance(15.0)
    x, _, mass = team.tether
    drone, centre = team.drone_body, team.rover_body["p_W"]
    points, masses = np.vstack([x, drone["p_W"]]), np.append(mass, drone["mass"])
    force = np.array([0.0, 0.0, -GRAVITY * masses.sum()])
    torque = sum(np.cross(p - centre, (0.0, 0.0, -GRAVITY * m)) for p, m in zip(points, masses, strict=True))
    np.testing.assert_allclose(team.plant.graph.load[ROVER, :3], force, atol=0.05)
    np.testing.assert_allclose(team.plant.graph.load[ROVER, 3:], torque, atol=0.02)
    R, platform = team.rover_body["R_WB"], team.plant.platform[0]
    joint = centre + R @ platform["joint_B"]
    about = sum(np.cross(p - joint, (0.0, 0.0, -GRAVITY * m)) for p, m in zip(points, masses, strict=True))
    np.testing.assert_allclose(platform["torque_W"], about, atol=0.02)


def test_the_ground_carries_all_of_it():
    team = docked(world=slope(math.radians(12.0), 0.8))
    team.advance(15.0)
    np.testing.assert_allclose(team.wheel_forces.sum(axis=0), team.weight, atol=0.2)


def test_a_deck_that_holds_still_is_a_deck_that_is_fixed():
    """With its screws at rest the platform changes nothing but rounding."""
    fixed, held = docked(leveller=None), docked()
    held.plant.platform["powered"] = 0
    for team in (fixed, held):
        advance(team, 1.5, drive=0.4)
    np.testing.assert_allclose(held.drone_body["p_W"], fixed.drone_body["p_W"], atol=1e-5)
    np.testing.assert_allclose(held.rover_body["p_W"], fixed.rover_body["p_W"], atol=1e-6)


@pytest.mark.parametrize("aside", [(0.0, 0.0), (0.05, 0.0), (0.0, 0.1), (-0.07, 0.07)])
def test_a_drone_set_down_beside_the_middle_slides_there(aside):
    team = docked(drone=above(*aside))
    advance(team, 3.0)
    floor = team.rover_spec.depression[0] - 0.22  # between ring and wall [m]
    assert np.hypot(*off_centre(team)[:2]) < floor
    assert abs(off_centre(team)[2]) < 1e-3 and tilt(team.state.uav.rotation) < 0.5


def test_a_drone_set_down_on_the_rim_stays_there_and_touches_nothing_else():
    team = docked(drone=above(0.16, 0.0))
    advance(team, 3.0)
    assert np.abs(team.drone_body["v_W"]).max() < 1e-3
    assert 2.0 < tilt(team.state.uav.rotation) < 15.0


@pytest.mark.parametrize("angle", [10.0, 15.0])
def test_a_docked_drone_stays_in_its_place_while_the_rover_climbs_stops_and_comes_back(angle):
    team = docked(world=slope(math.radians(angle), start=0.8))
    worst = advance(team, 3.0, drive=1.0)
    worst = max(worst, advance(team, 8.0))
    assert tilt(team.state.ugv.rotation) == pytest.approx(angle, abs=1.0)
    assert tilt(deck(team)) < 0.5
    worst = max(worst, advance(team, 3.0, drive=-1.0), advance(team, 8.0))
    assert tilt(deck(team)) < 0.5 and tilt(team.state.ugv.rotation) < 1.0
    rim = team.rover_spec.depression[1] - 0.22  # beyond which a foot would be out of it [m]
    assert worst < rim
    assert np.hypot(*off_centre(team)[:2]) < 0.02


def test_braking_tilts_the_deck_since_it_takes_it_for_a_slope():
    team = docked()
    advance(team, 2.0)
    assert tilt(deck(team)) < 0.3
    worst = 0.0
    for drive in (1.5, 0.0, 1.5, 0.0, 1.5, 0.0):
        for _ in range(20):
            advance(team, 0.1, drive=drive)
            worst = max(worst, abs(float(team.plant.platform["pitch"][0])))
    assert math.degrees(worst) > 0.5


def test_a_rover_leans_as_the_ground_does_at_the_start():
    rover = packaged()[1]
    for angle, azimuth, yaw in ((0.2, 0.0, 0.0), (0.15, 1.0, 0.4)):
        world = slope(angle, azimuth)
        place, lean = lean_on_ground(world, rover, np.array([0.5, 0.2, 0.0]), yaw)
        np.testing.assert_allclose(lean[:, 2], world.shapes[0].normal, atol=1e-6)
        assert world.distance(place) == pytest.approx(0.0, abs=1e-6)
        forward = lean @ turned((1.0, 0.0, 0.0), yaw)
        assert math.atan2(forward[1], forward[0]) == pytest.approx(yaw, abs=1e-6)
    for world in (tl.World.ground(), tl.World()):
        place, lean = lean_on_ground(world, rover, np.array([0.5, 0.2, 0.0]), 0.3)
        assert np.array_equal(lean, np.eye(3)) and np.array_equal(place, [0.5, 0.2, 0.0])
