"""What surrounds the robots: signed distance, ray casts, wind."""

from tetherlab.world import shapes
from tetherlab.world.wind import Wind
from tetherlab.world.world import World

__all__ = ["Wind", "World", "shapes"]
