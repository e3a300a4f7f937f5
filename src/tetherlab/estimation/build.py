"""From the name of a method to an estimator."""

from collections.abc import Callable
from typing import NamedTuple

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.estimate import Estimator
from tetherlab.estimation.catenary import CatenaryLocalizer
from tetherlab.estimation.sensing import Sensing

LENGTH = "length_m"
BASE = ("azimuth_base_rad", "elevation_base_rad")
END = ("elevation_end_rad",)


class Method(NamedTuple):
    """How an estimator is made, and what it cannot do without."""

    build: Callable[[Sensing], Estimator]
    needs: tuple[str, ...]  # columns of a log


# One line each.
METHODS: dict[str, Method] = {
    "catenary": Method(CatenaryLocalizer, (LENGTH, *BASE, *END)),
}


def method_named(name: str) -> Method:
    """The method of this name."""
    if name not in METHODS:
        raise InputError(f"method: unknown name {name!r}.{check.did_you_mean(name, METHODS)}")
    return METHODS[name]


def build_estimator(method: str, sensing: Sensing | None = None) -> Estimator:
    """The estimator of a method by its name; sensing: what it knows beforehand."""
    return method_named(method).build(Sensing() if sensing is None else sensing)
