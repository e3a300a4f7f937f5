"""Where the drone is, from its tether: estimators that need measurements and nothing of the simulator."""

from tetherlab.contracts.estimate import Estimate, EstimateStatus, Estimator
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.catenary import CatenaryLocalizer, locate_many
from tetherlab.estimation.filter import FilterSpec, TetherInertialFilter
from tetherlab.estimation.sensing import Sensing, SensorNoise

__all__ = [
    "CatenaryLocalizer",
    "Estimate",
    "EstimateStatus",
    "Estimator",
    "FilterSpec",
    "Measurement",
    "Sensing",
    "SensorNoise",
    "TetherInertialFilter",
    "locate_many",
]
