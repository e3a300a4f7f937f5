"""Numbers from a log: they judge a simulated run and a real flight alike."""

from tetherlab.metrics.registry import (
    CANOPY_METRICS,
    HUNG,
    METRICS,
    POWER_METRICS,
    WALL_METRICS,
    Metric,
    all_metrics,
)

__all__ = ["CANOPY_METRICS", "HUNG", "METRICS", "POWER_METRICS", "WALL_METRICS", "Metric", "all_metrics"]
