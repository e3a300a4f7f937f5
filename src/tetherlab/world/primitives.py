"""Signed distance and outward normal of the primitive shapes, as compiled leaves.

Every kernel reads its shape from row `i` of the parameter table (`packing.py` writes it) and takes the query
point in the frame of the object [m]. Distances are exact outside and inside; normals are unit and
defined everywhere, also where the distance has a kink: there a fixed rule picks one of the valid directions.
"""

import math

from tetherlab.world.kernel import query

PLANE, SPHERE, BOX, ORIENTED_BOX, CYLINDER, CAPSULE, VOXELS, RELIEF, UNION, DIFFERENCE, INTERSECTION = range(
    11
)

# Below this length [m] a difference of positions has no direction that could be trusted.
TINY = 1e-100


@query
def plane_distance(p, i, x, y, z):
    """Half space below a plane; row: normal (3), offset n.point."""
    return p[i, 0] * x + p[i, 1] * y + p[i, 2] * z - p[i, 3]


@query
def plane_normal(p, i):
    """The same everywhere."""
    return p[i, 0], p[i, 1], p[i, 2]


@query
def sphere_distance(p, i, x, y, z):
    """Ball; row: centre (3), radius."""
    dx, dy, dz = x - p[i, 0], y - p[i, 1], z - p[i, 2]
    return math.sqrt(dx * dx + dy * dy + dz * dz) - p[i, 3]


@query
def sphere_normal(p, i, x, y, z):
    """Away from the centre; up at the centre itself."""
    dx, dy, dz = x - p[i, 0], y - p[i, 1], z - p[i, 2]
    r = math.sqrt(dx * dx + dy * dy + dz * dz)
    if r < TINY:
        return 0.0, 0.0, 1.0
    return dx / r, dy / r, dz / r


@query
def cuboid_distance(u, v, w, a, b, c):
    """Distance of (u, v, w) to the box |u| <= a, |v| <= b, |w| <= c."""
    qu, qv, qw = abs(u) - a, abs(v) - b, abs(w) - c
    inside = max(qu, max(qv, qw))
    if inside <= 0.0:
        return inside
    qu, qv, qw = max(qu, 0.0), max(qv, 0.0), max(qw, 0.0)
    return math.sqrt(qu * qu + qv * qv + qw * qw)


@query
def cuboid_normal(u, v, w, a, b, c):
    """From the nearest point outside; through the nearest face inside (first axis on a tie, + at a zero)."""
    su, sv, sw = math.copysign(1.0, u), math.copysign(1.0, v), math.copysign(1.0, w)
    qu, qv, qw = abs(u) - a, abs(v) - b, abs(w) - c
    ou, ov, ow = max(qu, 0.0), max(qv, 0.0), max(qw, 0.0)
    r = math.sqrt(ou * ou + ov * ov + ow * ow)
    if r > TINY:
        return su * ou / r, sv * ov / r, sw * ow / r
    if qu >= qv and qu >= qw:
        return su, 0.0, 0.0
    if qv >= qw:
        return 0.0, sv, 0.0
    return 0.0, 0.0, sw


@query
def box_distance(p, i, x, y, z):
    """Axis-aligned box; row: centre (3), half size (3)."""
    return cuboid_distance(x - p[i, 0], y - p[i, 1], z - p[i, 2], p[i, 3], p[i, 4], p[i, 5])


@query
def box_normal(p, i, x, y, z):
    """Normal of the axis-aligned box."""
    return cuboid_normal(x - p[i, 0], y - p[i, 1], z - p[i, 2], p[i, 3], p[i, 4], p[i, 5])


@query
def oriented_box_distance(p, i, x, y, z):
    """Turned box; row: centre (3), half size (3), R_OB row-major (9)."""
    dx, dy, dz = x - p[i, 0], y - p[i, 1], z - p[i, 2]
    u = p[i, 6] * dx + p[i, 9] * dy + p[i, 12] * dz
    v = p[i, 7] * dx + p[i, 10] * dy + p[i, 13] * dz
    w = p[i, 8] * dx + p[i, 11] * dy + p[i, 14] * dz
    return cuboid_distance(u, v, w, p[i, 3], p[i, 4], p[i, 5])


