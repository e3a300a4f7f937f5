"""Signed distance stored on a lattice: trilinear value and its own gradient.

Row of the parameter table: position of sample (0, 0, 0) (3), spacing [m], sample counts (3), place of the
first sample in the flat `voxels` array, 1 if the solid reaches the border of the lattice, else 0, and centre
(3) and half size (3) of a box that holds the solid, if it does not.

Outside the box that the samples span, with x_c the nearest point of the box and e = |x - x_c|:
a free border means that the whole solid lies in the box, so the distance is at least sqrt(e^2 + f(x_c)^2),
and at least that to the box that holds the solid, and the larger of the two is taken;
a solid that reaches the border is taken to go on beyond it, with the value f(x_c). Neither makes a jump.
"""

import math

from tetherlab.world.kernel import query
from tetherlab.world.primitives import TINY, cuboid_distance, cuboid_normal


@query
def _cell(u, count):
    """Lower sample and fraction of a lattice coordinate, and how far it lies outside [0, count - 1]."""
    inside = u
    # Written so that NaN, too, ends at a legal sample.
    if not inside > 0.0:
        inside = 0.0
    if inside > count - 1.0:
        inside = count - 1.0
    k = min(int(inside), int(count) - 2)
    return k, inside - k, u - inside


@query
def _hull_distance(p, i, x, y, z):
    """Distance to the box that holds the solid [m]."""
    return cuboid_distance(x - p[i, 9], y - p[i, 10], z - p[i, 11], p[i, 12], p[i, 13], p[i, 14])


@query
def voxels_distance(p, voxels, i, x, y, z):
    """Trilinear value inside the lattice, a lower bound that continues it outside [m]."""
    h = p[i, 3]
    per_metre = 1.0 / h
    a, u, eu = _cell((x - p[i, 0]) * per_metre, p[i, 4])
    b, v, ev = _cell((y - p[i, 1]) * per_metre, p[i, 5])
    c, w, ew = _cell((z - p[i, 2]) * per_metre, p[i, 6])
    step_y = int(p[i, 6])
    step_x = int(p[i, 5]) * step_y
    k = int(p[i, 7]) + a * step_x + b * step_y + c
    f00 = voxels[k] + w * (voxels[k + 1] - voxels[k])
    k01 = k + step_y
    f01 = voxels[k01] + w * (voxels[k01 + 1] - voxels[k01])
    k10 = k + step_x
    f10 = voxels[k10] + w * (voxels[k10 + 1] - voxels[k10])
    k11 = k10 + step_y
    f11 = voxels[k11] + w * (voxels[k11 + 1] - voxels[k11])
    f0 = f00 + v * (f01 - f00)
    f1 = f10 + v * (f11 - f10)
    f = f0 + u * (f1 - f0)
    e2 = (eu * eu + ev * ev + ew * ew) * h * h
    if e2 == 0.0 or p[i, 8] != 0.0:
        return f
    return max(math.sqrt(e2 + f * f), _hull_distance(p, i, x, y, z))


@query
def voxels_normal(p, voxels, i, x, y, z):
    """Unit gradient of `voxels_distance`; up where the gradient vanishes."""
    h = p[i, 3]
    per_metre = 1.0 / h
    a, u, eu = _cell((x - p[i, 0]) * per_metre, p[i, 4])
    b, v, ev = _cell((y - p[i, 1]) * per_metre, p[i, 5])
    c, w, ew = _cell((z - p[i, 2]) * per_metre, p[i, 6])
    step_y = int(p[i, 6])
    step_x = int(p[i, 5]) * step_y
    k = int(p[i, 7]) + a * step_x + b * step_y + c
    v000, v001 = float(voxels[k]), float(voxels[k + 1])
    v010, v011 = float(voxels[k + step_y]), float(voxels[k + step_y + 1])
    k += step_x
    v100, v101 = float(voxels[k]), float(voxels[k + 1])
    v110, v111 = float(voxels[k + step_y]), float(voxels[k + step_y + 1])
    f00, f01 = v000 + w * (v001 - v000), v010 + w * (v011 - v010)
    f10, f11 = v100 + w * (v101 - v100), v110 + w * (v111 - v110)
    f0, f1 = f00 + v * (f01 - f00), f10 + v * (f11 - f10)
    gx = f1 - f0
    gy = (1.0 - u) * (f01 - f00) + u * (f11 - f10)
    gz = (1.0 - u) * ((1.0 - v) * (v001 - v000) + v * (v011 - v010)) + u * (
        (1.0 - v) * (v101 - v100) + v * (v111 - v110)
    )
    # Outside the box x_c does not move along an axis that is clamped.
    if eu != 0.0:
        gx = 0.0
    if ev != 0.0:
        gy = 0.0
    if ew != 0.0:
        gz = 0.0
    if p[i, 8] == 0.0 and (eu != 0.0 or ev != 0.0 or ew != 0.0):
        f = (f0 + u * (f1 - f0)) / h
        if _hull_distance(p, i, x, y, z) > h * math.sqrt(eu * eu + ev * ev + ew * ew + f * f):
            return cuboid_normal(x - p[i, 9], y - p[i, 10], z - p[i, 11], p[i, 12], p[i, 13], p[i, 14])
        # gradient of sqrt(e^2 + f^2), times sqrt(e^2 + f^2); one unit of length is h
        gx, gy, gz = f * gx / h + eu, f * gy / h + ev, f * gz / h + ew
    g = math.sqrt(gx * gx + gy * gy + gz * gz)
    if not g > TINY:
        return 0.0, 0.0, 1.0
    return gx / g, gy / g, gz / g
