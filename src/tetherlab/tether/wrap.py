"""An element that bends round an obstacle between its nodes.

Near the contact the obstacle, grown by the wrap radius of the tether, is taken as a cylinder: a box edge, a
pole or a branch is one, a sphere is one to the tether that crosses it. The tether is then the geodesic on it,
in closed form: two straight legs that touch the cylinder, and a helix between them. Its length is a smooth
function of the two nodes from the first touch to several turns, so nothing jumps when an element touches,
slides or leaves, and no tether passes through what it is wrapped on.

Friction is the capstan law, solved like plasticity: an anchor, the material point that sticks to the
obstacle, divides the element into two springs with tensions T_a and T_b. If T_a > exp(mu phi) T_b, phi the
turning of the helix, material slides towards a until equality. Along the cylinder the anchor slides when the
pull of the two legs exceeds what friction has left. Sliding only loses energy. See docs/theory/contact.md.
"""

import math

import numpy as np

from tetherlab.math.kernel import kernel
from tetherlab.tether.ask import distance, nearest

WRAP = np.dtype(
    [
        ("active", np.int64),  # 1: the path bends round the obstacle
        ("near", np.int64),  # 1: may touch within this step
        ("bent", np.int64),  # 1: bends at the iterate
        ("object", np.int64),
        ("slipping", np.int64),
        # the local cylinder, in the frame of the object
        ("origin_O", np.float64, (3,)),
        ("axis_O", np.float64, (3,)),
        ("zero_O", np.float64, (3,)),  # direction of polar angle 0
        ("radius", np.float64),  # [m]
        ("side", np.float64),  # +1: polar angle grows from a to b, -1: falls
        ("friction", np.float64),
        # the anchor
        ("polar", np.float64),  # polar angle [rad]
        ("axial", np.float64),  # coordinate along the axis [m]
        ("rest_a", np.float64),  # unstretched length between node a and the anchor [m]
        ("angle", np.float64),  # wrapped angle, continuous through full turns [rad]
        ("angle_a", np.float64),  # part of it before the anchor [rad]
        ("stretch_a", np.float64),  # of the two springs at the start of the step
        ("stretch_b", np.float64),
        # at the iterate
        ("angle_next", np.float64),
        ("angle_a_next", np.float64),
        ("axial_next", np.float64),
        ("rest_a_next", np.float64),
        ("stretch_a_next", np.float64),
        ("stretch_b_next", np.float64),
        ("polar_next", np.float64),
        ("ratio", np.float64),  # T_a / T_b while it slides
        ("tension_a", np.float64),
        ("tension_b", np.float64),
        ("pull_a", np.float64, (3,)),  # unit vector from node a along its leg
        ("pull_b", np.float64, (3,)),
        ("axial_a", np.float64),  # coordinates of the nodes along the axis [m]
        ("axial_b", np.float64),
        ("leg_a", np.float64),  # straight part of the way to the cylinder [m]
        ("leg_b", np.float64),
        ("k_aa", np.float64),  # -d(tension_a)/d(x_a . pull_a) and so on [N/m]
        ("k_ab", np.float64),
        ("k_ba", np.float64),
        ("k_bb", np.float64),
        ("reach_a", np.float64),  # length of the straight leg, with its climb along the axis [m]
        ("reach_b", np.float64),
        ("point_W", np.float64, (3,)),  # middle of the contact [m]
        ("along_W", np.float64, (3,)),  # direction of the tether there, from a to b
    ]
)

ANCHOR_PASSES = 12  # at most, to find where along the axis the anchor comes to rest
SHORTEST = 1e-3  # share of an element that a side keeps at least
FLAT = 0.02  # curvature below which an obstacle does not bend a tether [1/m]
SLENDER = 0.05  # a tether more parallel to the axis than this (sine) is not wrapped by it


@kernel
def _to_world(field, who, v):
    """A direction of the object's frame in the world's."""
    if field.objects[who, 1] == 0:
        return v[0], v[1], v[2]
    R = field.pose[who]
    return (
        R[0] * v[0] + R[1] * v[1] + R[2] * v[2],
        R[3] * v[0] + R[4] * v[1] + R[5] * v[2],
        R[6] * v[0] + R[7] * v[1] + R[8] * v[2],
    )


