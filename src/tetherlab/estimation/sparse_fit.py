"""Learning a sparse Gaussian process: inducing points by k-means, the rest by L-BFGS on the bound."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.estimation.k_means import k_means
from tetherlab.estimation.sparse_bound import Hyper, bound_and_slope, heap_up
from tetherlab.estimation.sparse_gp import HeldOut, SparseGp
from tetherlab.estimation.sparse_inputs import Scaling, Seen

Array = NDArray[np.float64]
Progress = Callable[[str, float], None]  # what is being done, and how much of it, 0..1

CLUSTERED_MAX = 30_000  # samples whose clusters are sought
LEARNED_MAX = 3_000  # samples that hyperparameters are learned from; all samples shape the answer
STEPS_MAX = 60
LENGTH_MIN = 0.05
# Lengths in standard deviations of the input, variances over the mean square of the output.
START = (2.0, 1.0, 0.1)  # length, signal, noise
RANGE = ((LENGTH_MIN, 100.0), (1e-4, 100.0), (1e-6, 10.0))


class Samples(NamedTuple):
    """What is learned from."""

    inputs: Array  # (n, k)
    features: Array  # (n, d)
    outputs: Array  # (n, p)


Judge = Callable[[Samples, Scaling, Hyper, Array], HeldOut]  # with hyperparameters and inducing points


def fit_gp(
    inputs: ArrayLike,
    outputs: ArrayLike,
    *,
    inducing: int = 300,
    circular: tuple[int, ...] = (),
    seed: int = 0,
    shortest: tuple[float, ...] = (LENGTH_MIN,),
    judge: Judge | None = None,
    progress: Progress | None = None,
) -> SparseGp:
    """Learn functions of inputs, (n, k), from noisy outputs, (n, p), on one core.

    circular: numbers of inputs that are angles [rad] and may wrap. shortest: length scales, in deviations of
    the input, that none may be below; of several the one with which samples fare best when they are left out,
    as `judge` says. progress: called with what is being done and how much of it, 0..1.
    """
    rows, values = _checked(inputs, outputs, inducing)
    tell = progress or (lambda what, share: None)
    with threadpool_limits(1, "blas"):
        scaling = Scaling.of(rows, circular)
        samples = Samples(rows, scaling.features(rows), values)
        tell("inducing points", 0.0)
        points = k_means(thinned(samples.features, CLUSTERED_MAX, seed), inducing, seed=seed)
        tried = []
        for number, length in enumerate(shortest):

            def part(share: float, number: int = number) -> None:
                tell("hyperparameters", (number + share) / len(shortest))

            hyper = maximise(samples, points, scaling, length, seed, part)
            held_out = judge(samples, scaling, hyper, points) if judge else HeldOut.nothing(values.shape[1])
            tried.append((float((held_out.after**2).sum()), number, hyper, held_out))
        _, _, hyper, held_out = min(tried)
        tell("all samples", 0.0)
        heap = heap_up(samples.features, values, points, hyper.lengths[scaling.owner])
        seen = Seen.of(rows, samples.features)
        gp = SparseGp.assemble(scaling, seen, hyper, points, heap, held_out)
        tell("all samples", 1.0)
        return gp


def maximise(
    samples: Samples,
    inducing: Array,
    scaling: Scaling,
    shortest: float,
    seed: int,
    progress: Callable[[float], None],
) -> Hyper:
    """Hyperparameters with the highest bound on a part of the samples; no length scale below `shortest`."""
    features = thinned(samples.features, LEARNED_MAX, seed)
    outputs = thinned(samples.outputs, LEARNED_MAX, seed)
    size = (outputs * outputs).mean(0)
    owner, inputs, count = scaling.owner, len(scaling.centre), outputs.shape[1]
    steps = 0

    def unpack(x: Array) -> Hyper:
        lengths, signal, noise = np.split(np.exp(x), (inputs, inputs + count))
        return Hyper(lengths, signal * size, noise * size)

    from scipy.optimize import minimize  # slow to import, and runs train nothing

    def loss(x: Array) -> tuple[float, Array]:
        hyper = unpack(x)
        tied = hyper._replace(lengths=hyper.lengths[owner])
        value, slope = bound_and_slope(features, outputs, inducing, tied)
        by = np.concatenate((np.bincount(owner, slope.lengths), slope.signal, slope.noise))
        return -value / len(features), np.asarray(-by / len(features), float)

    def step(_: Array) -> None:
        nonlocal steps
        steps += 1
        progress(min(steps / STEPS_MAX, 1.0))

    start = np.repeat(START, (inputs, count, count))
    ranges = np.repeat(RANGE, (inputs, count, count), 0)
    ranges[:inputs, 0] = shortest
    found = minimize(
        loss,
        np.log(np.clip(start, *ranges.T)),
        jac=True,
        method="L-BFGS-B",
        bounds=np.log(ranges),
        callback=step,
        options={"maxiter": STEPS_MAX},
    )
    return unpack(found.x)


def _checked(inputs: ArrayLike, outputs: ArrayLike, inducing: int) -> tuple[Array, Array]:
    """Samples that something can be learned from."""
    rows = check.array("inputs", inputs, (None, None))
    values = check.array("outputs", outputs, (None, None))
    if len(rows) != len(values):
        raise InputError(f"inputs and outputs must have as many rows, got {len(rows)} and {len(values)}")
    if not 1 <= inducing <= len(rows):
        raise InputError(f"inducing must be from 1 to the number of samples, {len(rows)}, got {inducing}")
    if not values.any(0).all():
        raise InputError("outputs must not be all zero: there is nothing to learn")
    return rows, values


def thinned(rows: NDArray[Any], count: int, seed: int) -> NDArray[Any]:
    """At most `count` rows, drawn without repetition; the same for the same seed and number of rows."""
    if len(rows) <= count:
        return rows
    return rows[np.sort(np.random.default_rng(seed).choice(len(rows), count, replace=False))]
