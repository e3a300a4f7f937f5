"""The angles at which the tether leaves base and drone: gimbals with a potentiometer on each axis."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.measurement import Measurement
from tetherlab.sensors.adc import read_share
from tetherlab.sensors.bias_field import bias_at, make_field
from tetherlab.sensors.gimbal import tangent_from_angles
from tetherlab.sensors.link import AZIMUTH, BASE, DRONE, ELEVATION, follow_tether
from tetherlab.sensors.platform_joint import LYING
from tetherlab.sensors.sensor import Sensor, Timing, check_range
from tetherlab.sensors.truth import Truth

Vector = NDArray[np.float64]
TURN = 2.0 * math.pi
MOUNTINGS = {"upright": np.eye(3), "lying": LYING}  # frame of the gimbal to that of what carries it
BEYOND = 0.05  # by which a link can turn beyond the range of its potentiometer [rad]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class AngleSensorSpec(Timing):
    """Defaults are those of the base. Noise is a third of Table II of paper 002, which includes motion.

    Azimuth and elevation are the gimbal's own: one that lies turns its azimuth about -x of what carries it.
    """

    rate_hz: float = 100.0  # assumed
    delay: float = 0.005  # assumed [s]
    azimuth_noise: float = 0.0005 / 3.0  # standard deviation of one sample [rad]
    elevation_noise: float = 0.0096 / 3.0  # [rad]
    azimuth_offset: float = 0.0  # constant error [rad]
    elevation_offset: float = 0.0  # [rad]
    bias_field: float = 0.0  # root mean square of a smooth error of each axis, see bias_field.py [rad]
    bias_seed: int = 1  # which field: that of this piece of hardware, the same in all runs
    friction: float = 0.029  # of each axis, at the tip of the link; paper 002, section IV-B [N]
    link_mass: float = 0.002  # of the last link; the paper calls it lightweight; assumed [kg]
    gravity: float = 9.80665  # [m/s^2]
    azimuth_range: tuple[float, float] = (-math.pi, math.pi)  # of the potentiometer; assumed [rad]
    azimuth_endless: bool = True  # turns on over the ends of a range of a whole turn; assumed
    elevation_range: tuple[float, float] = (-0.25 * math.pi, 1.25 * math.pi)  # assumed [rad]
    mounting: str = "upright"  # or "lying", as on the platform of paper 003, see platform_joint.py
    adc_bits: int = 16  # assumed
    ratiometric: bool = True  # whether the supply of the potentiometers is read too; paper 002, section IV-A
    supply_sag: float = 0.0  # share of its voltage that the supply is too low by [1]
    supply_noise: float = 0.001  # standard deviation of the supply, as a share; assumed [1]

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in (
            "azimuth_noise",
            "elevation_noise",
            "bias_field",
            "friction",
            "link_mass",
            "gravity",
            "supply_noise",
        ):
            check.non_negative(name, getattr(self, name))
        for name in ("azimuth_offset", "elevation_offset"):
            check.number(name, getattr(self, name))
        if self.mounting not in MOUNTINGS:
            known = check.did_you_mean(self.mounting, MOUNTINGS)
            raise InputError(f"mounting: {self.mounting!r} is unknown.{known}")
        check_range("azimuth_range", self.azimuth_range)
        check_range("elevation_range", self.elevation_range)
        low, high = self.elevation_range
        if self.mounting == "lying" and not low <= -0.5 * math.pi < 0.5 * math.pi <= high:
            raise InputError(
                "elevation_range of a lying gimbal must hold -90 to 90 degrees, over which the tether leans "
                f"from forwards to backwards, got {low:g} to {high:g} rad"
            )
        if self.azimuth_endless and abs(self.azimuth_range[1] - self.azimuth_range[0] - TURN) > 1e-9:
            raise InputError("azimuth_range must be a whole turn, or azimuth_endless false")
        if not 1 <= self.adc_bits <= 32:
            raise InputError(f"adc_bits must be from 1 to 32, got {self.adc_bits}")
        if not 0.0 <= self.supply_sag < 1.0:
            raise InputError(f"supply_sag must be a share from 0 to below 1, got {self.supply_sag:g}")


class AngleSensor(Sensor[AngleSensorSpec, Truth]):
    """One end's gimbal. Its readings become a unit tangent in the frame of what carries it."""

    axes = ("azimuth", "elevation")
    unit = "rad"
    side: float

    def __init__(self, spec: AngleSensorSpec, name: str, seed: int) -> None:
        super().__init__(spec, name, seed)
        (low, high), (lowest, highest) = spec.azimuth_range, spec.elevation_range
        self.low, self.high = [low, lowest], [high, highest]
        end = name.removesuffix("_angles")
        self.flags = (f"{end}_azimuth", f"{end}_elevation")
        self.state = np.zeros(3)  # the link, see link.py
        self._field = make_field(spec.bias_seed)
        self._half_weight = 0.5 * spec.link_mass * spec.gravity
        self._mounting = MOUNTINGS[spec.mounting]
        around = (-math.inf, math.inf) if spec.azimuth_endless else (low - BEYOND, high + BEYOND)
        self._stops = (*around, lowest - BEYOND, highest + BEYOND)
        # Arrays of the caller may be of any layout; compiled code sees these.
        self._tangent, self._rotation = np.empty(3), np.empty((3, 3))

    def _move(self, tangent_W: Vector, tension: float, rotation: Vector) -> None:
        self._tangent[:] = tangent_W
        self._rotation[:] = rotation @ self._mounting
        follow_tether(
            self.state,
            self._tangent,
            float(tension),
            self._half_weight,
            self.side,
            self._rotation,
            self.spec.friction,
            *self._stops,
        )

    def values(self, truth: Truth) -> list[float]:
        """Angles of the link, with their errors [rad]."""
        spec = self.spec
        azimuth, elevation = float(self.state[AZIMUTH]), float(self.state[ELEVATION])
        noise = self.generator.standard_normal(2).tolist()
        read_azimuth = azimuth + spec.azimuth_offset + spec.azimuth_noise * noise[0]
        read_elevation = elevation + spec.elevation_offset + spec.elevation_noise * noise[1]
        if spec.bias_field != 0.0:
            # A gimbal reaches a direction in two ways; its error is that of the direction.
            over = math.cos(elevation) < 0.0
            turn, lift = (azimuth + math.pi, math.pi - elevation) if over else (azimuth, elevation)
            read_azimuth += spec.bias_field * bias_at(self._field, AZIMUTH, turn, lift)
            risen = spec.bias_field * bias_at(self._field, ELEVATION, turn, lift)
            read_elevation += -risen if over else risen
        return [read_azimuth, read_elevation]

    def tangent(self, values: list[float]) -> Vector:
        """That a reading stands for, in the frame of what carries the gimbal, (3,)."""
        told: Vector = self._mounting @ tangent_from_angles(values[AZIMUTH], values[ELEVATION])
        return told

    def limit(self, values: list[float]) -> tuple[str, ...]:
        """An endless azimuth begins again."""
        if self.spec.azimuth_endless and values[AZIMUTH] < math.inf:
            low = self.low[AZIMUTH]
            values[AZIMUTH] -= TURN * math.floor((values[AZIMUTH] - low) / TURN)
        return super().limit(values)

    def digital(self, values: list[float]) -> list[float]:
        """Through potentiometers and converter."""
        spec = self.spec
        supply = 1.0 - spec.supply_sag + spec.supply_noise * float(self.generator.standard_normal())
        read = []
        for value, low, high in zip(values, self.low, self.high, strict=True):
            share = read_share((value - low) / (high - low), supply, spec.adc_bits, spec.ratiometric)
            read.append(low + (high - low) * share)
        return read


