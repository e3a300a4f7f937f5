"""The collapsed bound of a sparse Gaussian process after Titsias, and its slope in closed form.

Outputs share the length scales of one squared-exponential kernel; each has a signal and a noise variance of
its own. That costs next to nothing: what grows with the number of samples is made of the kernel alone. With
K = L Lᵀ over the inducing points, A = L⁻¹ K_uf, G = A Aᵀ, b = A y, r = signal/noise and B = I + r G,

    bound = −½ (n log 2π noise + log|B| + y·y/noise − r bᵀB⁻¹b/noise + r (n − tr G)).

The derivation, also of the slope, is in docs/theory/learned_residual.md.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular

Array = NDArray[np.float64]
JITTER = 1e-9  # added to the diagonal of K, whose entries there are 1
CHUNK = 4096  # samples whose kernel is held at once


class Hyper(NamedTuple):
    """What is learned besides the samples."""

    lengths: Array  # length scale of each feature, (d,)
    signal: Array  # variance of each output's function, (p,)
    noise: Array  # variance of each output's noise, (p,)


class Heap(NamedTuple):
    """All that a bound and a prediction need of the samples."""

    gram: Array  # A Aᵀ, (m, m)
    moments: Array  # A y, (m, p)
    squares: Array  # y·y, (p,)
    samples: int  # their number


def kernel(left: Array, right: Array) -> Array:
    """exp(−½ |l − r|²) of points that are divided by their length scales, (n, m)."""
    exponent = left @ right.T
    exponent -= 0.5 * (left * left).sum(1)[:, None]
    exponent -= 0.5 * (right * right).sum(1)
    return np.exp(np.minimum(exponent, 0.0, out=exponent), out=exponent)


def factor(inducing: Array) -> Array:
    """L of the kernel over inducing points that are divided by their length scales, (m, m)."""
    return cholesky(kernel(inducing, inducing) + JITTER * np.eye(len(inducing)), lower=True)


def heap_up(features: Array, outputs: Array, inducing: Array, lengths: Array) -> Heap:
    """Sum over samples, a chunk at a time, so that memory does not grow with their number."""
    points = inducing / lengths
    lower = factor(points)
    gram = np.zeros((len(points), len(points)))
    moments = np.zeros((len(points), outputs.shape[1]))
    for first in range(0, len(features), CHUNK):
        rows = kernel(points, features[first : first + CHUNK] / lengths)
        white = solve_triangular(lower, rows, lower=True, overwrite_b=True, check_finite=False)
        gram += white @ white.T
        moments += white @ outputs[first : first + CHUNK]
    return Heap(gram, moments, (outputs * outputs).sum(0), len(features))


def bound(heap: Heap, hyper: Hyper) -> float:
    """Lower bound of the log marginal likelihood, summed over the outputs."""
    total = 0.0
    for i, (signal, noise) in enumerate(zip(hyper.signal, hyper.noise, strict=True)):
        total += _of_output(heap, i, signal, noise)[0]
    return total


def _of_output(heap: Heap, i: int, signal: float, noise: float) -> tuple[float, Array, Array]:
    """(bound of one output, B⁻¹, c = B⁻¹ b)."""
    ratio = signal / noise
    size, n = len(heap.gram), heap.samples
    lower = cholesky(np.eye(size) + ratio * heap.gram, lower=True)
    half = solve_triangular(lower, np.eye(size), lower=True, check_finite=False)
    inverse = half.T @ half
    b = heap.moments[:, i]
    c = inverse @ b
    value = -0.5 * (
        n * math.log(2.0 * math.pi * noise)
        + 2.0 * np.log(np.diagonal(lower)).sum()
        + (heap.squares[i] - ratio * (b @ c)) / noise
        + ratio * (n - np.trace(heap.gram))
    )
    return float(value), inverse, c


def bound_and_slope(features: Array, outputs: Array, inducing: Array, hyper: Hyper) -> tuple[float, Hyper]:
    """The bound, and its derivatives by the logarithms of length scales, signal and noise variances."""
    points, samples = inducing / hyper.lengths, features / hyper.lengths
    n, size = len(samples), len(points)
    over, across = kernel(points, points), kernel(points, samples)
    lower = cholesky(over + JITTER * np.eye(size), lower=True)
    white = solve_triangular(lower, across, lower=True, check_finite=False)
    heap = Heap(white @ white.T, white @ outputs, (outputs * outputs).sum(0), n)

    value, by_signal, by_noise = 0.0, np.empty(len(hyper.signal)), np.empty(len(hyper.noise))
    inner, pull = np.zeros((size, size)), np.empty((size, outputs.shape[1]))  # dF/dA = inner A + pull yᵀ
    for i, (signal, noise) in enumerate(zip(hyper.signal, hyper.noise, strict=True)):
        part, inverse, c = _of_output(heap, i, signal, noise)
        value += part
        ratio, b = signal / noise, heap.moments[:, i]
        known = size - np.trace(inverse)  # tr(B⁻¹ r G)
        unexplained = ratio * (n - np.trace(heap.gram))
        by_signal[i] = 0.5 * (ratio / noise * (c @ c) - known - unexplained)
        by_noise[i] = 0.5 * (known - n + unexplained + (heap.squares[i] - ratio * (b @ c + c @ c)) / noise)
        inner += ratio * (np.eye(size) - inverse - ratio / noise * np.outer(c, c))
        pull[:, i] = ratio / noise * c

    back = solve_triangular(lower, np.eye(size), lower=True, check_finite=False)
    by_across = (back.T @ inner) @ white + (back.T @ pull) @ outputs.T
    # A Aᵀ is all that depends on K, so dF/dK = −½ L⁻ᵀ (dF/dA Aᵀ) L⁻¹
    by_over = -0.5 * back.T @ (inner @ heap.gram + pull @ heap.moments.T) @ back
    by_lengths = _by_lengths(by_across * across, points, samples) + _by_lengths(
        by_over * over, points, points
    )
    return value, Hyper(by_lengths, by_signal, by_noise)


def _by_lengths(weights: Array, left: Array, right: Array) -> Array:
    """Σ weights (l − r)² along each axis, (d,): dk/d log(length) = k (l − r)², the points being scaled."""
    return (
        weights.sum(1) @ (left * left)
        + weights.sum(0) @ (right * right)
        - 2.0 * ((weights @ right) * left).sum(0)
    )
