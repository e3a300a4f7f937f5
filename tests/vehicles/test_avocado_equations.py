"""The generated equations of AVOCADO against derivations that share nothing with them."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from avocado_newton_euler import accelerations, angles_of, body_rotation, place, tied_point
from scipy.spatial.transform import Rotation

from tetherlab.math.kernel import plain
from tetherlab.vehicles.avocado import AvocadoSpec, equations, model, motion
from tetherlab.vehicles.avocado.turns import about_z, tether_frame

ROOT = Path(__file__).parents[2]
SPEC = AvocadoSpec()


def random_state(random):
    """Coordinates (l, Omega, theta, psi, phi), their rates, thrust and torque, theta away from 0."""
    q = np.array([random.uniform(0.3, 2.0), *random.uniform(-1.0, 1.0, 4)])
    q[2] = random.uniform(0.2, 2.5)
    return q, random.normal(size=5), random.uniform(0.0, 7.0), random.uniform(-0.1, 0.1)


def second_rates(spec, q, v, thrust, torque, pull):
    """q'' of the paper's coordinates from the generated equations."""
    M, r = np.zeros((5, 5)), np.zeros(5)
    plain(equations.fill_angle_equations)(model.make_model(spec), q, v, thrust, torque, M, r)
    r[0] -= pull
    return np.linalg.solve(M, r)


def second_derivative(curve, step=2e-3):
    """At 0, by central differences of sixth order."""
    weights = {0: -49 / 18, 1: 3 / 2, 2: -3 / 20, 3: 1 / 90}
    return (
        sum(w * (curve(k * step) + curve(-k * step)) / (2 if k == 0 else 1) for k, w in weights.items())
        / step**2
    )


