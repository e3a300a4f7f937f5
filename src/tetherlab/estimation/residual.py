"""An estimator that corrects another by what was learned of its errors, as far as that can be trusted."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.estimate import Estimate, EstimateStatus, Estimator
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.assumptions import slopes
from tetherlab.estimation.sparse_gp import SparseGp

STRANGE = 1.15  # strangeness at which a correction has faded away; it begins to fade at 1
TRUSTED = (EstimateStatus.OK, EstimateStatus.UNSURE)


def residual_inputs(measurement: Measurement, position: NDArray[np.float64]) -> NDArray[np.float64]:
    """x, y, z from the base [m], azimuth, elevations at base and end [rad], length [m], (7,); or NaN."""
    return np.array([*(position - measurement.base), *slopes(measurement), measurement.length])


class LearnedResidual:
    """Adds the learned error to the position of another estimator (paper 002, section III-B).

    The correction counts in full while its standard deviation, the largest of the three axes, is at most
    `lower` [m], not at all from `upper` [m], and in proportion between. It also fades where inputs are unlike
    all that was seen in training. Where nothing is left of it the status is OUTSIDE_TRAINING.
    """

    def __init__(self, inner: Estimator, gp: SparseGp, lower: float = 0.015, upper: float = 0.065) -> None:
        self.inner, self.gp = inner, gp
        self.lower, self.upper = check.non_negative("lower", lower), check.positive("upper", upper)
        if not lower < upper:
            raise InputError(f"lower must be below upper, got {lower:g} and {upper:g}")
        if (len(gp.scaling.centre), len(gp.spread)) != (7, 3):
            raise InputError(
                "gp must have 7 inputs and 3 outputs, as of train_residual, "
                f"got {len(gp.scaling.centre)} and {len(gp.spread)}"
            )

    def update(self, measurement: Measurement) -> Estimate:
        """The estimate of the inner estimator, corrected."""
        estimate = self.inner.update(measurement)
        if estimate.status not in TRUSTED:
            return estimate
        shift, doubt = self.correction(measurement, estimate.position)
        return dataclasses.replace(
            estimate,
            position=estimate.position + shift,
            covariance=estimate.covariance + np.diag(doubt),
            status=estimate.status if shift.any() else EstimateStatus.OUTSIDE_TRAINING,
        )

    def correction(
        self, measurement: Measurement, position: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What to add to an inner position [m], (3,), and the variance of what is left [m^2], (3,)."""
        share, mean, variance = 0.0, np.zeros(3), np.zeros(3)
        inputs = residual_inputs(measurement, position)
        if np.isfinite(inputs).all():
            mean, variance, strangeness = self.gp.predict_one(inputs)
            share = min(
                fade(math.sqrt(variance.max()), self.lower, self.upper),
                fade(strangeness, 1.0, STRANGE),
            )
        return share * mean, share**2 * variance + (1.0 - share) ** 2 * self.gp.spread**2

    def reset(self) -> None:
        """Forget all measurements, not what was learned."""
        self.inner.reset()


def fade(value: Any, lower: float, upper: float) -> Any:
    """1 up to `lower`, 0 from `upper`, linear between; of a number or an array."""
    return np.minimum(np.maximum((upper - value) / (upper - lower), 0.0), 1.0)
