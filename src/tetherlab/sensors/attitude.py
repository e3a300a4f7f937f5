"""Which attitude the drone's autopilot believes in."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.math.kernel import njit
from tetherlab.math.rotation import rotate_in_place
from tetherlab.sensors.sensor import make_generator
from tetherlab.sensors.truth import Truth
from tetherlab.sensors.wander import wander

Vector = NDArray[np.float64]
HEADING, TIME = 2, 3  # places of the state: tilt about x and y, heading [rad]; when that was [s]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class AttitudeSpec:
    """Gravity tells roll and pitch. Without a magnetometer, as on Mars, nothing tells the heading."""

    tilt_noise: float = 0.002  # standard deviation of one sample of roll and pitch; assumed [rad]
    tilt_wander: float = 0.005  # standard deviation of their slowly varying error; assumed [rad]
    tilt_wander_time: float = 20.0  # within which that is another one; assumed [s]
    heading_noise: float = 0.002  # standard deviation of one sample; assumed [rad]
    heading_offset: float = 0.0  # constant error [rad]
    heading_offset_deviation: float = 0.0  # of a constant error that each run draws anew [rad]
    heading_walk: float = 0.0  # drift: its standard deviation after a second, growing as √t [rad/√s]

    def __post_init__(self) -> None:
        for name in vars(self):
            if name != "heading_offset":
                check.non_negative(name, getattr(self, name))
        check.number("heading_offset", self.heading_offset)
        check.positive("tilt_wander_time", self.tilt_wander_time)


class Attitude:
    """Its estimate goes with the messages of other sensors; all of one time get the same."""

    def __init__(self, spec: AttitudeSpec, name: str, seed: int) -> None:
        self.spec = spec
        self.generator = make_generator(seed, name)
        self.state: Vector = np.array([0.0, 0.0, 0.0, -math.inf])
        drawn = spec.heading_offset_deviation * float(self.generator.standard_normal())
        self.state[HEADING] = spec.heading_offset + drawn
        self._sizes = np.array(
            [spec.tilt_wander, spec.tilt_wander_time, spec.heading_walk, spec.tilt_noise, spec.heading_noise]
        )
        self._estimate = np.eye(3)

    def estimate(self, truth: Truth) -> Vector:
        """R_WB as believed, (3, 3): tilted about axes of the world, then turned about its z."""
        if truth.time != self.state[TIME]:
            self._estimate = self._next(truth)
        return self._estimate.copy()

    def _next(self, truth: Truth) -> Vector:
        rotation = np.array(truth.rotation, order="C")
        _err(self.state, self.generator.standard_normal(6), float(truth.time), self._sizes, rotation)
        return rotation


@njit(cache=True)
def _err(state, normals, time, sizes, rotation):
    """Move the errors on to a time [s], and turn the true attitude by them, in place."""
    tilt_wander, wander_time, heading_walk, tilt_noise, heading_noise = sizes
    elapsed = time - state[TIME]
    state[TIME] = time
    wander(state[:HEADING], normals[:2], elapsed, tilt_wander, wander_time)
    if elapsed < math.inf:
        state[HEADING] += heading_walk * math.sqrt(elapsed) * normals[2]
    x, y = state[0] + tilt_noise * normals[3], state[1] + tilt_noise * normals[4]
    rotate_in_place(rotation, x, y, 0.0)
    rotate_in_place(rotation, 0.0, 0.0, state[HEADING] + heading_noise * normals[5])
