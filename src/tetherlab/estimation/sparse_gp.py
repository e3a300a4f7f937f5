"""A sparse Gaussian process: smooth functions of several inputs learned from many samples, with doubt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh, solve_triangular

from tetherlab.contracts import check
from tetherlab.estimation import sparse_gp_file
from tetherlab.estimation.sparse_bound import CHUNK, Heap, Hyper, factor, kernel
from tetherlab.estimation.sparse_inputs import Scaling, Seen
from tetherlab.estimation.sparse_one import predict_one

Array = NDArray[np.float64]


class Prediction(NamedTuple):
    """Of the functions, without the noise of a sample."""

    mean: Array  # (n, p)
    variance: Array  # (n, p)
    strangeness: Array  # how far inputs are from those seen, (n,): at most 1 for nearly all of the samples


class HeldOut(NamedTuple):
    """How groups of samples, as flights, fare with a model that has not seen them."""

    names: NDArray[np.str_]  # of the groups, (g,)
    before: Array  # root mean square of the length of their outputs, (g,)
    after: Array  # of what the model leaves of it, (g,)
    between: Array  # deviation of groups from the functions, beyond noise and known doubt, (p,)

    @classmethod
    def nothing(cls, outputs: int) -> HeldOut:
        """No groups were known."""
        return cls(np.zeros(0, "U1"), np.zeros(0), np.zeros(0), np.zeros(outputs))


@dataclass(frozen=True, eq=False, kw_only=True)
class SparseGp:
    """Learned functions of k inputs with p outputs, known by m inducing points.

    Made by `fit_gp`, `train_residual` or `load`.
    """

    scaling: Scaling
    seen: Seen
    hyper: Hyper  # lengths of standardised inputs (k,), variances in the outputs' units squared (p,)
    inducing: Array  # features, (m, d)
    whitening: Array  # W: v = W k(x) are independent coordinates of what is known at x, (m, m)
    weights: Array  # the mean is v · weights, (m, p)
    doubts: Array  # v² · doubts is left of the variance that inducing points can explain, (m, p)
    spread: Array  # root mean square of the outputs without their noise, (p,)
    held_out: HeldOut

    @classmethod
    def assemble(
        cls, scaling: Scaling, seen: Seen, hyper: Hyper, inducing: Array, heap: Heap, held_out: HeldOut
    ) -> SparseGp:
        """From hyperparameters and the heap of samples: G = Q Λ Qᵀ makes B of each output diagonal."""
        values, vectors = eigh(heap.gram)
        lower = factor(inducing / hyper.lengths[scaling.owner])
        ratio = hyper.signal / hyper.noise
        shrink = 1.0 + np.maximum(values, 0.0)[:, None] * ratio
        return cls(
            scaling=scaling,
            seen=seen,
            hyper=hyper,
            inducing=inducing,
            whitening=np.ascontiguousarray(solve_triangular(lower, vectors, lower=True, trans="T").T),
            weights=ratio * (vectors.T @ heap.moments) / shrink,
            doubts=hyper.signal / shrink,
            spread=np.sqrt(np.maximum(heap.squares / heap.samples - hyper.noise, 0.0)),
            held_out=held_out,
        )

    def predict(self, inputs: ArrayLike) -> Prediction:
        """Mean and variance, (n, p) each, at inputs (n, k)."""
        rows = check.array("inputs", inputs, (None, len(self.scaling.centre)))
        lengths = self.hyper.lengths[self.scaling.owner]
        points = self.inducing / lengths
        shape = (len(rows), len(self.hyper.signal))
        mean, variance = np.empty(shape), np.empty(shape)
        for first in range(0, len(rows), CHUNK):
            chunk = slice(first, first + CHUNK)
            v = kernel(self.scaling.features(rows[chunk]) / lengths, points) @ self.whitening.T
            mean[chunk] = v @ self.weights
            v *= v
            unseen = np.maximum(1.0 - v.sum(1), 0.0)  # what no inducing point can tell
            variance[chunk] = unseen[:, None] * self.hyper.signal + v @ self.doubts
        variance += self.held_out.between**2
        return Prediction(mean, variance, self.seen.strangeness(rows, self.scaling))

    def predict_one(self, inputs: Array) -> tuple[Array, Array, float]:
        """Mean (p,), variance (p,) and strangeness at one point of finite inputs (k,): fast, for flight."""
        return predict_one(inputs, *self._compiled)

    def save(self, path: str | Path) -> None:
        """Write one .npz file: numbers only, nothing that runs when it is read."""
        parts: dict[str, Any] = dict(vars(self))
        for name in sparse_gp_file.NESTED:
            parts.update({f"{name}.{key}": value for key, value in parts[name]._asdict().items()})
        sparse_gp_file.write(path, {name: parts[name] for name in sparse_gp_file.LAYOUT})

    @classmethod
    def load(cls, path: str | Path) -> SparseGp:
        """Read what `save` wrote."""
        parts: dict[str, Any] = dict(sparse_gp_file.read(path))
        kinds: tuple[Any, ...] = (Scaling, Seen, Hyper, HeldOut)
        for name, kind in zip(sparse_gp_file.NESTED, kinds, strict=True):
            parts[name] = kind(**{key: parts.pop(f"{name}.{key}") for key in kind._fields})
        return cls(**parts)

    @cached_property
    def _compiled(self) -> tuple[Any, ...]:
        lengths = self.hyper.lengths[self.scaling.owner]
        *seen, reach = self.seen
        return (
            *self.scaling,
            *seen,
            float(reach),
            lengths,
            self.inducing / lengths,
            self.whitening,
            self.weights,
            self.doubts,
            self.hyper.signal,
            self.held_out.between,
        )
