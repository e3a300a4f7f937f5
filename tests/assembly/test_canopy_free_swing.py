"""Without branches the robot on the general tether must do what the analytic model does."""

from dataclasses import astuple, replace

import numpy as np
import pytest
from canopy_scenes import IDLE, LOSSLESS, ROBOT, SLUGGISH, TICK, Hung, growth, period, swing_from

import tetherlab as tl
from tetherlab.vehicles.avocado import AvocadoCommand, AvocadoState, equilibrium, simulate

DEGREE = np.pi / 180.0


@pytest.mark.parametrize("thrust", [0.05, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0])
@pytest.mark.parametrize("length", [0.5, 1.5])
def test_it_leans_as_the_closed_form_says(thrust, length):
    """Within 0.1 deg; the tether weighs 1.6e-4 of the robot, which bends it by 0.005 deg."""
    hung = Hung(SLUGGISH, length=length)
    for share in (0.5, 0.8, 0.95, 1.0):  # in steps: at once the larger ones would turn it over
        hung.run(5.0 if share < 1.0 else 20.0, thrust=share * thrust)
    wanted = equilibrium(SLUGGISH, thrust)
    assert not hung.ended
    assert hung.state.theta == pytest.approx(wanted.theta, abs=0.01 * DEGREE)
    assert hung.state.phi == pytest.approx(wanted.phi, abs=0.01 * DEGREE)


@pytest.mark.parametrize("theta", [2.0, 30.0])
@pytest.mark.parametrize("length", [0.5, 1.0, 2.0])
def test_it_swings_as_the_analytic_model_does(theta, length):
    """With the same spring, EA = k_T length; the period within 0.02 %, which the step leaves."""
    spec = replace(IDLE, tether_axial_stiffness=IDLE.tether_stiffness * length)
    start = swing_from(theta * DEGREE, length, spec, phi=0.1 * theta * DEGREE)
    hung = Hung(spec, start)
    thetas = hung.run(12.0, watch=lambda hung: hung.state.theta)
    model = simulate(spec, start, AvocadoCommand(), 12.0)
    assert period(thetas) == pytest.approx(period(model.theta[1:]), rel=2e-4)
    # Losses by drag and joint are the same, too.
    assert np.abs(thetas - model.theta[1:]).max() < 0.006 * theta * DEGREE


def test_it_turns_over_where_the_analytic_model_does():
    """A step of the thrust from rest; the motors follow at once, as there."""
    spec = replace(IDLE, motor_lag=0.0)
    for thrust in (3.3, 4.0):
        model = simulate(spec, swing_from(0.0), AvocadoCommand(thrust=thrust), 4.0, throw=False)
        hung = Hung(spec)
        hung.run(4.0, thrust=thrust)
        assert hung.ended == (model.pitch.max() > 0.5 * np.pi) == (thrust > 3.5)


def test_a_state_comes_back_as_it_was_given(random):
    for _ in range(20):
        values = random.uniform(-0.7, 0.7, 11)
        values[:2] = random.uniform(0.5, 2.0), 1.0
        values[1] = values[0] / 1.0008
        values[3] = random.choice([-1.0, 1.0]) * random.uniform(0.05, 0.9)
        start = AvocadoState(**dict(zip(AvocadoState.__annotations__, values, strict=True)))
        hung = Hung(ROBOT, start)
        assert astuple(hung.state) == pytest.approx(astuple(start), abs=1e-9)


def test_motion_in_space_is_that_of_the_analytic_model_where_its_joint_does_not_matter():
    """A swing across the plane: there the analytic joint is stiff, so only the first instants agree."""
    spec = replace(LOSSLESS, damping_heading=0.0, damping_psi=0.0)
    start = swing_from(0.4, heading=0.3, psi=0.1, theta_rate=0.5, psi_rate=0.3, phi_rate=-0.4)
    hung = Hung(spec, start)
    hung.run(0.1)
    model = simulate(spec, replace(start, distance=1.0007), AvocadoCommand(), 0.1).state(-1)
    assert hung.state.theta == pytest.approx(model.theta, abs=2e-3)
    assert hung.state.heading == pytest.approx(model.heading, abs=2e-3)


def test_energy_is_kept_without_losses_and_never_grows():
    """To 1e-6 J of the 7 J that it has: as well as the steps are solved."""
    start = swing_from(0.5, heading=0.4, heading_rate=0.3, phi=0.2)
    hung = Hung(LOSSLESS, start)
    first = hung.energy
    energies = hung.run(10.0, watch=lambda hung: hung.energy)
    assert growth(energies) < 1e-6
    # What is lost, axial damping takes while the tether bounces: a thousandth of the swing.
    assert first - energies[-1] < 3e-3
    lossy = Hung(IDLE, start)
    less = lossy.run(10.0, watch=lambda hung: hung.energy)
    assert growth(less) < 1e-6 and less[-1] < energies[-1] - 0.1


