"""What rotors draw: momentum theory in hover, climb and wind, and the paper's 600 W at 4 kg."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

import tetherlab as tl
from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import plain
from tetherlab.vehicles.power import Airframe
from tetherlab.vehicles.power.rotors import rotor_power

AREA, RHO = 0.2919, 1.225


def power(thrust, merit=1.0, across=0.0, climb=0.0):
    return plain(rotor_power)(thrust, AREA, RHO, merit, across, climb)


def test_hover_is_that_of_the_textbook():
    assert power(39.2) == pytest.approx(39.2**1.5 / math.sqrt(2.0 * RHO * AREA), rel=1e-12)
    assert power(39.2, merit=0.65) == pytest.approx(power(39.2) / 0.65, rel=1e-12)
    assert power(0.0) == 0.0


def test_a_climb_takes_the_induced_velocity_of_the_textbook():
    hover, c = math.sqrt(39.2 / (2.0 * RHO * AREA)), 2.0
    induced = -c / 2.0 + math.sqrt((c / 2.0) ** 2 + hover**2)
    assert power(39.2, climb=c) == pytest.approx(39.2 * (c + induced), rel=1e-12)


def test_wind_across_the_discs_helps_as_the_textbook_says():
    hover, speed = math.sqrt(39.2 / (2.0 * RHO * AREA)), 5.0
    half = 0.5 * (speed / hover) ** 2
    induced = hover * math.sqrt(math.sqrt(half**2 + 1.0) - half)
    assert power(39.2, across=speed) == pytest.approx(39.2 * induced, rel=1e-12)


@given(st.floats(0.1, 100.0), st.floats(0.0, 30.0), st.floats(-20.0, 20.0))
def test_the_induced_velocity_solves_its_equation(thrust, across, climb):
    square = thrust / (2.0 * RHO * AREA)
    c = max(climb, -0.5 * math.sqrt(square))
    root = brentq(lambda v: v * math.hypot(c + v, across) - square, 0.0, 1e3, xtol=1e-14)
    assert power(thrust, across=across, climb=climb) == pytest.approx(thrust * (c + root), rel=1e-8, abs=1e-9)


def test_the_paper_expects_600_watts_at_4_kg():
    assert Airframe().hover_power(4.0) == pytest.approx(600.0, rel=0.03)  # 592 W with assumed efficiencies
    assert Airframe().hover_mass(Airframe().hover_power(3.0)) == pytest.approx(3.0)


def test_weight_and_thin_air_show_in_watts():
    frame = Airframe()
    metre = frame.hover_power(3.43 + 0.038) - frame.hover_power(3.43)
    # P ~ m^1.5: 7 W for a metre of the paper's cable
    slope = 1.5 * (frame.hover_power(3.43) - frame.avionics) / 3.43
    assert metre == pytest.approx(0.038 * slope, rel=0.01) and metre == pytest.approx(7.2, abs=0.1)
    rotors = [frame.hover_power(4.0, air_density=rho) - frame.avionics for rho in (1.225, 1.0)]
    assert rotors[1] / rotors[0] == pytest.approx(math.sqrt(1.225))


def test_the_figure_of_merit_is_that_of_the_packaged_rotors():
    robot = tl.Scenario.load("constant_tension").uav.robot
    area = math.pi * robot.rotor_radius**2
    merit = robot.rotor_thrust_coefficient**1.5 / (
        robot.rotor_torque_coefficient * math.sqrt(2.0 * 1.225 * area)
    )
    assert merit == pytest.approx(Airframe().figure_of_merit, abs=0.01)
    assert Airframe().disc_area == pytest.approx(4.0 * area)


def test_more_than_all_is_refused():
    with pytest.raises(InputError, match=r"Airframe.figure_of_merit must be at most 1, got 1.2"):
        Airframe(figure_of_merit=1.2)
