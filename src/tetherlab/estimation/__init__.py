"""Where the drone is, from its tether: estimators that need measurements and nothing of the simulator."""

from tetherlab.contracts.estimate import Estimate, EstimateStatus, Estimator
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.catenary import CatenaryLocalizer, locate_many
from tetherlab.estimation.design import ErrorBudget, LightestTether, error_budget, lightest_tether
from tetherlab.estimation.filter import FilterSpec, TetherInertialFilter
from tetherlab.estimation.residual import LearnedResidual, residual_inputs
from tetherlab.estimation.residual_training import train_residual
from tetherlab.estimation.sensing import Sensing, SensorNoise
from tetherlab.estimation.smoothed import Smoothed
from tetherlab.estimation.sparse_gp import SparseGp

__all__ = [
    "CatenaryLocalizer",
    "ErrorBudget",
    "Estimate",
    "EstimateStatus",
    "Estimator",
    "FilterSpec",
    "LearnedResidual",
    "LightestTether",
    "Measurement",
    "Sensing",
    "SensorNoise",
    "Smoothed",
    "SparseGp",
    "TetherInertialFilter",
    "error_budget",
    "lightest_tether",
    "locate_many",
    "residual_inputs",
    "train_residual",
]
