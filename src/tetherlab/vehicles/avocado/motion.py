"""How the tether pulls, and the balance M v' = r of the robot in one of two charts.

A state is y = (l, three of attitude, phi, and the rates of these five):

- TETHER: the turn of the tether frame since `base` was the vertical, by Cayley's map, and the turning rates w
  of the frame. Nothing is singular while l > 0.
- ANGLES: Omega, theta, psi and their rates. At theta = 0 the mass matrix is singular, but there the damping
  of Omega and psi, which this chart is for, says how they turn.
"""

from tetherlab.math.kernel import inlined, kernel
from tetherlab.vehicles.avocado.equations import fill_angle_equations, fill_equations

SIZE = 10
TETHER, ANGLES = 0, 1
REEL_SPEED, THRUST, TORQUE = 0, 1, 2  # in a command

# What the tether does. One that is stretched and springs back faster than its damper allows does not pull
# either: the bare law would push there.
SLACK, PULLS, LOOSE = 0, 1, 2


@inlined
def law(model, stretch, stretch_rate):
    """Pull of the stretched tether [N]; negative where it does not pull."""
    return model.tether_stiffness * stretch + model.tether_damping * stretch_rate


@kernel
def mode_of(model, stretch, stretch_rate):
    """What the tether does, from its stretch [m] and the rate of that."""
    if stretch < 0.0 or (stretch == 0.0 and stretch_rate < 0.0):
        return SLACK
    return PULLS if law(model, stretch, stretch_rate) >= 0.0 else LOOSE


@inlined
def fill_balance(model, chart, base, y, mode, tether_length, command, work, out):
    """M and r of M v' = r into work, with the mode of the tether held, and the rates of place into out[:5].

    base: the vertical at zero turn, (3,), for TETHER alone.
    """
    v, r = y[5:], work.r
    for i in range(5):
        out[i] = v[i]
    if chart == ANGLES:
        fill_angle_equations(model, y[:5], v, command[THRUST], command[TORQUE], work.M, r)
    else:
        dot = 0.25 * (y[1] * v[1] + y[2] * v[2] + y[3] * v[3])
        out[1] += 0.5 * (y[2] * v[3] - y[3] * v[2]) + dot * y[1]
        out[2] += 0.5 * (y[3] * v[1] - y[1] * v[3]) + dot * y[2]
        out[3] += 0.5 * (y[1] * v[2] - y[2] * v[1]) + dot * y[3]
        _turn_back(y[1], y[2], y[3], base, work.vertical)
        fill_equations(model, y[0], y[4], work.vertical, v, command[THRUST], command[TORQUE], work.M, r)
    if mode == PULLS:
        r[0] -= law(model, y[0] - tether_length, v[0] - command[REEL_SPEED])


@kernel
def _turn_back(a0, a1, a2, x, out):
    """The vector x (3,) as seen from a frame that has turned by the Cayley vector a, into `out`."""
    c0, c1, c2 = a1 * x[2] - a2 * x[1], a2 * x[0] - a0 * x[2], a0 * x[1] - a1 * x[0]
    d0, d1, d2 = a1 * c2 - a2 * c1, a2 * c0 - a0 * c2, a0 * c1 - a1 * c0
    scale = 1.0 / (1.0 + 0.25 * (a0 * a0 + a1 * a1 + a2 * a2))
    out[0] = x[0] + scale * (0.5 * d0 - c0)
    out[1] = x[1] + scale * (0.5 * d1 - c1)
    out[2] = x[2] + scale * (0.5 * d2 - c2)


@kernel
def fill_rates(model, base, y, mode, tether_length, command, work, out):
    """y' into `out` (10,), chart TETHER: the motion as an explicit differential equation."""
    fill_balance(model, TETHER, base, y, mode, tether_length, command, work, out)
    accelerate(work.M, work.r, out[5:])


@kernel
def accelerate(M, r, out):
    """Solve M out = r, chart TETHER, where motion in the plane of tether and robot (0, 3, 4) is apart."""
    determinant = M[1, 1] * M[2, 2] - M[1, 2] * M[1, 2]
    out[1] = (M[2, 2] * r[1] - M[1, 2] * r[2]) / determinant
    out[2] = (M[1, 1] * r[2] - M[1, 2] * r[1]) / determinant
    f3, f4 = M[0, 3] / M[0, 0], M[0, 4] / M[0, 0]
    m33, m34, m44 = M[3, 3] - f3 * M[0, 3], M[3, 4] - f3 * M[0, 4], M[4, 4] - f4 * M[0, 4]
    r3, r4 = r[3] - f3 * r[0], r[4] - f4 * r[0]
    determinant = m33 * m44 - m34 * m34
    out[3] = (m44 * r3 - m34 * r4) / determinant
    out[4] = (m33 * r4 - m34 * r3) / determinant
    out[0] = (r[0] - M[0, 3] * out[3] - M[0, 4] * out[4]) / M[0, 0]
