"""What a Gaussian process makes of its inputs: features of comparable size, and whether they are familiar."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

Array = NDArray[np.float64]
FAMILIAR = 0.99  # share of the samples that lie within the reach
THINNEST = 1e-3  # deviation that is granted to every direction of the features


class Scaling(NamedTuple):
    """Inputs standardised, and angles as points on a circle."""

    centre: Array  # (k,)
    scale: Array  # (k,)
    circular: NDArray[np.bool_]  # which inputs are angles that may wrap [rad], (k,)

    @classmethod
    def of(cls, inputs: Array, circular: tuple[int, ...]) -> Scaling:
        """Mean and deviation of samples; an input that never changes keeps its unit."""
        angle = np.isin(np.arange(inputs.shape[1]), circular)
        deviation = inputs.std(0)
        still = deviation <= 1e-12 * abs(inputs).max(0)
        return cls(np.where(angle, 0.0, inputs.mean(0)), np.where(angle | still, 1.0, deviation), angle)

    @property
    def owner(self) -> NDArray[np.intp]:
        """Which input each feature comes from, (d,)."""
        plain = np.arange(len(self.centre))
        return np.concatenate((plain, plain[self.circular]))

    def features(self, inputs: Array) -> Array:
        """(n, d): an angle is its cosine in its own place and its sine behind all others, so it wraps."""
        plain = (inputs - self.centre) / self.scale
        angles = plain[:, self.circular]
        plain[:, self.circular] = np.cos(angles)
        return np.hstack((plain, np.sin(angles)))


class Seen(NamedTuple):
    """Where the samples were: a box of inputs, and a cloud of features."""

    low: Array  # smallest inputs, (k,)
    high: Array  # largest inputs, (k,)
    middle: Array  # of the features, (d,)
    cloud: Array  # lower triangle C of their covariance C Cᵀ, (d, d)
    reach: Array  # |C⁻¹ (f − middle)| of nearly all samples is below, ()

    @classmethod
    def of(cls, inputs: Array, features: Array) -> Seen:
        """Of samples."""
        middle = features.mean(0)
        away = features - middle
        cloud = np.linalg.cholesky(away.T @ away / len(away) + THINNEST**2 * np.eye(len(middle)))
        far = np.sqrt((solve_triangular(cloud, away.T, lower=True) ** 2).sum(0))
        return cls(inputs.min(0), inputs.max(0), middle, cloud, np.array(np.quantile(far, FAMILIAR)))

    def strangeness(self, inputs: Array, scaling: Scaling) -> Array:
        """The larger of two distances, (n,): from the middle of the box, where its walls are at 1, and from
        the middle of the cloud, where its reach is. The box knows sizes. The cloud knows what goes together:
        at a new tension each angle by itself is familiar, and their difference is not.
        """
        plain = ~scaling.circular
        half = np.maximum(0.5 * (self.high - self.low), 1e-12)
        box = abs(inputs - 0.5 * (self.low + self.high)) / half
        away = scaling.features(inputs) - self.middle
        far = np.sqrt((solve_triangular(self.cloud, away.T, lower=True, check_finite=False) ** 2).sum(0))
        return np.maximum(box[:, plain].max(1, initial=0.0), far / np.maximum(self.reach, 1e-12))