@kernel
def _to_object(field, who, x, y, z, out):
    """The reverse, written to `out`."""
    if field.objects[who, 1] == 0:
        out[0], out[1], out[2] = x, y, z
        return
    R = field.pose[who]
    out[0] = R[0] * x + R[3] * y + R[6] * z
    out[1] = R[1] * x + R[4] * y + R[7] * z
    out[2] = R[2] * x + R[5] * y + R[8] * z


@kernel
def _near(angle, reference):
    """The angle plus the multiple of a full turn that brings it closest to the reference."""
    return angle + 2.0 * math.pi * math.floor((reference - angle) / (2.0 * math.pi) + 0.5)


@kernel
def off_cylinder(field, wrap, x, y, z):
    """How far a point is from the surface of the local cylinder [m]."""
    who = wrap.object
    ox, oy, oz = _to_world(field, who, wrap.origin_O)
    if field.objects[who, 1] == 1:
        ox, oy, oz = ox + field.pose[who, 9], oy + field.pose[who, 10], oz + field.pose[who, 11]
    wx, wy, wz = _to_world(field, who, wrap.axis_O)
    x, y, z = x - ox, y - oy, z - oz
    along = x * wx + y * wy + z * wz
    return math.sqrt(max(x * x + y * y + z * z - along * along, 0.0)) - wrap.radius


