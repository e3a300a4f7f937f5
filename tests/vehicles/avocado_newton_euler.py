"""AVOCADO again, by hand and without the package's equations: Newton and Euler for a free rigid body.

World ENU, anchor at the origin. The body has six degrees of freedom; that the tether cannot roll about the
third axis of the joint is a constraint with a multiplier. Drag is summed over pieces of the plate, and the
forces of damped angles come from differences of these angles. Nothing of tetherlab is used but the numbers.
"""

import math

import numpy as np
from scipy.spatial.transform import Rotation

# The paper's frame (y down, z right, x backwards at heading 0) in ENU: its axes as columns.
R_WI = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]])


def body_rotation(heading, theta, psi, phi):
    """R_WB from the paper's angles, in its order."""
    return R_WI @ Rotation.from_euler("YZY", [heading, theta, psi]).as_matrix() @ _about_z(phi)


def _about_z(angle):
    return Rotation.from_rotvec([0.0, 0.0, angle]).as_matrix()


def tied_point(distance, heading, theta):
    """P in ENU [m]: heading 0 is towards x, and turns to the right."""
    away = distance * math.sin(theta)
    return np.array([away * math.cos(heading), -away * math.sin(heading), -distance * math.cos(theta)])


def place(spec, q):
    """Centre of mass and R_WB from (l, Omega, theta, psi, phi)."""
    R = body_rotation(q[1], q[2], q[3], q[4])
    return tied_point(q[0], q[1], q[2]) + spec.mass_arm * R[:, 1], R


def angles_of(spec, p_G, R):
    """(Omega, psi, phi) of a place with theta > 0, from vectors alone."""
    p = p_G - spec.mass_arm * R[:, 1]
    n = p / np.linalg.norm(p)
    phi = math.atan2(np.cross(n, R[:, 1]) @ R[:, 2], n @ R[:, 1])
    # psi turns the joint's axis about the tether, from the horizontal direction to the right of the heading.
    right = np.cross(n, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    psi = math.atan2(np.cross(right, R[:, 2]) @ n, right @ R[:, 2])
    return np.array([math.atan2(-p[1], p[0]), psi, phi])


def angle_gradients(spec, p_G, R, step=1e-5):
    """How Omega, psi, phi change with a shift and a turn of the body, (3, 6), by central differences."""
    rows = []
    for k in range(6):
        ends = []
        for sign in (1.0, -1.0):
            move = np.zeros(6)
            move[k] = sign * step
            turned = Rotation.from_rotvec(move[3:]).as_matrix() @ R
            ends.append(angles_of(spec, p_G + move[:3], turned))
        rows.append((ends[0] - ends[1]) / (2.0 * step))
    return np.array(rows).T


def plate_drag(spec, v, omega, R):
    """Force and torque about the centre of mass of -c_D v dA, summed over points of the plate."""
    force, torque = np.zeros(3), np.zeros(3)
    nodes, weights = np.polynomial.legendre.leggauss(4)
    for radius, share in zip(0.5 * (nodes + 1.0), 0.5 * weights, strict=True):
        for angle in np.arange(8) * math.pi / 4.0:
            y, z = spec.half_axis_y * radius * math.cos(angle), spec.half_axis_z * radius * math.sin(angle)
            area = spec.half_axis_y * spec.half_axis_z * radius * share * math.pi / 4.0
            r = y * R[:, 1] + z * R[:, 2]
            f = -spec.drag_coefficient * area * (v + np.cross(omega, r))
            force += f
            torque += np.cross(r, f)
    return force, torque


def accelerations(spec, p_G, R, v, omega, tether_length, reel_speed, thrust, torque):
    """Acceleration of the centre of mass and angular acceleration, world frame."""
    x, y, z = R.T
    p, v_P = p_G - spec.mass_arm * y, v - spec.mass_arm * np.cross(omega, y)
    l = np.linalg.norm(p)  # noqa: E741
    n = p / l
    pull = 0.0
    if l > tether_length:
        pull = spec.tether_stiffness * (l - tether_length) + spec.tether_damping * (v_P @ n - reel_speed)
    force, moment = plate_drag(spec, v, omega, R) if spec.drag_coefficient else (np.zeros(3), np.zeros(3))
    force = force + spec.mass * spec.gravity * np.array([0.0, 0.0, -1.0])
    left, right = 0.5 * (thrust + torque / spec.motor_arm), 0.5 * (thrust - torque / spec.motor_arm)
    for f, r in (
        (-max(pull, 0.0) * n, -spec.mass_arm * y),
        (-left * x, (spec.thrust_arm - spec.mass_arm) * y - spec.motor_arm * z),
        (-right * x, (spec.thrust_arm - spec.mass_arm) * y + spec.motor_arm * z),
    ):
        force = force + f
        moment = moment + np.cross(r, f)
    damping = np.array([spec.damping_heading, spec.damping_psi, spec.damping_phi])
    if damping.any():
        gradients = angle_gradients(spec, p_G, R)
        loss = gradients.T @ (damping * (gradients @ np.concatenate([v, omega])))
        force, moment = force - loss[:3], moment - loss[3:]
    # The constraint p . z = 0 twice differentiated: g . (a, alpha) = rest.
    g = np.concatenate([z, np.cross(z, p) - spec.mass_arm * np.cross(y, z)])
    spin = np.cross(omega, np.cross(omega, y))
    rest = spec.mass_arm * spin @ z - 2.0 * v_P @ np.cross(omega, z) - p @ np.cross(omega, np.cross(omega, z))
    J = R @ np.diag([spec.inertia_x, spec.inertia_y, spec.inertia_z]) @ R.T
    matrix = np.zeros((7, 7))
    matrix[:3, :3], matrix[3:6, 3:6] = spec.mass * np.eye(3), J
    matrix[:6, 6], matrix[6, :6] = -g, g
    side = np.concatenate([force, moment - np.cross(omega, J @ omega), [rest]])
    solution = np.linalg.solve(matrix, side)
    return solution[:3], solution[3:6]
