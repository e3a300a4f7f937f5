import math
from dataclasses import replace

import numpy as np
import pytest
from avocado_scenes import FREE, SPEC
from scipy.linalg import expm

from tetherlab.contracts.errors import InputError
from tetherlab.vehicles.avocado import (
    AvocadoCommand,
    AvocadoState,
    equilibrium,
    jerk_anchor,
    lateral_system,
    linear_modes,
    planar_system,
    resting,
    simulate,
    thrust_for,
    widest_thrust,
)


@pytest.mark.parametrize("spec", [SPEC, FREE], ids=["damped", "free"])
@pytest.mark.parametrize("thrust", [0.5, 2.0, 4.0])
def test_the_systems_have_the_modes_of_the_rest(spec, thrust):
    modes = linear_modes(spec, 1.0, thrust=thrust)
    for system, planar in ((planar_system, True), (lateral_system, False)):
        wanted = modes.eigenvalues[modes.planar == planar]
        for value in np.linalg.eigvals(system(spec, 1.0, thrust=thrust).A):
            assert np.abs(wanted - value).min() < 2e-3 * max(1.0, abs(value))


@pytest.mark.parametrize("thrust", [0.5, 3.0])
def test_inputs_do_what_the_systems_say(thrust):
    # Held for a millisecond from rest. The stretch of the tether, which is left out, makes some thousandths.
    start = resting(FREE, 1.0, thrust=thrust)
    for more, torque, system in ((0.01, 0.0, planar_system), (0.0, 1e-4, lateral_system)):
        command = AvocadoCommand(thrust=thrust + more, torque=torque)
        end = simulate(FREE, start, command, 1e-3, hold=1e-3, rtol=1e-12, atol=1e-14).state(-1)
        A, b = system(FREE, 1.0, thrust=thrust)
        both = np.zeros((5, 5))
        both[:4, :4], both[:4, 4] = A, b
        wanted = expm(1e-3 * both)[2:4, 4] * (more or torque)
        if more:
            found = end.theta_rate, end.phi_rate
        else:
            found = (
                end.heading_rate * math.sin(start.theta),
                end.heading_rate * math.cos(start.theta) + end.psi_rate,
            )
        assert found == pytest.approx(wanted.tolist(), rel=5e-3)


@pytest.mark.parametrize("mass_arm", [0.154, 0.19, 0.22])
def test_thrust_for_is_the_inverse_of_the_equilibrium(mass_arm):
    spec = replace(SPEC, mass_arm=mass_arm)
    most = equilibrium(spec, widest_thrust(spec)).theta
    for theta in np.linspace(0.0, 0.999 * most, 7).tolist():
        assert equilibrium(spec, thrust_for(spec, theta)).theta == pytest.approx(theta, abs=1e-9)


def test_no_thrust_reaches_further_than_the_widest():
    widest = widest_thrust(SPEC)
    angles = [equilibrium(SPEC, thrust).theta for thrust in np.linspace(0.0, SPEC.thrust_limit, 400).tolist()]
    assert max(angles) <= equilibrium(SPEC, widest).theta < max(angles) + 1e-4
    with pytest.raises(InputError, match=r"at most 42.95 deg, the largest .* got 43 deg"):
        thrust_for(SPEC, math.radians(43.0))


def test_a_jerk_of_the_anchor_leaves_the_centre_of_mass_where_it_flew():
    # The tether has no mass: seen from the anchor the robot hanging straight gets the opposite velocity.
    state = resting(SPEC, 1.0)
    up = jerk_anchor(SPEC, state, [0.0, 0.0, 0.3])
    assert up.distance_rate == pytest.approx(0.3) and up.theta_rate == 0.0
    aside = jerk_anchor(SPEC, replace(state, theta=0.2, phi=-0.2), [0.3, 0.0, 0.0])
    assert aside.theta_rate + aside.phi_rate == pytest.approx(0.0, abs=1e-9)  # it does not turn
    speed = math.hypot(aside.distance_rate, aside.distance * aside.theta_rate)
    assert speed == pytest.approx(0.3)


def test_jerks_there_and_back_cancel():
    state = AvocadoState(
        distance=1.0, tether_length=1.0, theta=0.5, phi=0.2, psi=0.3, heading=0.7, theta_rate=0.3,
        heading_rate=0.2, psi_rate=-0.4, phi_rate=0.5, distance_rate=0.1,
    )  # fmt: skip
    jerk = np.array([0.3, -0.2, 0.1])
    back = jerk_anchor(SPEC, jerk_anchor(SPEC, state, jerk), -jerk)
    for name in AvocadoState.__annotations__:
        assert getattr(back, name) == pytest.approx(getattr(state, name), abs=1e-12)


def test_a_slow_anchor_carries_the_robot_along():
    # It speeds up to 0.2 m/s and stops again: afterwards the robot hangs below it, hardly swinging.
    state, change = resting(SPEC, 1.0), 0.2 / 400
    state = replace(state, theta=1e-6)
    for k in range(800):
        state = jerk_anchor(SPEC, state, [change if k < 400 else -change, 0.0, 0.0])
        state = simulate(SPEC, state, AvocadoCommand(), 0.01).state(-1)
    assert abs(state.theta) < math.radians(1.5)


def test_weak_motors_reach_less_and_say_so():
    weak = replace(SPEC, thrust_max=2.0)
    most = equilibrium(SPEC, 2.0).theta
    assert widest_thrust(weak) == 2.0
    assert thrust_for(weak, most) == pytest.approx(2.0)
    with pytest.raises(InputError, match=r"at most 15\.96 deg, .* with motors of 2 N, got 30 deg"):
        thrust_for(weak, math.radians(30.0))
