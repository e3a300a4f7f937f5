"""What an estimator says on the measurements of a recorded flight, beside the truth."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.estimate import Estimator, Tracker
from tetherlab.contracts.log import Log
from tetherlab.contracts.measurement import Measurement
from tetherlab.contracts.measurement_rows import read_measurements
from tetherlab.metrics.truth import attachment_at

Array = NDArray[np.float64]


class Localised(NamedTuple):
    """Answers of an estimator, one for each reading of the base's angles."""

    time: Array  # that they are for [s], (n,)
    position: Array  # [m], (n, 3); NaN where it could not say
    error: Array  # position less truth [m], (n, 3)
    covariance: Array  # [m^2], (n, 3, 3)
    usable: NDArray[np.bool_]  # (n,)

    @property
    def distance(self) -> Array:
        """Of position and truth [m], (n,)."""
        return np.asarray(np.linalg.norm(self.error, axis=1))

    @property
    def rmse(self) -> float:
        """Over what it could say [m]."""
        return float(np.sqrt(np.nanmean(self.distance**2)))

    @property
    def said(self) -> Localised:
        """Those answers that are a position."""
        known = np.isfinite(self.distance)
        parts: list[Any] = [part[known] for part in self]
        return Localised(*parts)

    @property
    def answered(self) -> float:
        """Share of times at which it gave a position that may be flown by."""
        return float(np.mean(self.usable & np.isfinite(self.distance)))


def window(log: Log) -> tuple[float, float]:
    """From the first target to the last, without take-off and landing [s]."""
    reached = log["targets"]["reached_s"]
    reached = reached[np.isfinite(reached)]
    return (float(reached[0]), float(reached[-1])) if len(reached) else (0.0, 0.0)


def localise(log: Log, estimator: Estimator, *, between: tuple[float, float] | None = None) -> Localised:
    """Run an estimator over the measurements of a flight, in the order in which they came."""
    start, end = window(log) if between is None else between
    times, positions, covariances, usable = [], [], [], []
    took_off = next((event.time for event in log.events if event.sentence == "takes off"), 0.0)
    deck = attachment_at(log, np.array([took_off]))[0]
    for measurement in read_measurements(log["measurements"]):
        estimate = estimator.update(measurement)
        if measurement.time < took_off and isinstance(estimator, Tracker):
            estimate = estimator.stand(measurement.time, deck)
        if _counts(measurement) and start <= estimate.time <= end:
            times.append(estimate.time)
            positions.append(estimate.position)
            covariances.append(estimate.covariance)
            usable.append(estimate.status.usable)
    time, position = np.array(times), np.array(positions).reshape(-1, 3)
    error = position - attachment_at(log, time)
    return Localised(time, position, error, np.array(covariances).reshape(-1, 3, 3), np.array(usable, bool))


def _counts(measurement: Measurement) -> bool:
    return measurement.tangent_base is not None
