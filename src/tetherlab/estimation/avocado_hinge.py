"""From the robot's orientation and its joint to the paper's angles, also where theta passes 0.

R = Ry(Omega) Rz(theta) Ry(psi) Rz(phi) is four angles for three turns: with phi from the joint the other
three follow exactly, from Q = R Rz(-phi) and the tether's direction n = Q e_y = (-sin(theta) cos(Omega),
cos(theta), sin(theta) sin(Omega)). Where theta is 0, n tells nothing of Omega, and only Omega + psi is known.
So Omega is filtered: a direction counts as much as its deviation, that of n over sin(theta), allows. theta is
the part of n towards that heading, with its sign; the rest of n is what could not be told from noise.
"""

import math

from tetherlab.math.kernel import kernel

HEADING, VARIANCE, PSI, HEADING_RATE, RATE_VARIANCE = 0, 1, 2, 3, 4
WALK = 0.5  # by which a heading may leave its prediction, after a second [rad/sqrt(s)]
ALIKE = 0.1  # time within which errors of the tether's direction are the same [s]
FORGOTTEN = 0.5  # variance of a heading beyond which it does not tell its two branches apart [rad^2]
TURNING = 3.0  # rates of the heading that are expected, standard deviation [rad/s]


@kernel
def near(angle, other, turn):
    """The same angle within half a turn of another; what counts as a turn: 2 pi, or pi of an axis."""
    return angle + turn * math.floor((other - angle) / turn + 0.5)


@kernel
def start_hinge(hinge, R, phi):
    """Before anything moved: towards where the robot faces."""
    hinge[HEADING] = math.atan2(-R[2, 0], R[0, 0])
    hinge[VARIANCE], hinge[PSI], hinge[HEADING_RATE], hinge[RATE_VARIANCE] = 1.0, 0.0, 0.0, TURNING**2


@kernel
def read_hinge(hinge, R, phi, w, deviation, elapsed, out):
    """Omega, theta, psi into out[:3], their rates into out[3:6].

    w: turning rates of the tether's frame [rad/s]; deviation: of the tether's direction [rad]; elapsed:
    since the last time [s]. hinge: memory of the heading, (5,).
    """
    cf, sf = math.cos(phi), math.sin(phi)
    n0, n1, n2 = R[0, 0] * sf + R[0, 1] * cf, R[1, 0] * sf + R[1, 1] * cf, R[2, 0] * sf + R[2, 1] * cf
    sine = math.sqrt(n0 * n0 + n2 * n2)
    heading = hinge[HEADING] + hinge[HEADING_RATE] * elapsed
    unsure = 0.5 * w[1] * elapsed  # close to the vertical a turn about the tether may be of one or the other
    vague = deviation * deviation / (sine * sine + deviation * deviation)
    variance = hinge[VARIANCE] + WALK * WALK * elapsed + vague * unsure * unsure
    if sine > 1e-9:
        # Of the two that are the same place, the one before; if that is not known, where the robot faces.
        faces = near(math.atan2(-R[2, 0], R[0, 0]), heading, 2.0 * math.pi)
        seen = near(math.atan2(n2, -n0), heading if variance < FORGOTTEN else faces, math.pi)
        told = max(sine - deviation, 0.1 * sine)  # close to the vertical, noise points somewhere
        spread = (deviation / told) ** 2 * max(1.0, ALIKE / elapsed) if elapsed > 0.0 else math.inf
        if spread < 1e6:
            gain = variance / (variance + spread)
            heading += gain * (seen - heading)
            variance *= 1.0 - gain
    variance = min(variance, 4.0)
    co, so = math.cos(heading), math.sin(heading)
    theta = math.atan2(n2 * so - n0 * co, n1)
    # Rz(-theta) Ry(-Omega) Q = Ry(psi), but for noise: its entries (0, 0) + (2, 2) and (0, 2) - (2, 0).
    ct, st = math.cos(theta), math.sin(theta)
    x0, x1, x2 = R[0, 0] * cf - R[0, 1] * sf, R[1, 0] * cf - R[1, 1] * sf, R[2, 0] * cf - R[2, 1] * sf
    m00 = ct * (co * x0 - so * x2) + st * x1
    m20 = so * x0 + co * x2
    m02 = ct * (co * R[0, 2] - so * R[2, 2]) + st * R[1, 2]
    m22 = so * R[0, 2] + co * R[2, 2]
    psi = near(math.atan2(m02 - m20, m00 + m22), hinge[PSI], 2.0 * math.pi)
    cp, sp = math.cos(psi), math.sin(psi)
    # w1 cos(psi) + w3 sin(psi) = Omega' sin(theta), with what is expected of Omega' beforehand.
    across = w[0] * cp + w[2] * sp
    noise = 0.01**2 + w[2] * w[2] * min(variance, 1.0)
    weight = st * st + noise / TURNING**2
    rate = across * st / weight
    out[0], out[1], out[2] = heading, theta, psi
    out[3], out[4], out[5] = rate, w[2] * cp - w[0] * sp, w[1] - rate * ct
    hinge[HEADING], hinge[VARIANCE], hinge[PSI] = heading, variance, psi
    hinge[HEADING_RATE], hinge[RATE_VARIANCE] = rate, noise / weight