def test_the_kernel_file_is_what_the_derivation_writes():
    pytest.importorskip("sympy")
    tool = [sys.executable, ROOT / "tools" / "derive_avocado.py", "--check"]
    done = subprocess.run(tool, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("round_", range(5))
def test_accelerations_are_those_of_newton_and_euler(round_, random):
    q, v, thrust, torque = random_state(random)
    p_G, R = place(SPEC, q)
    length, reel_speed = q[0] - 1e-3, v[0] - 2e-4
    pull = SPEC.tether_stiffness * 1e-3 + SPEC.tether_damping * 2e-4

    def ends(step):
        (p1, R1), (p2, R2) = (place(SPEC, q + s * step * v) for s in (1.0, -1.0))
        turn = Rotation.from_matrix(R1 @ R2.T).as_rotvec()
        return np.concatenate([p1 - p2, turn]) / (2.0 * step)

    velocity = (4.0 * ends(5e-4) - ends(1e-3)) / 3.0  # good to 1e-12
    v_G, omega = velocity[:3], velocity[3:]
    a, alpha = accelerations(SPEC, p_G, R, v_G, omega, length, reel_speed, thrust, torque)
    qdd = second_rates(SPEC, q, v, thrust, torque, pull)
    for r_B in ([0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, -0.2, 0.1]):

        def point(t, r_B=r_B):
            p, R = place(SPEC, q + v * t + 0.5 * qdd * t * t)
            return p + R @ r_B

        r = R @ r_B
        expected = a + np.cross(alpha, r) + np.cross(omega, np.cross(omega, r))
        # Differences of angles and places leave about nine digits.
        assert second_derivative(point) == pytest.approx(expected, abs=2e-8 * max(1.0, abs(expected).max()))


def test_the_signs_of_the_angles_are_those_of_the_docs():
    q = np.array([1.0, 0.4, 0.7, 0.3, 0.2])
    p_G, R = place(SPEC, q)
    assert angles_of(SPEC, p_G, R) == pytest.approx([0.4, 0.3, 0.2], abs=1e-12)
    # Towards the heading, which turns to the right; the robot's nose, against x, points there too.
    assert tied_point(1.0, 0.0, 0.5)[0] > 0.0 and tied_point(1.0, 0.5, 0.5)[1] < 0.0
    assert body_rotation(0.0, 0.0, 0.0, 0.0)[:, 0] == pytest.approx([-1.0, 0.0, 0.0])
    assert body_rotation(0.0, 0.0, 0.0, 0.0)[:, 2] == pytest.approx([0.0, -1.0, 0.0])


@pytest.mark.parametrize("round_", range(3))
def test_the_rate_about_the_tether_is_equation_a_13(round_, random):
    q, v, _, _ = random_state(random)
    step = 1e-5
    R1, R2 = (body_rotation(*(q + s * step * v)[1:]) for s in (1.0, -1.0))
    omega = Rotation.from_matrix(R1 @ R2.T).as_rotvec() / (2.0 * step)
    along = omega @ tied_point(1.0, q[1], q[2])
    # The joint turns about an axis across the tether.
    assert along == pytest.approx(v[1] * np.cos(q[2]) + v[3], abs=1e-8)


@pytest.mark.parametrize("round_", range(3))
def test_both_charts_have_the_same_accelerations(round_, random):
    spec = dataclasses.replace(SPEC, damping_heading=0.0, damping_psi=0.0)
    q, v, thrust, torque = random_state(random)
    qdd = second_rates(spec, q, v, thrust, torque, 0.0)

    def in_tether_frame(q, v):
        s, c, sp, cp = np.sin(q[2]), np.cos(q[2]), np.sin(q[3]), np.cos(q[3])
        w = [v[1] * s * cp - v[2] * sp, v[1] * c + v[3], v[1] * s * sp + v[2] * cp]
        return np.array([v[0], *w, v[4]]), np.array([s * cp, c, s * sp])

    rates, G = in_tether_frame(q, v)
    M, r, rate = np.zeros((5, 5)), np.zeros(5), np.zeros(5)
    plain(equations.fill_equations)(model.make_model(spec), q[0], q[4], G, rates, thrust, torque, M, r)
    plain(motion.accelerate)(M, r, rate)
    assert rate == pytest.approx(np.linalg.solve(M, r), rel=1e-9, abs=1e-9)
    step = 1e-5
    ends = [in_tether_frame(q + s * step * v, v + s * step * qdd)[0] for s in (1.0, -1.0)]
    assert rate == pytest.approx((ends[0] - ends[1]) / (2.0 * step), rel=1e-7, abs=1e-6)


def test_the_mass_matrix_of_the_tether_frame_is_regular_at_rest_and_that_of_the_angles_is_not():
    M, r = np.zeros((5, 5)), np.zeros(5)
    numbers = model.make_model(SPEC)
    plain(equations.fill_equations)(numbers, 1.0, 0.0, np.array([0.0, 1.0, 0.0]), np.zeros(5), 0.0, 0.0, M, r)
    assert np.linalg.eigvalsh(M)[0] > 1e-3
    plain(equations.fill_angle_equations)(
        numbers, np.array([1.0, 0.0, 0.0, 0.0, 0.0]), np.zeros(5), 0.0, 0.0, M, r
    )
    assert abs(np.linalg.eigvalsh(M)[0]) < 1e-12


@pytest.mark.parametrize("chart", ["tether frame", "angles"])
def test_sensitivities_are_the_derivatives_of_the_equations(chart, random):
    numbers = model.make_model(SPEC)
    q, v, thrust, torque = random_state(random)
    rate, G = random.normal(size=5), np.array([0.36, 0.8, 0.48])
    M, r, by_place, by_rate = np.zeros((5, 5)), np.zeros(5), np.zeros((5, 5)), np.zeros((5, 5))

    def rest(x, v):
        if chart == "angles":
            plain(equations.fill_angle_equations)(numbers, x, v, thrust, torque, M, r)
        else:
            plain(equations.fill_equations)(numbers, x[0], x[4], x[1:4], v, thrust, torque, M, r)
        return r - M @ rate

    x = q if chart == "angles" else np.array([q[0], *G, q[4]])
    if chart == "angles":
        plain(equations.fill_angle_sensitivities)(numbers, q, v, thrust, torque, rate, by_place, by_rate)
    else:
        plain(equations.fill_sensitivities)(
            numbers, q[0], q[4], G, v, thrust, torque, rate, by_place, by_rate
        )
    for k, unit in enumerate(1e-6 * np.eye(5)):
        assert by_place[:, k] == pytest.approx((rest(x + unit, v) - rest(x - unit, v)) / 2e-6, abs=2e-7)
        assert by_rate[:, k] == pytest.approx((rest(x, v + unit) - rest(x, v - unit)) / 2e-6, abs=2e-7)


def test_turns_are_those_of_the_paper():
    heading, theta, psi = 0.4, 0.3, -0.7
    wanted = Rotation.from_euler("YZY", [heading, theta, psi]).as_matrix()
    assert tether_frame(heading, theta, psi) == pytest.approx(wanted)
    assert about_z(theta) == pytest.approx(Rotation.from_euler("Z", theta).as_matrix())
