"""Contact of a sphere with obstacles: a stiff normal spring and Coulomb friction, inside a solve.

A node of a tether, or a foot or wheel of a body, nearer than its radius is pushed out by k (radius -
distance). Friction is a spring of the same stiffness to an anchor that rides on the obstacle; where it would
exceed mu N the anchor is dragged along. A wheel that turns lays its anchor ahead (`roll_W`), and so does a
body that turns on what it touches (`turn_W`). What touches takes a backward Euler step, so an impact only
loses energy.

A chain of straight elements turns at its nodes, and a node that turns by phi holds the tension ratio
(1 + mu tan(phi/2)) / (1 - mu tan(phi/2)), more than exp(mu phi). With mu_eff = tanh(mu phi/2) / tan(phi/2)
the ratio is exact.
"""

import math

import numpy as np

from tetherlab.math.kernel import kernel
from tetherlab.world.ask import nearest
from tetherlab.world.field import velocity_at

CONTACT = np.dtype(
    [
        ("clearance", np.float64),  # the distance to obstacles is at least this [m]
        ("near", np.int64),  # 1: may touch within this step
        ("active", np.int64),  # 1: touches
        ("object", np.int64),
        ("anchor_O", np.float64, (3,)),  # in the object's frame [m]
        ("normal_W", np.float64, (3,)),
        ("force_W", np.float64, (3,)),  # of the obstacle on the node [N]
        ("friction", np.float64),
        ("normal_force", np.float64),  # [N]
        ("touching", np.int64),  # 1: it touched at the end of the last step
        ("depth", np.float64),  # of the node below the surface of touch, then and at the iterate [m]
        ("depth_next", np.float64),
        ("stored", np.float64),  # energy in the two springs, now and at the iterate [J]
        ("stored_next", np.float64),
        ("roll_W", np.float64, (3,)),  # how fast the anchor moves ahead of the obstacle: a wheel rolls [m/s]
        ("turn_W", np.float64, (3,)),  # the same of a sphere that turns with its body [m/s]
        ("slip_W", np.float64, (3,)),  # how far the anchor has to follow after the step [m]
        ("stiffness", np.float64, (9,)),  # -d(force)/d(position) [N/m]
    ]
)

DAMPING = 1.0  # of the normal contact [s/m]
DEEP = 10.0  # radii: beyond this depth the push no longer grows, so that no node is shot out
DEEP_MAX = 0.05  # [m], for large bodies


@kernel
def anchor_world(field, contact):
    """Where the anchor is now."""
    a = contact.anchor_O
    who = contact.object
    if field.objects[who, 1] == 0:
        return a[0], a[1], a[2]
    P = field.pose[who]
    return (
        P[0] * a[0] + P[1] * a[1] + P[2] * a[2] + P[9],
        P[3] * a[0] + P[4] * a[1] + P[5] * a[2] + P[10],
        P[6] * a[0] + P[7] * a[1] + P[8] * a[2] + P[11],
    )


@kernel
def set_anchor(field, contact, x, y, z):
    """Put the anchor at a point of the world."""
    who = contact.object
    if field.objects[who, 1] == 0:
        contact.anchor_O[0], contact.anchor_O[1], contact.anchor_O[2] = x, y, z
        return
    P = field.pose[who]
    x, y, z = x - P[9], y - P[10], z - P[11]
    contact.anchor_O[0] = P[0] * x + P[3] * y + P[6] * z
    contact.anchor_O[1] = P[1] * x + P[4] * y + P[7] * z
    contact.anchor_O[2] = P[2] * x + P[5] * y + P[8] * z


@kernel
def capstan_friction(mu, cosine):
    """mu_eff of a node at which the tether turns by phi, cosine = cos(phi)."""
    half = math.sqrt(max(0.5 * (1.0 - cosine), 0.0))  # sin(phi/2)
    if half < 1e-3:
        return mu
    half = min(half, 0.99)
    phi = 2.0 * math.asin(half)
    return math.tanh(0.5 * mu * phi) / math.tan(0.5 * phi)


