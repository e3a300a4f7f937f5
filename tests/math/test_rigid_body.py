"""The inertia block: exact kinematics, its Newton step, and what free rotation conserves."""

import numpy as np
import pytest

from analytical import cross_matrix, random_rotation
from tetherlab.math.rigid_body import (
    BODY,
    advance_body,
    body_kinetic_energy,
    correct_body,
    eliminate_body,
    load_body,
    move_attachment,
    predict_body,
    solve_3x3,
    stiffen_body,
)

MOMENTS = np.array([0.02, 0.03, 0.045])


def make_body(random, spin=(0.3, 4.0, 0.2)):
    """A tumbling asymmetric body with products of inertia in its frame."""
    body = np.zeros(1, BODY)[0]
    frame = random_rotation(random)
    body["mass"] = 1.3
    body["inertia_B"] = frame @ np.diag(MOMENTS) @ frame.T
    body["attachment_B"] = (0.1, -0.05, 0.2)
    body["R_WB"] = random_rotation(random)
    body["p_W"] = (1.0, 2.0, 3.0)
    body["v_W"] = (0.4, -0.3, 0.2)
    body["L_W"] = body["R_WB"] @ body["inertia_B"] @ frame @ np.array(spin)
    return body


def step(body, h, force=(0.0, 0.0, 0.0), gravity=0.0):
    """One step with a constant force at the attachment."""
    inverse, solved = np.zeros((1, 9)), np.zeros((1, 3))
    predict_body(body, h, gravity)
    for _ in range(30):
        move_attachment(body, h)
        load_body(body, h, gravity, *force)
        eliminate_body(body, inverse, solved, 0)
        if correct_body(body, 0.0, 0.0, 0.0) < 1e-14:
            break
    move_attachment(body, h)
    advance_body(body, h, *force)


@pytest.mark.parametrize("h", [1e-3, 0.02, 0.1])
def test_free_rotation_keeps_energy_momentum_and_orthonormality_for_1000_steps(random, h):
    body = make_body(random)  # about the middle axis, where rotation is unstable
    energy, momentum = body_kinetic_energy(body), body["L_W"].copy()
    start = body["R_WB"].copy()
    for _ in range(1000):
        step(body, h)
    assert body_kinetic_energy(body) == pytest.approx(energy, rel=1e-10)
    assert np.allclose(body["L_W"], momentum, rtol=0, atol=1e-14)
    assert np.allclose(body["R_WB"].T @ body["R_WB"], np.eye(3), atol=1e-11)
    assert np.abs(body["R_WB"] - start).max() > 0.05, "it should have turned"


def test_spin_about_a_principal_axis_turns_by_the_cayley_angle(random):
    body = make_body(random, spin=(0.0, 0.0, 5.0))
    start, h, steps = body["R_WB"].copy(), 0.01, 50
    for _ in range(steps):
        step(body, h)
    turned = body["R_WB"] @ start.T
    angle = np.arccos(0.5 * (np.trace(turned) - 1.0))
    assert angle == pytest.approx(steps * 2.0 * np.arctan(0.5 * h * 5.0), abs=1e-9)


@pytest.mark.parametrize("h", [0.02, 0.01])
def test_the_attachment_moves_by_exactly_h_times_its_mean_velocity(random, h):
    body = make_body(random)
    body["u"] = random.normal(size=6) * 5.0
    before = body["p_W"] + body["R_WB"] @ body["attachment_B"]
    mean = np.array(move_attachment(body, h))
    after = body["p_W"] + h * body["u"][:3] + body["R_next"] @ body["attachment_B"]
    assert np.allclose(after - before, h * mean, rtol=0, atol=1e-15)


def test_a_force_at_the_attachment_does_the_work_that_the_body_gains(random):
    body = make_body(random)
    force, h, gained = np.array((3.0, -2.0, 5.0)), 0.01, 0.0
    energy = body_kinetic_energy(body)
    for _ in range(100):
        before = body["p_W"] + body["R_WB"] @ body["attachment_B"]
        step(body, h, force)
        gained += force @ (body["p_W"] + body["R_WB"] @ body["attachment_B"] - before)
    assert body_kinetic_energy(body) - energy == pytest.approx(gained, rel=1e-10)


def test_angular_momentum_grows_by_the_torque_of_the_mean_arm(random):
    body = make_body(random)
    force, h = np.array((3.0, -2.0, 5.0)), 0.01
    before = body["L_W"].copy()
    step(body, h, force)
    assert np.allclose(body["L_W"] - before, h * np.cross(body["arm_W"], force), rtol=0, atol=1e-15)


def test_the_error_falls_with_the_square_of_the_step(random):
    state = random.bit_generator.state

    def attitude(steps):
        random.bit_generator.state = state
        body = make_body(random)
        for _ in range(steps):
            step(body, 0.4 / steps, (1.0, 0.5, -1.0), gravity=9.81)
        return np.concatenate([body["R_WB"].ravel(), body["p_W"], body["L_W"]])

    exact = attitude(1280)
    counts = np.array([20, 40, 80])
    errors = [np.abs(attitude(n) - exact).max() for n in counts]
    assert -np.polyfit(np.log(counts), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.1)


def test_a_body_in_contact_steps_by_backward_euler_and_only_loses_rotation_energy(random):
    body = make_body(random)
    body["implicit"] = 1.0
    energy = body_kinetic_energy(body)
    for _ in range(100):
        step(body, 0.01)
        assert body_kinetic_energy(body) <= energy * (1.0 + 1e-12)
        energy = body_kinetic_energy(body)


def test_stiffen_body_adds_the_stiffness_seen_through_the_lever_arm(random):
    body = make_body(random)
    body["arm_W"] = random.normal(size=3)
    K = random.normal(size=(3, 3))
    J = np.hstack([np.eye(3), -cross_matrix(body["arm_W"])])
    stiffen_body(body, np.ascontiguousarray(K.ravel()), 1.0, *body["arm_W"])
    assert np.allclose(body["block"], J.T @ K @ J, rtol=0, atol=1e-13)


def test_eliminate_body_leaves_what_a_dense_solve_gives(random):
    body = make_body(random)
    body["arm_W"] = random.normal(size=3)
    root = random.normal(size=(6, 6))
    S, rhs = root @ root.T + np.eye(6), random.normal(size=6)
    body["block"], body["rhs"] = S, rhs
    J = np.hstack([np.eye(3), -cross_matrix(body["arm_W"])])
    inverse, solved = np.zeros((2, 9)), np.zeros((2, 3))
    eliminate_body(body, inverse, solved, 1)
    assert np.allclose(inverse[1].reshape(3, 3), J @ np.linalg.solve(S, J.T), rtol=0, atol=1e-12)
    assert np.allclose(solved[1], J @ np.linalg.solve(S, rhs), rtol=0, atol=1e-12)


def test_solve_3x3_agrees_with_numpy(random):
    for _ in range(20):
        m, b = random.normal(size=(3, 3)), random.normal(size=3)
        assert np.allclose(m @ solve_3x3(m, *b), b, rtol=0, atol=1e-10)
