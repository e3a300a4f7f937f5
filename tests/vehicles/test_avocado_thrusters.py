"""The two propellers: sharing, limits, lag, failure, a wall behind them; and the damped joint."""

import math
from dataclasses import replace

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import plain
from tetherlab.math.record import make_records
from tetherlab.math.rigid_body import BODY
from tetherlab.vehicles.avocado import AvocadoRobotSpec
from tetherlab.vehicles.avocado.thrusters import (
    damp_joint,
    look_behind,
    make_robot,
    push_robot,
    share,
    turn_motors,
)

SPEC = AvocadoRobotSpec()


def robot_of(**changes):
    return make_robot(replace(SPEC, **changes)).view(np.recarray)[0]


def body_at(position=(0.0, 0.0, 0.0)):
    row = make_records(1, BODY).view(np.recarray)[0]
    row.mass, row.inertia_B, row.R_WB = SPEC.mass, np.diag(SPEC.inertia_B), np.eye(3)
    row.attachment_B, row.p_W = (0.0, 0.0, SPEC.mass_arm), position
    return row


def thrust_and_torque(robot, thrust, torque):
    left, right = plain(share)(robot, thrust, torque)
    return left + right, (left - right) * SPEC.motor_arm


def test_what_both_motors_can_give_is_given():
    robot = robot_of()
    for thrust, torque in ((1.0, 0.0), (2.0, 0.05), (2.0, -0.05), (7.0, 0.0)):
        assert thrust_and_torque(robot, thrust, torque) == pytest.approx((thrust, torque))
        assert robot.saturated == 0


def test_thrust_gives_way_to_torque_at_the_upper_limit():
    robot = robot_of()
    assert thrust_and_torque(robot, 7.0, 0.06) == pytest.approx((6.0, 0.06))
    assert robot.saturated == 1
    assert thrust_and_torque(robot, 9.0, 0.0) == pytest.approx((7.0, 0.0))


def test_at_the_lower_limit_one_propeller_rises_and_the_other_stays_at_its_minimum():
    robot = robot_of()
    left, right = plain(share)(robot, 0.0, 0.012)
    assert (left, right) == pytest.approx((0.1, 0.025))
    assert thrust_and_torque(robot, 0.0, 0.0) == pytest.approx((SPEC.thrust_min, 0.0))


def test_propellers_that_turn_both_ways_give_torque_without_thrust():
    robot = robot_of(reverse_thrust=4.0)
    assert thrust_and_torque(robot, 0.0, 0.1) == pytest.approx((0.0, 0.1))
    assert thrust_and_torque(robot, -3.0, 0.0) == pytest.approx((-3.0, 0.0))
    assert thrust_and_torque(robot, -6.0, 0.0) == pytest.approx((-4.0, 0.0))


def test_no_command_leaves_the_limits(random):
    for reverse_thrust in (0.0, 3.0):
        robot = robot_of(reverse_thrust=reverse_thrust)
        for _ in range(200):
            both = plain(share)(robot, *random.uniform((-20.0, -1.0), (20.0, 1.0)))
            assert robot.motor_min - 1e-12 <= min(both) <= max(both) <= robot.motor_max + 1e-12


def test_motors_follow_with_their_time_constant_and_run_down_when_they_fail():
    robot = robot_of()
    robot.fails_at[1] = 0.1
    for k in range(100):
        plain(turn_motors)(robot, 4.0, 0.0, 0.002 * k, 0.002)
        if k == 19:
            wanted = 2.0 * (1.0 - math.exp(-0.04 / SPEC.motor_lag))
            assert robot.motor == pytest.approx([wanted, wanted])
        if k == 49:
            before = robot.motor[1]
    assert robot.motor[0] == pytest.approx(2.0, rel=0.01)
    assert robot.motor[1] == pytest.approx(before * math.exp(-0.1 / SPEC.motor_lag))


def test_propellers_push_forward_and_turn_to_the_right():
    """Torque tau = (T_l - T_r) arm turns clockwise from above; thrust below the centre lifts the front."""
    robot, body = robot_of(drag_coefficient=0.0), body_at()
    robot.motor[:] = 2.0, 1.0
    plain(push_robot)(robot, body, np.zeros(3), 0.0, 0.0, 0.0)
    assert body.force_W == pytest.approx([3.0, 0.0, 0.0])
    assert body.torque_W == pytest.approx([0.0, 3.0 * (SPEC.mass_arm - SPEC.thrust_arm), -SPEC.motor_arm])


