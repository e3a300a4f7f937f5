"""The way of an element that bends round an obstacle between its nodes.

Near the contact the obstacle, grown by the wrap radius of the tether, is taken as a cylinder: a box edge, a
pole or a branch is one, a sphere is one to the tether that crosses it. The tether is then the geodesic on it,
in closed form: two straight legs that touch the cylinder, and a helix between them. Its length is a smooth
function of the two nodes from the first touch to several turns, so nothing jumps when an element touches,
slides or leaves, and no tether passes through what it is wrapped on.

An element may be found deep in an obstacle, or be led round it another way than before. The way then counts
as long as it was, and grows to its own length gradually (`ease`): no energy comes from nowhere.

An anchor, the material point that sticks to the obstacle, divides the element in two; how it slides is in
`capstan.py`, and how the cylinder is found in `wrap_fit.py`. See docs/theory/contact.md.
"""

import math

import numpy as np

from tetherlab.math.kernel import kernel

WRAP = np.dtype(
    [
        ("active", np.int64),  # 1: the path bends round the obstacle
        ("began", np.int64),  # 1: and did so when the step began
        ("loose", np.int64),  # 1: came off an obstacle, or out of a fold, and has not been taut since
        ("near", np.int64),  # 1: may touch within this step
        ("measured", np.int64),  # 1: the next two are known, of a straight element
        ("gap", np.float64),  # its distance from obstacles when that was measured [m]
        ("moved", np.float64),  # and how far it may have come nearer since [m]
        ("room", np.float64),  # while its nodes go no farther than this within the step, it meets nothing [m]
        ("bent", np.int64),  # 1: bends at the iterate
        ("string", np.int64),  # 1: bends, opens or is loose at the iterate: it does not push
        ("object", np.int64),
        ("slipping", np.int64),  # 1: material slides through the anchor
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
        ("ease", np.float64),  # by which the way counts as shorter than it is, after a late start; fades [m]
        # at the iterate
        (
            "way",
            np.int64,
        ),  # +1: material slides towards a, -1: towards b, 0: it sticks; the last one is kept as a guess
        ("held", np.int64),  # 1: it is kept from sliding, to find out whether it sticks
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
        ("pull_a", np.float64, (3,)),  # from node a along its leg, of length 1 (more inside the cylinder)
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

SHORTEST = 1e-3  # share of an element that a side keeps at least
AT_NODE = 2e-3  # share of the way: an anchor nearer to a node than this lies at it


@kernel
def to_world(field, who, v):
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
def to_object(field, who, x, y, z, out):
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
    ox, oy, oz = to_world(field, who, wrap.origin_O)
    if field.objects[who, 1] == 1:
        ox, oy, oz = ox + field.pose[who, 9], oy + field.pose[who, 10], oz + field.pose[who, 11]
    wx, wy, wz = to_world(field, who, wrap.axis_O)
    x, y, z = x - ox, y - oy, z - oz
    along = x * wx + y * wy + z * wz
    return math.sqrt(max(x * x + y * y + z * z - along * along, 0.0)) - wrap.radius


@kernel
def wrap_path(field, wrap, x, u, j, h, rest_a, rest):
    """Geodesic from node j to j + 1 at x + h u: legs, angles, pulls. Returns (s_a, s_b), s_b < 0 if straight.

    rest_a, rest: unstretched lengths to the anchor and in all, for moving the anchor with the contact.
    """
    who = wrap.object
    ox, oy, oz = to_world(field, who, wrap.origin_O)
    if field.objects[who, 1] == 1:
        ox, oy, oz = ox + field.pose[who, 9], oy + field.pose[who, 10], oz + field.pose[who, 11]
    wx, wy, wz = to_world(field, who, wrap.axis_O)
    ex, ey, ez = to_world(field, who, wrap.zero_O)
    fx, fy, fz = wy * ez - wz * ey, wz * ex - wx * ez, wx * ey - wy * ex
    radius, side = wrap.radius, wrap.side

    ax, ay, az = x[j, 0] + h * u[j, 0] - ox, x[j, 1] + h * u[j, 1] - oy, x[j, 2] + h * u[j, 2] - oz
    k = j + 1
    bx, by, bz = x[k, 0] + h * u[k, 0] - ox, x[k, 1] + h * u[k, 1] - oy, x[k, 2] + h * u[k, 2] - oz
    a_e, a_f, a_w = ax * ex + ay * ey + az * ez, ax * fx + ay * fy + az * fz, ax * wx + ay * wy + az * wz
    b_e, b_f, b_w = bx * ex + by * ey + bz * ez, bx * fx + by * fy + bz * fz, bx * wx + by * wy + bz * wz
    nearest_axis = 0.1 * radius
    far_a = max(math.sqrt(a_e * a_e + a_f * a_f), nearest_axis)
    far_b = max(math.sqrt(b_e * b_e + b_f * b_f), nearest_axis)
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
    flat = flat_a + flat_b + 1e-12
    at_node = min(flat_a, flat_b) < AT_NODE * flat
    if at_node:
        # One side is too short to have a direction: the anchor lies on the straight way, unrolled.
        wrap.axial_next = a_w + (b_w - a_w) * flat_a / flat
    s_a = math.sqrt(flat_a**2 + (a_w - wrap.axial_next) ** 2) + 1e-9
    s_b = math.sqrt(flat_b**2 + (b_w - wrap.axial_next) ** 2) + 1e-9

    ca, sa, cb, sb = math.cos(polar_a), math.sin(polar_a), math.cos(polar_b), math.sin(polar_b)
    p_e, p_f = -side * sa, side * ca  # along the path, leaving a
    q_e, q_f = side * sb, -side * cb  # leaving b
    ratio_a, climb_a = flat_a / s_a, (wrap.axial_next - a_w) / s_a
    ratio_b, climb_b = flat_b / s_b, (wrap.axial_next - b_w) / s_b
    if at_node:
        s = math.sqrt(flat**2 + (b_w - a_w) ** 2)
        ratio_a = ratio_b = flat / s
        climb_a, climb_b = (b_w - a_w) / s, (a_w - b_w) / s
    wrap.reach_a, wrap.reach_b = leg_a / (ratio_a + 1e-12), leg_b / (ratio_b + 1e-12)
    # A node pressed into the cylinder: its way along the surface is longer than its own.
    ratio_a *= max(1.0, radius / far_a)
    ratio_b *= max(1.0, radius / far_b)
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
    share = 1.0 - wrap.ease / (s_a + s_b)
    return share * s_a, share * s_b
