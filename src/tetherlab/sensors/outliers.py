"""Which samples of a line or parabola are outliers, the same answer every time.

First the curve whose smallest half of squared residuals is least (least trimmed squares): up to nearly half
of the samples may be wrong, wherever they stand. Then the samples that belong to it decide about the others,
by the studentised residual against Student's t with Bonferroni's correction (as Hadi and Simonoff, 1993): of
clean sets one or two in a hundred lose a sample, so that an honest file keeps all its rows.
"""

import itertools
import math

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Array = NDArray[np.float64]

SIGNIFICANCE = 0.01  # of the test, over all samples of a set together
FEWEST = 5  # samples per coefficient, below which nothing is rejected: half of them say too little
STARTS = 500  # curves through as few samples as possible; with 40 % outliers all fail once in 1e50 files
FINISHED = 10  # best of them that are improved to the end
FIRST_CUT = 2.5  # robust deviations; those beyond may come back
ROUNDS = 50


def inliers(inputs: Array, values: Array, degree: int) -> NDArray[np.bool_]:
    """True for samples that belong to one polynomial of this degree, (n,)."""
    count, terms = len(inputs), degree + 1
    if count < FEWEST * terms:
        return np.ones(count, bool)
    middle, half = 0.5 * (inputs.max() + inputs.min()), 0.5 * np.ptp(inputs)
    design = np.vander((inputs - middle) / half, terms, increasing=True)
    tiny = 1e-12 * max(np.ptp(values), np.abs(values).max(), 1e-300)  # below it residuals are rounding
    residuals = np.abs(values - design @ _least_trimmed(design, values))
    # A half that was chosen for being quiet is too quiet, the more so of few: Rousseeuw and Leroy's factor.
    quiet = 1.0 + 5.0 / (count - terms)
    deviation = max(quiet * np.median(residuals) / stats.norm.ppf(0.75), tiny)
    kept = residuals <= max(FIRST_CUT * deviation, np.sort(residuals)[_half(count, terms) - 1])
    for _ in range(ROUNDS):
        belongs = _belongs(design, values, kept, tiny)
        if (belongs == kept).all() or belongs.sum() < _half(count, terms):
            break
        kept = belongs
    # Where nearly all stand at one place the others are not wrong: without them there is no curve.
    return kept if len(np.unique(inputs[kept])) >= terms else np.ones(count, bool)


def _belongs(design: Array, values: Array, kept: NDArray[np.bool_], tiny: float) -> NDArray[np.bool_]:
    """Whether each sample agrees with the curve through the kept ones other than itself."""
    count, terms = design.shape
    free = kept.sum() - terms  # degrees of freedom
    triangle: Array = np.asarray(np.linalg.qr(design[kept], mode="r"))
    if np.abs(np.diagonal(triangle)).min() < 1e-9:  # too few inputs are left to tell the curve
        return kept
    fitted = np.linalg.lstsq(design[kept], values[kept], rcond=None)[0]
    residuals = values - design @ fitted
    leverage = (np.linalg.solve(triangle.T, design.T) ** 2).sum(axis=0)
    square = (residuals[kept] ** 2).sum()
    # Without itself: the residual grows by 1/(1 − leverage), and the sum of squares loses r²/(1 − leverage).
    own = np.maximum(1.0 - leverage, 1e-12)
    without = np.where(kept, residuals / np.sqrt(own), residuals / np.sqrt(1.0 + leverage))
    left = np.where(kept, np.maximum(square - without**2, 0.0) / max(free - 1, 1), square / free)
    deviation = np.maximum(np.sqrt(left), tiny)
    free_left = np.where(kept, free - 1, free)
    limit = stats.t.ppf(1.0 - 0.5 * SIGNIFICANCE / count, free_left)
    return np.asarray(np.abs(without) <= limit * deviation)


def _least_trimmed(design: Array, values: Array) -> Array:
    """Coefficients of least trimmed squares, from curves through few samples each, improved step by step."""
    count, terms = design.shape
    half = _half(count, terms)
    starts = _starts(count, terms)
    rows = design[starts]  # (starts, terms, terms)
    starts, rows = (part[np.abs(np.linalg.det(rows)) > 1e-6] for part in (starts, rows))  # no input twice
    if not len(starts):  # nearly all inputs are the same
        return np.asarray(np.linalg.lstsq(design, values, rcond=None)[0], float)
    fitted = np.linalg.solve(rows, values[starts][:, :, None])[:, :, 0]
    at_once = max(1, 1_000_000 // count)
    totals = np.concatenate(
        [_trimmed(design, values, fitted[i : i + at_once].T, half) for i in range(0, len(fitted), at_once)]
    )
    best = np.argsort(totals, kind="stable")[:FINISHED]
    return min((_improve(design, values, fitted[i], half) for i in best), key=lambda found: found[0])[1]


def _improve(design: Array, values: Array, fitted: Array, half: int) -> tuple[float, Array]:
    """Fit to the nearest half until it is no better; each step can only lower the sum."""
    best = float(_trimmed(design, values, fitted[:, None], half)[0])
    for _ in range(ROUNDS):
        nearest = np.argsort(np.abs(values - design @ fitted), kind="stable")[:half]
        again: Array = np.asarray(np.linalg.lstsq(design[nearest], values[nearest], rcond=None)[0], float)
        total = float(_trimmed(design, values, again[:, None], half)[0])
        if not total < best * (1.0 - 1e-12):
            break
        best, fitted = total, again
    return best, fitted


def _trimmed(design: Array, values: Array, fitted: Array, half: int) -> Array:
    """Sum of the smallest squared residuals of some curves, (curves,), from their (terms, curves)."""
    squares = (values[:, None] - design @ fitted) ** 2
    return np.asarray(np.partition(squares, half - 1, axis=0)[:half].sum(axis=0))


def _half(count: int, terms: int) -> int:
    return (count + terms + 1) // 2


def _starts(count: int, terms: int) -> NDArray[np.int64]:
    """Numbers of samples, (starts, terms)."""
    if math.comb(count, terms) <= STARTS:
        return np.array(list(itertools.combinations(range(count), terms)))
    return np.random.default_rng(0).integers(count, size=(STARTS, terms))  # always the same ones
