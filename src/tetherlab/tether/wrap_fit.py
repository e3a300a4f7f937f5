"""Which cylinder an obstacle is to the element that bends round it: from curvature, or from two faces."""

import math

from tetherlab.math.kernel import kernel
from tetherlab.tether.wrap import to_object, wrap_path
from tetherlab.world.ask import distance, distance_to, nearest_on

FLAT = 0.02  # curvature below which an obstacle does not bend a tether [1/m]
SLENDER = 0.05  # a tether more parallel to the axis than this (sine) is not wrapped by it
INSIDE = 2.0  # wrap radii: a cylinder with a node deeper in it than this is none that the tether lies on


@kernel
def _fit_cylinder(field, who, wrap, x, u, j, h, px, py, pz, tx, ty, tz, wrap_radius):
    """Take obstacle `who` near p as a cylinder, for a tether along t; False if it is flat or hollow there.

    The cylinder comes from the curvature of the distance field, that is, from how its normal turns. Where a
    flat face begins that is too small, and the cylinder so large that it holds a node of the element.
    """
    d, nx, ny, nz = nearest_on(field, who, px, py, pz)
    px, py, pz = px + (wrap_radius - d) * nx, py + (wrap_radius - d) * ny, pz + (wrap_radius - d) * nz
    if distance(field, px, py, pz) < 0.0:
        return False  # inside another obstacle
    # Two tangent directions: along the tether, and across it.
    dot = tx * nx + ty * ny + tz * nz
    tx, ty, tz = tx - dot * nx, ty - dot * ny, tz - dot * nz
    size = math.sqrt(tx * tx + ty * ty + tz * tz)
    if size < 1e-9:
        return False
    tx, ty, tz = tx / size, ty / size, tz / size
    bx, by, bz = ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx
    e = 0.05 * wrap_radius
    w = 0.5 / e
    _, p0, p1, p2 = nearest_on(field, who, px + e * tx, py + e * ty, pz + e * tz)
    _, q0, q1, q2 = nearest_on(field, who, px - e * tx, py - e * ty, pz - e * tz)
    g0, g1, g2 = w * (p0 - q0), w * (p1 - q1), w * (p2 - q2)
    k_tt, k_tb = g0 * tx + g1 * ty + g2 * tz, g0 * bx + g1 * by + g2 * bz
    _, p0, p1, p2 = nearest_on(field, who, px + e * bx, py + e * by, pz + e * bz)
    _, q0, q1, q2 = nearest_on(field, who, px - e * bx, py - e * by, pz - e * bz)
    g0, g1, g2 = w * (p0 - q0), w * (p1 - q1), w * (p2 - q2)
    k_bb = g0 * bx + g1 * by + g2 * bz
    k_tb = 0.5 * (k_tb + g0 * tx + g1 * ty + g2 * tz)
    mean, half = 0.5 * (k_tt + k_bb), 0.5 * (k_tt - k_bb)
    spread = math.sqrt(half * half + k_tb * k_tb)
    most, least = mean + spread, mean - spread
    if most < FLAT:
        return False
    if least > 0.5 * most:
        cosine, sine, curvature = 1.0, 0.0, max(k_tt, FLAT)  # round both ways: bend along the tether
    else:
        turn = 0.5 * math.atan2(k_tb, half)  # direction of greatest curvature, from t towards b
        cosine, sine, curvature = math.cos(turn), math.sin(turn), most
    if abs(cosine) < SLENDER:
        return False
    radius = 1.0 / curvature
    # axis = direction of least curvature
    wx, wy, wz = cosine * bx - sine * tx, cosine * by - sine * ty, cosine * bz - sine * tz
    ox, oy, oz = px - radius * nx, py - radius * ny, pz - radius * nz
    for i in range(j, j + 2):
        rx, ry, rz = x[i, 0] + h * u[i, 0] - ox, x[i, 1] + h * u[i, 1] - oy, x[i, 2] + h * u[i, 2] - oz
        along = rx * wx + ry * wy + rz * wz
        far = math.sqrt(max(rx * rx + ry * ry + rz * rz - along * along, 0.0))
        if far < radius - INSIDE * wrap_radius:
            return False
    _set_cylinder(field, wrap, who, ox, oy, oz, wx, wy, wz, nx, ny, nz, radius)
    _set_side(wrap, wx, wy, wz, nx, ny, nz, tx, ty, tz)
    return True


