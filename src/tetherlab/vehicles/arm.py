"""An arm of two equal links in a vertical plane, whose joints turn no faster than they can."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check

Vector = NDArray[np.float64]


class TwoJointArm:
    """Shoulder at its base, elbow half of its reach on; it starts folded up, with its hand at the base."""

    def __init__(self, base: ArrayLike, reach: float, joint_speed: float = 1.0) -> None:
        """base: (2,) [m]. reach: of the hand [m]. joint_speed: largest [rad/s]."""
        self.base = check.array("base", base, (2,))
        self.link = 0.5 * check.positive("reach", reach)
        self.joint_speed = check.positive("joint_speed", joint_speed)
        self.angles = np.array(
            [0.5 * math.pi, math.pi]
        )  # of the upper link from x, of the other from it [rad]

    @property
    def elbow(self) -> Vector:
        """[m], (2,)."""
        return self.places(self.angles)[1]

    @property
    def hand(self) -> Vector:
        """[m], (2,)."""
        return self.places(self.angles)[2]

    def places(self, angles: Vector) -> Vector:
        """Of base, elbow and hand, (3, 2) [m]."""
        first, second = angles[0], angles[0] + angles[1]
        upper = self.link * np.array([math.cos(first), math.sin(first)])
        lower = self.link * np.array([math.cos(second), math.sin(second)])
        return np.array([self.base, self.base + upper, self.base + upper + lower])

    def postures(self, target: ArrayLike) -> list[Vector]:
        """Angles with the hand at a target, with the elbow on either side; none: it is out of reach."""
        away = np.asarray(target, float) - self.base
        far = float(np.linalg.norm(away))
        if far > 2.0 * self.link:
            return []
        bent = 2.0 * math.acos(far / (2.0 * self.link))  # of the elbow
        towards = math.atan2(away[1], away[0])
        return [np.array([towards - 0.5 * sign * bent, sign * bent]) for sign in (1.0, -1.0)]

    def turn(self, wanted: Vector, duration: float) -> float:
        """Turn both joints towards angles for a time [s], and come there together; what is left [rad]."""
        left = np.array([math.remainder(a, math.tau) for a in wanted - self.angles])
        most = float(np.abs(left).max())
        share = 1.0 if most <= 0.0 else min(self.joint_speed * duration / most, 1.0)
        self.angles = self.angles + share * left
        return most * (1.0 - share)
