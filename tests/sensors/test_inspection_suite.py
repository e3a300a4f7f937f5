"""All sensors of an inspection drone: what a mission is told, when, and what it is told is lost."""

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from inspection_scenes import inspected, room
from sensor_scenes import turned

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.measurement import unit_vector
from tetherlab.sensors.angle_sensor import AngleSensorSpec
from tetherlab.sensors.attitude import AttitudeSpec
from tetherlab.sensors.depth_camera import DepthCameraSpec
from tetherlab.sensors.faults import Fault
from tetherlab.sensors.inspection_suite import InspectionSpec, InspectionSuite
from tetherlab.sensors.lidar import LidarSpec
from tetherlab.sensors.range_finder import RangeFinderSpec
from tetherlab.sensors.readings import RangeReading, ScanReading
from tetherlab.sensors.visual_odometry import VisualOdometrySpec

ROOM = room()
SMALL = DepthCameraSpec(rows=24, columns=32)
SPEC = InspectionSpec(depth_camera=SMALL)
NAMES = (
    "altimeter",
    "ceiling",
    "drone_angles",
    "base_angles",
    "length",
    "tension",
    "odometry",
    "depth_camera",
    "uwb",
)
TICK = 0.05


def flight(count, **others):
    for k in range(count):
        yield inspected(TICK * k, world=ROOM, **others)


def told(suite, truths):
    return [suite.read(truth) for truth in truths]


def same(a, b):
    """Bit for bit."""
    for f in fields(a):
        one, other = getattr(a, f.name), getattr(b, f.name)
        if f.name == "depth" and one is not None and other is not None:
            if one.time != other.time or not np.array_equal(one.depth, other.depth, equal_nan=True):
                return False
        elif isinstance(one, np.ndarray):
            if not np.array_equal(one, other, equal_nan=True):
                return False
        elif one != other and not (one != one and other != other):  # NaN
            return False
    return True


def test_a_mission_is_told_the_newest_of_all_sensors():
    readings = told(InspectionSuite(SPEC, 1), flight(40, velocity=np.array([0.3, 0.1, 0.0])))[-1]
    assert readings.time == pytest.approx(39 * TICK) and readings.lost == ()
    assert readings.height == pytest.approx(2.0, abs=0.1)
    assert readings.headroom == pytest.approx(3.9, abs=0.1)
    np.testing.assert_allclose(readings.tether_H, -unit_vector(0.6, 1.0), atol=0.08)
    assert readings.length == pytest.approx(4.0, abs=0.01) and readings.tension == pytest.approx(2.0, abs=0.2)
    np.testing.assert_allclose(readings.velocity_H, [0.3, 0.1, 0.0], atol=0.08)
    assert np.nanmedian(readings.depth.depth) == pytest.approx(2.9, abs=0.05)


def test_everything_is_said_in_the_level_frame_along_the_heading():
    """A drone that is tilted and turned reads the same as one that is not, in what does not depend on it."""
    exact = AngleSensorSpec(
        azimuth_noise=0, elevation_noise=0, friction=0, link_mass=0, supply_noise=0, delay=0
    )
    spec = InspectionSpec(
        drone_angles=exact, depth_camera=replace(SMALL, delay=0),
        attitude=AttitudeSpec(tilt_noise=0, tilt_wander=0, heading_noise=0),
        odometry=VisualOdometrySpec(velocity_noise=0, drift=(0, 0, 0), scale=0, turn_drift=0, delay=0),
    )  # fmt: skip
    R = turned(0.1, -0.2, 0.8)
    readings = InspectionSuite(spec, 1).read(
        inspected(world=ROOM, rotation=R, velocity=np.array([0.3, 0.1, 0.2]))
    )
    np.testing.assert_allclose(turned(z=0.8) @ readings.tether_H, -unit_vector(0.6, 1.0), atol=1e-3)
    np.testing.assert_allclose(turned(z=0.8) @ readings.velocity_H, [0.3, 0.1, 0.2], atol=1e-12)
    np.testing.assert_allclose(readings.depth.rotation, turned(z=-0.8) @ R, atol=1e-12)


def test_delays_are_respected_and_a_picture_stays_until_the_next():
    spec = InspectionSpec(depth_camera=replace(SMALL, delay=0.12), altimeter=RangeFinderSpec(delay=0.0))
    readings = told(InspectionSuite(spec, 1), flight(12))
    assert [r.depth is None for r in readings[:4]] == [True, True, True, False]
    assert [r.depth.time for r in readings[3:7]] == [0.0] * 4  # 5 pictures a second, 3 ticks late
    assert readings[7].depth.time == pytest.approx(0.2)
    assert not math.isnan(readings[0].height) and math.isnan(readings[0].tension)


def test_power_and_platform_are_passed_on():
    truth = inspected(world=ROOM, voltage=31.8, power_share=0.4, energy_left=0.7, base_tilt=0.02)
    readings = InspectionSuite(SPEC, 1).read(truth)
    assert (readings.voltage, readings.power_share, readings.energy_left, readings.base_tilt) == (
        31.8,
        0.4,
        0.7,
        0.02,
    )