@kernel
def wrap_path(field, wrap, x, u, j, h, rest_a, rest):
    """Geodesic from node j to j + 1 at x + h u: legs, angles, pulls. Returns (s_a, s_b), s_b < 0 if straight.

    rest_a, rest: unstretched lengths to the anchor and in all, for moving the anchor with the contact.
    """
    who = wrap.object
    ox, oy, oz = _to_world(field, who, wrap.origin_O)
    if field.objects[who, 1] == 1:
        ox, oy, oz = ox + field.pose[who, 9], oy + field.pose[who, 10], oz + field.pose[who, 11]
    wx, wy, wz = _to_world(field, who, wrap.axis_O)
    ex, ey, ez = _to_world(field, who, wrap.zero_O)
    fx, fy, fz = wy * ez - wz * ey, wz * ex - wx * ez, wx * ey - wy * ex
    radius, side = wrap.radius, wrap.side

    ax, ay, az = x[j, 0] + h * u[j, 0] - ox, x[j, 1] + h * u[j, 1] - oy, x[j, 2] + h * u[j, 2] - oz
    k = j + 1
    bx, by, bz = x[k, 0] + h * u[k, 0] - ox, x[k, 1] + h * u[k, 1] - oy, x[k, 2] + h * u[k, 2] - oz
    a_e, a_f, a_w = ax * ex + ay * ey + az * ez, ax * fx + ay * fy + az * fz, ax * wx + ay * wy + az * wz
    b_e, b_f, b_w = bx * ex + by * ey + bz * ez, bx * fx + by * fy + bz * fz, bx * wx + by * wy + bz * wz
    far_a, far_b = math.sqrt(a_e * a_e + a_f * a_f), math.sqrt(b_e * b_e + b_f * b_f)
    leg_a, leg_b = math.sqrt(max(far_a**2 - radius**2, 0.0)), math.sqrt(max(far_b**2 - radius**2, 0.0))
    polar_a = math.atan2(a_f, a_e) + side * math.acos(min(1.0, radius / far_a))
    polar_b = math.atan2(b_f, b_e) - side * math.acos(min(1.0, radius / far_b))
    angle = _near(side * (polar_b - polar_a), wrap.angle)
    wrap.angle_next = angle
    wrap.leg_a, wrap.leg_b = leg_a, leg_b
    wrap.axial_a, wrap.axial_b = a_w, b_w
    if angle <= 0.0:
        return 0.0, -1.0

    # The anchor stays on the obstacle, but cannot lie outside the contact: then it moves with its border,
    # and the tether between the old and the new place changes sides.
    angle_a = _near(side * (wrap.polar - polar_a), wrap.angle_a)
    inside = min(max(angle_a, 0.0), angle)
    stretch = wrap.stretch_b if inside > angle_a else wrap.stretch_a
    rest_a += radius * (inside - angle_a) / max(stretch, 0.5)
    wrap.rest_a_next = min(max(rest_a, SHORTEST * rest), (1.0 - SHORTEST) * rest)
    wrap.polar_next = polar_a + side * inside
    wrap.angle_a_next = inside
    flat_a, flat_b = leg_a + radius * inside, leg_b + radius * (angle - inside)
    s_a = math.sqrt(flat_a**2 + (a_w - wrap.axial_next) ** 2) + 1e-9
    s_b = math.sqrt(flat_b**2 + (b_w - wrap.axial_next) ** 2) + 1e-9

    ca, sa, cb, sb = math.cos(polar_a), math.sin(polar_a), math.cos(polar_b), math.sin(polar_b)
    p_e, p_f = -side * sa, side * ca  # along the path, leaving a
    q_e, q_f = side * sb, -side * cb  # leaving b
    ratio_a, climb_a = flat_a / s_a, (wrap.axial_next - a_w) / s_a
    ratio_b, climb_b = flat_b / s_b, (wrap.axial_next - b_w) / s_b
    wrap.reach_a, wrap.reach_b = leg_a / (ratio_a + 1e-12), leg_b / (ratio_b + 1e-12)
    wrap.pull_a[0] = ratio_a * (p_e * ex + p_f * fx) + climb_a * wx
    wrap.pull_a[1] = ratio_a * (p_e * ey + p_f * fy) + climb_a * wy
    wrap.pull_a[2] = ratio_a * (p_e * ez + p_f * fz) + climb_a * wz
    wrap.pull_b[0] = ratio_b * (q_e * ex + q_f * fx) + climb_b * wx
    wrap.pull_b[1] = ratio_b * (q_e * ey + q_f * fy) + climb_b * wy
    wrap.pull_b[2] = ratio_b * (q_e * ez + q_f * fz) + climb_b * wz
    middle = polar_a + 0.5 * side * angle
    m_e, m_f = radius * math.cos(middle), radius * math.sin(middle)
    t_e, t_f = -side * math.sin(middle), side * math.cos(middle)
    climb = (b_w - a_w) / (flat_a + flat_b)
    wrap.along_W[0] = t_e * ex + t_f * fx + climb * wx
    wrap.along_W[1] = t_e * ey + t_f * fy + climb * wy
    wrap.along_W[2] = t_e * ez + t_f * fz + climb * wz
    wrap.point_W[0] = ox + m_e * ex + m_f * fx + wrap.axial_next * wx
    wrap.point_W[1] = oy + m_e * ey + m_f * fy + wrap.axial_next * wy
    wrap.point_W[2] = oz + m_e * ez + m_f * fz + wrap.axial_next * wz
    return s_a, s_b


@kernel
def _slide(pull, EA, c_h, s_a, s_b, stretch_a, stretch_b, rest, ratio):
    """Unstretched length on side a at which T_a = ratio T_b; T = (EA + c/h) s / rest - EA - (c/h) stretch."""
    C_a, C_b = EA + c_h * stretch_a, EA + c_h * stretch_b
    # (E s_a / X - C_a) = ratio (E s_b / (rest - X) - C_b), a quadratic in X with one root inside (0, rest).
    C = C_a - ratio * C_b
    p = pull * (s_a + ratio * s_b) + C * rest
    q = pull * s_a * rest
    root = math.sqrt(max(p * p - 4.0 * C * q, 0.0))
    return 2.0 * q / (p + root)


