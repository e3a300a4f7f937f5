"""AVOCADO in motion: what must hold whatever the numbers, and the integrator behind it."""

import dataclasses

import numpy as np
import pytest
from avocado_newton_euler import accelerations, place
from avocado_scenes import FREE, LOSSLESS, SPEC, fixed_steps, run_in_chart, swing
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from tetherlab.vehicles.avocado import (
    AvocadoCommand,
    AvocadoSpec,
    AvocadoState,
    energy,
    equilibrium,
    resting,
    simulate,
)
from tetherlab.vehicles.avocado.motion import ANGLES, TETHER
from tetherlab.vehicles.avocado.radau_table import BASIS, INVERSE, NODES, PAIR, REAL, TO_BASIS, WEIGHTS

STILL = AvocadoCommand()
TIGHT = {"rtol": 1e-12, "atol": 1e-12}


def test_the_coefficients_are_those_of_radau_iia():
    for k in range(1, 4):
        assert WEIGHTS @ NODES ** (k - 1) == pytest.approx(NODES**k / k, abs=1e-15)
    for k in range(1, 6):  # order 5 of the weights of the last stage
        assert WEIGHTS[2] @ NODES ** (k - 1) == pytest.approx(1 / k, abs=1e-15)
    block = np.zeros((3, 3))
    block[0, 0], block[1, 1], block[2, 2] = REAL, PAIR.real, PAIR.real
    block[1, 2], block[2, 1] = -PAIR.imag, PAIR.imag
    assert BASIS @ block @ TO_BASIS == pytest.approx(INVERSE, abs=1e-13)


@pytest.mark.parametrize("chart", [TETHER, ANGLES])
def test_the_integrator_has_order_five(chart):
    spec = AvocadoSpec(tether_damping=0.0) if chart == ANGLES else LOSSLESS
    command, counts = [0.05, 0.5, 1e-3], np.array([50, 71, 100, 141, 200])
    exact = fixed_steps(chart, spec, swing(), command, 0.2, 3200)
    errors = [abs(fixed_steps(chart, spec, swing(), command, 0.2, n) - exact).max() for n in counts]
    slope = -np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert slope == pytest.approx(5.0, abs=0.15)


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8])
def test_tolerances_are_kept(rtol):
    coarse = simulate(SPEC, swing(), AvocadoCommand(thrust=1.0), 2.0, rtol=rtol, atol=0.01 * rtol)
    exact = simulate(SPEC, swing(), AvocadoCommand(thrust=1.0), 2.0, rtol=1e-13, atol=1e-13)
    for name in ("distance", "heading", "theta", "phi", "psi"):
        # A hundred steps and the robot's own sensitivity lie between the error of one and that of all.
        assert abs(getattr(coarse, name) - getattr(exact, name)).max() < 100.0 * rtol, name


@pytest.mark.parametrize(
    "state",
    [
        swing(),
        swing(theta=0.0, theta_rate=2.0),
        AvocadoState(distance=1.0007, tether_length=1.0, theta_rate=2.0, psi_rate=1.0),
        AvocadoState(
            distance=0.99, tether_length=1.0, theta=2.0, psi=0.5
        ),  # falls, and the tether snaps taut
    ],
    ids=["in space", "from the vertical", "spinning through the vertical", "slack and taut"],
)
def test_energy_is_kept_without_losses(state):
    trajectory = simulate(LOSSLESS, state, STILL, 3.0, **TIGHT)
    total = energy(LOSSLESS, trajectory).total
    assert abs(total - total[0]).max() < 1e-8
    assert energy(LOSSLESS, trajectory).kinetic.max() > 0.5  # it does move


