"""What sensors tell an estimator: of the tether's ends, length and tension, and of the drone's motion."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError

Vector = NDArray[np.float64]
LEVEL = np.eye(3)
LEVEL.setflags(write=False)
ORIGIN = np.zeros(3)
ORIGIN.setflags(write=False)


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What was sensed at one time; what was not is None, or NaN. SI.

    Tangents are unit vectors along base -> end, each in the frame of what carries its sensor, base or drone.
    Where sensors speak at different times, each sends a measurement of its own.
    """

    time: float = 0.0  # when it was sensed [s]
    length: float = math.nan  # of tether that is out [m]
    reeled: float = math.nan  # the same by the turns of the drum, whose radius changes with its layers [m]
    tangent_base: Vector | None = None  # frame of the base, (3,)
    tangent_end: Vector | None = None  # frame of the drone, (3,)
    tension: float = math.nan  # at the base [N]
    rotation_base: Vector = field(default_factory=lambda: LEVEL)  # R_WP: attitude of the base, (3, 3)
    rotation: Vector = field(
        default_factory=lambda: LEVEL
    )  # R_WB: attitude of the drone, as its autopilot believes, (3, 3)
    base: Vector = field(default_factory=lambda: ORIGIN)  # where the tether leaves the base [m], (3,)
    base_velocity: Vector = field(default_factory=lambda: ORIGIN)  # [m/s], (3,)
    specific_force: Vector | None = None  # of the accelerometer, frame of the drone [m/s^2], (3,)
    angular_velocity: Vector | None = None  # of the gyroscope, frame of the drone [rad/s], (3,)
    thrust: float = math.nan  # of the rotors along the drone's z axis [N]
    altitude: float = math.nan  # of the drone above the ground [m]
    saturated: tuple[str, ...] = ()  # names of sensors at the end of their range

    @classmethod
    def from_angles(
        cls,
        length: float,
        azimuth: float,
        elevation_base: float,
        elevation_end: float,
        *,
        azimuth_end: float | None = None,
        **others: Any,
    ) -> Measurement:
        """From angles against the horizon [rad], as `Catenary.from_angles` takes them, and a length [m].

        azimuth_end: of the tether at the drone; None: as at the base. others: more fields, as tension=3.5.
        """
        length = check.positive("length", length)
        azimuth = check.number("azimuth", azimuth)
        end = azimuth if azimuth_end is None else check.number("azimuth_end", azimuth_end)
        for name in ("tangent_base", "tangent_end"):
            if name in others:
                raise InputError(f"{name} is given by the angles; leave it out")
        return cls(
            length=length,
            tangent_base=unit_vector(azimuth, check.number("elevation_base", elevation_base)),
            tangent_end=unit_vector(end, check.number("elevation_end", elevation_end)),
            **others,
        )

    @property
    def tangent_base_W(self) -> Vector:
        """In the world, (3,); NaN where it was not sensed."""
        return _turned(self.rotation_base, self.tangent_base)

    @property
    def tangent_end_W(self) -> Vector:
        """In the world, by the attitude that the autopilot believes in, (3,); NaN where it was not sensed."""
        return _turned(self.rotation, self.tangent_end)


def unit_vector(azimuth: float, elevation: float) -> Vector:
    """(3,); azimuth from +x counter-clockwise, elevation positive up [rad]."""
    flat = math.cos(elevation)
    return np.array([flat * math.cos(azimuth), flat * math.sin(azimuth), math.sin(elevation)])


def _turned(rotation: Vector, tangent: Vector | None) -> Vector:
    return np.full(3, math.nan) if tangent is None else np.asarray(rotation @ tangent, float)