@query
def oriented_box_normal(p, i, x, y, z):
    """Normal of the turned box, turned back into the frame of the object."""
    dx, dy, dz = x - p[i, 0], y - p[i, 1], z - p[i, 2]
    u = p[i, 6] * dx + p[i, 9] * dy + p[i, 12] * dz
    v = p[i, 7] * dx + p[i, 10] * dy + p[i, 13] * dz
    w = p[i, 8] * dx + p[i, 11] * dy + p[i, 14] * dz
    nu, nv, nw = cuboid_normal(u, v, w, p[i, 3], p[i, 4], p[i, 5])
    return (
        p[i, 6] * nu + p[i, 7] * nv + p[i, 8] * nw,
        p[i, 9] * nu + p[i, 10] * nv + p[i, 11] * nw,
        p[i, 12] * nu + p[i, 13] * nv + p[i, 14] * nw,
    )


@query
def _perpendicular(ax, ay, az):
    """A unit vector at right angles to the unit vector a, the same for the same a."""
    if abs(ax) <= abs(ay) and abs(ax) <= abs(az):
        n = math.sqrt(ay * ay + az * az)
        return 0.0, -az / n, ay / n
    if abs(ay) <= abs(az):
        n = math.sqrt(ax * ax + az * az)
        return az / n, 0.0, -ax / n
    n = math.sqrt(ax * ax + ay * ay)
    return -ay / n, ax / n, 0.0


@query
def cylinder_distance(p, i, x, y, z):
    """Cylinder with flat caps; row: centre (3), unit axis (3), half length, radius."""
    dx, dy, dz = x - p[i, 0], y - p[i, 1], z - p[i, 2]
    t = p[i, 3] * dx + p[i, 4] * dy + p[i, 5] * dz
    rx, ry, rz = dx - t * p[i, 3], dy - t * p[i, 4], dz - t * p[i, 5]
    qr = math.sqrt(rx * rx + ry * ry + rz * rz) - p[i, 7]
    qt = abs(t) - p[i, 6]
    if qr <= 0.0 or qt <= 0.0:
        return max(qr, qt)
    return math.sqrt(qr * qr + qt * qt)


@query
def cylinder_normal(p, i, x, y, z):
    """Normal of the cylinder; on the axis one fixed radial direction stands for all of them."""
    ax, ay, az = p[i, 3], p[i, 4], p[i, 5]
    dx, dy, dz = x - p[i, 0], y - p[i, 1], z - p[i, 2]
    t = ax * dx + ay * dy + az * dz
    rx, ry, rz = dx - t * ax, dy - t * ay, dz - t * az
    r = math.sqrt(rx * rx + ry * ry + rz * rz)
    if r > 1e-12 * p[i, 7]:
        rx, ry, rz = rx / r, ry / r, rz / r
    else:
        rx, ry, rz = _perpendicular(ax, ay, az)
    st = math.copysign(1.0, t)
    qr, qt = r - p[i, 7], abs(t) - p[i, 6]
    if qr <= 0.0 or qt <= 0.0:
        if qr >= qt:
            return rx, ry, rz
        return st * ax, st * ay, st * az
    q = math.sqrt(qr * qr + qt * qt)
    if q < TINY:
        return rx, ry, rz
    cr, ct = qr / q, st * qt / q
    return cr * rx + ct * ax, cr * ry + ct * ay, cr * rz + ct * az


@query
def capsule_distance(p, i, x, y, z):
    """Cylinder with round ends; row: centre (3), unit axis (3), half length, radius."""
    dx, dy, dz = x - p[i, 0], y - p[i, 1], z - p[i, 2]
    t = p[i, 3] * dx + p[i, 4] * dy + p[i, 5] * dz
    t = max(-p[i, 6], min(p[i, 6], t))
    rx, ry, rz = dx - t * p[i, 3], dy - t * p[i, 4], dz - t * p[i, 5]
    return math.sqrt(rx * rx + ry * ry + rz * rz) - p[i, 7]


@query
def capsule_normal(p, i, x, y, z):
    """Away from the nearest point of the core segment; a fixed radial direction on it."""
    dx, dy, dz = x - p[i, 0], y - p[i, 1], z - p[i, 2]
    t = p[i, 3] * dx + p[i, 4] * dy + p[i, 5] * dz
    t = max(-p[i, 6], min(p[i, 6], t))
    rx, ry, rz = dx - t * p[i, 3], dy - t * p[i, 4], dz - t * p[i, 5]
    r = math.sqrt(rx * rx + ry * ry + rz * rz)
    if r > 1e-12 * p[i, 7]:
        return rx / r, ry / r, rz / r
    return _perpendicular(p[i, 3], p[i, 4], p[i, 5])
