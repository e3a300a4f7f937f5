"""Estimates as rows of the table `estimates`: one row per answer."""

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.columns import COLUMNS
from tetherlab.contracts.estimate import Estimate, EstimateStatus
from tetherlab.contracts.flags import to_flags
from tetherlab.contracts.table import Table

STATUSES = tuple(EstimateStatus)
LINE = "%r,%r" + (len(COLUMNS["estimates"]) - 2) * ",%.9g" + "\n"
_CODES = {status: float(code) for code, status in enumerate(STATUSES)}


def estimate_row(arrival: float, estimate: Estimate) -> tuple[float, ...]:
    """A row of the table `estimates`; arrival: when it was known [s]."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = estimate.covariance.tolist()
    return (
        arrival,
        estimate.time,
        *estimate.position.tolist(),
        *estimate.velocity.tolist(),
        *(xx, xy, xz, yy, yz, zz),
        estimate.heading,
        estimate.heading_deviation,
        _CODES[estimate.status],
        to_flags(estimate.faults) if estimate.faults else 0.0,
    )


def estimate_text(row: tuple[float, ...]) -> str:
    """The row as a line of CSV: times in full, all else to nine digits."""
    return LINE % row


def covariances(table: Table) -> NDArray[np.float64]:
    """Of the positions [m^2], (n, 3, 3)."""
    xx, xy, xz, yy, yz, zz = table.rows("xx_m2", "xy_m2", "xz_m2", "yy_m2", "yz_m2", "zz_m2").T
    return np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))).transpose(2, 0, 1)
