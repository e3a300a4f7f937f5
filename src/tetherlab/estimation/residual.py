"""An estimator that corrects another by what was learned of its errors, as far as that can be trusted."""

from __future__ import annotations

import dataclasses
import math
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.estimate import Estimate, EstimateStatus, Estimator
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.assumptions import slopes
from tetherlab.estimation.catenary import CatenaryLocalizer
from tetherlab.estimation.sensing import Sensing
from tetherlab.estimation.sparse_gp import SparseGp

LOWER, UPPER = 0.015, 0.065  # standard deviations between which a correction fades [m]; paper 002
STRANGE = 1.15  # strangeness at which a correction has faded away; it begins to fade at 1
HELPS = 0.95  # share of the error of held-out flights that a correction may leave
TRUSTED = (EstimateStatus.OK, EstimateStatus.UNSURE)


def residual_inputs(measurement: Measurement, position: NDArray[np.float64]) -> NDArray[np.float64]:
    """x, y, z from the base [m], azimuth, elevations at base and end [rad], length [m], (7,); or NaN.

    All in a level frame that turns with the base, as its sensor does.
    """
    turn = base_turn(measurement)
    azimuth, low, high = slopes(measurement)
    azimuth = math.remainder(azimuth - math.atan2(turn[1, 0], turn[0, 0]), 2.0 * math.pi)
    return np.array([*(turn.T @ (position - measurement.base)), azimuth, low, high, measurement.length])


def base_turn(measurement: Measurement) -> NDArray[np.float64]:
    """The heading of the base as a rotation, from its level frame to the world, (3, 3)."""
    ahead, aside = measurement.rotation_base[:2, 0]
    size = math.hypot(ahead, aside)
    c, s = (ahead / size, aside / size) if size > 0.0 else (1.0, 0.0)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


class Correction(NamedTuple):
    """What was learned for one place."""

    shift: NDArray[np.float64]  # to be added to the position [m], (3,)
    variance: NDArray[np.float64]  # of what is left [m^2], (3,)
    share: float  # of the correction that counts, from 0 to 1


class LearnedResidual:
    """Adds the learned error to the position of another estimator (paper 002, section III-B).

    The correction counts in full while its standard deviation, the largest of the three axes, is at most
    `lower` [m], not at all from `upper` [m], and in proportion between. It also fades where inputs are unlike
    all that was seen in training. Where nothing is left of it the status is OUTSIDE_TRAINING. What did not
    help on the flights that were held out in training is not applied at all.
    """

    def __init__(self, inner: Estimator, gp: SparseGp, lower: float = LOWER, upper: float = UPPER) -> None:
        self.inner, self.gp = inner, gp
        self.lower, self.upper = check.non_negative("lower", lower), check.positive("upper", upper)
        if not lower < upper:
            raise InputError(f"lower must be below upper, got {lower:g} and {upper:g}")
        if (len(gp.scaling.centre), len(gp.spread)) != (7, 3):
            raise InputError(
                "gp must have 7 inputs and 3 outputs, as of train_residual, "
                f"got {len(gp.scaling.centre)} and {len(gp.spread)}"
            )
        self.helps = _helps(gp)
        if not self.helps:
            before, after = (float(np.sqrt(np.mean(part**2))) for part in gp.held_out[1:3])
            warnings.warn(
                f"the learned correction is not applied: on flights held out in training it left {after:.3g} "
                f"of {before:.3g} m",
                stacklevel=2,
            )

    @classmethod
    def of_catenary(cls, sensing: Sensing, gp: SparseGp) -> LearnedResidual:
        """The closed form, corrected; what calibration leaves is what was learned."""
        return cls(CatenaryLocalizer(dataclasses.replace(sensing, angle_bias=0.0)), gp)

    def update(self, measurement: Measurement) -> Estimate:
        """The estimate of the inner estimator, corrected."""
        estimate = self.inner.update(measurement)
        if estimate.status not in TRUSTED:
            return estimate
        shift, variance, share = self.correction(measurement, estimate.position)
        # Around what was learned, samples scatter by more than their sensors' noise: waves, sticking links.
        scatter = base_turn(measurement) ** 2 @ self.gp.hyper.noise
        more = share * np.maximum(scatter - np.diagonal(estimate.covariance), 0.0)
        return dataclasses.replace(
            estimate,
            position=estimate.position + shift,
            covariance=estimate.covariance + np.diag(variance + more),
            status=estimate.status if share > 0.0 else EstimateStatus.OUTSIDE_TRAINING,
        )

    def correction(self, measurement: Measurement, position: NDArray[np.float64]) -> Correction:
        """Of an inner position [m], (3,)."""
        share, mean, variance = 0.0, np.zeros(3), np.zeros(3)
        inputs = residual_inputs(measurement, position)
        if self.helps and np.isfinite(inputs).all():
            mean, variance, strangeness = self.gp.predict_one(inputs)
            share = min(
                fade(math.sqrt(variance.max()), self.lower, self.upper),
                fade(strangeness, 1.0, STRANGE),
            )
        left = share**2 * variance + (1.0 - share) ** 2 * self.gp.spread**2
        turn = base_turn(measurement)
        return Correction(share * (turn @ mean), turn**2 @ left, float(share))

    def reset(self) -> None:
        """Forget all measurements, not what was learned."""
        self.inner.reset()


def _helps(gp: SparseGp) -> bool:
    """Whether held-out flights had less error with it than without; true if there were none."""
    _, before, after, _ = gp.held_out
    return len(before) == 0 or bool(np.mean(after**2) < HELPS**2 * np.mean(before**2))


def fade(value: Any, lower: float, upper: float) -> Any:
    """1 up to `lower`, 0 from `upper`, linear between; of a number or an array."""
    return np.minimum(np.maximum((upper - value) / (upper - lower), 0.0), 1.0)
