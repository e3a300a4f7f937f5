"""A rover that hangs and climbs on its own winch: statics, the analytic pendulum, contact, perch."""

import numpy as np
import pytest
from hoist_scenes import CORNER, FLOOR, PERCH, RADIUS, WALL, WEIGHT, Hoisted, point_like

import tetherlab as tl
from tetherlab.assembly.hoist_run import ROVER as ROVER_ROW
from tetherlab.control.hoist import SwingDamper
from tetherlab.missions.crew import APART, LATCHED, TICK
from tetherlab.vehicles.climber import climber_spec
from tetherlab.vehicles.hanging import swing

ROVER = climber_spec(RADIUS, 5.0)


def hung(angle=0.0, length=2.7, **options):
    at = np.add(PERCH, (length * np.sin(angle), 0.0, -0.12 - length * np.cos(angle)))
    stretched = 1.0 / (1.0 + WEIGHT * np.cos(angle) / 2e4)
    return Hoisted(rover=options.pop("rover", point_like()), at=at, slack=stretched, **options)


def test_it_hangs_with_its_weight():
    hoisted = hung(rover=ROVER)
    hoisted.go_on(8.0)
    tension = np.mean(hoisted.go_on(2.0, watch=lambda it: it.tension))
    assert tension == pytest.approx(WEIGHT, rel=0.01)
    assert hoisted.sim.graph.body["R_WB"][ROVER_ROW][2, 2] > 0.999  # upright


def test_it_swings_as_the_analytic_pendulum_does():
    """Tether of 0.8 % of its mass, which makes it swing a little faster; stretch is 0.3 %."""
    hoisted = hung(angle=0.6)
    start = hoisted.pendulum
    angles = np.array(hoisted.go_on(10.0, watch=lambda it: it.pendulum.angle))
    states = swing(start, lambda t, state: 0.0, 10.0)
    twin = np.array([state.angle for state in states[10::10]])
    assert np.abs(angles - twin).max() < 0.05
    assert angles.min() == pytest.approx(twin.min(), rel=0.01)


def test_the_winch_takes_the_swing_out_of_both_alike():
    damper = SwingDamper(speed=0.3, rest=0.02)
    hoisted = hung(angle=0.5)
    start = hoisted.pendulum
    amplitudes = hoisted.go_on(
        30.0, lambda hanging: damper(hanging, start.length), lambda it: it.pendulum.amplitude()
    )
    most = float(hoisted.sim.plant.winch["acceleration_max"][0]) * TICK

    def reel(t, state):
        return state.length_rate + min(max(damper(state, start.length) - state.length_rate, -most), most)

    states = swing(start, reel, 30.0, step=TICK)
    assert amplitudes[-1] == pytest.approx(states[-1].amplitude(), rel=0.05)
    assert amplitudes[-1] < 0.3 * amplitudes[0]


def test_energy_never_grows_while_the_winch_stands_still():
    hoisted = hung(angle=0.8, rover=ROVER)

    def energy(it):
        body, cord = it.sim.graph.body[ROVER_ROW], it.sim["cord"]
        kinetic = 0.5 * body["mass"] * float(body["v_W"] @ body["v_W"])
        spin = 0.5 * float(
            body["L_W"] @ np.linalg.solve(body["R_WB"] @ body["inertia_B"] @ body["R_WB"].T, body["L_W"])
        )
        rest = it.sim.graph.memories.scalars[0, 0, : len(cord.tensions)]
        stretch = float((cord.tensions**2 * rest).sum())
        return kinetic + spin + body["mass"] * 9.80665 * float(body["p_W"][2]) + stretch / (2.0 * 2e4)

    energies = np.array(hoisted.go_on(10.0, watch=energy))
    swung = energies.max() - energies.min()
    assert np.all(energies[1:] < energies[0] + 0.02)
    assert swung < 2.0  # of 40 J: drag of the tether, the damping of cord and hook


def climbing(**options):
    return Hoisted([FLOOR, WALL], rover=ROVER, at=(1.2, 0.0, -3.8), via=[CORNER], slack=1.001, **options)