@kernel
def wrap_forces(field, wrap, x, u, j, h, EA, c, rest, inflow):
    """Tensions, pulls and stiffness of a wrapped element at the iterate; False if the path is straight.

    inflow: unstretched length that enters at node a within the step (reeling) [m].
    """
    mu = wrap.friction
    c_h = c / h
    pull = EA + c_h
    wrap.axial_next = wrap.axial
    rest_a_start = wrap.rest_a + inflow
    s_a, s_b = wrap_path(field, wrap, x, u, j, h, rest_a_start, rest)
    if s_b < 0.0:
        return False
    wrap.slipping, ratio = 0, 1.0
    rest_a = wrap.rest_a_next
    T_a = pull * s_a / rest_a - EA - c_h * wrap.stretch_a
    T_b = pull * s_b / (rest - rest_a) - EA - c_h * wrap.stretch_b
    # One tension all along where the contact has reached a node, and where the element is slack.
    uniform = min(s_a, s_b) < 2.0 * SHORTEST * rest or (T_a <= 0.0 and T_b <= 0.0)
    if not uniform:
        grip = math.exp(mu * _turning(wrap, s_a, s_b))
        if T_a > grip * T_b:
            wrap.slipping, ratio = 1, grip
        elif T_b > grip * T_a:
            wrap.slipping, ratio = 1, 1.0 / grip
        if wrap.slipping == 1:
            rest_a = _slide(pull, EA, c_h, s_a, s_b, wrap.stretch_a, wrap.stretch_b, rest, ratio)
            T_a = pull * s_a / rest_a - EA - c_h * wrap.stretch_a
            T_b = pull * s_b / (rest - rest_a) - EA - c_h * wrap.stretch_b
            uniform = T_a <= 0.0 or T_b <= 0.0
    if uniform:
        wrap.slipping, ratio = 1, 1.0
        mean = (wrap.stretch_a * wrap.rest_a_next + wrap.stretch_b * (rest - wrap.rest_a_next)) / rest
        T_a = pull * (s_a + s_b) / rest - EA - c_h * mean
        T_b = T_a
        rest_a = rest * s_a / (s_a + s_b)
    rest_a = min(max(rest_a, 1e-6 * rest), (1.0 - 1e-6) * rest)
    rest_b = rest - rest_a
    k_a, k_b = pull / rest_a, pull / rest_b
    if wrap.slipping == 1:
        p, q = pull * s_a / rest_a**2, ratio * pull * s_b / rest_b**2
        wrap.k_aa = k_a * q / (p + q)
        wrap.k_ab = k_b * ratio * p / (p + q)
        wrap.k_ba = wrap.k_aa / ratio
        wrap.k_bb = wrap.k_ab / ratio
    else:
        wrap.k_aa, wrap.k_bb = k_a, k_b
        wrap.k_ab, wrap.k_ba = 0.0, 0.0
    wrap.rest_a_next = rest_a
    wrap.ratio = ratio
    wrap.tension_a, wrap.tension_b = T_a, T_b
    wrap.stretch_a_next, wrap.stretch_b_next = s_a / rest_a, s_b / rest_b
    return True


@kernel
def _turning(wrap, s_a, s_b):
    """Angle by which the helix turns [rad]: the wrapped angle, less where it climbs along the axis."""
    return wrap.angle_next * (wrap.leg_a + wrap.leg_b + wrap.radius * wrap.angle_next) / (s_a + s_b)


