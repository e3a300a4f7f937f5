"""A shallow tree of yes-or-no questions that names a class, grown by CART with Gini's impurity."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError

LEAF = -1  # instead of the number of a feature
ARRAYS = ("feature", "threshold", "left", "right", "label", "classes")


@dataclass(frozen=True)
class DecisionTree:
    """Nodes as arrays of equal length; node 0 is the root. A node asks feature <= threshold."""

    feature: NDArray[np.int64]  # which is asked for, LEAF where the answer is known, (n,)
    threshold: NDArray[np.float64]  # (n,)
    left: NDArray[np.int64]  # node after yes, always a later one, (n,)
    right: NDArray[np.int64]  # node after no, (n,)
    label: NDArray[np.int64]  # most frequent class here, (n,)
    classes: NDArray[np.str_]  # names, (k,)

    @classmethod
    def fit(
        cls, features: NDArray[np.float64], names: Sequence[str], *, depth_max: int = 5, leaf_min: int = 10
    ) -> DecisionTree:
        """From rows of features (n, d) and their classes; a feature that any row lacks (NaN) is not used."""
        if len(features) != len(names) or len(names) == 0:
            raise InputError(f"every row needs a class, got {len(features)} rows and {len(names)} classes")
        classes, labels = np.unique(np.asarray(names, str), return_inverse=True)
        nodes: list[list[float]] = []
        whole = [j for j in range(features.shape[1]) if not np.isnan(features[:, j]).any()]

        def grow(rows: NDArray[np.int64], depth: int) -> int:
            here = len(nodes)
            counts = np.bincount(labels[rows], minlength=len(classes))
            nodes.append([LEAF, 0.0, 0, 0, int(np.argmax(counts))])
            found = None
            if depth < depth_max and np.count_nonzero(counts) > 1:
                found = _best_split(features[rows][:, whole], labels[rows], len(classes), leaf_min)
            if found is None:
                return here
            column, threshold = whole[found[0]], found[1]
            yes = features[rows, column] <= threshold
            left, right = grow(rows[yes], depth + 1), grow(rows[~yes], depth + 1)
            if nodes[left][0] == nodes[right][0] == LEAF and nodes[left][4] == nodes[right][4]:
                del nodes[left:]  # a question whose answer does not matter
            else:
                nodes[here][:4] = [column, threshold, left, right]
            return here

        grow(np.arange(len(features)), 0)
        table = np.array(nodes)
        feature, left, right, label = (table[:, j].astype(np.int64) for j in (0, 2, 3, 4))
        return cls(feature, table[:, 1], left, right, label, classes)

    @property
    def used(self) -> NDArray[np.int64]:
        """Features that are asked for anywhere."""
        return np.unique(self.feature[self.feature != LEAF])

    def predict(self, features: NDArray[np.float64]) -> str:
        """The class of one row of features, (d,)."""
        node = 0
        while self.feature[node] != LEAF:
            yes = features[self.feature[node]] <= self.threshold[node]
            node = int(self.left[node] if yes else self.right[node])
        return str(self.classes[self.label[node]])

    def save(self, path: str | Path) -> None:
        """As plain arrays, .npz."""
        with Path(path).open("wb") as file:
            np.savez(file, **{name: getattr(self, name) for name in ARRAYS})

    @classmethod
    def load(cls, path: str | Path) -> DecisionTree:
        """What `save` has written; nothing in a file is executed."""
        try:
            with np.load(path, allow_pickle=False) as file:
                tree = cls(*(file[name] for name in ARRAYS))
        except FileNotFoundError:
            raise InputError(f"{path}: no such file") from None
        except (KeyError, ValueError, OSError, zipfile.BadZipFile) as error:
            raise InputError(f"{path}: is no decision tree: {error}") from None
        if not tree._sound():
            raise InputError(f"{path}: is no decision tree: its nodes do not lead to one another")
        return tree

    def _sound(self) -> bool:
        """Whether every question leads on to a later node, and every leaf to a class."""
        count, here = len(self.feature), np.arange(len(self.feature))
        inner = self.feature != LEAF
        arrays = (self.threshold, self.left, self.right, self.label)
        if count == 0 or any(array.shape != (count,) for array in arrays):
            return False
        forward = all(((here < n) & (n < count))[inner].all() for n in (self.left, self.right))
        known = (self.label >= 0) & (self.label < len(self.classes))
        return bool(forward and known.all() and (self.feature >= LEAF).all())


def _best_split(
    values: NDArray[np.float64], labels: NDArray[np.int64], class_count: int, leaf_min: int
) -> tuple[int, float] | None:
    """(column, threshold) with the least impurity after it, or None if no column can be split."""
    best, found = np.inf, None
    count = len(labels)
    for column in range(values.shape[1]):
        order = np.argsort(values[:, column], kind="stable")
        ordered = values[order, column]
        below = np.cumsum(np.eye(class_count)[labels[order]], axis=0)[:-1]  # of each class, up to here
        above = np.bincount(labels, minlength=class_count) - below
        size = np.arange(1, count)
        impurity = count - (below**2).sum(1) / size - (above**2).sum(1) / (count - size)
        allowed = (ordered[:-1] < ordered[1:]) & (size >= leaf_min) & (count - size >= leaf_min)
        impurity[~allowed] = np.inf
        if count < 2 or not impurity.min() < best:
            continue
        i = int(np.argmin(impurity))
        middle = 0.5 * (ordered[i] + ordered[i + 1])
        best, found = impurity[i], (column, float(middle if middle < ordered[i + 1] else ordered[i]))
    return found