@kernel
def _fit_edge(field, who, wrap, ax, ay, az, bx, by, bz, wrap_radius):
    """Take two faces of `who` that the segment a-b cuts as a sharp edge; False if it cuts no edge.

    For an element that is already deep inside, where the nearest surface is a flat face.
    """
    # Where it goes in and where it comes out.
    steps = 16
    first, last = -1, -1
    for k in range(steps + 1):
        t = k / steps
        if distance_to(field, who, ax + t * (bx - ax), ay + t * (by - ay), az + t * (bz - az)) < wrap_radius:
            if first < 0:
                first = k
            last = k
    if first < 0:
        return False
    # A node that is pressed into its face is where it goes in.
    low, high = max(first - 1, 0) / steps, min(last + 1, steps) / steps
    inside_low, inside_high = first / steps, last / steps
    for _ in range(12):
        t = 0.5 * (low + inside_low)
        if distance_to(field, who, ax + t * (bx - ax), ay + t * (by - ay), az + t * (bz - az)) < wrap_radius:
            inside_low = t
        else:
            low = t
        t = 0.5 * (high + inside_high)
        if distance_to(field, who, ax + t * (bx - ax), ay + t * (by - ay), az + t * (bz - az)) < wrap_radius:
            inside_high = t
        else:
            high = t
    px, py, pz = ax + low * (bx - ax), ay + low * (by - ay), az + low * (bz - az)
    qx, qy, qz = ax + high * (bx - ax), ay + high * (by - ay), az + high * (bz - az)
    d_p, m0, m1, m2 = nearest_on(field, who, px, py, pz)
    d_q, n0, n1, n2 = nearest_on(field, who, qx, qy, qz)
    wx, wy, wz = m1 * n2 - m2 * n1, m2 * n0 - m0 * n2, m0 * n1 - m1 * n0
    sine2 = wx * wx + wy * wy + wz * wz
    if sine2 < 0.01:
        return False
    # Each point lies below the face of the other, or the edge is hollow.
    r0, r1, r2 = qx - px, qy - py, qz - pz
    if m0 * r0 + m1 * r1 + m2 * r2 >= 0.0 or n0 * r0 + n1 * r1 + n2 * r2 <= 0.0:
        return False
    # The edge: the point where both faces meet, in the plane of the two normals through p.
    cosine = m0 * n0 + m1 * n1 + m2 * n2
    beta = n0 * (qx - px) + n1 * (qy - py) + n2 * (qz - pz) - d_q
    alpha = -d_p
    u, v = (alpha - beta * cosine) / sine2, (beta - alpha * cosine) / sine2
    ox, oy, oz = px + u * m0 + v * n0, py + u * m1 + v * n1, pz + u * m2 + v * n2
    size = math.sqrt(sine2)
    wx, wy, wz = wx / size, wy / size, wz / size
    nx, ny, nz = m0 + n0, m1 + n1, m2 + n2
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if size < 0.1:
        return False
    _set_cylinder(field, wrap, who, ox, oy, oz, wx, wy, wz, nx / size, ny / size, nz / size, wrap_radius)
    _set_side(wrap, wx, wy, wz, nx, ny, nz, bx - ax, by - ay, bz - az)
    return True


@kernel
def _set_cylinder(field, wrap, who, ox, oy, oz, wx, wy, wz, nx, ny, nz, radius):
    """Store a cylinder through o along w, with polar angle zero towards n, in the object's frame."""
    if field.objects[who, 1] == 1:
        ox, oy, oz = ox - field.pose[who, 9], oy - field.pose[who, 10], oz - field.pose[who, 11]
    to_object(field, who, ox, oy, oz, wrap.origin_O)
    to_object(field, who, wx, wy, wz, wrap.axis_O)
    to_object(field, who, nx, ny, nz, wrap.zero_O)
    wrap.object = who
    wrap.radius = radius
    wrap.polar, wrap.axial, wrap.axial_next = 0.0, 0.0, 0.0


@kernel
def _set_side(wrap, wx, wy, wz, nx, ny, nz, tx, ty, tz):
    """Which way round: f = axis x n, and the path goes along t."""
    fx, fy, fz = wy * nz - wz * ny, wz * nx - wx * nz, wx * ny - wy * nx
    wrap.side = 1.0 if tx * fx + ty * fy + tz * fz > 0.0 else -1.0


@kernel
def _set_friction(field, wrap, friction):
    """That of the obstacle, or `friction` if it names none."""
    own = field.friction[wrap.object]
    wrap.friction = own if own == own else friction


@kernel
def start_wrap(field, who, wrap, x, u, j, h, px, py, pz, wrap_radius, friction, stretch, rest, offset):
    """Begin a wrap at the point p of element j, too close to obstacle `who`; False if it cannot bend.

    offset: by how much its chord counts as shorter [m].
    """
    k = j + 1
    ax, ay, az = x[j, 0] + h * u[j, 0], x[j, 1] + h * u[j, 1], x[j, 2] + h * u[j, 2]
    bx, by, bz = x[k, 0] + h * u[k, 0], x[k, 1] + h * u[k, 1], x[k, 2] + h * u[k, 2]
    fits = _fit_cylinder(field, who, wrap, x, u, j, h, px, py, pz, bx - ax, by - ay, bz - az, wrap_radius)
    if not fits and not _fit_edge(field, who, wrap, ax, ay, az, bx, by, bz, wrap_radius):
        return False
    _set_friction(field, wrap, friction)
    wrap.began, wrap.way = 0, 0
    wrap.angle, wrap.angle_a = 0.0, 0.0
    wrap.stretch_a, wrap.stretch_b = stretch, stretch
    chord = math.sqrt((bx - ax) ** 2 + (by - ay) ** 2 + (bz - az) ** 2)
    if not _divide(field, wrap, x, u, j, h, rest, chord - offset):
        return False
    found = wrap.ease
    wrap.ease = min(found, _late(field, wrap, x, j, rest) + offset)
    return True


