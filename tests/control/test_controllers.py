"""Controllers that come with the package: what they reach, and what feed-forward is worth."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.control.drive import DriveController
from tetherlab.control.position import PositionController, hanging_pull
from tetherlab.control.winch_rules import FollowDistance, FromTrajectory

HIGH = {
    "mission": {
        "targets": [{"uav_m": [-1.0, 0.5, 3.0], "ugv_m": [0.0, 0.0, 0.0]}],
        "uav_speed_m_per_s": 0.4,
        "take_off": True,
        "hold_last_s": 60.0,
    },
}
PLACE = np.array([-1.0, 0.5, 3.0])


def hovering(time, **changes):
    """A team whose drone has gone to its place."""
    simulation = tl.Simulation("vertical", {**HIGH, **changes})
    simulation.run(until=time)
    assert simulation.outcome is None
    return simulation


@pytest.mark.parametrize("feed_forward", ["none", "measured", "catenary"])
def test_the_tethers_pull_leaves_no_steady_error(feed_forward):
    controller = {"type": "position", "feed_forward": feed_forward}
    simulation = hovering(40.0, **{"uav.controller": controller})
    errors = []
    while simulation.time < 50.0:
        simulation.step()
        errors.append(simulation.state.uav.position - PLACE)
    # The tether swings on for long, most of all where its measured pull is fed forward.
    assert np.allclose(np.mean(errors, axis=0), 0.0, atol=5e-4)
    assert np.abs(errors).max() < 0.01


def test_constant_wind_leaves_no_steady_error():
    simulation = hovering(45.0, wind={"velocity_m_per_s": [4.0, -2.0, 0.0]})
    assert np.allclose(simulation.state.uav.position, PLACE, rtol=0, atol=5e-3)
    assert math.acos(simulation.state.uav.rotation[2, 2]) > 0.02, "it leans against the wind"


def test_a_wrong_mass_leaves_no_steady_error():
    simulation = tl.Simulation("vertical", HIGH, controller=PositionController(mass=1.2 * 1.477))
    simulation.run(until=45.0)
    assert np.allclose(simulation.state.uav.position, PLACE, rtol=0, atol=5e-3)


def jerked(feed_forward):
    """Largest error after the tether suddenly pulls: the winch goes for 6 N [m]."""
    simulation = hovering(30.0, **{"uav.controller": {"type": "position", "feed_forward": feed_forward}})
    simulation.command(tension=6.0)
    start, worst, tensions = simulation.state.uav.position.copy(), 0.0, []
    while simulation.time < 45.0:
        simulation.step()
        worst = max(worst, float(np.linalg.norm(simulation.state.uav.position - start)))
        tensions.append(simulation.state.tension)
    # On a taut tether the tension servo hunts about its aim.
    assert np.mean(tensions[-500:]) == pytest.approx(6.0, rel=0.1)
    return worst


def test_feed_forward_of_the_measured_pull_more_than_halves_the_error_of_a_jerk():
    assert jerked("measured") < 0.5 * jerked("none")


def test_the_hanging_pull_is_that_of_the_tether_at_rest():
    simulation = hovering(50.0)
    believed = hanging_pull(simulation.state, simulation.scenario.tether.linear_density, 9.80665)
    assert np.allclose(believed, simulation.state.uav.tether_force, rtol=0, atol=0.05)
    assert np.linalg.norm(believed) > 0.5


class Seen:
    """What a controller looks at, without a plant."""

    def __init__(self, exit=(0.0, 0.0, 0.0), attachment=(0.0, 0.0, 0.0), origin=(0.0, 0.0, 0.0), yaw=0.0):
        c, s = math.cos(yaw), math.sin(yaw)
        rotation = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        self.exit, self.attachment, self.ugv_origin = map(np.array, (exit, attachment, origin))
        self.ugv = SimpleNamespace(rotation=rotation, position=self.ugv_origin, velocity=np.zeros(3))


class Wanted:
    """A reference, at rest unless it says how fast it moves."""

    def __init__(self, position, slack=math.nan, yaw=0.0, velocity=(0.0, 0.0, 0.0)):
        self.position, self.velocity, self.yaw = np.array(position, float), np.array(velocity, float), yaw
        self.slack = slack


def test_follow_distance_is_factor_times_distance_and_margin():
    seen = Seen(attachment=(3.0, 0.0, 4.0))
    _, command = FollowDistance(factor=1.1, margin=0.2)(None, seen, Wanted((0, 0, 0)))
    assert command.length == pytest.approx(1.1 * 5.0 + 0.2)


def test_the_rate_of_the_length_is_that_of_the_distance_as_it_should_change():
    seen = Seen(attachment=(3.0, 0.0, 4.0))
    seen.ugv.velocity[:] = 0.1, 0.3, 0.0
    wanted = Wanted((0, 0, 0), velocity=(0.2, 0.0, 0.5))
    _, command = FollowDistance(factor=1.1, margin=0.2)(None, seen, wanted)
    assert command.speed == pytest.approx(1.1 * (0.1 * 3.0 + 0.5 * 4.0) / 5.0)


def test_the_winch_follows_a_moving_drone_without_lag():
    simulation = tl.Simulation("vertical")
    errors = []
    while simulation.time < 14.0 and simulation.step():
        if simulation.time > 6.0:
            errors.append(simulation._command.reel["wanted"][0] - simulation.plant.winch["length"][0])
    assert abs(simulation.plant.winch["speed"][0]) > 0.1, "it pays out"
    assert np.abs(errors).max() < 0.01


@pytest.mark.parametrize(("ratio", "wanted"), [(1.3, 1.3), (math.nan, 1.05)])
def test_from_trajectory_takes_the_ratio_of_the_target(ratio, wanted):
    seen = Seen(attachment=(3.0, 0.0, 4.0))
    _, command = FromTrajectory(margin=0.1)(None, seen, Wanted((0, 0, 0), ratio))
    assert command.length == pytest.approx(wanted * 5.0 + 0.1)


@pytest.mark.parametrize("yaw", [0.0, 0.6, -2.0])
def test_a_holonomic_rover_goes_straight_to_its_point_whatever_its_heading(yaw):
    drive = DriveController()
    _, command = drive(drive.init(), Seen(yaw=yaw), Wanted((0.3, 0.4, 0.0), yaw=yaw))
    c, s = math.cos(yaw), math.sin(yaw)
    velocity = np.array([c * command.forward - s * command.left, s * command.forward + c * command.left])
    assert np.allclose(velocity, 0.8 * np.array([0.3, 0.4]), rtol=0, atol=1e-12)
    assert command.turn == pytest.approx(0.0, abs=1e-12)


def test_its_speed_is_limited():
    drive = DriveController(speed_max=0.2)
    _, command = drive(drive.init(), Seen(), Wanted((30.0, 40.0, 0.0)))
    assert math.hypot(command.forward, command.left) == pytest.approx(0.2)


@pytest.mark.parametrize(("place", "sign"), [((1.0, 0.1), 1.0), ((-1.0, 0.1), -1.0)])
def test_a_differential_rover_goes_backwards_where_that_is_nearer(place, sign):
    drive = DriveController(holonomic=False)
    _, command = drive(drive.init(), Seen(), Wanted((*place, 0.0)))
    assert command.forward * sign > 0.0
    assert command.left == 0.0
    assert command.turn * sign > 0.0


def test_a_rover_on_its_target_stands_still():
    drive = DriveController()
    _, command = drive(drive.init(), Seen(), Wanted((0.005, 0.0, 0.0)))
    assert (command.forward, command.left, command.turn) == (0.0, 0.0, 0.0)