def test_left_and_right_are_the_same():
    """A scene and its mirror image in the plane y = 0."""
    ends = []
    for side in (1.0, -1.0):
        hung = Hung(ROBOT, swing_from(0.3, heading=0.2 * side, psi=0.1 * side, heading_rate=0.2 * side))
        hung.run(2.0, thrust=1.5, torque=0.01 * side)
        ends.append((hung.point, hung.state))
    (one, left), (other, right) = ends
    assert other == pytest.approx(one * (1.0, -1.0, 1.0), abs=1e-9)
    assert right.heading == pytest.approx(-left.heading, abs=1e-9)
    assert right.theta == pytest.approx(left.theta, abs=1e-9)


def test_a_turned_scene_turns():
    turn = 0.7
    a, b = (Hung(ROBOT, swing_from(0.3, heading=h, heading_rate=0.2)) for h in (0.0, turn))
    for hung in (a, b):
        hung.run(2.0, thrust=1.5, torque=0.01)
    c, s = np.cos(turn), np.sin(turn)  # heading counts clockwise
    assert b.point == pytest.approx(np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) @ a.point, abs=1e-9)


def test_wind_pushes_it_by_its_drag():
    """At rest the plate's drag c_D A w at the centre of mass leans tether and robot alike."""
    wind = 2.0
    hung = Hung(SLUGGISH, wind=tl.Wind.uniform((wind, 0.0, 0.0)))
    hung.run(30.0)
    lean = np.arctan2(SLUGGISH.drag_coefficient * SLUGGISH.plate_area * wind, SLUGGISH.weight)
    assert hung.state.theta == pytest.approx(lean, abs=2e-4)  # some of it is the tether's own drag
    assert hung.state.phi == pytest.approx(0.0, abs=2e-3)


def test_what_is_paid_out_is_what_the_spool_turned_and_it_knows_its_limits():
    hung = Hung(ROBOT)
    hung.run(3.0, reel_speed=1.0)
    spool = hung.flight.simulation.plant.winch[0]
    top, ramp = ROBOT.spool_speed_max, ROBOT.spool_acceleration_max
    assert spool["speed"] == pytest.approx(top, rel=0.05)  # the outermost layer runs a little faster
    assert hung.state.tether_length == pytest.approx(1.0 + 3.0 * top - 0.5 * top**2 / ramp, rel=0.01)
    assert hung.state.distance == pytest.approx(hung.state.tether_length * 1.00073, abs=2e-4)


def test_a_swing_past_the_plumb_line_changes_the_sign_of_theta_and_not_the_heading():
    """It misses the plumb line by 7 mm: the tether's own direction turns by half a turn within ticks."""
    start = swing_from(0.2, heading=0.3, heading_rate=0.1)
    hung = Hung(IDLE, start)
    seen = hung.run(
        4.0, watch=lambda hung: (hung.state.theta, hung.state.heading, hung.state.psi, *hung.point)
    )
    theta, heading, psi, x, y, z = seen.T
    assert (theta < -0.1).any() and (theta > 0.1).any()
    assert np.abs(psi).max() <= 0.5 * np.pi
    assert np.abs(np.diff(heading + psi)).max() < 0.02  # the robot itself turns smoothly
    assert np.abs(heading - 0.3)[np.abs(theta) > 0.1].max() < 0.5
    length = np.sqrt(x**2 + y**2 + z**2)
    assert length * np.sin(theta) * np.cos(heading) == pytest.approx(x, abs=1e-6)
    assert -length * np.sin(theta) * np.sin(heading) == pytest.approx(y, abs=2e-4)


def test_on_a_slack_tether_it_falls_and_keeps_its_spin():
    """Momentum grows by weight alone, angular momentum stays; the tether weighs next to nothing."""
    spec = replace(LOSSLESS, tether_friction=0.0)
    start = AvocadoState(
        distance=0.6, tether_length=1.0, theta=0.3, psi_rate=1.0, phi_rate=0.5, theta_rate=0.4
    )
    hung = Hung(spec, start)
    v, spin = hung.body["v_W"].copy(), hung.body["L_W"].copy()
    hung.run(0.2)
    fallen = v - (0.0, 0.0, 0.2 * spec.gravity)
    assert hung.body["v_W"] == pytest.approx(fallen, abs=2e-3)
    assert hung.body["L_W"] == pytest.approx(spin, abs=1e-4)


def test_pull_and_weight_account_for_all_momentum():
    hung = Hung(LOSSLESS, swing_from(0.3), step=TICK)  # one step a tick, so that the pull of none is missed
    v, tether = hung.body["v_W"].copy(), hung.flight.simulation["robot_tether"]
    pulls = hung.run(1.0, watch=lambda hung: tether.force_start)
    gained = IDLE.mass * (hung.body["v_W"] - v)
    assert gained == pytest.approx(TICK * pulls.sum(axis=0) - (0.0, 0.0, IDLE.weight * 1.0), abs=1e-6)