@pytest.mark.parametrize("spec", [SPEC, FREE], ids=["damped angles", "tether frame"])
def test_the_book_of_energy_closes(spec):
    """Change of energy = work of motors and reel - losses of drag, joint, angles and the tether's damper."""
    command = AvocadoCommand(reel_speed=0.1, thrust=1.0, torque=2e-3)
    q = simulate(spec, swing(distance_rate=0.1), command, 2.0, hold=1e-3, rtol=1e-9, atol=1e-11)
    s, c, sp, cp = np.sin(q.theta), np.cos(q.theta), np.sin(q.psi), np.cos(q.psi)
    w1 = q.heading_rate * s * cp - q.theta_rate * sp
    w2 = q.heading_rate * c + q.psi_rate
    turn = q.heading_rate * s * sp + q.theta_rate * cp + q.phi_rate
    sf, cf = np.sin(q.phi), np.cos(q.phi)
    o1, o2 = w1 * cf + w2 * sf, w2 * cf - w1 * sf

    def velocity(arm):
        return np.array(
            [
                -q.distance * (turn - q.phi_rate) - arm * turn * cf,
                q.distance_rate - arm * turn * sf,
                q.distance * w1 + arm * o1,
            ]
        )

    v, at_thrust = velocity(spec.mass_arm), velocity(spec.thrust_arm)
    power = -command.thrust * (at_thrust[0] * cf + at_thrust[1] * sf) + command.torque * o2
    a, b, drag = spec.half_axis_y, spec.half_axis_z, spec.drag_coefficient * spec.plate_area
    power -= drag * ((v**2).sum(axis=0) + (o1**2 * (a * a + b * b) + o2**2 * b * b + turn**2 * a * a) / 4.0)
    power -= spec.damping_phi * q.phi_rate**2 + spec.damping_heading * q.heading_rate**2
    power -= spec.damping_psi * q.psi_rate**2
    power -= q.tension * command.reel_speed
    power -= spec.tether_damping * (q.distance_rate - command.reel_speed) ** 2
    assert q.tension.min() > 0.0
    gain = energy(spec, q).total[100:]  # after the jerk at the start, which Simpson's rule cannot follow
    assert gain[-1] - gain[0] == pytest.approx(_simpson(power[100:], 1e-3), abs=1e-7)
    assert abs(gain[-1] - gain[0]) > 0.1


def _simpson(values, step):
    assert len(values) % 2 == 1
    return step / 3.0 * (values[0] + 4.0 * values[1:-1:2].sum() + 2.0 * values[2:-1:2].sum() + values[-1])


def test_the_motion_is_that_of_newton_and_euler_through_the_vertical():
    """In maximal coordinates and by another integrator, with a tether soft enough for it."""
    spec = dataclasses.replace(FREE, tether_stiffness=500.0, tether_damping=5.0, damping_phi=0.0)
    state = AvocadoState(distance=1.015, tether_length=1.0, theta=0.3, theta_rate=-1.0, heading_rate=0.02)
    command = AvocadoCommand(thrust=0.5, torque=1e-3)
    q = np.array([state.distance, 0.0, state.theta, 0.0, 0.0])
    rate = np.array([0.0, state.heading_rate, state.theta_rate, 0.0, 0.0])
    p_G, R = place(spec, q)
    (p1, R1), (p2, R2) = (place(spec, q + s * 1e-5 * rate) for s in (1.0, -1.0))
    start = [*p_G, *R.ravel(), *(p1 - p2) / 2e-5, *Rotation.from_matrix(R1 @ R2.T).as_rotvec() / 2e-5]

    def rates(_, y):
        R, v, omega = y[3:12].reshape(3, 3), y[12:15], y[15:]
        a, alpha = accelerations(spec, y[:3], R, v, omega, 1.0, 0.0, command.thrust, command.torque)
        return np.concatenate([v, np.cross(omega, R.T).T.ravel(), a, alpha])

    solution = solve_ivp(rates, (0.0, 1.0), start, rtol=1e-9, atol=1e-10, t_eval=np.linspace(0.0, 1.0, 11))
    ours = simulate(spec, state, command, 1.0, rtol=1e-10, atol=1e-12)
    assert ours.theta.min() < -0.1  # it went through the vertical
    tied = (solution.y[:3] - spec.mass_arm * solution.y[4:12:3]).T
    assert ours.position_W[::10] == pytest.approx(tied, abs=2e-7)


