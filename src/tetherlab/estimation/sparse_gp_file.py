"""A learned model as one .npz file: arrays of numbers, nothing that runs when it is read."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import read_arrays
from tetherlab.contracts.files import replacing

FORMAT = 1  # a reader refuses another
MARK = "tetherlab sparse gp"

NESTED = ("scaling", "seen", "hyper", "held_out")  # parts of a model that have parts of their own

# Kind of number and shape of each array: k inputs, d features, m inducing points, p outputs, g groups.
LAYOUT = {
    "scaling.centre": ("f", "k"),
    "scaling.scale": ("f", "k"),
    "scaling.circular": ("b", "k"),
    "seen.low": ("f", "k"),
    "seen.high": ("f", "k"),
    "seen.middle": ("f", "d"),
    "seen.cloud": ("f", "dd"),
    "seen.reach": ("f", ""),
    "hyper.lengths": ("f", "k"),
    "hyper.signal": ("f", "p"),
    "hyper.noise": ("f", "p"),
    "inducing": ("f", "md"),
    "whitening": ("f", "mm"),
    "weights": ("f", "mp"),
    "doubts": ("f", "mp"),
    "spread": ("f", "p"),
    "held_out.names": ("U", "g"),
    "held_out.before": ("f", "g"),
    "held_out.after": ("f", "g"),
    "held_out.between": ("f", "p"),
}
DTYPES = {"f": np.float64, "b": np.bool_}  # exactly, for compiled code; names may be of any length
POSITIVE = ("scaling.scale", "hyper.lengths", "hyper.signal", "hyper.noise")


def write(path: str | Path, arrays: dict[str, NDArray[Any]]) -> None:
    """Write the arrays of LAYOUT."""
    with replacing(path, binary=True) as file:
        everything: dict[str, Any] = {"mark": np.array(MARK), "format": np.array(FORMAT), **arrays}
        np.savez_compressed(file, **everything)


def read(path: str | Path) -> dict[str, NDArray[Any]]:
    """The arrays of LAYOUT; an InputError says what is wrong with another file."""
    arrays = read_arrays(path, "a learned model of tetherlab")
    if str(arrays.pop("mark", "")) != MARK:
        raise InputError(f"{path}: not a learned model of tetherlab")
    number = check.shown(arrays.pop("format", np.array("none")).tolist())
    if number != str(FORMAT):
        raise InputError(f"{path}: has format {number}, this version reads {FORMAT}")
    _check(path, arrays)
    return arrays


def _check(path: str | Path, arrays: dict[str, NDArray[Any]]) -> None:
    for name in sorted({*LAYOUT} ^ {*arrays}):
        raise InputError(
            f"{path}: array {check.shown(name)} is {'missing' if name in LAYOUT else 'not known'}"
        )
    circular = arrays["scaling.circular"]
    sizes = {"d": circular.size + np.count_nonzero(circular)}
    for name in arrays:
        if arrays[name].size == 0 and name not in ("held_out.names", "held_out.before", "held_out.after"):
            raise InputError(f"{path}: array {name!r} is empty")
    for name, (kind, letters) in LAYOUT.items():
        array = arrays[name]
        exact = array.dtype == DTYPES[kind] if kind in DTYPES else array.dtype.kind == kind
        if not exact or array.ndim != len(letters):
            raise InputError(f"{path}: array {name!r} has shape {array.shape} of {array.dtype}")
        for letter, size in zip(letters, array.shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                raise InputError(f"{path}: array {name!r} has shape {array.shape}, which does not fit others")
        if kind == "f" and not np.isfinite(array).all():
            raise InputError(f"{path}: array {name!r} holds a number that is not finite")
    for name in POSITIVE:
        if not (arrays[name] > 0.0).all():
            raise InputError(f"{path}: array {name!r} must be > 0")