def test_same_seed_same_bits_other_seed_others():
    one, again, other = (told(InspectionSuite(SPEC, seed), flight(30)) for seed in (1, 1, 2))
    assert all(same(a, b) for a, b in zip(one, again, strict=True))
    assert not same(one[-1], other[-1])


def test_one_more_sensor_leaves_the_others_as_they_were():
    more = replace(SPEC, lidar=LidarSpec(rows=4, columns=32))
    few, many = (told(InspectionSuite(spec, 1), flight(20)) for spec in (SPEC, more))
    assert all(same(a, b) for a, b in zip(few, many, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_a_silent_sensor_is_named_and_its_reading_taken_back(name):
    suite = InspectionSuite(SPEC, 1)
    suite.inject(name, Fault("drop_out", 1.0, 2.0))
    readings = told(suite, flight(80))
    lost = {round(r.time, 3): r.lost for r in readings}
    assert lost[0.95] == () and lost[1.9] == (name,) and lost[3.0] == ()
    gone = readings[38]
    told_of = {
        "altimeter": gone.height, "ceiling": gone.headroom, "length": gone.length, "tension": gone.tension,
        "odometry": gone.velocity_H[0] + gone.position[0] + gone.yaw,
    }  # fmt: skip
    assert all(math.isnan(value) == (sender == name) for sender, value in told_of.items())
    assert (gone.tether_H is None) == (name == "drone_angles") and (gone.depth is None) == (
        name == "depth_camera"
    )


def test_nothing_is_lost_at_the_start_and_what_never_speaks_soon_is():
    suite = InspectionSuite(SPEC, 1)
    suite.inject("uwb", Fault("drop_out", 0.0))
    readings = told(suite, flight(20))
    assert readings[0].lost == () and readings[-1].lost == ("uwb",)


@pytest.mark.parametrize("axis", ["both", "left", "z", "yaw"])
def test_odometry_that_repeats_itself_is_lost(axis):
    suite = InspectionSuite(SPEC, 1)
    suite.inject("odometry", Fault("stuck", 1.0, 2.0, axis=axis))
    lost = {round(r.time, 3): r.lost for r in told(suite, flight(80))}
    assert lost[0.95] == () and lost[1.4] == ("odometry",) and lost[3.0] == ()


def test_odometry_in_the_dark_is_lost_unless_the_spotlights_are_on():
    dark = {"ambient_light": 1.0}
    off = told(InspectionSuite(SPEC, 1), flight(60, spotlights=False, **dark))
    assert off[5].lost == () and off[-1].lost == ("odometry",) and np.isnan(off[-1].velocity_H).all()
    assert told(InspectionSuite(SPEC, 1), flight(60, **dark))[-1].lost == ()


def test_what_is_not_on_board_is_not_lost():
    spec = InspectionSpec(depth_camera=None, odometry=None, ceiling=None, uwb=None)
    suite = InspectionSuite(spec, 1)
    readings = told(suite, flight(40))[-1]
    assert readings.lost == () and readings.depth is None and suite.odometry is None
    assert math.isnan(readings.headroom) and np.isnan(readings.position).all()


def test_estimators_may_hear_all_messages():
    suite = InspectionSuite(replace(SPEC, lidar=LidarSpec(rows=4, columns=32)), 1)
    told(suite, flight(20))
    heard = dict(suite.messages)
    assert isinstance(heard["uwb"], RangeReading) and heard["uwb"].range == pytest.approx(2.0, abs=0.3)
    assert heard["base_angles"].tangent_base is not None
    assert any(isinstance(m, ScanReading) for _ in range(3) for m in dict(_next(suite)).values())


def _next(suite):
    suite.read(inspected(suite.time + TICK, world=ROOM))
    return suite.messages


def test_faults_of_single_axes_reach_the_readings():
    suite = InspectionSuite(SPEC, 1)
    suite.inject("odometry", Fault("offset", 0.0, value=1.0, axis="left"))
    suite.inject("altimeter", Fault("offset", 0.0, value=0.5))
    readings = told(suite, flight(5))[-1]
    assert readings.velocity_H[1] == pytest.approx(1.0, abs=0.1) and readings.height == pytest.approx(
        2.5, abs=0.1
    )
    with pytest.raises(InputError, match="Did you mean 'depth_camera'"):
        suite.inject("depth_camra", Fault("stuck", 1.0))


def test_a_pull_that_a_mission_must_flee_from_is_read():
    readings = told(InspectionSuite(SPEC, 1), flight(20, tension_base=50.0))[-1]
    assert readings.tension == pytest.approx(50.0, abs=0.5)


def test_the_base_has_the_joint_of_the_platform():
    """Down beside the rover an upright gimbal is at its end; one that lies is not."""
    down = np.array([0.0, 0.5, -math.sqrt(0.75)])
    suite = InspectionSuite(SPEC, 1)
    for truth in flight(40, tangent_base_W=down):
        suite.read(truth)
    (heard,) = [message for sender, message in suite.messages if sender == "base_angles"]
    assert heard.saturated == ()
    np.testing.assert_allclose(heard.tangent_base, down, atol=0.08)
