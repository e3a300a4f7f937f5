"""What surrounds the robots: signed distance, ray casts, wind."""

from tetherlab.world import shapes
from tetherlab.world.mine import Mine
from tetherlab.world.mine_face import Spall
from tetherlab.world.wind import Wind
from tetherlab.world.world import World

__all__ = ["Mine", "Spall", "Wind", "World", "shapes"]
