"""The law of a sensor from samples: fitted without outliers, with how sure it is and what to doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from tetherlab.contracts.errors import InputError
from tetherlab.sensors.calibration import LAWS, SENSORS, SensorLaw, turns_back
from tetherlab.sensors.calibration_samples import Samples
from tetherlab.sensors.outliers import inliers

Array = NDArray[np.float64]

CONFIDENCE = 0.95
FEW = 8  # samples, fewer say little about noise
# What a workspace needs at least [rad, m, N]; the paper sampled its angles and 6 N of tension.
WIDE = {"angle": np.deg2rad(45.0), "length": 1.0, "tension": 2.0}
GAP = 0.5  # share of the range without a sample
MANY_REJECTED = 0.2
GAIN_UNSURE = 0.02  # standard error of the span, as a share of it
BENT = 1e-3  # probability that chance alone would bend the residuals so much


@dataclass(frozen=True)
class Fit:
    """A law, the samples it came from, and what is known about its errors."""

    law: SensorLaw
    samples: Samples
    kept: NDArray[np.bool_]  # False for outliers, (n,)
    covariance: Array  # of the coefficients by rising power, (p, p)
    doubts: tuple[str, ...] = ()  # sentences

    @property
    def sensor(self) -> str:
        """Its name in SENSORS."""
        return self.samples.sensor

    @property
    def residuals(self) -> Array:
        """Truth less law, of all samples [unit], (n,)."""
        return self.samples.values - self.law.value(self.samples.inputs)

    @property
    def confidence(self) -> Array:
        """Half the width of each coefficient's 95 % interval, (p,)."""
        return self._student * np.sqrt(np.diagonal(self.covariance))

    def line_confidence(self, inputs: Any) -> Array:
        """Half the width of the 95 % interval of the law itself at some inputs [unit]."""
        return self._student * self._deviation(inputs)

    def reading_confidence(self, inputs: Any) -> Array:
        """Half the width of the interval in which 95 % of new readings fall [unit]."""
        return self._student * np.hypot(self._deviation(inputs), self.law.residual_deviation)

    @property
    def _student(self) -> float:
        free = self.kept.sum() - len(self.law.coefficients)
        return float(stats.t.ppf(0.5 * (1.0 + CONFIDENCE), free))

    def _deviation(self, inputs: Any) -> Array:
        powers = np.vander(
            np.atleast_1d(np.asarray(inputs, float)), len(self.law.coefficients), increasing=True
        )
        variances = np.einsum("ni,ij,nj->n", powers, self.covariance, powers)
        # At large inputs the terms cancel, and rounding can leave a little less than nothing.
        return np.sqrt(np.maximum(variances, 0.0)).reshape(np.shape(inputs))


def fit_samples(samples: Samples) -> Fit:
    """The law of one sensor; InputError if there are too few samples to tell it."""
    kind = SENSORS[samples.sensor]
    terms = len(LAWS[kind.law])
    count, distinct = len(samples.inputs), len(np.unique(samples.inputs))
    if count < terms + 1:
        raise InputError(
            f"{samples.file}: {samples.sensor}: {_counted(count)}, but a {kind.law} law needs "
            f"at least {terms + 1}"
        )
    if distinct < terms:
        raise InputError(
            f"{samples.file}: {samples.sensor}: only {distinct} different readings of {samples.input}, "
            f"but a {kind.law} law needs at least {terms}; move the sensor between samples"
        )
    kept = inliers(samples.inputs, samples.values, terms - 1)
    inputs, values = samples.inputs[kept], samples.values[kept]
    if not np.ptp(values) > 0.0:
        raise InputError(
            f"{samples.file}: {samples.sensor}: all true {kind.quantity}s are the same, "
            f"{shown(float(values[0]), kind.unit)}; move the sensor between samples"
        )
    coefficients, covariance, deviation = _least_squares(inputs, values, terms)
    law = SensorLaw(
        input=samples.input,
        unit=kind.unit,
        coefficients=tuple(coefficients.tolist()),
        standard_errors=tuple(np.sqrt(np.diagonal(covariance)).tolist()),
        residual_deviation=deviation,
        input_range=(float(inputs.min()), float(inputs.max())),
        file=samples.file,
        samples=count,
        rejected_lines=tuple(line for line, good in zip(samples.lines, kept, strict=True) if not good),
    )
    fit = Fit(law, samples, kept, covariance)
    return Fit(law, samples, kept, covariance, tuple(_doubts(fit)))


