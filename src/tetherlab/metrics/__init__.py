"""Numbers from a log: they judge a simulated run and a real flight alike."""

from tetherlab.metrics.registry import METRICS, Metric, all_metrics

__all__ = ["METRICS", "Metric", "all_metrics"]
