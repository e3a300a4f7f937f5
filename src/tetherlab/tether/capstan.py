"""Tension and friction of an element that bends round an obstacle.

The anchor divides the element into two springs with tensions T_a and T_b. Friction is the capstan law, solved
like plasticity: if T_a > exp(mu phi) T_b, phi the turning of the helix, material slides towards a until
equality. Along the cylinder the anchor slides when the pull of the two legs exceeds what friction has left.

A wrapped element does not push: where it is slack, the tether has lifted off the obstacle. Its energy is then
a convex function of its nodes, so that forces taken at the end of the step, as here, only lose energy.
"""

import math

from tetherlab.math.kernel import kernel
from tetherlab.tether.wrap import SHORTEST, to_world, wrap_path

EASING_TIME = 0.05  # [s]
ANCHOR_PASSES = 12  # at most, to find where along the axis the anchor comes to rest


@kernel
def _slide(pull, EA, c_h, s_a, s_b, stretch_a, stretch_b, rest, ratio):
    """Unstretched length on side a at which T_a = ratio T_b; T = (EA + c/h) s / rest - EA - (c/h) stretch."""
    C_a, C_b = EA + c_h * stretch_a, EA + c_h * stretch_b
    # (E s_a / X - C_a) = ratio (E s_b / (rest - X) - C_b), a quadratic in X with one root inside (0, rest).
    C = C_a - ratio * C_b
    p = pull * (s_a + ratio * s_b) + C * rest
    q = pull * s_a * rest
    root = math.sqrt(max(p * p - 4.0 * C * q, 0.0))
    return 2.0 * q / (p + root) if p > 0.0 else 0.5 * (p - root) / C


@kernel
def wrap_forces(field, wrap, x, u, j, h, EA, c, rest, inflow):
    """Tensions, pulls and stiffness of a wrapped element at the iterate; False if the path is straight.

    inflow: unstretched length that enters at node a within the step (reeling) [m].
    """
    c_h = c / h
    pull = EA + c_h
    wrap.axial_next = wrap.axial
    s_a, s_b = wrap_path(field, wrap, x, u, j, h, wrap.rest_a + inflow, rest)
    if s_b < 0.0:
        return False
    from_a, from_b = max(wrap.stretch_a, 1.0), max(wrap.stretch_b, 1.0)
    wrap.slipping, wrap.held, ratio = 0, 0, 1.0
    rest_a = wrap.rest_a_next
    T_a = pull * s_a / rest_a - EA - c_h * from_a
    T_b = pull * s_b / (rest - rest_a) - EA - c_h * from_b
    # One tension all along where the contact has reached a node.
    uniform = min(s_a, s_b) < 2.0 * SHORTEST * rest
    if not uniform:
        grip = math.exp(wrap.friction * _turning(wrap, s_a, s_b))
        way = 0
        if T_a > max(grip * T_b, 0.0):
            way, ratio = 1, grip
        elif T_b > max(grip * T_a, 0.0):
            way, ratio = -1, 1.0 / grip
        # Slid one way at the last iterate, the other way now: between the two it sticks, so try that first.
        wrap.held = 1 if way * wrap.way < 0 else 0
        wrap.way = 0 if wrap.held == 1 else way
        wrap.slipping = abs(wrap.way)
        if wrap.slipping == 1:
            rest_a = _slide(pull, EA, c_h, s_a, s_b, from_a, from_b, rest, ratio)
            T_a = pull * s_a / rest_a - EA - c_h * from_a
            T_b = pull * s_b / (rest - rest_a) - EA - c_h * from_b
            uniform = T_a <= 0.0 or T_b <= 0.0
        elif wrap.held == 0:
            T_a, T_b = max(T_a, 0.0), max(T_b, 0.0)
    if uniform:
        wrap.slipping, ratio = 1, 1.0
        mean = (from_a * wrap.rest_a_next + from_b * (rest - wrap.rest_a_next)) / rest
        T_a = max(pull * (s_a + s_b) / rest - EA - c_h * mean, 0.0)
        T_b = T_a
        rest_a = rest * s_a / (s_a + s_b)
    rest_a = min(max(rest_a, 1e-6 * rest), (1.0 - 1e-6) * rest)
    rest_b = rest - rest_a
    k_a = pull / rest_a if T_a > 0.0 or wrap.held == 1 else 0.0
    k_b = pull / rest_b if T_b > 0.0 or wrap.held == 1 else 0.0
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
def taut_energy(EA, rest, stretch):
    """Of a string, which does not push [J]."""
    return 0.5 * EA * rest * max(stretch - 1.0, 0.0) ** 2