@kernel
def slide_anchor(field, wrap, x, u, j, EA, rest):
    """After a step: let the anchor slide along the axis as far as friction does not hold it.

    The nodes stay where they are, so this only relaxes the two springs; returns the energy lost [J].
    """
    if wrap.tension_a <= 0.0 or wrap.tension_b <= 0.0:
        return 0.0
    rest_a, rest_b = wrap.rest_a, rest - wrap.rest_a
    wx, wy, wz = _to_world(field, wrap.object, wrap.axis_O)
    before = 0.5 * EA * (rest_a * (wrap.stretch_a - 1.0) ** 2 + rest_b * (wrap.stretch_b - 1.0) ** 2)
    moved = False
    low, high = min(wrap.axial_a, wrap.axial_b), max(wrap.axial_a, wrap.axial_b)
    old_axial, old_rest_a, old_a, old_b = wrap.axial, wrap.rest_a, wrap.stretch_a, wrap.stretch_b
    for _ in range(ANCHOR_PASSES):
        s_a, s_b = wrap_path(field, wrap, x, u, j, 0.0, rest_a, rest)
        if s_b < 0.0:
            return 0.0
        if wrap.slipping == 1:
            rest_a = _slide(EA, EA, 0.0, s_a, s_b, 1.0, 1.0, rest, wrap.ratio)
            rest_a = min(max(rest_a, 1e-6 * rest), (1.0 - 1e-6) * rest)
            rest_b = rest - rest_a
        wrap.stretch_a, wrap.stretch_b = s_a / rest_a, s_b / rest_b
        T_a, T_b = EA * (wrap.stretch_a - 1.0), EA * (wrap.stretch_b - 1.0)
        if T_a <= 0.0 or T_b <= 0.0:
            break
        climb_a = wrap.pull_a[0] * wx + wrap.pull_a[1] * wy + wrap.pull_a[2] * wz
        climb_b = wrap.pull_b[0] * wx + wrap.pull_b[1] * wy + wrap.pull_b[2] * wz
        sideways = -(T_a * climb_a + T_b * climb_b)  # of the legs on the anchor
        # What friction has left after the capstan; nothing while the tether slides through.
        grip = wrap.friction * _turning(wrap, s_a, s_b)
        left = 0.0
        if wrap.slipping == 0 and grip > 1e-9:
            used = math.log(T_a / T_b) / grip
            left = 0.5 * grip * (T_a + T_b) * math.sqrt(max(1.0 - used * used, 0.0))
        excess = sideways - min(max(sideways, -left), left)
        if abs(excess) < 1e-6 * (T_a + T_b):
            break
        soft = T_a * (1.0 - climb_a**2) / s_a + T_b * (1.0 - climb_b**2) / s_b
        if wrap.slipping == 1:
            # Tether runs through while the anchor moves, so only the length of the whole path counts.
            p, q = EA * s_a / rest_a**2, wrap.ratio * EA * s_b / rest_b**2
            k_a, k_b = EA / rest_a * q / (p + q), EA / rest_b * p / (p + q)
            soft += (climb_a * k_a + climb_b * k_b * wrap.ratio) * (climb_a + climb_b / wrap.ratio)
        else:
            soft += EA * (climb_a**2 / rest_a + climb_b**2 / rest_b)
        # The pull falls as the anchor moves along: keep the root bracketed, halve where Newton leaves.
        if excess > 0.0:
            low = max(low, wrap.axial_next)
        else:
            high = min(high, wrap.axial_next)
        wanted = wrap.axial_next + excess / max(soft, 1e-9)
        wrap.axial_next = wanted if low < wanted < high else 0.5 * (low + high)
        wrap.axial = wrap.axial_next
        moved = True
    if not moved:
        return 0.0
    wrap.rest_a = rest_a
    s_a, s_b = wrap_path(field, wrap, x, u, j, 0.0, rest_a, rest)
    wrap.stretch_a, wrap.stretch_b = s_a / rest_a, s_b / rest_b
    after = 0.5 * EA * (rest_a * (wrap.stretch_a - 1.0) ** 2 + rest_b * (wrap.stretch_b - 1.0) ** 2)
    if s_b < 0.0 or after > before:
        wrap.axial, wrap.axial_next, wrap.rest_a = old_axial, old_axial, old_rest_a
        wrap.stretch_a, wrap.stretch_b = old_a, old_b
        return 0.0
    return before - after


@kernel
def _fit_cylinder(field, wrap, px, py, pz, tx, ty, tz, wrap_radius):
    """Take the obstacle near p as a cylinder, for a tether along t; False if it is flat or hollow there.

    The cylinder comes from the curvature of the distance field, that is, from how its normal turns.
    """
    d, nx, ny, nz, who = nearest(field, px, py, pz)
    px, py, pz = px + (wrap_radius - d) * nx, py + (wrap_radius - d) * ny, pz + (wrap_radius - d) * nz
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
    _, p0, p1, p2, _ = nearest(field, px + e * tx, py + e * ty, pz + e * tz)
    _, q0, q1, q2, _ = nearest(field, px - e * tx, py - e * ty, pz - e * tz)
    g0, g1, g2 = w * (p0 - q0), w * (p1 - q1), w * (p2 - q2)
    k_tt, k_tb = g0 * tx + g1 * ty + g2 * tz, g0 * bx + g1 * by + g2 * bz
    _, p0, p1, p2, _ = nearest(field, px + e * bx, py + e * by, pz + e * bz)
    _, q0, q1, q2, _ = nearest(field, px - e * bx, py - e * by, pz - e * bz)
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
    _set_cylinder(field, wrap, who, ox, oy, oz, wx, wy, wz, nx, ny, nz, radius)
    _set_side(wrap, wx, wy, wz, nx, ny, nz, tx, ty, tz)
    return True


