"""The questions that the moving things ask of the world, each compiled once.

The queries of the field are inlined wherever they are called, which suits a loop over a million points. A
tether asks from a dozen places; inlining all of them would cost minutes of compilation.
"""

from tetherlab.math.kernel import kernel
from tetherlab.world import field as world_field


@kernel
def distance(field, x, y, z):
    """Signed distance to the nearest obstacle [m]."""
    return world_field.distance(field, x, y, z)


@kernel
def nearest(field, x, y, z):
    """Signed distance [m], outward normal (3 numbers) and object."""
    return world_field.nearest(field, x, y, z)


@kernel
def distance_to(field, who, x, y, z):
    """Signed distance to one obstacle [m]."""
    return world_field.distance_to(field, who, x, y, z)


@kernel
def distance_within(field, who, u, v, w):
    """Signed distance to one obstacle at a point of its own frame [m]."""
    return world_field.distance_within(field, who, u, v, w)


@kernel
def nearest_on(field, who, x, y, z):
    """Signed distance to one obstacle [m] and its outward normal (3 numbers)."""
    return world_field.nearest_on(field, who, x, y, z)