@pytest.mark.parametrize("spec", [SPEC, FREE], ids=["damped angles", "tether frame"])
def test_a_swing_through_the_vertical_keeps_its_plane(spec):
    state = dataclasses.replace(resting(spec, 1.0, heading=0.7), theta=0.5)
    q = simulate(spec, state, STILL, 5.0)
    assert q.theta.min() < -0.3 and q.theta.max() == pytest.approx(0.5)
    assert abs(q.heading - 0.7).max() < 1e-10 and abs(q.psi).max() < 1e-10  # rounding over theta
    assert abs(np.diff(q.theta)).max() < 0.02  # 1.5 rad/s at 100 Hz: no jump
    still = simulate(spec, resting(spec, 1.0), STILL, 5.0)
    assert abs(still.theta).max() == 0.0 and abs(still.distance - still.distance[0]).max() < 1e-12


def test_a_swing_that_misses_the_vertical_by_a_hair_is_the_one_through_it():
    through = simulate(FREE, dataclasses.replace(resting(FREE, 1.0), theta=0.5), STILL, 3.0, **TIGHT)
    for miss in (1e-3, 1e-6, 1e-9, 1e-12):
        state = dataclasses.replace(resting(FREE, 1.0), theta=0.5, heading_rate=miss)
        past = simulate(FREE, state, STILL, 3.0, **TIGHT)
        assert abs(past.position_W - through.position_W).max() < 2.0 * miss + 1e-10
        assert abs(past.theta - through.theta).max() < 2.0 * miss + 1e-8


def test_both_charts_move_alike():
    spec = dataclasses.replace(FREE, tether_damping=100.0)
    tables = [run_in_chart(chart, spec, swing(), [0.1, 1.0, 1e-3], 100) for chart in (TETHER, ANGLES)]
    assert tables[0] == pytest.approx(tables[1], abs=1e-8)


def test_at_the_vertical_damping_shares_a_turn_between_heading_and_roll():
    """A torque about the vertical alone: J s' = torque - d s with the two dampers in series."""
    spec = dataclasses.replace(SPEC, damping_heading=0.03, damping_psi=0.06, drag_coefficient=0.0)
    q = simulate(spec, resting(spec, 1.0), AvocadoCommand(torque=0.01), 1.0)
    d = 0.03 * 0.06 / 0.09
    s = 0.01 / d * (1.0 - np.exp(-d / spec.inertia_y * q.time))
    assert q.heading_rate + q.psi_rate == pytest.approx(s, abs=1e-5)
    assert q.heading_rate == pytest.approx(2.0 * q.psi_rate, rel=1e-6, abs=1e-9)
    assert abs(q.theta).max() == 0.0


def test_the_whole_scene_may_be_turned():
    command = AvocadoCommand(thrust=1.0, torque=1e-3)
    first, second = (simulate(SPEC, swing(heading=h), command, 2.0) for h in (0.0, 2.0))
    assert second.heading - 2.0 == pytest.approx(first.heading, abs=1e-9)
    assert second.theta == pytest.approx(first.theta, abs=1e-9)


def test_mirror_images_move_as_mirror_images():
    flip = {"heading": -0.3, "psi": -0.3, "heading_rate": -0.5, "psi_rate": -1.0}
    left = simulate(FREE, swing(**flip), AvocadoCommand(thrust=1.0, torque=-1e-3), 2.0)
    right = simulate(FREE, swing(), AvocadoCommand(thrust=1.0, torque=1e-3), 2.0)
    assert left.heading == pytest.approx(-right.heading, abs=1e-9)
    assert left.theta == pytest.approx(right.theta, abs=1e-9)


@pytest.mark.parametrize("thrust", [0.05, 1.0, 2.5, 4.0, 4.7])
@pytest.mark.parametrize("ratio", [0.154 / 0.19, 1.0, 1.2])
def test_a_slow_thrust_ends_in_the_closed_form(thrust, ratio):
    spec = dataclasses.replace(SPEC, thrust_arm=SPEC.mass_arm / ratio)
    count = 36000
    rows = np.zeros((count, 3))
    rows[:, 1] = thrust * np.minimum(1.0, np.arange(count) / 3000)  # 30 s to rise, 330 s to settle
    q = simulate(spec, resting(spec, 1.0), rows, 360.0)
    theta, phi = equilibrium(spec, thrust)
    assert np.degrees(q.theta[-1]) == pytest.approx(np.degrees(theta), abs=0.05)
    assert np.degrees(q.phi[-1]) == pytest.approx(np.degrees(phi), abs=0.05)


