"""Drone, tether, winch and rover together: forces add up, nothing depends on the heading, steps converge."""

import math

import numpy as np
import pytest
from plant_scenes import PAPER, Team, turned

import tetherlab as tl
from analytical import GRAVITY
from tetherlab.plant.build import ROVER
from tetherlab.plant.model import copy_plant

CALM = tl.TetherSpec(
    linear_density=0.05, diameter=0.008, axial_stiffness=1e4, axial_damping=50.0,
    drag_coefficient=0.0, drag_coefficient_tangential=0.0,
)  # fmt: skip


BEHIND = (-1.5, 0.0, 2.0)  # of the rover, where its tether hangs clear of the deck


def test_the_ground_carries_rover_drone_and_tether_at_rest():
    team = Team(paid_out=0.48)
    team.advance(8.0)
    assert np.allclose(team.wheel_forces.sum(axis=0), team.weight, rtol=0, atol=0.02)
    assert np.allclose(team.drone_body["v_W"], 0.0, atol=1e-4)


def test_a_drone_on_the_deck_loads_the_rover_with_its_weight():
    team = Team(paid_out=0.48)
    team.advance(8.0)
    tether = team.tether[2].sum()
    wanted = -GRAVITY * (team.drone_body["mass"] + tether)
    assert team.plant.graph.load[ROVER, 2] == pytest.approx(wanted, rel=2e-3)


def test_the_rover_carries_less_the_more_the_drone_lifts():
    team = Team(paid_out=0.48)
    team.advance(4.0)
    team.fly((0.0, 0.0, 0.5 * GRAVITY * team.drone_spec.mass))
    team.advance(4.0)
    lifted = team.plant.rotorcraft["thrust"][0]
    assert lifted == pytest.approx(0.5 * GRAVITY * team.drone_spec.mass, rel=1e-3)
    assert team.wheel_forces[:, 2].sum() == pytest.approx(team.weight[2] - lifted, rel=1e-3)


def test_it_takes_off_and_hovers_with_the_thrust_of_its_weight_and_the_tethers_pull():
    team = Team(paid_out=0.48)
    team.reel_to(2.2)
    team.hover(15.0, (0.2, 0.0, 2.2))
    assert np.allclose(team.state.uav.position, (0.2, 0.0, 2.2), atol=2e-3)
    thrust = team.plant.rotorcraft["thrust"][0] * team.state.uav.rotation[:, 2]
    pull = team.state.uav.tether_force
    assert np.allclose(thrust + pull, (0.0, 0.0, GRAVITY * team.drone_spec.mass), rtol=0, atol=0.02)
    assert pull[2] < -0.2


def test_two_ends_of_a_hovering_tether_carry_its_weight():
    team = Team(BEHIND, paid_out=2.3, spec=CALM)
    team.hover(15.0, BEHIND)
    both = team.plant.part["pull_W"].sum(axis=0)
    assert np.allclose(both, (0.0, 0.0, -GRAVITY * 2.3 * 0.05), rtol=0, atol=5e-3)


@pytest.mark.parametrize("angle", [0.7, 2.5])
def test_turn_the_whole_scene_and_all_that_happens_turns(angle):
    one, two = Team((-1.5, 0.5, 2.0), paid_out=2.3), Team((-1.5, 0.5, 2.0), paid_out=2.3, yaw=angle)
    for team in (one, two):
        team.drive(0.2, 0.05, 0.1)
        team.hover(2.0, (-1.3, 0.4, 2.2))
    # As far as Newton's method goes; the drone's loop feeds differences on.
    for a, b in (
        (one.drone_body["p_W"], two.drone_body["p_W"]),
        (one.rover_body["p_W"], two.rover_body["p_W"]),
    ):
        assert np.allclose(turned(a, angle), b, rtol=0, atol=1e-5)
    assert np.allclose([turned(x, angle) for x in one.tether[0]], two.tether[0], rtol=0, atol=1e-4)


def test_momentum_of_the_team_changes_by_ground_weight_and_rotors_alone():
    team = Team(BEHIND, paid_out=2.3, spec=CALM)
    team.drive(0.2)
    team.hover(1.0, (-1.4, 0.0, 2.1))
    start, given, largest = team.momentum, np.zeros(3), 0.0
    for _ in range(200):
        before = team.momentum
        weight = team.weight
        team.advance(team.step)
        push = team.wheel_forces.sum(axis=0) + team.drone_body["force_W"] - weight
        given += team.step * push
        largest = max(largest, np.abs(team.momentum - before - team.step * push).max())
    assert np.allclose(team.momentum - start, given, rtol=0, atol=1e-10) and largest < 1e-11
    assert np.linalg.norm(given) > 0.05


def test_a_pull_moves_the_rover_as_it_moves_the_drone():
    team = Team((-1.5, 0.0, 0.8), paid_out=1.35, spec=CALM, friction=0.02)
    team.fly((-12.0, 0.0, GRAVITY * team.drone_spec.mass + 1.0))
    team.advance(3.0)
    assert team.rover_body["v_W"][0] < -0.1, "on ice the drone pulls it along"