@kernel
def touch(field, contact, x, y, z, ux, uy, uz, h, radius, stiffness, friction, cosine):
    """Force and stiffness at the iterate x + h u; True if the node touches."""
    px, py, pz = x + h * ux, y + h * uy, z + h * uz
    d, nx, ny, nz, who = nearest(field, px, py, pz)
    depth = radius - d
    if depth <= 0.0:
        contact.normal_force = 0.0
        contact.stored_next = 0.0
        contact.depth_next = 0.0
        for k in range(3):
            contact.force_W[k] = 0.0
            contact.slip_W[k] = 0.0
        for k in range(9):
            contact.stiffness[k] = 0.0
        return False
    if contact.active == 0 or contact.object != who:
        # The anchor is the point of the obstacle that the node was over at the start of the step.
        contact.active = 1
        contact.object = who
        own = field.friction[who]
        contact.friction = own if own == own else friction
        vx, vy, vz = velocity_at(field, who, x, y, z)
        set_anchor(field, contact, x + h * vx, y + h * vy, z + h * vz)
    deepest = min(DEEP * radius, DEEP_MAX)
    before = contact.depth if contact.touching == 1 else 0.0
    # An impact loses energy (Hunt and Crossley): the push grows with the speed of approach, and never pulls.
    damping = 1.0 + DAMPING * (depth - before) / h
    N, k_n = 0.0, 0.0
    if depth < deepest and damping > 0.0:
        N = stiffness * depth * damping
        k_n = stiffness * (damping + DAMPING * depth / h)
    elif depth >= deepest:
        N = stiffness * deepest
    contact.depth_next = depth
    contact.normal_force = N
    contact.normal_W[0], contact.normal_W[1], contact.normal_W[2] = nx, ny, nz
    ax, ay, az = anchor_world(field, contact)
    roll, turn = contact.roll_W, contact.turn_W
    tx = px - ax - h * (roll[0] + turn[0])
    ty = py - ay - h * (roll[1] + turn[1])
    tz = pz - az - h * (roll[2] + turn[2])
    dot = tx * nx + ty * ny + tz * nz
    tx, ty, tz = tx - dot * nx, ty - dot * ny, tz - dot * nz
    stretch = math.sqrt(tx * tx + ty * ty + tz * tz)
    most = capstan_friction(contact.friction, cosine) * N
    K = contact.stiffness
    if stiffness * stretch <= most:
        # sticks: k I in the tangent plane, k_n along the normal
        fx, fy, fz = -stiffness * tx, -stiffness * ty, -stiffness * tz
        contact.slip_W[0], contact.slip_W[1], contact.slip_W[2] = 0.0, 0.0, 0.0
        w = k_n - stiffness
        K[0], K[1], K[2] = stiffness + w * nx * nx, w * nx * ny, w * nx * nz
        K[3], K[4], K[5] = w * ny * nx, stiffness + w * ny * ny, w * ny * nz
        K[6], K[7], K[8] = w * nz * nx, w * nz * ny, stiffness + w * nz * nz
    else:
        q = 1.0 / stretch
        tx, ty, tz = tx * q, ty * q, tz * q
        fx, fy, fz = -most * tx, -most * ty, -most * tz
        slip = stretch - most / stiffness
        contact.slip_W[0], contact.slip_W[1], contact.slip_W[2] = slip * tx, slip * ty, slip * tz
        # slides: (mu N / stretch) across the slip, and mu k of the normal motion along it
        g = most * q
        w, s = k_n - g, -0.95 * g
        m = -k_n * most / max(N, 1e-12)
        K[0], K[1], K[2] = (
            g + w * nx * nx + s * tx * tx + m * tx * nx,
            w * nx * ny + s * tx * ty + m * tx * ny,
            w * nx * nz + s * tx * tz + m * tx * nz,
        )
        K[3], K[4], K[5] = (
            w * ny * nx + s * ty * tx + m * ty * nx,
            g + w * ny * ny + s * ty * ty + m * ty * ny,
            w * ny * nz + s * ty * tz + m * ty * nz,
        )
        K[6], K[7], K[8] = (
            w * nz * nx + s * tz * tx + m * tz * nx,
            w * nz * ny + s * tz * ty + m * tz * ny,
            g + w * nz * nz + s * tz * tz + m * tz * nz,
        )
    contact.stored_next = 0.5 * stiffness * depth * depth + 0.5 * (fx * fx + fy * fy + fz * fz) / stiffness
    contact.force_W[0], contact.force_W[1], contact.force_W[2] = N * nx + fx, N * ny + fy, N * nz + fz
    return True


@kernel
def keep_contact(field, contact, h):
    """The iterate becomes the state: roll the anchor on, drag it along, or let go."""
    contact.stored = contact.stored_next
    contact.depth = contact.depth_next
    contact.touching = 1
    if contact.depth <= 0.0:
        contact.active, contact.touching = 0, 0
        return
    slip, roll, turn = contact.slip_W, contact.roll_W, contact.turn_W
    m0 = slip[0] + h * (roll[0] + turn[0])
    m1 = slip[1] + h * (roll[1] + turn[1])
    m2 = slip[2] + h * (roll[2] + turn[2])
    if m0 != 0.0 or m1 != 0.0 or m2 != 0.0:
        ax, ay, az = anchor_world(field, contact)
        set_anchor(field, contact, ax + m0, ay + m1, az + m2)