@pytest.mark.parametrize(
    ("numerical", "thrust", "over"),
    [(True, 3.58, False), (True, 3.60, True), (False, 3.41, False), (False, 3.43, True)],
)
def test_thrust_steps_turn_the_robot_over_where_the_docs_say(numerical, thrust, over):
    spec = SPEC if numerical else dataclasses.replace(FREE, damping_phi=0.0)
    q = simulate(spec, resting(spec, 1.0), AvocadoCommand(thrust=thrust), 20.0)
    assert (np.degrees(q.pitch).max() > 90.0) is np.bool_(over)


def test_accelerations_after_a_thrust_step_are_those_of_the_docs():
    for spec, of_theta in ((SPEC, 333.6), (dataclasses.replace(FREE, damping_phi=0.0), 363.0)):
        q = simulate(spec, resting(spec, 1.0), AvocadoCommand(thrust=3.3), 0.5, hold=5e-4)
        fastest = [
            np.degrees(np.gradient(x, q.time)).max() for x in (q.theta_rate, q.theta_rate + q.phi_rate)
        ]
        assert fastest[0] == pytest.approx(of_theta, abs=0.5)
        assert 1450.0 < fastest[1] < 1550.0


def test_a_slack_tether_does_not_pull_and_a_taut_one_never_pushes():
    toss = AvocadoState(distance=1.0, tether_length=1.0, theta=2.2, theta_rate=1.0, psi=0.2)
    q = simulate(SPEC, toss, STILL, 4.0)
    assert q.tension.min() == 0.0 and q.tension.max() > SPEC.weight
    assert (q.tension[q.distance < q.tether_length] == 0.0).all()
    assert (q.distance - q.tether_length).max() < 0.01  # it is caught
    before = q.distance < q.tether_length - 1e-3
    assert 0.05 < before.mean() < 0.95


def test_free_fall_of_a_slack_robot_is_a_parabola():
    spec = dataclasses.replace(LOSSLESS)
    q = simulate(spec, AvocadoState(distance=0.5, tether_length=3.0), STILL, 0.5)
    assert q.distance == pytest.approx(0.5 + 0.5 * spec.gravity * q.time**2, abs=1e-7)


@pytest.mark.parametrize("speed", [0.3, -0.3])
def test_the_reel_moves_the_robot(speed):
    q = simulate(SPEC, resting(SPEC, 1.0), AvocadoCommand(reel_speed=speed), 2.0)
    assert q.tether_length == pytest.approx(1.0 + speed * q.time, abs=1e-12)
    stretch = SPEC.weight / SPEC.tether_stiffness
    assert q.distance[-1] - q.tether_length[-1] == pytest.approx(stretch, rel=0.2)
    assert q.distance_rate[-1] == pytest.approx(speed, abs=1e-3)


def test_a_run_may_be_cut_and_continued():
    command = AvocadoCommand(thrust=1.0, torque=1e-3, reel_speed=0.05)
    whole = simulate(SPEC, swing(), command, 2.0)
    first = simulate(SPEC, swing(), command, 1.0)
    second = simulate(SPEC, first.state(-1), command, 1.0)
    assert len(whole) == 201 and whole.time[-1] == pytest.approx(2.0)
    assert second.theta[-1] == pytest.approx(whole.theta[-1], abs=1e-6)
    assert second.heading[-1] == pytest.approx(whole.heading[-1], abs=1e-6)


def test_one_command_many_rows_and_a_function_are_the_same_run():
    command = AvocadoCommand(thrust=1.0, torque=1e-3)
    seen = []

    def control(time, state):
        seen.append((time, state.theta))
        return command

    one = simulate(SPEC, swing(), command, 0.505)
    rows = simulate(SPEC, swing(), np.tile([0.0, 1.0, 1e-3], (51, 1)), 0.505)
    called = simulate(SPEC, swing(), control, 0.505)
    assert (one.theta == rows.theta).all() and (one.theta == called.theta).all()
    assert one.time[-1] == pytest.approx(0.505) and called.commands.shape == (51, 3)
    assert seen[3] == (pytest.approx(0.03), one.theta[3])
