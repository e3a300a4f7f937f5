"""The physics of one body each: what its motors, wheels and drums do. Vehicles do not know tethers."""

from tetherlab.vehicles import avocado

__all__ = ["avocado"]