def test_drag_is_that_of_the_plate_through_the_air():
    robot, body = robot_of(), body_at()
    body.v_W = 1.0, 0.5, 0.0
    plain(push_robot)(robot, body, np.array([0.0, 0.5, 0.2]), 1.0, 2.0, 3.0)
    c = SPEC.drag_coefficient * SPEC.plate_area
    a2, b2 = SPEC.half_axis_y**2 / 4.0, SPEC.half_axis_z**2 / 4.0
    assert body.force_W == pytest.approx([-c, 0.0, 0.2 * c])
    assert body.torque_W == pytest.approx([-c * (a2 + b2), -2.0 * c * a2, -3.0 * c * b2])


@pytest.mark.parametrize(
    ("x", "wanted"), [(-0.1, 0.1), (-0.03, 0.03), (-0.01, 0.01), (-0.2, None), (0.1, None)]
)
def test_a_wall_in_the_slipstream_raises_thrust_as_cheeseman_and_bennett_say(x, wanted):
    """Behind, not in front, and not when far; the distance counts as half a radius at least."""
    side = math.copysign(1.0, -x)
    wall = tl.World([tl.shapes.Plane(point=(x, 0.0, 0.0), normal=(side, 0.0, 0.0))])
    robot, body = robot_of(), body_at()
    robot.motor[:] = 1.0
    plain(look_behind)(robot, body, wall.field)
    gain = 1.0 if wanted is None else 1.0 / (1.0 - (0.0381 / (4.0 * max(wanted, 0.5 * 0.0381))) ** 2)
    assert robot.cushion == pytest.approx([gain, gain])


def test_a_post_behind_one_propeller_turns_the_robot():
    post = tl.World([tl.shapes.Capsule(start=(-0.09, 0.06, -1), end=(-0.09, 0.06, 1), radius=0.02)])
    robot, body = robot_of(), body_at()
    robot.motor[:] = 1.0
    plain(look_behind)(robot, body, post.field)
    assert robot.cushion[0] == pytest.approx(1.0 / (1.0 - (0.0381 / 0.28) ** 2), rel=1e-3)
    assert robot.cushion[1] == 1.0


def test_the_joint_takes_power_and_pushes_across_the_tether(random):
    """Its torque and force do the work -d rate^2 on robot and P, whatever moves how."""
    robot, n, h = robot_of(damping_roll=0.0), np.array([0.0, 0.0, -1.0]), 1e-9
    for _ in range(20):
        body, length = body_at(), random.uniform(0.1, 2.0)
        rate, v = random.normal(size=3), random.normal(size=3)
        plain(damp_joint)(robot, body, n, length, *v, rate, h)
        phi_rate = rate[1] - np.cross(n, v)[1] / length
        # P moves with v; the centre of mass with v - rate x arm.
        centre = v - np.cross(rate, [0.0, 0.0, SPEC.mass_arm])
        power = body.force_W @ centre + body.torque_W @ rate
        assert power == pytest.approx(-SPEC.damping_phi * phi_rate**2, rel=1e-6)
        assert body.force_W @ n == pytest.approx(0.0, abs=1e-15)


def test_the_shell_is_as_large_as_the_robot():
    shell = SPEC.shell
    reach = np.abs(shell[:, :3]) + shell[:, 3:]
    assert reach[:, 0].max() == pytest.approx(0.05)
    assert reach[:, 1].max() <= 0.115 + 1e-12 and reach[:, 1].max() > 0.105
    assert reach[:, 2].max() <= 0.15 + 1e-12 and reach[:, 2].max() > 0.14
    mirrored = shell * (1.0, -1.0, 1.0, 1.0)
    assert {tuple(row) for row in mirrored.round(9)} == {tuple(row) for row in shell.round(9)}


def test_the_spool_is_that_of_the_data_sheet():
    assert SPEC.spool_speed_max == pytest.approx(0.162)
    assert SPEC.spool.torque_max * SPEC.spool.gear_ratio == pytest.approx(0.52)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"motor_lag": -1.0}, "AvocadoRobotSpec.motor_lag must be >= 0"),
        ({"tether_density": 0.0}, "AvocadoRobotSpec.tether_density must be > 0"),
        ({"mass": 0.0}, "AvocadoSpec.mass must be > 0"),
        ({"reverse_thrust": True}, "AvocadoSpec.reverse_thrust must be a number"),
        ({"thrust_min": 8.0}, "at most thrust_max, 7 N"),
        ({"shell_thickness": 0.3}, "must be below 0.23 m"),
        ({"motor_lagg": 0.1}, "Did you mean 'motor_lag'"),
    ],
)
def test_a_wrong_robot_is_explained(wrong, words):
    with pytest.raises(InputError, match=words):
        AvocadoRobotSpec(**wrong)


def test_every_assumed_value_is_a_field():
    assert set(AvocadoRobotSpec.assumed) <= set(SPEC.__dict__)