@kernel
def _late(field, wrap, x, j, rest):
    """By how much the way round was longer than the chord when the step began: 0, if it had not met it [m].

    The iterate that meets the obstacle may lie deep in it, which is no reason to lose tension.
    """
    wrap.ease = 0.0
    s_a, s_b = wrap_path(field, wrap, x, x, j, 0.0, wrap.rest_a, rest)
    if s_b < 0.0:
        return 0.0
    k = j + 1
    return (
        s_a + s_b - math.sqrt((x[k, 0] - x[j, 0]) ** 2 + (x[k, 1] - x[j, 1]) ** 2 + (x[k, 2] - x[j, 2]) ** 2)
    )


@kernel
def _divide(field, wrap, x, u, j, h, rest, way):
    """Share the material in proportion to the way it has to go, each side at its own stretch.

    way: what the whole of it counts as now [m].
    """
    wrap.ease = 0.0
    s_a, s_b = wrap_path(field, wrap, x, u, j, h, 0.5 * rest, rest)
    if s_b < 0.0:
        wrap.active = 0
        return False
    wrap.active = 1
    # The anchor: in the middle of the contact, on the shortest way.
    angle = wrap.angle_next
    wrap.polar = wrap.polar_next + wrap.side * (0.5 * angle - wrap.angle_a_next)
    wrap.angle, wrap.angle_a = angle, 0.5 * angle
    flat_a, flat_b = wrap.leg_a + 0.5 * wrap.radius * angle, wrap.leg_b + 0.5 * wrap.radius * angle
    wrap.axial = wrap.axial_a + (wrap.axial_b - wrap.axial_a) * flat_a / (flat_a + flat_b)
    wrap.axial_next = wrap.axial
    s_a, s_b = wrap_path(field, wrap, x, u, j, h, 0.5 * rest, rest)
    a, b = s_a / wrap.stretch_a, s_b / wrap.stretch_b
    wrap.rest_a = rest * a / (a + b)
    wrap.ease = s_a + s_b - way
    return True


@kernel
def loosen_wrap(field, wrap, x, j, rest):
    """Take the tension out of a wrap that stays where it is; False if it goes round nothing any more.

    What its path is longer than the element, it counts as shorter from now on (`ease`).
    """
    wrap.ease = 0.0
    s_a, s_b = wrap_path(field, wrap, x, x, j, 0.0, wrap.rest_a, rest)
    if s_b < 0.0:
        return False
    path = min(s_a + s_b, rest)
    wrap.stretch_a = wrap.stretch_b = 1.0
    if not _divide(field, wrap, x, x, j, 0.0, rest, path):
        return False
    wrap.stretch_a = wrap.stretch_b = path / rest
    return True


@kernel
def refit_wrap(field, wrap, x, u, j, wrap_radius, friction, rest):
    """After a step: fit the cylinder anew if the obstacle turns out to be shaped differently; True if so."""
    p, who = wrap.point_W, wrap.object
    off = abs(distance_to(field, who, p[0], p[1], p[2]) - wrap_radius)
    if wrap.angle > 0.2:
        # The two ends of the contact, on the straight legs from nodes outside the cylinder.
        a, r = wrap.pull_a, wrap.reach_a
        if r > 0.0:
            d = distance_to(field, who, x[j, 0] + r * a[0], x[j, 1] + r * a[1], x[j, 2] + r * a[2])
            off = max(off, abs(d - wrap_radius))
        b, r, k = wrap.pull_b, wrap.reach_b, j + 1
        if r > 0.0:
            d = distance_to(field, who, x[k, 0] + r * b[0], x[k, 1] + r * b[1], x[k, 2] + r * b[2])
            off = max(off, abs(d - wrap_radius))
    if off < 0.1 * wrap_radius:
        return False
    tx, ty, tz = wrap.along_W[0], wrap.along_W[1], wrap.along_W[2]
    angle, rest_a = wrap.angle, wrap.rest_a
    way = wrap.stretch_a * rest_a + wrap.stretch_b * (rest - rest_a)
    if not _fit_cylinder(field, who, wrap, x, u, j, 0.0, p[0], p[1], p[2], tx, ty, tz, wrap_radius):
        # Its cylinder cuts a corner: all is flat there, but the element goes in at one face, out at another.
        k = j + 1
        if not _fit_edge(field, who, wrap, x[j, 0], x[j, 1], x[j, 2], x[k, 0], x[k, 1], x[k, 2], wrap_radius):
            return False
    _set_friction(field, wrap, friction)
    wrap.angle, wrap.angle_a = angle, 0.5 * angle
    if _divide(field, wrap, x, u, j, 0.0, rest, way):
        s_a, s_b = wrap_path(field, wrap, x, u, j, 0.0, wrap.rest_a, rest)
        wrap.stretch_a, wrap.stretch_b = s_a / wrap.rest_a, s_b / (rest - wrap.rest_a)
    return True