@kernel
def _fit_edge(field, wrap, ax, ay, az, bx, by, bz, wrap_radius):
    """Take two faces that the segment a-b cuts as a sharp edge; False if it does not pass through an edge.

    For an element that is already deep inside, where the nearest surface is a flat face.
    """
    # Where it goes in and where it comes out.
    steps = 16
    first, last = -1, -1
    for k in range(steps + 1):
        t = k / steps
        if distance(field, ax + t * (bx - ax), ay + t * (by - ay), az + t * (bz - az)) < wrap_radius:
            if first < 0:
                first = k
            last = k
    if first <= 0 or last >= steps:
        return False
    low, high = (first - 1) / steps, (last + 1) / steps
    inside_low, inside_high = first / steps, last / steps
    for _ in range(12):
        t = 0.5 * (low + inside_low)
        if distance(field, ax + t * (bx - ax), ay + t * (by - ay), az + t * (bz - az)) < wrap_radius:
            inside_low = t
        else:
            low = t
        t = 0.5 * (high + inside_high)
        if distance(field, ax + t * (bx - ax), ay + t * (by - ay), az + t * (bz - az)) < wrap_radius:
            inside_high = t
        else:
            high = t
    px, py, pz = ax + low * (bx - ax), ay + low * (by - ay), az + low * (bz - az)
    qx, qy, qz = ax + high * (bx - ax), ay + high * (by - ay), az + high * (bz - az)
    d_p, m0, m1, m2, who = nearest(field, px, py, pz)
    d_q, n0, n1, n2, other = nearest(field, qx, qy, qz)
    wx, wy, wz = m1 * n2 - m2 * n1, m2 * n0 - m0 * n2, m0 * n1 - m1 * n0
    sine2 = wx * wx + wy * wy + wz * wz
    if other != who or sine2 < 0.01:
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
    _to_object(field, who, ox, oy, oz, wrap.origin_O)
    _to_object(field, who, wx, wy, wz, wrap.axis_O)
    _to_object(field, who, nx, ny, nz, wrap.zero_O)
    wrap.object = who
    wrap.radius = radius
    wrap.polar, wrap.axial, wrap.axial_next = 0.0, 0.0, 0.0


@kernel
def _set_side(wrap, wx, wy, wz, nx, ny, nz, tx, ty, tz):
    """Which way round: f = axis x n, and the path goes along t."""
    fx, fy, fz = wy * nz - wz * ny, wz * nx - wx * nz, wx * ny - wy * nx
    wrap.side = 1.0 if tx * fx + ty * fy + tz * fz > 0.0 else -1.0


@kernel
def start_wrap(field, wrap, x, u, j, h, px, py, pz, wrap_radius, friction, stretch, rest):
    """Begin a wrap at the point p of element j, too close to an obstacle; False if it cannot bend."""
    k = j + 1
    ax, ay, az = x[j, 0] + h * u[j, 0], x[j, 1] + h * u[j, 1], x[j, 2] + h * u[j, 2]
    bx, by, bz = x[k, 0] + h * u[k, 0], x[k, 1] + h * u[k, 1], x[k, 2] + h * u[k, 2]
    fits = _fit_cylinder(field, wrap, px, py, pz, bx - ax, by - ay, bz - az, wrap_radius)
    if not fits and not _fit_edge(field, wrap, ax, ay, az, bx, by, bz, wrap_radius):
        return False
    own = field.friction[wrap.object]
    wrap.friction = own if own == own else friction
    wrap.angle, wrap.angle_a = 0.0, 0.0
    wrap.stretch_a, wrap.stretch_b = stretch, stretch
    return _divide(field, wrap, x, u, j, h, rest)


