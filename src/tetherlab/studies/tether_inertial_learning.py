"""Table I of paper 002: how much a correction helps on flights that it has not seen, by its size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.estimation.residual import LOWER, UPPER, fade
from tetherlab.estimation.residual_training import train_residual
from tetherlab.estimation.sparse_gp import SparseGp
from tetherlab.studies.rows import Row
from tetherlab.studies.tether_inertial_flown import Flown

STUDY = "tether_inertial"
EVERY = 5  # samples of a flight that is judged
NOTE = (
    "Judged on the twelve raw flights, none of which was learned from; the paper on 30, of which "
    "25 were. Training ends by itself, not after 750 epochs."
)


def learning_rows(
    learned: SparseGp,
    taught: Sequence[Flown],
    judged: Sequence[Flown],
    paper: Any,
    add: Callable[[Row], None],
    say: Callable[[str], None],
) -> None:
    """RMSE without a model, and with 300, 400 and 500 inducing points, without and with the scaler.

    learned: the correction with as many points as it has by default, which need not be learned again.
    """
    inputs = np.concatenate([flown.inputs for flown in taught])
    errors = np.concatenate([flown.errors for flown in taught])
    names = np.concatenate([[flown.flight.name] * len(flown.errors) for flown in taught])
    none = [flown.answers["catenary"].rmse for flown in judged]
    add(Row(STUDY, "no model: RMSE", "m", paper["none"]["rmse_m"], float(np.mean(none)), NOTE))
    add(Row(STUDY, "no model: deviation", "m", paper["none"]["deviation_m"], float(np.std(none)), NOTE))
    for inducing in (300, 400, 500):
        gp = learned
        if inducing != len(gp.inducing):
            say(f"learning with {inducing} inducing points")
            gp = train_residual(inputs, errors, flights=names, inducing=inducing)
        for kind, scaled in (("plain", False), ("scaled", True)):
            left = [_left(gp, f.inputs[::EVERY], f.errors[::EVERY], scaled=scaled) for f in judged]
            title = f"{inducing} inducing points, {'with' if scaled else 'without'} scaler: RMSE"
            add(Row(STUDY, title, "m", paper[kind][inducing], float(np.mean(left)), NOTE))


def _left(gp: SparseGp, inputs: NDArray[Any], errors: NDArray[Any], *, scaled: bool) -> float:
    """RMSE after the correction [m]."""
    prediction = gp.predict(inputs)
    share = np.ones(len(inputs))
    if scaled:
        share = fade(np.sqrt(prediction.variance.max(axis=1)), LOWER, UPPER)
    return float(np.sqrt(np.mean(np.sum((errors - share[:, np.newaxis] * prediction.mean) ** 2, axis=1))))
