"""Numbers from a log: they judge a simulated run and a real flight alike."""

from tetherlab.metrics.registry import (
    CANOPY_METRICS,
    GOAL_ERROR,
    METRICS,
    NAMED,
    POWER_METRICS,
    STEP_METRICS,
    WALL_METRICS,
    Metric,
    all_metrics,
)

__all__ = [
    "CANOPY_METRICS",
    "GOAL_ERROR",
    "METRICS",
    "NAMED",
    "POWER_METRICS",
    "STEP_METRICS",
    "WALL_METRICS",
    "Metric",
    "all_metrics",
]
