"""The drone by itself: rotors, autopilot, drag, and where it gives way."""

import math

import numpy as np
import pytest
from vehicle_scenes import DRONES, drone_in_the_air, drone_spec, heading, yawed

import tetherlab as tl
from analytical import GRAVITY
from tetherlab.vehicles.alone import LoneQuadrotor
from tetherlab.vehicles.build import make_quadrotor

STILL_AIR = {"drag_linear": np.zeros(3), "drag_area": 0.0}


def weight(drone):
    """As a force upwards [N], (3,)."""
    return np.array([0.0, 0.0, drone.spec.mass * GRAVITY])


@pytest.mark.parametrize("name", DRONES)
def test_every_packaged_drone_hovers_with_the_thrust_of_its_weight(name):
    drone = drone_in_the_air(name)
    drone.rotors["speed"][0, :4] = math.sqrt(weight(drone)[2] / 4 / drone.spec.thrust_coefficient)
    drone.step(2.0, weight(drone))
    assert drone.rotors["thrust"][0] == pytest.approx(weight(drone)[2], rel=1e-9)
    assert np.allclose(drone.velocity, 0.0, atol=1e-9)


@pytest.mark.parametrize("name", DRONES)
def test_every_packaged_drone_climbs_from_the_ground(name):
    spec = drone_spec(name)
    lowest = (spec.feet[:, 2] - spec.feet[:, 3]).min()
    drone = LoneQuadrotor(spec, position=(0.0, 0.0, -lowest + 0.001))
    drone.step(1.0, (0.0, 0.0, 0.0), armed=False)
    assert drone.contact_forces[:, 2].sum() == pytest.approx(weight(drone)[2], rel=1e-3)
    drone.step(2.0, 1.2 * weight(drone))
    assert drone.position[2] > 1.0
    assert drone.rotation[2, 2] > 1.0 - 1e-9


def test_a_rotor_follows_its_command_with_its_time_constant():
    drone = drone_in_the_air()
    wanted = math.sqrt(weight(drone)[2] / 4 / drone.spec.thrust_coefficient)
    for _ in range(20):
        drone.step(0.01, weight(drone))
        exact = wanted * (1.0 - math.exp(-drone.time / drone.spec.time_constant))
        assert drone.rotors["speed"][0, 0] == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("name", DRONES)
def test_sharing_is_the_inverse_of_allocation(name):
    row = make_quadrotor(drone_spec(name), 1.225)[0]
    assert np.allclose(row["allocation"] @ row["sharing"], np.eye(4), rtol=0, atol=1e-9)


def test_six_rotors_share_thrust_and_moments_too():
    angles = np.arange(6) * math.pi / 3
    places = np.column_stack([0.3 * np.cos(angles), 0.3 * np.sin(angles), np.zeros(6)])
    row = make_quadrotor(
        drone_spec(rotor_positions=places, rotor_directions=np.array([1, -1, 1, -1, 1, -1.0])), 1.225
    )[0]
    assert np.allclose(row["allocation"] @ row["sharing"], np.eye(4), rtol=0, atol=1e-9)


def test_it_tilts_towards_the_force_and_gives_its_size():
    drone = drone_in_the_air(**STILL_AIR)
    force = weight(drone) + np.array([2.0, -1.0, 0.5])
    drone.step(2.0, force)
    assert np.allclose(drone.rotation[:, 2], force / np.linalg.norm(force), rtol=0, atol=1e-6)
    assert drone.rotors["thrust"][0] == pytest.approx(np.linalg.norm(force), rel=1e-6)


def test_it_turns_to_its_heading():
    drone = drone_in_the_air()
    drone.step(10.0, weight(drone), 2.0)
    assert heading(drone) == pytest.approx(2.0, abs=1e-3)


def test_it_turns_the_short_way_round():
    drone = drone_in_the_air(yaw=3.0)
    drone.step(0.3, weight(drone), -3.0)
    assert drone.angular_velocity[2] > 0.0


def test_more_force_than_its_tilt_allows_is_given_at_the_largest_tilt():
    drone = drone_in_the_air(**STILL_AIR)
    drone.step(2.0, weight(drone) + np.array([100.0, 0.0, 0.0]))
    assert math.acos(drone.rotation[2, 2]) == pytest.approx(drone.spec.tilt_max, abs=1e-3)


def test_where_its_rotors_are_at_their_limit_it_keeps_its_attitude_and_lacks_thrust():
    drone = drone_in_the_air(**STILL_AIR)
    most = drone.spec.thrust_max
    wanted = np.array([0.2, 0.0, 2.0]) * most
    drone.step(2.0, wanted)
    assert np.allclose(drone.rotation[:, 2], wanted / np.linalg.norm(wanted), rtol=0, atol=1e-3)
    assert drone.rotors["thrust"][0] == pytest.approx(most, rel=1e-3)
    assert drone.rotors["saturated"][0] == 1


