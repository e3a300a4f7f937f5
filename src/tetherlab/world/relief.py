"""A slab with one face displaced by a height map: signed distance and normal.

In the slab's own frame the solid is 0 <= u <= a, 0 <= v <= b, -thickness <= w <= h(u, v). The heights are
control points of a quadratic B-spline: h is smooth and never leaves their range, and one of them is felt
within one and a half spacings only.

Row of the parameter table: position of sample (0, 0) at height 0 (3), R_OR row-major (9), spacing [m], sample
counts (2), thickness [m], lowest and highest height [m], place of the first number in the `voxels` array.
There lie the heights with a border of one sample all round, then two numbers for each corner of the tiles
(`relief_bounds.py`), which hold for all points of the tiles that meet there, and as far as one tile beyond:
the cosine of the steepest slope, and the smallest radius of curvature, a tile at most [m].

Every value is a lower bound of the distance, on both sides of the surface. At a height g above the surface:
the cosine times |g|, as far as a tile is wide; nearer than the radius of curvature also the distance to the
tangent plane at the point straight below, which is exact to first order.
"""

import math

from tetherlab.world.kernel import query
from tetherlab.world.primitives import cuboid_normal

TILE = 8  # spacings along the side of a tile
NEAR = 0.45  # radii of curvature: where the tangent plane counts fully


@query
def _to_slab(p, i, x, y, z):
    """The point in the frame of the slab."""
    dx, dy, dz = x - p[i, 0], y - p[i, 1], z - p[i, 2]
    return (
        p[i, 3] * dx + p[i, 6] * dy + p[i, 9] * dz,
        p[i, 4] * dx + p[i, 7] * dy + p[i, 10] * dz,
        p[i, 5] * dx + p[i, 8] * dy + p[i, 11] * dz,
    )


@query
def _clamp(u, top):
    """Into [0, top]; written so that NaN, too, ends there."""
    if not u > 0.0:
        return 0.0
    return min(u, top)


@query
def _surface(p, heights, i, u, v):
    """Height of the surface over a point of the rectangle [m], and its two slopes."""
    per_metre = 1.0 / p[i, 12]
    u, v = u * per_metre, v * per_metre
    a, b = int(u + 0.5), int(v + 0.5)
    u, v = u - a, v - b
    step = int(p[i, 14]) + 2
    k = int(p[i, 18]) + a * step + b
    l0, l1, l2 = 0.5 * (0.5 - v) * (0.5 - v), 0.75 - v * v, 0.5 * (0.5 + v) * (0.5 + v)
    m0, m1, m2 = v - 0.5, -2.0 * v, v + 0.5
    h0, h1, h2 = float(heights[k]), float(heights[k + 1]), float(heights[k + 2])
    f0, g0 = l0 * h0 + l1 * h1 + l2 * h2, m0 * h0 + m1 * h1 + m2 * h2
    k += step
    h0, h1, h2 = float(heights[k]), float(heights[k + 1]), float(heights[k + 2])
    f1, g1 = l0 * h0 + l1 * h1 + l2 * h2, m0 * h0 + m1 * h1 + m2 * h2
    k += step
    h0, h1, h2 = float(heights[k]), float(heights[k + 1]), float(heights[k + 2])
    f2, g2 = l0 * h0 + l1 * h1 + l2 * h2, m0 * h0 + m1 * h1 + m2 * h2
    l0, l1, l2 = 0.5 * (0.5 - u) * (0.5 - u), 0.75 - u * u, 0.5 * (0.5 + u) * (0.5 + u)
    m0, m1, m2 = u - 0.5, -2.0 * u, u + 0.5
    return (
        l0 * f0 + l1 * f1 + l2 * f2,
        (m0 * f0 + m1 * f1 + m2 * f2) * per_metre,
        (l0 * g0 + l1 * g1 + l2 * g2) * per_metre,
    )


@query
def _limits(p, heights, i, u, v):
    """Near a point of the rectangle: cosine of the steepest slope, smallest radius of curvature [m]."""
    per_tile = 1.0 / (TILE * p[i, 12])
    u, v = u * per_tile, v * per_tile
    # int() is quick where // is not: nothing here is negative.
    rows, columns = int((p[i, 13] + (TILE - 2)) / TILE), int((p[i, 14] + (TILE - 2)) / TILE)
    a, b = min(int(u), rows - 1), min(int(v), columns - 1)
    u, v = u - a, v - b
    step = 2 * (columns + 1)
    k = int(p[i, 18]) + (int(p[i, 13]) + 2) * (int(p[i, 14]) + 2) + a * step + 2 * b
    j = k + step
    w00, w01, w10, w11 = (1.0 - u) * (1.0 - v), (1.0 - u) * v, u * (1.0 - v), u * v
    return (
        w00 * heights[k] + w01 * heights[k + 2] + w10 * heights[j] + w11 * heights[j + 2],
        w00 * heights[k + 1] + w01 * heights[k + 3] + w10 * heights[j + 1] + w11 * heights[j + 3],
    )


@query
def _share(g, radius):
    """How much the tangent plane counts: less and less from NEAR to twice that many radii of curvature."""
    return min(max(2.0 - abs(g) / (NEAR * radius), 0.0), 1.0)