def test_up_a_wall_it_pulls_with_its_weight_and_the_tether_beyond_the_corner_stands_still():
    hoisted = climbing()
    hoisted.go_on(5.0, -0.3)
    beyond = [n for n in hoisted.nodes if n[0] < 0.2]
    tensions = hoisted.go_on(4.0, -0.3, lambda it: it.tension)
    # The tether leans by 3 to 6 deg, and the hull rubs with 0.3 against what presses it to the wall.
    assert np.mean(tensions) == pytest.approx(WEIGHT, rel=0.06)
    assert np.array(beyond)[-3:] == pytest.approx(
        np.array([n for n in hoisted.nodes if n[0] < 0.2])[-3:], abs=0.01
    )
    assert hoisted.rover[0] == pytest.approx(0.4 + 0.95 * RADIUS, abs=0.01)
    assert abs(hoisted.rover[1]) < 1e-3


def test_it_gets_over_the_wall_and_is_lowered_behind_it():
    damper = SwingDamper(speed=0.3, rest=0.03)
    hoisted = climbing()
    hoisted.go_on(19.0, -0.3)
    length = hoisted.pendulum.length
    hoisted.go_on(70.0, lambda hanging: damper(hanging, length))
    assert hoisted.outcome is None and hoisted.rover[0] < -0.6
    assert hoisted.pendulum.length * hoisted.pendulum.amplitude() < 0.1
    hoisted.go_on(25.0, 0.2)
    assert hoisted.rover == pytest.approx((PERCH[0], 0.0, -3.8), abs=0.1)


def test_a_winch_that_is_too_weak_stops_and_does_not_break():
    hoisted = climbing(force=0.8 * WEIGHT)
    hoisted.go_on(10.0, -0.3)
    assert hoisted.outcome is None and hoisted.rover[2] < -3.5
    assert hoisted.tension < 0.9 * WEIGHT
    assert hoisted.sim.plant.winch["limited"][0] == 1


def test_a_perch_lets_go_above_its_force_and_the_drone_falls_with_the_tether():
    hoisted = hung(angle=1.2, holds=1.3 * WEIGHT)
    hoisted.go_on(5.0)
    assert hoisted.outcome is tl.Outcome.PERCH_LOST and hoisted.link == LATCHED
    assert hung(angle=0.2, holds=1.3 * WEIGHT).go_on(5.0, watch=lambda it: it.outcome)[-1] is None


def test_neither_latching_nor_perching_moves_anyone():
    hoisted = hung(angle=0.3)
    before = hoisted.rover.copy()
    assert before == pytest.approx(
        np.add(PERCH, (2.7 * np.sin(0.3), 0.0, -0.12 - 2.7 * np.cos(0.3))), abs=1e-9
    )
    assert np.all(hoisted.sim.graph.body["v_W"] == 0.0)
    hoisted.go_on(0.5)
    assert not np.allclose(before, hoisted.rover, atol=0.01)


def test_a_tether_is_latched_once():
    hoisted = hung()
    with pytest.raises(tl.InputError, match="latched already"):
        hoisted.latch()


def test_an_unhooked_tether_is_on_its_drum_and_can_be_latched_again():
    hoisted = hung(angle=0.3)
    weighs = float(hoisted.sim.graph.body["mass"][ROVER_ROW])
    hoisted.go_on(1.0, 0.2)
    assert hoisted.sim.graph.body["mass"][ROVER_ROW] < weighs - 0.002  # its winch has paid out
    hoisted.unhook()
    assert hoisted.link == APART and hoisted.length == pytest.approx(0.04)
    assert hoisted.sim.graph.body["mass"][ROVER_ROW] > weighs + 0.03
    height = hoisted.rover[2]
    hoisted.go_on(0.2)
    assert hoisted.rover[2] < height - 0.1 and hoisted.tension == 0.0
    with pytest.raises(tl.InputError, match="nothing to unhook"):
        hoisted.unhook()
