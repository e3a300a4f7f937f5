"""An arm of two links."""

import math

import numpy as np
import pytest

from tetherlab.vehicles.arm import TwoJointArm


def test_both_postures_have_the_hand_at_the_target():
    arm = TwoJointArm((-1.9, -1.6), 0.6)
    for target in ((-1.9, -1.9), (-1.5, -1.9), (-1.3, -1.6)):
        for posture in arm.postures(target):
            np.testing.assert_allclose(arm.places(posture)[2], target, atol=1e-7)
    assert arm.postures((-1.29, -1.6)) == []


def test_joints_turn_no_faster_than_they_can_and_arrive_together():
    arm = TwoJointArm((0.0, 0.0), 1.0, joint_speed=0.5)
    np.testing.assert_allclose(arm.hand, (0.0, 0.0), atol=1e-12)
    wanted = arm.angles + np.array([1.0, -0.4])
    before = arm.angles
    assert arm.turn(wanted, 1.0) == pytest.approx(0.5)
    np.testing.assert_allclose(arm.angles - before, (0.5, -0.2))
    assert arm.turn(wanted, 1.0) == 0.0
    arm.turn(arm.angles + np.array([math.tau + 0.1, 0.0]), 10.0)
    assert arm.angles[0] == pytest.approx(wanted[0] + 0.1)  # the short way round