@query
def _above(p, heights, i, u, v, w):
    """Signed distance of a point over the rectangle to the displaced face, one tile at most [m]."""
    h, hu, hv = _surface(p, heights, i, u, v)
    cosine, radius = _limits(p, heights, i, u, v)
    g = w - h
    bound = cosine * abs(g)
    share = _share(g, radius)
    if share > 0.0:
        # The perpendicular r to the tangent plane misses the point below by t: nothing is nearer than
        # sqrt(r^2 - t^2 r / (radius - r)).
        steep2 = hu * hu + hv * hv
        r2 = g * g / (1.0 + steep2)
        r = math.sqrt(r2)
        near = math.sqrt(max(r2 - steep2 * r2 * r / (radius - r), 0.0))
        bound += share * max(near - bound, 0.0)
    return math.copysign(min(bound, TILE * p[i, 12]), g)


@query
def _beside(u, top):
    """How far outside [0, top], with its sign."""
    return u - _clamp(u, top)


@query
def relief_distance(p, heights, i, x, y, z):
    """Lower bound of the distance to the slab; exact where the face is flat, and for all other sides [m]."""
    u, v, w = _to_slab(p, i, x, y, z)
    top_u, top_v = (p[i, 13] - 1.0) * p[i, 12], (p[i, 14] - 1.0) * p[i, 12]
    thickness, low, high, tile = p[i, 15], p[i, 16], p[i, 17], TILE * p[i, 12]
    eu, ev = _beside(u, top_u), _beside(v, top_v)
    ew = max(max(w - high, -thickness - w), 0.0)
    aside = eu * eu + ev * ev
    box = math.sqrt(aside + ew * ew)
    if box >= tile or (box > 0.0 and w <= low):
        return box
    s = w - low
    if s > -tile:
        s = _above(p, heights, i, u - eu, v - ev, w)
        s = max(s, w - high) if s > 0.0 else min(s, w - low)
    if aside > 0.0:
        s = max(s, 0.0)
        return max(box, min(math.sqrt(aside + s * s), tile))
    if s > 0.0:
        return s
    return max(s, max(max(-thickness - w, max(-u, u - top_u)), max(-v, v - top_v)))


@query
def _foot(p, i, u, v, g, hu, hv, share):
    """From the point below one at a height g to the foot of its perpendicular, or a share of the way."""
    s = share * g / (1.0 + hu * hu + hv * hv)
    top_u, top_v = (p[i, 13] - 1.0) * p[i, 12], (p[i, 14] - 1.0) * p[i, 12]
    return _clamp(u + s * hu, top_u), _clamp(v + s * hv, top_v)


@query
def _surface_normal(p, heights, i, u, v, w):
    """Of the displaced face at the foot of a point over the rectangle, in the slab's frame."""
    h, hu, hv = _surface(p, heights, i, u, v)
    share = _share(w - h, _limits(p, heights, i, u, v)[1])
    if share > 0.0:
        fu, fv = _foot(p, i, u, v, w - h, hu, hv, share)
        _, hu, hv = _surface(p, heights, i, fu, fv)
    n = 1.0 / math.sqrt(1.0 + hu * hu + hv * hv)
    return -n * hu, -n * hv, n


@query
def _slab_normal(p, heights, i, u, v, w):
    """Unit gradient of `relief_distance` in the slab's frame, up to the way by which a foot is missed."""
    top_u, top_v = (p[i, 13] - 1.0) * p[i, 12], (p[i, 14] - 1.0) * p[i, 12]
    thickness, low, high, tile = p[i, 15], p[i, 16], p[i, 17], TILE * p[i, 12]
    eu, ev = _beside(u, top_u), _beside(v, top_v)
    ew = max(max(w - high, -thickness - w), 0.0)
    aside = eu * eu + ev * ev
    box = math.sqrt(aside + ew * ew)
    half = 0.5 * (high + thickness)
    bu, bv, bw = u - 0.5 * top_u, v - 0.5 * top_v, w - high + half
    if box >= tile or (box > 0.0 and w <= low):
        return cuboid_normal(bu, bv, bw, 0.5 * top_u, 0.5 * top_v, half)
    s, nu, nv, nw = w - low, 0.0, 0.0, 1.0
    if s > -tile:
        s = _above(p, heights, i, u - eu, v - ev, w)
        if not (s > 0.0 and w - high > s) and not (s <= 0.0 and w - low < s):
            nu, nv, nw = _surface_normal(p, heights, i, u - eu, v - ev, w)
        s = max(s, w - high) if s > 0.0 else min(s, w - low)
    if aside > 0.0:
        s = max(s, 0.0)
        round_edge = math.sqrt(aside + s * s)
        if box >= min(round_edge, tile) and box > 0.0:
            return cuboid_normal(bu, bv, bw, 0.5 * top_u, 0.5 * top_v, half)
        # The foot does not move along a side that the point is beyond of.
        gu = eu if eu != 0.0 else s * nu
        gv = ev if ev != 0.0 else s * nv
        gw = s * nw
        g = 1.0 / math.sqrt(gu * gu + gv * gv + gw * gw)
        return g * gu, g * gv, g * gw
    if s > 0.0 or s >= max(max(-thickness - w, max(-u, u - top_u)), max(-v, v - top_v)):
        return nu, nv, nw
    # Through the nearest flat side; the displaced one is farther.
    return cuboid_normal(bu, bv, min(bw, 0.0), 0.5 * top_u, 0.5 * top_v, half)


@query
def relief_normal(p, heights, i, x, y, z):
    """Outward unit normal in the frame of the object."""
    u, v, w = _to_slab(p, i, x, y, z)
    nu, nv, nw = _slab_normal(p, heights, i, u, v, w)
    return (
        p[i, 3] * nu + p[i, 4] * nv + p[i, 5] * nw,
        p[i, 6] * nu + p[i, 7] * nv + p[i, 8] * nw,
        p[i, 9] * nu + p[i, 10] * nv + p[i, 11] * nw,
    )
