"""The wind that users choose: uniform or growing with height, with or without gusts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.world.shapes import Vector
from tetherlab.world.wind_field import WindField, wind_at, winds

__all__ = ["Gusts", "Wind", "WindField", "wind_at"]

SHELL_COUNT = 8  # shells of equal energy in the spectrum, three modes each
ENERGY_KEPT = 0.9  # the smallest eddies, finer than about a sixth of the length scale, are left out


@dataclass(frozen=True, kw_only=True)
class Gusts:
    """Turbulence that the mean wind carries along; the same seed gives the same gusts."""

    intensity: float  # standard deviation of each component [m/s]
    length_scale: float  # longitudinal integral scale of the von Karman spectrum [m]
    seed: int = 0

    def __post_init__(self) -> None:
        check.non_negative("intensity", self.intensity)
        check.positive("length_scale", self.length_scale)
        if isinstance(self.seed, bool) or not isinstance(self.seed, (int, np.integer)) or self.seed < 0:
            raise InputError(f"seed must be an integer >= 0, got {self.seed!r}")

    def modes(self, velocity: NDArray[np.float64]) -> NDArray[np.float64]:
        """The table of modes for `WindField`, carried by the mean velocity (3,), as (8, mode_count).

        Each shell holds the same share of the von Karman energy spectrum E(k) ~ x^4 / (1 + x^2)^(17/6),
        x = 1.339 L k, whose cumulative is an incomplete beta function of x^2 / (1 + x^2). A shell has three
        waves along a random orthogonal triad, each swinging along the next axis of the triad: so every
        shell, and not only the average of many, has equal energy in all components.
        """
        from scipy.special import betaincinv  # slow to import, and calm worlds do without

        random = np.random.default_rng(self.seed)
        share = ENERGY_KEPT * (np.arange(SHELL_COUNT) + random.uniform(size=SHELL_COUNT)) / SHELL_COUNT
        s = betaincinv(2.5, 1.0 / 3.0, share)
        wavenumbers = np.sqrt(s / (1.0 - s)) / (1.339 * self.length_scale)
        amplitude = self.intensity * np.sqrt(2.0 / SHELL_COUNT)
        columns = []
        for k in wavenumbers:
            triad, _ = np.linalg.qr(random.normal(size=(3, 3)))
            for axis in range(3):
                turns_per_metre = k * triad[:, axis] / (2.0 * np.pi)
                swing = amplitude * triad[:, (axis + 1) % 3]
                columns.append([*turns_per_metre, -turns_per_metre @ velocity, random.uniform(), *swing])
        return np.ascontiguousarray(np.array(columns).T)


@dataclass(frozen=True, eq=False)
class Wind:
    """Velocity of the air as a function of place and time. Build one with `uniform` or `shear`."""

    velocity: Vector  # mean [m/s], (3,); with a profile, at the reference height
    reference_height: float | None = None  # [m]; None: the same at every height
    exponent: float = 0.143  # of the power law
    gusts: Gusts | None = None  # see `with_gusts`

    def __post_init__(self) -> None:
        velocity = check.vector("velocity", self.velocity)
        velocity.setflags(write=False)
        object.__setattr__(self, "velocity", velocity)
        if self.reference_height is not None:
            check.positive("reference_height", self.reference_height)
        check.positive("exponent", self.exponent)
        if self.gusts is not None and not np.any(velocity):
            raise InputError("gusts are carried along by the mean wind: give it a velocity other than zero")

    @classmethod
    def calm(cls) -> Wind:
        """No wind at all."""
        return cls((0.0, 0.0, 0.0))

    @classmethod
    def uniform(cls, velocity: Vector) -> Wind:
        """The same velocity everywhere [m/s], (3,)."""
        return cls(velocity)

    @classmethod
    def shear(cls, velocity_at_reference: Vector, reference_height: float, exponent: float = 0.143) -> Wind:
        """Power law velocity_at_reference (z / reference_height)^exponent, zero at and below z = 0."""
        return cls(velocity_at_reference, reference_height, exponent)

    def with_gusts(self, intensity: float, length_scale: float, seed: int = 0) -> Wind:
        """The same mean wind with gusts of this standard deviation [m/s] and integral length scale [m].

        The gusts have the same strength at all heights and travel with `velocity`.
        """
        return replace(self, gusts=Gusts(intensity=intensity, length_scale=length_scale, seed=seed))

    @cached_property
    def field(self) -> WindField:
        """The wind for compiled code."""
        velocity = np.asarray(self.velocity)
        mean = np.array([*velocity, self.reference_height or 0.0, self.exponent])
        return WindField(mean, np.empty((8, 0)) if self.gusts is None else self.gusts.modes(velocity))

    def at(self, points: Any, time: Any = 0.0) -> NDArray[np.float64]:
        """Velocity of the air [m/s] at points [m], both (n, 3) or (3,), and at one time or n times [s]."""
        single = np.ndim(points) == 1
        many = check.vector("points", points)[None] if single else check.points("points", points)
        if np.ndim(time) == 0:
            times = np.full(len(many), check.number("time", time))
        else:
            times = check.array("time", time, (len(many),))
        result = winds(self.field, many, times)
        return result[0] if single else result
