"""How far a run's estimates were from the truth, and whether the estimator knew."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.columns import POSITION
from tetherlab.contracts.estimate_rows import STATUSES, covariances
from tetherlab.contracts.flags import SENSORS, from_flags
from tetherlab.contracts.log import Log
from tetherlab.contracts.table import Table
from tetherlab.metrics.read import Array, MissingError, rows
from tetherlab.metrics.truth import attachment_at

Chosen = NDArray[np.bool_]
INSIDE = 7.815  # 95 % of normal errors in space are within this squared distance
SMALLEST = 1e-6  # standard deviation that anybody may claim, and error that has a direction [m]
DOWN = np.array([0.0, 0.0, -1.0])
GAP = 5.0  # between estimates, in usual intervals: longer ones are time without an estimate
TURNS = ("takes off", "has landed")
COLUMNS = (
    *("time_s", "stamp_s", *POSITION, "xx_m2", "xy_m2", "xz_m2", "yy_m2", "yz_m2", "zz_m2"),
    *("status", "faults"),
)


class LocalisationErrors(NamedTuple):
    """Of estimates in the order in which they came."""

    time: Array  # when they were known [s], (n,)
    error: Array  # estimate less truth, at the time that the estimate is for [m], (n, 3)
    covariance: Array  # as claimed [m^2], (n, 3, 3)
    status: Array  # places in EstimateStatus, (n,)
    faults: Array  # sums of 2^k over the sensors k that are not believed, (n,)
    flying: Chosen  # it did not stand on the deck, whose place it knows, (n,)

    @property
    def distance(self) -> Array:
        """Between estimate and truth [m], (n,)."""
        return np.asarray(np.linalg.norm(self.error, axis=1))

    @property
    def deviation(self) -> Array:
        """Standard deviation of x, y, z as claimed [m], (n, 3)."""
        return np.sqrt(np.diagonal(self.covariance, axis1=1, axis2=2))

    @property
    def bound(self) -> Array:
        """How far the ellipsoid that should hold 95 % reaches towards the truth [m], (n,)."""
        distance = self.distance[:, None]
        towards = np.where(distance > SMALLEST, self.error / np.maximum(distance, SMALLEST), DOWN)
        inverse = np.linalg.solve(self.covariance + SMALLEST**2 * np.eye(3), towards[..., None])[..., 0]
        return np.sqrt(INSIDE / np.einsum("ni,ni->n", towards, inverse))

    @property
    def usable(self) -> Chosen:
        """Whether a controller may fly by it, (n,)."""
        return np.isin(self.status, [code for code, status in enumerate(STATUSES) if status.usable])

    @property
    def steps(self) -> Array:
        """From each to the next [s], (n,); 0 of the last."""
        return np.diff(self.time, append=self.time[-1])

    @property
    def gap(self) -> float:
        """After so long without an estimate there is none [s]."""
        return GAP * float(np.median(self.steps))

    @property
    def held(self) -> Array:
        """For how long each was the newest, without gaps [s], (n,)."""
        return np.minimum(self.steps, self.gap)


class LocalisationSummary(NamedTuple):
    """What a flight by these estimates was like."""

    rmse: float  # [m]
    error_95: float  # 95 % of the errors are smaller [m]
    inside: float  # share of the estimates within their 95 % ellipsoid
    usable: float  # share of the time with an estimate that may be flown by
    disbelieved: dict[str, float]  # sensor -> for how long it was not believed [s]


def localisation_errors(log: Log) -> LocalisationErrors:
    """Of all estimates with a position while the truth was recorded."""
    table = Table.from_rows(COLUMNS, rows(log, "estimates", *COLUMNS))
    recorded = rows(log, "uav", "time_s")
    stamps = table["stamp_s"]
    table = table.mask((stamps >= recorded[0]) & (stamps <= recorded[-1]))
    if len(table) < 2:
        raise MissingError("the tables 'uav' and 'estimates' have no time in common")
    return LocalisationErrors(
        time=table["time_s"],
        error=table.rows(*POSITION) - attachment_at(log, table["stamp_s"]),
        covariance=covariances(table),
        status=table["status"],
        faults=table["faults"],
        flying=_flying(log, table["time_s"]),
    )


def summarise(found: LocalisationErrors) -> LocalisationSummary:
    """Between take-off and landing."""
    flying, held = found.flying, found.held
    span = float(found.steps[flying].sum())
    if span <= 0.0:
        raise MissingError("there is no estimate of the time in flight")
    distance = found.distance
    doubted = {name: float(held[flying & disbelieved(found, name)].sum()) for name in SENSORS}
    return LocalisationSummary(
        rmse=float(np.sqrt(np.mean(distance[flying] ** 2))),
        error_95=float(np.percentile(distance[flying], 95.0)),
        inside=float(np.mean((distance <= found.bound)[flying])),
        usable=float(held[flying & found.usable].sum()) / span,
        disbelieved={name: duration for name, duration in doubted.items() if duration > 0.0},
    )


def disbelieved(found: LocalisationErrors, sensor: str) -> Chosen:
    """When this sensor was not believed, (n,)."""
    codes = [code for code in np.unique(found.faults) if sensor in from_flags(code)]
    return np.isin(found.faults, codes)


def _flying(log: Log, time: Array) -> Chosen:
    """Whether it was in the air; without a word of take-off or landing always."""
    turns = [(e.time, e.sentence == "takes off") for e in log.events if e.sentence in TURNS]
    flying = np.full(len(time), not turns or not turns[0][1])
    for moment, up in turns:
        flying[time >= moment] = up
    return flying
