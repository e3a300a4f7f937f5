"""Learning the error that a model leaves, and judging it by flights that it has not seen."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.estimation.k_means import assign, k_means
from tetherlab.estimation.residual import STRANGE, fade
from tetherlab.estimation.sparse_bound import Heap, Hyper, heap_up
from tetherlab.estimation.sparse_fit import LENGTH_MIN, Progress, Samples, fit_gp, thinned
from tetherlab.estimation.sparse_gp import HeldOut, SparseGp
from tetherlab.estimation.sparse_inputs import Scaling, Seen

Array = NDArray[np.float64]
AZIMUTH = 3  # place of the angle that wraps among `residual_inputs`
JUDGED_MAX = 20_000  # samples of the flights that are left out
SMOOTH = 4.0  # shortest length scale, in deviations of the input, that is tried besides any
FOLDS_MAX = 6  # groups of similar flights


def train_residual(
    inputs: ArrayLike,
    errors: ArrayLike,
    *,
    flights: ArrayLike | None = None,
    inducing: int = 300,
    seed: int = 0,
    progress: Progress | None = None,
) -> SparseGp:
    """Learn errors, truth less estimate [m], (n, 3), as a function of `residual_inputs`, (n, 7), on one core.

    errors: in the level frame that turns with the base, as the inputs; see `base_turn`.

    flights: name of the flight of each sample, (n,). Samples of one flight resemble each other, so doubt that
    is judged by them is too small, and length scales are too short: each path is learned by heart. Given
    flights, groups of similar ones are left out in turn. They decide whether the functions must be smoother;
    what the model leaves of their errors is reported, and what noise does not explain of it is added to its
    doubt (`held_out`). Flights that are to judge the result must not be given here.
    """
    rows = check.array("inputs", inputs, (None, 7))
    values = check.array("errors", errors, (None, 3))
    judge = None if flights is None else _Judge(flights, len(rows), seed)
    return fit_gp(
        rows,
        values,
        inducing=inducing,
        circular=(AZIMUTH,),
        seed=seed,
        shortest=(LENGTH_MIN, SMOOTH) if judge else (LENGTH_MIN,),
        judge=judge,
        progress=progress,
    )


class _Judge:
    """Leaves out groups of similar flights, one after the other."""

    def __init__(self, flights: ArrayLike, count: int, seed: int) -> None:
        names = np.asarray(flights)
        if names.shape != (count,):
            raise InputError(f"flights must have shape ({count},), as there are inputs, got {names.shape}")
        self.names, self.member = np.unique(names.astype(str), return_inverse=True)
        if len(self.names) < 2:
            raise InputError(f"flights must name at least two flights, got only {str(self.names[0])!r}")
        self.seed = seed

    def __call__(self, samples: Samples, scaling: Scaling, hyper: Hyper, points: Array) -> HeldOut:
        fold = self._folds(samples.features)
        inputs, features, outputs = (thinned(part, JUDGED_MAX, self.seed) for part in samples)
        member, fold = (thinned(part, JUDGED_MAX, self.seed) for part in (self.member, fold))
        lengths = hyper.lengths[scaling.owner]
        groups = [fold == number for number in np.unique(fold)]
        heaps = [heap_up(features[mine], outputs[mine], points, lengths) for mine in groups]
        rest, left, doubt, strange = (np.empty_like(outputs) for _ in range(4))
        for left_out, mine in enumerate(groups):
            others = _sum([heap for number, heap in enumerate(heaps) if number != left_out])
            seen = Seen.of(inputs[~mine], features[~mine])
            gp = SparseGp.assemble(scaling, seen, hyper, points, others, HeldOut.nothing(outputs.shape[1]))
            mean, doubt[mine], strangeness = gp.predict(inputs[mine])
            strange[mine] = strangeness[:, None]
            rest[mine] = outputs[mine] - mean
            left[mine] = outputs[mine] - fade(strange[mine], 1.0, STRANGE) * mean
        # Only where the others have been near: elsewhere the correction is not used.
        near = strange <= 1.0 if (strange <= 1.0).any() else strange >= 0.0
        between = (rest**2 - doubt).mean(0, where=near) - hyper.noise
        return HeldOut(
            self.names,
            self._by_flight(outputs, member),
            self._by_flight(left, member),
            np.sqrt(np.maximum(between, 0.0)),
        )

    def _folds(self, features: Array) -> NDArray[np.intp]:
        """The group of each sample, (n,): flights are alike that are at the same place on average."""
        sizes = np.bincount(self.member)
        means = np.column_stack([np.bincount(self.member, column) / sizes for column in features.T])
        centres = k_means(means, min(len(means), FOLDS_MAX), seed=self.seed)
        nearest, _ = assign(means, centres)
        if len(np.unique(nearest)) < 2:  # all flights at one place: leave out one at a time
            nearest = np.arange(len(means)) % FOLDS_MAX
        return nearest[self.member]

    def _by_flight(self, errors: Array, member: NDArray[np.intp]) -> Array:
        sums = np.bincount(member, (errors**2).sum(1), len(self.names))
        counts = np.bincount(member, minlength=len(self.names))
        return np.sqrt(sums / np.maximum(counts, 1))


def _sum(heaps: list[Heap]) -> Heap:
    gram, moments, squares = (np.sum(parts, 0) for parts in list(zip(*heaps, strict=True))[:3])
    return Heap(gram, moments, squares, sum(heap.samples for heap in heaps))