class BaseAngles(AngleSensor):
    """At the base, whose place and attitude are known and are sent along."""

    side = BASE

    def follow(self, truth: Truth) -> None:
        """The link follows the tether."""
        self._move(truth.tangent_base_W, truth.tension_base, truth.rotation_base)

    def message(self, truth: Truth, values: list[float], saturated: tuple[str, ...]) -> Measurement:
        """In the frame of the base."""
        return Measurement(
            time=truth.time,
            tangent_base=self.tangent(values),
            rotation_base=np.array(truth.rotation_base),
            base=np.array(truth.base),
            base_velocity=np.array(truth.base_velocity),
            saturated=saturated,
        )


class DroneAngles(AngleSensor):
    """At the drone, with the attitude that its autopilot believes in."""

    side = DRONE

    def __init__(
        self, spec: AngleSensorSpec, name: str, seed: int, attitude: Callable[[Truth], Vector]
    ) -> None:
        super().__init__(spec, name, seed)
        self._attitude = attitude

    def follow(self, truth: Truth) -> None:
        """The link follows the tether."""
        self._move(truth.tangent_end_W, truth.tension_end, truth.rotation)

    def message(self, truth: Truth, values: list[float], saturated: tuple[str, ...]) -> Measurement:
        """In the frame of the drone."""
        return Measurement(
            time=truth.time,
            tangent_end=self.tangent(values),
            rotation=self._attitude(truth),
            saturated=saturated,
        )
