"""AVOCADO, a robot that hangs from a branch on its own tether: the analytic model of paper 001."""

from tetherlab.vehicles.avocado.spec import AvocadoSpec

__all__ = ["AvocadoSpec"]
