"""The deck on a universal joint and two actuators: strokes of these and its roll and pitch, both exactly.

The joint's first axis is y of the rover, its second x of the deck: R_BP = R_y(pitch) R_x(roll), so that the
deck never yaws. An actuator from its foot f on the rover to its top a on the deck, both from the joint, is
|R_BP a - f| long.
"""

import math

from tetherlab.math.kernel import kernel

ITERATIONS_MAX = 20
TOLERANCE = 1e-13  # of a length [m]


@kernel
def turn_deck(roll, pitch, R):
    """R_BP, from the deck's frame to the rover's, (3, 3)."""
    sr, cr, sp, cp = math.sin(roll), math.cos(roll), math.sin(pitch), math.cos(pitch)
    R[0, 0], R[0, 1], R[0, 2] = cp, sp * sr, sp * cr
    R[1, 0], R[1, 1], R[1, 2] = 0.0, cr, -sr
    R[2, 0], R[2, 1], R[2, 2] = -sp, cp * sr, cp * cr


@kernel
def actuator_length(a, f, roll, pitch):
    """Its length [m], and its derivatives by roll and pitch [m/rad]."""
    sr, cr, sp, cp = math.sin(roll), math.cos(roll), math.sin(pitch), math.cos(pitch)
    # The top after the roll, then after the pitch.
    y, z = cr * a[1] - sr * a[2], sr * a[1] + cr * a[2]
    x0, x2 = cp * a[0] + sp * z, -sp * a[0] + cp * z
    d0, d1, d2 = x0 - f[0], y - f[1], x2 - f[2]
    length = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    by_roll = (d0 * sp * y - d1 * z + d2 * cp * y) / length
    by_pitch = (d0 * x2 - d2 * x0) / length
    return length, by_roll, by_pitch


@kernel
def angles_of(tops, feet, first, second, roll, pitch):
    """(roll, pitch) [rad] at which the actuators have two lengths [m]; Newton's method from near ones."""
    for _ in range(ITERATIONS_MAX):
        l0, a, b = actuator_length(tops[0], feet[0], roll, pitch)
        l1, c, d = actuator_length(tops[1], feet[1], roll, pitch)
        e0, e1 = first - l0, second - l1
        w = 1.0 / (a * d - b * c)
        roll += w * (d * e0 - b * e1)
        pitch += w * (a * e1 - c * e0)
        if max(abs(e0), abs(e1)) < TOLERANCE:
            break
    return roll, pitch