def test_coupled_motion_converges_with_the_step():
    ends = []
    steps = (0.01, 0.005, 0.0025, 0.000625)
    for step in steps:
        team = Team(BEHIND, paid_out=2.3, step=step)
        team.advance(0.02)
        team.drive(0.2, 0.0, 0.1)
        team.fly((1.0, 0.5, GRAVITY * team.drone_spec.mass + 2.0))
        team.advance(0.6)
        ends.append(np.concatenate([team.drone_body["p_W"], team.rover_body["p_W"]]))
    errors = [np.linalg.norm(end - ends[-1]) for end in ends[:-1]]
    assert errors[0] > errors[1] > errors[2]
    # Rotors make it first order.
    assert np.polyfit(np.log(steps[:3]), np.log(errors), 1)[0] == pytest.approx(1.0, abs=0.45)
    assert errors[1] < 0.03


def test_a_copy_goes_its_own_way_with_the_same_bits():
    team = Team(BEHIND, paid_out=2.3)
    team.hover(0.5, BEHIND)
    twin = Team(BEHIND, paid_out=2.3)
    twin.plant = copy_plant(team.plant)
    twin.command = type(team.command)(*[part.copy() for part in team.command])
    frozen = team.drone_body["p_W"].copy()
    twin.advance(0.5)
    assert np.array_equal(team.drone_body["p_W"], frozen)
    team.advance(0.5)
    assert np.array_equal(team.drone_body["p_W"], twin.drone_body["p_W"])
    assert np.array_equal(team.rover_body["R_WB"], twin.rover_body["R_WB"])
    assert np.array_equal(team.tether[0], twin.tether[0])


def test_the_deck_rides_on_the_rover_and_carries_the_drone_along():
    team = Team(paid_out=0.48)
    team.advance(2.0)
    start = team.drone_body["p_W"] - team.rover_body["p_W"]
    team.drive(0.3)
    team.advance(4.0)
    assert team.rover_body["p_W"][0] > 1.0
    assert np.allclose(team.drone_body["p_W"] - team.rover_body["p_W"], start, rtol=0, atol=5e-3)


def test_a_drone_on_a_deck_that_turns_turns_with_it():
    team = Team(paid_out=0.48)
    team.advance(2.0)
    team.drive(turn=0.4)
    team.advance(3.0)
    headings = [math.atan2(b["R_WB"][1, 0], b["R_WB"][0, 0]) for b in (team.drone_body, team.rover_body)]
    assert headings[1] > 0.8
    assert headings[0] == pytest.approx(headings[1], abs=0.02)


def test_the_winch_pays_out_what_it_says():
    team = Team(BEHIND, paid_out=2.3)
    team.reel_to(3.0)
    team.hover(8.0, BEHIND)
    rest = team.tether[2].sum() / PAPER.linear_density
    assert team.plant.winch["length"][0] == pytest.approx(3.0, abs=1e-3)
    assert rest == pytest.approx(team.plant.winch["length"][0], abs=1e-9)


def test_tether_that_is_paid_out_comes_from_the_rover():
    team = Team(BEHIND, paid_out=2.3)
    before = team.weight
    team.reel_to(3.0)
    team.hover(4.0, BEHIND)
    assert np.allclose(team.weight, before, rtol=1e-12)
    out = PAPER.linear_density * team.plant.winch["length"][0]
    assert team.rover_body["mass"] == pytest.approx(team.rover_spec.mass - out, rel=1e-9)


def test_a_rover_lighter_than_its_tether_is_refused():
    with pytest.raises(tl.InputError, match=r"the 2\.3 m that are out weigh 0\.115 kg"):
        Team(BEHIND, paid_out=2.3, mass=0.1)


def test_a_step_without_the_deck_is_the_step_with_it_while_nothing_is_near():
    """In the air the deck is left out; a team whose steps all take it along flies the same way."""
    one, two = Team(BEHIND, paid_out=2.3), Team(BEHIND, paid_out=2.3)
    two.plant = two.plant._replace(parted=two.plant.graph.program)  # the elimination with the deck in it
    for team in (one, two):
        team.drive(0.2)
        team.hover(1.0, (-1.3, 0.2, 2.1))
        assert team.plant.clock["apart"][0] == 1
    assert np.allclose(one.drone_body["p_W"], two.drone_body["p_W"], rtol=0, atol=1e-7)
    assert np.allclose(one.tether[0], two.tether[0], rtol=0, atol=1e-6)


def test_a_drone_on_its_deck_is_solved_with_it():
    team = Team(paid_out=0.48)
    team.advance(0.1)
    assert team.plant.clock["apart"][0] == 0


def test_the_winch_feels_the_tension_at_its_exit():
    team = Team((-0.25, 0.0, 3.0), paid_out=2.62)
    team.hover(10.0, (-0.25, 0.0, 3.2))
    pull = team.plant.part["pull_W"][ROVER]
    assert team.plant.winch["tension"][0] == pytest.approx(np.linalg.norm(pull), rel=1e-12)
    assert team.plant.winch["tension"][0] > 0.3
