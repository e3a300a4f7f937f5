"""How near a straight segment comes to an object, and where: what a tether needs to know between its nodes.

The distance to a convex shape is convex along a segment: it has one valley, and tangents to its two slopes
meet below its bottom, however thin the shape is. The distance to several shapes at once has several valleys.
They are therefore searched one by one, down to the parts of a union; a difference or a voxel grid is searched
piece by piece, by golden section.
"""

import math

from tetherlab.world import primitives as P
from tetherlab.world.field import EMPTY_DISTANCE, leaf_normal, node_distance, to_object
from tetherlab.world.kernel import recursive_query

GOLDEN = 0.6180339887498949
FINEST = 2e-3  # of the segment: how well the place is found
EXACT = 1e-7  # how well the distance is known where that is enough [m]
SAMPLES = 6  # pieces of a segment where there may be several valleys


@recursive_query
def can_bend(field, who):
    """Whether a straight segment between two free points may meet the object: not if it is a plane."""
    return field.nodes[field.objects[who, 0], 0] != P.PLANE


@recursive_query
def closest_on_segment(field, who, ax, ay, az, bx, by, bz, enough):
    """Smallest distance of object `who` to the segment a-b [m], and where (0 at a, 1 at b).

    Above `enough` the search stops at some smaller number that is above it, too.
    """
    ax, ay, az = to_object(field, who, ax, ay, az)
    bx, by, bz = to_object(field, who, bx, by, bz)
    dx, dy, dz = bx - ax, by - ay, bz - az
    ball = field.bounds[who]
    cx, cy, cz = ball[0] - ax, ball[1] - ay, ball[2] - az
    t = (cx * dx + cy * dy + cz * dz) / (dx * dx + dy * dy + dz * dz + 1e-300)
    t = min(max(t, 0.0), 1.0)
    cx, cy, cz = cx - t * dx, cy - t * dy, cz - t * dz
    gap = math.sqrt(cx * cx + cy * cy + cz * cz) - ball[3]
    if gap > enough:
        return gap, t
    return _closest(field, field.objects[who, 0], ax, ay, az, dx, dy, dz, enough)


@recursive_query
def _closest(field, i, ax, ay, az, dx, dy, dz, enough):
    """The same for the shape or tree in row `i`, from a along d in its own frame."""
    kind = field.nodes[i, 0]
    if kind < P.VOXELS:
        return _bottom(field, i, ax, ay, az, dx, dy, dz, enough)
    if kind != P.UNION:
        return _search(field, i, ax, ay, az, dx, dy, dz, enough)
    best, where = EMPTY_DISTANCE, 0.5
    child = field.nodes[i, 1]
    while child >= 0:
        d, t = _closest(field, child, ax, ay, az, dx, dy, dz, min(best, enough))
        if d < best:
            best, where = d, t
        child = field.nodes[child, 2]
    return best, where


@recursive_query
def _at(field, i, ax, ay, az, dx, dy, dz, t):
    """Distance at a + t d."""
    return node_distance(field, i, ax + t * dx, ay + t * dy, az + t * dz)[0]


@recursive_query
def _slope(field, i, ax, ay, az, dx, dy, dz, t):
    """Distance of a single shape at a + t d, and its derivative by t."""
    x, y, z = ax + t * dx, ay + t * dy, az + t * dz
    nx, ny, nz = leaf_normal(field.nodes, field.parameters, field.voxels, i, x, y, z)
    return node_distance(field, i, x, y, z)[0], nx * dx + ny * dy + nz * dz


@recursive_query
def _bottom(field, i, ax, ay, az, dx, dy, dz, enough):
    """Of the one valley of a convex shape, between two tangents that close in on it."""
    low, high = 0.0, 1.0
    d_low, g_low = _slope(field, i, ax, ay, az, dx, dy, dz, low)
    if g_low >= 0.0:
        return d_low, low
    d_high, g_high = _slope(field, i, ax, ay, az, dx, dy, dz, high)
    if g_high <= 0.0:
        return d_high, high
    while high - low > FINEST:
        width = high - low
        step = (d_high - d_low - g_high * width) / (g_low - g_high)
        least = d_low + g_low * step  # where the tangents meet: the valley is nowhere deeper
        if least > enough:
            return least, low + step
        if min(d_low, d_high) - least < EXACT:
            break
        t = low + min(max(step, 0.1 * width), 0.9 * width)
        d, g = _slope(field, i, ax, ay, az, dx, dy, dz, t)
        if g < 0.0:
            low, d_low, g_low = t, d, g
        else:
            high, d_high, g_high = t, d, g
    return (d_low, low) if d_low < d_high else (d_high, high)


@recursive_query
def _search(field, i, ax, ay, az, dx, dy, dz, enough):
    """Piece by piece, where a piece may hold something nearer than was found."""
    span = math.sqrt(dx * dx + dy * dy + dz * dz)
    best, where = _at(field, i, ax, ay, az, dx, dy, dz, 0.5), 0.5
    if best - 0.5 * span > enough:
        return best - 0.5 * span, 0.5
    before = _at(field, i, ax, ay, az, dx, dy, dz, 0.0)
    if before < best:
        best, where = before, 0.0
    for k in range(SAMPLES):
        low, high = k / SAMPLES, (k + 1.0) / SAMPLES
        after = _at(field, i, ax, ay, az, dx, dy, dz, high)
        if after < best:
            best, where = after, high
        if 0.5 * (before + after - span / SAMPLES) < best:
            d, t = _valley(field, i, ax, ay, az, dx, dy, dz, low, high, min(best, enough))
            if d < best:
                best, where = d, t
        before = after
    return best, where


@recursive_query
def _valley(field, i, ax, ay, az, dx, dy, dz, low, high, enough):
    """Golden section between low and high."""
    span = math.sqrt(dx * dx + dy * dy + dz * dz)
    s, t = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    d_s = _at(field, i, ax, ay, az, dx, dy, dz, s)
    d_t = _at(field, i, ax, ay, az, dx, dy, dz, t)
    while high - low > FINEST:
        if d_s < d_t:
            high, t, d_t = t, s, d_s
            s = high - GOLDEN * (high - low)
            d_s = _at(field, i, ax, ay, az, dx, dy, dz, s)
        else:
            low, s, d_s = s, t, d_t
            t = low + GOLDEN * (high - low)
            d_t = _at(field, i, ax, ay, az, dx, dy, dz, t)
        # No point of the bracket is farther from s or t than this, and distance grows no faster than the way.
        least = min(d_s, d_t) - (1.0 - GOLDEN) * (high - low) * span
        if least > enough:
            return least, s
    return (d_s, s) if d_s < d_t else (d_t, t)