def test_thrust_gives_way_so_that_a_side_push_does_not_turn_it_over():
    drone = drone_in_the_air(**STILL_AIR)
    full = np.array([0.0, 0.0, drone.spec.thrust_max])
    drone.step(1.0, full)
    arm = 0.2 * drone.spec.thrust_max * drone.spec.rotor_positions[0, 0] / 0.1
    for _ in range(100):
        drone.step(0.01, full, push=(arm / 4, 0.0, 0.0), at=(0.0, 0.0, 0.1))
    assert math.acos(drone.rotation[2, 2]) < 0.2
    assert drone.rotors["thrust"][0] < 0.99 * drone.spec.thrust_max


def test_rotor_speeds_stay_within_their_limits():
    drone = drone_in_the_air()
    for k in range(50):
        drone.step(0.02, (30.0 * (-1) ** k, 40.0, 100.0 * (k % 3)), yaw=k)
        speeds = drone.rotors["speed"][0, :4]
        assert speeds.max() <= drone.spec.speed_max
    assert speeds.min() >= drone.spec.speed_min * (1.0 - math.exp(-1.0 / drone.spec.time_constant))


def test_disarmed_it_falls_with_the_terminal_speed_of_its_drag():
    drone = drone_in_the_air()
    drone.step(60.0, (0.0, 0.0, 0.0), armed=False)
    spec = drone.spec
    a, b = 0.5 * 1.225 * spec.drag_area, spec.drag_linear[2]
    exact = (-b + math.sqrt(b * b + 4.0 * a * weight(drone)[2])) / (2.0 * a)
    assert -drone.velocity[2] == pytest.approx(exact, rel=1e-6)


def test_wind_carries_a_hovering_drone_until_it_moves_with_the_air():
    drone = drone_in_the_air(wind=tl.Wind.uniform((3.0, 0.0, 0.0)))
    drone.step(60.0, weight(drone))
    assert np.allclose(drone.velocity, (3.0, 0.0, 0.0), rtol=0, atol=1e-2)


def test_the_drag_of_the_wind_is_that_of_flying_against_it():
    held, flown = drone_in_the_air(wind=tl.Wind.uniform((4.0, 1.0, 0.5))), drone_in_the_air()
    flown.body["v_W"][0] = (-4.0, -1.0, -0.5)
    for drone in (held, flown):
        drone.step(1e-6, weight(drone))
    assert np.allclose(held.body["force_W"], flown.body["force_W"], rtol=1e-6)


@pytest.mark.parametrize("angle", [0.7, 2.5])
def test_turn_the_scene_and_the_flight_turns_with_it(angle):
    one, two = drone_in_the_air(), drone_in_the_air(yaw=angle)
    force = weight(one) + np.array([1.0, 0.5, 1.0])
    for _ in range(100):
        one.step(0.01, force, 0.3)
        two.step(0.01, yawed(force, angle), 0.3 + angle)
    assert np.allclose(yawed(one.position, angle), two.position, rtol=0, atol=1e-9)


def test_a_pull_off_its_centre_is_held_by_the_moments_of_its_rotors():
    drone = drone_in_the_air(**STILL_AIR)
    pull = np.array([1.0, 0.0, -2.0])
    drone.step(4.0, weight(drone) - pull, push=pull, at=drone.spec.attachment)
    thrusts = drone.spec.thrust_coefficient * drone.rotors["speed"][0, :4] ** 2
    moments = drone.rotors["allocation"][0, :, :4] @ thrusts
    R = drone.rotation
    assert np.allclose(drone.angular_velocity, 0.0, atol=1e-6)
    # The attitude loop has no integral: the arm of the pull costs it a steady tilt.
    assert np.allclose(moments[1:], -np.cross(drone.spec.attachment, R.T @ pull), rtol=0, atol=1e-6)


def test_its_motion_converges_with_the_step_to_first_order_in_the_rotors_lag():
    ends = []
    for step in (0.008, 0.004, 0.002, 0.0005):
        drone = LoneQuadrotor(drone_spec(), position=(0.0, 0.0, 10.0), world=tl.World(), step_max=step)
        drone.step(0.8, weight(drone) + np.array([2.0, 1.0, 0.5]), 0.5)
        ends.append(drone.position)
    errors = [np.linalg.norm(end - ends[-1]) for end in ends[:-1]]
    assert errors[0] > errors[1] > errors[2]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(1.0, abs=0.3)
    assert errors[0] < 0.05