def _counted(count: int) -> str:
    return "one sample" if count == 1 else f"{count} samples"


def _least_squares(inputs: Array, values: Array, terms: int) -> tuple[Array, Array, float]:
    """Coefficients by rising power, their covariance, and the deviation of one sample."""
    middle, half = 0.5 * (inputs.max() + inputs.min()), 0.5 * np.ptp(inputs)
    design = np.vander((inputs - middle) / half, terms, increasing=True)
    scaled = np.linalg.lstsq(design, values, rcond=None)[0]
    free = len(values) - terms
    variance = float(((values - design @ scaled) ** 2).sum() / free)
    # Powers of (x − middle)/half as powers of x.
    back = np.zeros((terms, terms))
    for power in range(terms):
        factors = np.polynomial.polynomial.polypow([-middle / half, 1.0 / half], power)
        back[: power + 1, power] = factors
    inverse = np.linalg.inv(np.linalg.qr(design, mode="r"))
    spread = back @ inverse
    return back @ scaled, variance * spread @ spread.T, variance**0.5


def _doubts(fit: Fit) -> list[str]:
    law, kept = fit.law, fit.kept
    kind = SENSORS[fit.sensor]
    values, inputs = fit.samples.values[kept], fit.samples.inputs[kept]
    doubts = []
    if not law.is_monotonic:
        doubts.append(turns_back(law))
    if kept.sum() < FEW:
        doubts.append(
            f"{_counted(int(kept.sum()))} say little about the noise, and no outlier is looked for; "
            f"take {FEW} or more"
        )
    span, wide = float(np.ptp(values)), WIDE[kind.quantity]
    if span < wide:
        doubts.append(
            f"the samples span only {shown(span, kind.unit)}; beyond them the law is a guess. "
            f"Take some over {shown(wide, kind.unit)} or more"
        )
    gaps = np.diff(np.sort(inputs)) / np.ptp(inputs)
    if len(inputs) > 3 and gaps.max() > GAP:
        start = np.sort(inputs)[int(gaps.argmax())]
        end = np.sort(inputs)[int(gaps.argmax()) + 1]
        doubts.append(
            f"there is no sample between {law.input} = {start:.6g} and {end:.6g}, more than half of the range"
        )
    unsure = _span_error(fit)
    if unsure > GAIN_UNSURE:
        doubts.append(
            f"the range is small for this noise: the law's rise over it is known "
            f"to {100.0 * unsure:.1f} % only"
        )
    rejected = int((~kept).sum())
    if rejected > MANY_REJECTED * len(kept):
        doubts.append(
            f"{rejected} of {len(kept)} samples are outliers: is this one sensor, moved one way only?"
        )
    bend = _bend(inputs, values, len(law.coefficients))
    if bend > law.residual_deviation:
        doubts.append(
            f"the samples bend away from a {law.law} law by up to {shown(bend, kind.unit)}: "
            "the residuals are not noise alone"
        )
    return doubts


def _span_error(fit: Fit) -> float:
    """Standard error of value(high) − value(low), as a share of it."""
    low, high = (np.array([limit**i for i in range(len(fit.covariance))]) for limit in fit.law.input_range)
    rise = fit.law.value(fit.law.input_range[1]) - fit.law.value(fit.law.input_range[0])
    variance = float((high - low) @ fit.covariance @ (high - low))
    return float(np.sqrt(max(variance, 0.0)) / max(abs(rise), 1e-300))


def _bend(inputs: Array, values: Array, terms: int) -> float:
    """By how much a law with one power more differs [unit], if that is more than chance; else 0."""
    if len(inputs) < terms + 3 or len(np.unique(inputs)) < terms + 1:
        return 0.0
    less, more = (np.polynomial.Polynomial.fit(inputs, values, degree) for degree in (terms - 1, terms))
    before, after = (float(((values - law(inputs)) ** 2).sum()) for law in (less, more))
    free = len(inputs) - terms - 1
    rounding = 1e-24 * float((values**2).sum())
    if before <= rounding or stats.f.sf((before - after) / max(after / free, rounding), 1, free) > BENT:
        return 0.0
    return float(np.abs(less(inputs) - more(inputs)).max())


def shown(value: float, unit: str) -> str:
    """A value for people: angles in degrees."""
    return f"{np.rad2deg(value):.3g} deg" if unit == "rad" else f"{value:.3g} {unit}"
