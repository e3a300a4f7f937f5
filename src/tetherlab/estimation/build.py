"""From the name of a method to an estimator."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.estimate import Estimator
from tetherlab.estimation.base_tension import BaseTensionLocalizer
from tetherlab.estimation.catenary import CatenaryLocalizer
from tetherlab.estimation.elevation_correction import ElevationLocalizer
from tetherlab.estimation.filter import FilterSpec, TetherInertialFilter
from tetherlab.estimation.fixed_length import FixedLengthLocalizer
from tetherlab.estimation.gather import Gathered
from tetherlab.estimation.residual import LearnedResidual
from tetherlab.estimation.selector import ModelSelector
from tetherlab.estimation.sensing import Sensing
from tetherlab.estimation.sparse_gp import SparseGp
from tetherlab.estimation.taut_line import TautLineLocalizer
from tetherlab.estimation.thrust import ThrustLocalizer

# Columns of a log.
LENGTH, TENSION, THRUST = ("length_m",), ("tension_N",), ("thrust_N",)
BASE = ("azimuth_base_rad", "elevation_base_rad")
END = ("elevation_end_rad",)
END_TURNED = ("azimuth_end_rad", "elevation_end_rad")
ATTITUDE = ("qw", "qx", "qy", "qz")
FORCE = ("fx_m_per_s2", "fy_m_per_s2", "fz_m_per_s2")
RATES = ("wx_rad_per_s", "wy_rad_per_s", "wz_rad_per_s")

# Settings that a method may not be able to do without, in words.
MASS = "the mass of the drone: --drone-mass-kg, or Sensing(drone_mass=...)"
TETHER_LENGTH = "the length of the tether: --tether-length-m, or Setup(length=...)"


class Setup(NamedTuple):
    """All that a method may want to know beforehand."""

    sensing: Sensing = Sensing()
    length: float = math.nan  # of a tether that is not reeled [m]
    filter: FilterSpec = FilterSpec()  # for ekf
    age_max: float = 0.1  # of what a sensor said last [s]
    model: str | Path | None = None  # file of a learned correction, as `SparseGp.save` writes it

    @property
    def given(self) -> tuple[str, ...]:
        """Which of the settings in words are there."""
        values = {MASS: self.sensing.drone_mass, TETHER_LENGTH: self.length}
        return tuple(word for word, value in values.items() if not math.isnan(value))


class Method(NamedTuple):
    """How an estimator is made, and what it cannot do without."""

    build: Callable[[Setup], Estimator]
    needs: tuple[str, ...]  # columns of a log
    asks: tuple[str, ...] = ()  # settings, in words
    gathers: bool = False  # takes what single sensors say; others are given the latest of each
    learns: bool = False  # can be corrected by what was learned


def _corrected(setup: Setup) -> LearnedResidual | None:
    """The catenary with the learned correction, if there is one."""
    if setup.model is None:
        return None
    return LearnedResidual(CatenaryLocalizer(setup.sensing), SparseGp.load(setup.model))


# One line each.
METHODS: dict[str, Method] = {
    "catenary": Method(
        lambda s: _corrected(s) or CatenaryLocalizer(s.sensing), LENGTH + BASE + END, learns=True
    ),
    "ekf": Method(
        lambda s: TetherInertialFilter(s.sensing, s.filter, _corrected(s)),
        LENGTH + BASE + END_TURNED + ATTITUDE + FORCE + RATES,
        gathers=True,
        learns=True,
    ),
    "taut_line": Method(lambda s: TautLineLocalizer(s.sensing), LENGTH + END_TURNED),
    "taut_line_base": Method(lambda s: TautLineLocalizer(s.sensing, which="base"), LENGTH + BASE),
    "taut_line_mean": Method(lambda s: TautLineLocalizer(s.sensing, which="mean"), LENGTH + BASE + END),
    "thrust": Method(lambda s: ThrustLocalizer(s.sensing), LENGTH + ATTITUDE + FORCE + THRUST, (MASS,)),
    "base_tension": Method(lambda s: BaseTensionLocalizer(s.sensing), LENGTH + BASE + TENSION),
    "elevation": Method(lambda s: ElevationLocalizer(s.sensing), LENGTH + BASE + ATTITUDE, (MASS,)),
    "fixed_length": Method(
        lambda s: FixedLengthLocalizer(s.sensing, length=s.length), BASE + END, (TETHER_LENGTH,)
    ),
    "selector": Method(lambda s: ModelSelector(s.sensing), LENGTH + BASE + END),
}


def method_named(name: str) -> Method:
    """The method of this name."""
    if name not in METHODS:
        raise InputError(f"method: unknown name {name!r}.{check.did_you_mean(name, METHODS)}")
    return METHODS[name]


def build_estimator(method: str, setup: Setup | Sensing | None = None) -> Estimator:
    """The estimator of a method by its name, for messages of single sensors as well as for whole ones.

    setup: what it should know beforehand; a `Sensing` if that is all.
    """
    known = setup if isinstance(setup, Setup) else Setup() if setup is None else Setup(setup)
    chosen = method_named(method)
    for what in chosen.asks:
        if what not in known.given:
            raise InputError(f"the method {method} needs {what}")
    if known.model is not None and not chosen.learns:
        able = ", ".join(name for name, each in METHODS.items() if each.learns)
        raise InputError(f"the method {method} takes no learned model; these do: {able}")
    estimator = chosen.build(known)
    return estimator if chosen.gathers else Gathered(estimator, known.age_max)