@kernel
def _divide(field, wrap, x, u, j, h, rest):
    """Share the material in proportion to the way it has to go, each side at its own stretch."""
    s_a, s_b = wrap_path(field, wrap, x, u, j, h, 0.5 * rest, rest)
    if s_b < 0.0:
        wrap.active = 0
        return False
    wrap.active = 1
    wrap.angle, wrap.angle_a = wrap.angle_next, wrap.angle_a_next
    wrap.polar = wrap.polar_next
    a, b = s_a / wrap.stretch_a, s_b / wrap.stretch_b
    wrap.rest_a = rest * a / (a + b)
    return True


@kernel
def refit_wrap(field, wrap, x, u, j, wrap_radius, rest):
    """Fit the cylinder anew where the obstacle has turned out to be shaped differently; after a step."""
    p = wrap.point_W
    off = abs(distance(field, p[0], p[1], p[2]) - wrap_radius)
    if wrap.angle > 0.2:
        # The two ends of the contact, on the straight legs from the nodes.
        a, r = wrap.pull_a, wrap.reach_a
        d_a = distance(field, x[j, 0] + r * a[0], x[j, 1] + r * a[1], x[j, 2] + r * a[2])
        b, r, k = wrap.pull_b, wrap.reach_b, j + 1
        d_b = distance(field, x[k, 0] + r * b[0], x[k, 1] + r * b[1], x[k, 2] + r * b[2])
        off = max(off, abs(d_a - wrap_radius), abs(d_b - wrap_radius))
    if off < 0.1 * wrap_radius:
        return
    tx, ty, tz = wrap.along_W[0], wrap.along_W[1], wrap.along_W[2]
    angle = wrap.angle
    if _fit_cylinder(field, wrap, p[0], p[1], p[2], tx, ty, tz, wrap_radius):
        wrap.angle, wrap.angle_a = angle, 0.5 * angle
        _divide(field, wrap, x, u, j, 0.0, rest)


@kernel
def keep_wrap(wrap):
    """The iterate becomes the state; False when the wrap has opened."""
    if wrap.angle_next <= 0.0:
        wrap.active = 0
        return False
    wrap.angle = wrap.angle_next
    wrap.angle_a = wrap.angle_a_next
    wrap.polar = wrap.polar_next
    wrap.axial = wrap.axial_next
    wrap.rest_a = wrap.rest_a_next
    wrap.stretch_a = wrap.stretch_a_next
    wrap.stretch_b = wrap.stretch_b_next
    return True


@kernel
def join_wraps(first, second, rest_first, rest_second):
    """The wrap of two elements that become one, written to `first`; True if there is one.

    Two wraps are taken as turns about the same cylinder, that of the second.
    """
    if second.active == 1:
        angle = first.angle if first.active == 1 else 0.0
        rest_a = second.rest_a
        first_stretch = second.stretch_a
        if first.active == 1:
            first_stretch = first.stretch_b + (first.stretch_a - first.stretch_b) * first.rest_a / rest_first
        _copy(second, first)
        first.rest_a = rest_first + rest_a
        first.angle += angle
        first.angle_a += angle
        first.stretch_a = (rest_first * first_stretch + rest_a * second.stretch_a) / (rest_first + rest_a)
        return True
    return first.active == 1


@kernel
def _copy(source, target):
    """Copy what lasts of a wrap."""
    target.active, target.near, target.object = source.active, source.near, source.object
    for k in range(3):
        target.origin_O[k] = source.origin_O[k]
        target.axis_O[k] = source.axis_O[k]
        target.zero_O[k] = source.zero_O[k]
        target.pull_a[k] = source.pull_a[k]
        target.pull_b[k] = source.pull_b[k]
    target.radius, target.side, target.friction = source.radius, source.side, source.friction
    target.polar, target.axial, target.rest_a = source.polar, source.axial, source.rest_a
    target.angle, target.angle_a = source.angle, source.angle_a
    target.stretch_a, target.stretch_b = source.stretch_a, source.stretch_b