@kernel
def wrap_energy(wrap, EA, rest):
    """In the two springs, as the wrap stands [J]."""
    return taut_energy(EA, wrap.rest_a, wrap.stretch_a) + taut_energy(EA, rest - wrap.rest_a, wrap.stretch_b)


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
        if wrap.tension_a <= 0.0 and wrap.tension_b <= 0.0:
            # Slack: nothing holds the anchor, and the tether takes the shortest way.
            flat_a = wrap.leg_a + wrap.radius * wrap.angle_a
            flat_b = wrap.leg_b + wrap.radius * (wrap.angle - wrap.angle_a)
            wrap.axial = wrap.axial_a + (wrap.axial_b - wrap.axial_a) * flat_a / (flat_a + flat_b + 1e-12)
            wrap.axial_next = wrap.axial
        return 0.0
    rest_a, rest_b = wrap.rest_a, rest - wrap.rest_a
    wx, wy, wz = to_world(field, wrap.object, wrap.axis_O)
    before = wrap_energy(wrap, EA, rest)
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
        wrap.stretch_a, wrap.stretch_b = old_a, old_b
        return 0.0
    wrap.rest_a = rest_a
    s_a, s_b = wrap_path(field, wrap, x, u, j, 0.0, rest_a, rest)
    wrap.stretch_a, wrap.stretch_b = s_a / rest_a, s_b / rest_b
    after = wrap_energy(wrap, EA, rest)
    if s_b < 0.0 or after > before:
        wrap.axial, wrap.axial_next, wrap.rest_a = old_axial, old_axial, old_rest_a
        wrap.stretch_a, wrap.stretch_b = old_a, old_b
        return 0.0
    return before - after


@kernel
def ease_off(wrap, EA, rest, h, payable):
    """After a step: let the path grow to its own length; returns the energy that this brings [J].

    payable: what the nodes beside it can pay for that [J]. Where they rest, the path stays as long as it was.
    """
    if wrap.ease == 0.0:
        return 0.0
    way = wrap.stretch_a * wrap.rest_a + wrap.stretch_b * (rest - wrap.rest_a)
    before = wrap_energy(wrap, EA, rest)
    gone = wrap.ease if abs(wrap.ease) < 1e-9 else wrap.ease * (1.0 - math.exp(-h / EASING_TIME))
    stretch_a, stretch_b = wrap.stretch_a, wrap.stretch_b
    wrap.stretch_a = stretch_a * (1.0 + gone / way)
    wrap.stretch_b = stretch_b * (1.0 + gone / way)
    gained = wrap_energy(wrap, EA, rest) - before
    if gained > payable:
        gone *= payable / gained  # the energy is convex, so this brings no more than that
        wrap.stretch_a = stretch_a * (1.0 + gone / way)
        wrap.stretch_b = stretch_b * (1.0 + gone / way)
        gained = wrap_energy(wrap, EA, rest) - before
    wrap.ease -= gone
    return gained


@kernel
def keep_wrap(wrap):
    """The iterate becomes the state."""
    wrap.began = 1
    wrap.loose = 0
    wrap.angle = wrap.angle_next
    wrap.angle_a = wrap.angle_a_next
    wrap.polar = wrap.polar_next
    wrap.axial = wrap.axial_next
    wrap.rest_a = wrap.rest_a_next
    wrap.stretch_a = wrap.stretch_a_next
    wrap.stretch_b = wrap.stretch_b_next


@kernel
def join_wraps(first, second, rest_first, rest_second):
    """The wrap of two elements that become one, written to `first`; True if there is one.

    Two wraps are taken as turns about the same cylinder, that of the second.
    """
    if second.active == 1:
        angle, ease = (first.angle, first.ease) if first.active == 1 else (0.0, 0.0)
        rest_a = second.rest_a
        first_stretch = second.stretch_a
        if first.active == 1:
            first_stretch = first.stretch_b + (first.stretch_a - first.stretch_b) * first.rest_a / rest_first
        _copy(second, first)
        first.rest_a = rest_first + rest_a
        first.ease += ease
        first.angle += angle
        first.angle_a += angle
        first.stretch_a = (rest_first * first_stretch + rest_a * second.stretch_a) / (rest_first + rest_a)
        return True
    return first.active == 1


@kernel
def _copy(source, target):
    """Copy what lasts of a wrap."""
    target.active, target.near, target.object = source.active, source.near, source.object
    target.began, target.loose = source.began, source.loose
    for k in range(3):
        target.origin_O[k] = source.origin_O[k]
        target.axis_O[k] = source.axis_O[k]
        target.zero_O[k] = source.zero_O[k]
        target.pull_a[k] = source.pull_a[k]
        target.pull_b[k] = source.pull_b[k]
    target.radius, target.side, target.friction = source.radius, source.side, source.friction
    target.polar, target.axial, target.rest_a = source.polar, source.axial, source.rest_a
    target.angle, target.angle_a = source.angle, source.angle_a
    target.stretch_a, target.stretch_b, target.ease = source.stretch_a, source.stretch_b, source.ease
