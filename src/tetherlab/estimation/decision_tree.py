"""A shallow tree of yes-or-no questions that names a class, grown by CART with Gini's impurity."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import read_arrays

LEAF = -1  # instead of the number of a feature
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
ARRAYS = "feature", "threshold", "left", "right", "label", "classes"
KINDS = {"threshold": "f", "classes": "U"}  # of numbers; all others are whole


@dataclass(frozen=True)
class DecisionTree:
    """Nodes as arrays of equal length; node 0 is the root. A node asks feature <= threshold."""

    feature: Integers  # which is asked for, LEAF where the answer is known, (n,)
    threshold: Floats  # (n,)
    left: Integers  # node after yes, always a later one, (n,)
    right: Integers  # node after no, (n,)
    label: Integers  # most frequent class here, (n,)
    classes: NDArray[np.str_]  # names, (k,)

    @classmethod
    def fit(cls, data: Floats, names: list[str], *, depth_max: int = 5, leaf_min: int = 10) -> DecisionTree:
        """From rows of features (n, d) and their classes; a feature that any row lacks (NaN) is not used."""
        if len(data) != len(names) or len(names) == 0:
            raise InputError(f"every row needs a class, got {len(data)} rows and {len(names)} classes")
        classes, labels = np.unique(np.asarray(names, str), return_inverse=True)
        whole = np.flatnonzero(~np.isnan(data).any(axis=0))
        nodes: list[list[float]] = []

        def grow(rows: Integers, depth: int) -> int:
            here = len(nodes)
            counts = np.bincount(labels[rows], minlength=len(classes))
            nodes.append([LEAF, 0.0, 0, 0, int(np.argmax(counts))])
            split = depth < depth_max and np.count_nonzero(counts) > 1
            found = _best_split(data[rows][:, whole], labels[rows], leaf_min) if split else None
            if found is None:
                return here
            column, threshold = whole[found[0]], found[1]
            yes = data[rows, column] <= threshold
            left, right = grow(rows[yes], depth + 1), grow(rows[~yes], depth + 1)
            if nodes[left][0] == nodes[right][0] == LEAF and nodes[left][4] == nodes[right][4]:
                del nodes[left:]  # a question whose answer does not matter
            else:
                nodes[here][:4] = [column, threshold, left, right]
            return here

        grow(np.arange(len(data)), 0)
        table = np.array(nodes)
        feature, left, right, label = table[:, [0, 2, 3, 4]].T.astype(np.int64)
        return cls(feature, table[:, 1], left, right, label, classes)

    @property
    def used(self) -> Integers:
        """Features that are asked for anywhere."""
        return np.unique(self.feature[self.feature != LEAF])

    def predict(self, features: Floats) -> str:
        """The class of one row of features, (d,)."""
        node = 0
        while (asked := self.feature[node]) != LEAF:
            node = int((self.left if features[asked] <= self.threshold[node] else self.right)[node])
        return str(self.classes[self.label[node]])

    def save(self, path: str | Path) -> None:
        """As plain arrays; the name gets .npz where it has no such ending."""
        np.savez(path, **{name: getattr(self, name) for name in ARRAYS})

    @classmethod
    def load(cls, path: str | Path) -> DecisionTree:
        """What `save` has written; nothing in a file is executed."""
        arrays = read_arrays(path, "a decision tree")
        for name in ARRAYS:
            if name not in arrays or arrays[name].dtype.kind != KINDS.get(name, "i"):
                raise InputError(f"{path}: is no decision tree: {name} is missing or of another kind")
        tree = cls(*(arrays[name] for name in ARRAYS))
        if not tree._sound():
            raise InputError(f"{path}: is no decision tree: its nodes do not lead to one another")
        return tree

    def _sound(self) -> bool:
        """Whether every question leads on to later nodes, and every leaf to a class."""
        count, asks = self.feature.size, self.feature != LEAF
        if count == 0 or any(getattr(self, name).shape != (count,) for name in ARRAYS[:-1]):
            return False
        if self.classes.ndim != 1 or np.isnan(self.threshold).any():
            return False
        first, last = np.minimum(self.left, self.right), np.maximum(self.left, self.right)
        leads = ((first > np.arange(count)) & (last < count))[asks].all()
        known = (self.label >= 0) & (self.label < len(self.classes)) & (self.feature >= LEAF)
        return bool(leads and known.all())


def _best_split(values: Floats, labels: Integers, leaf_min: int) -> tuple[int, float] | None:
    """(column, threshold) with the least impurity after it, or None if no column can be split."""
    best, found, count = np.inf, None, len(labels)
    for column in range(values.shape[1]):
        order = np.argsort(values[:, column], kind="stable")
        ordered = values[order, column]
        size = np.arange(1, count)
        below = np.cumsum(np.eye(labels.max() + 1)[labels[order]], axis=0)[:-1]  # of each class, up to here
        above = np.bincount(labels) - below
        impurity = count - (below**2).sum(1) / size - (above**2).sum(1) / (count - size)
        allowed = (ordered[:-1] < ordered[1:]) & (size >= leaf_min) & (count - size >= leaf_min)
        impurity[~allowed] = np.inf
        i = int(np.argmin(impurity))
        if not impurity[i] < best:
            continue
        middle = 0.5 * (ordered[i] + ordered[i + 1])
        best, found = impurity[i], (column, float(middle if middle < ordered[i + 1] else ordered[i]))
    return found
