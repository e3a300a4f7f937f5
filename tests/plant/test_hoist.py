"""A rover that hangs and climbs on its own winch: statics, the analytic pendulum, contact, perch."""

import numpy as np
import pytest
from hoist_scenes import CORNER, FLOOR, PERCH, RADIUS, TICK, WALL, WEIGHT, Hoisted, point_like
from tetherlab.plant.hoist_build import latch
from tetherlab.plant.hoist_model import copy_hoist

import tetherlab as tl
from tetherlab.control.hoist import SwingDamper
from tetherlab.plant import hoist_model as H
from tetherlab.plant import hoist_watch as W
from tetherlab.tether import model as M
from tetherlab.vehicles.climber import climber_spec
from tetherlab.vehicles.hanging import swing

ROVER = climber_spec(RADIUS, 5.0)


def hung(angle=0.0, length=2.7, **options):
    at = np.add(PERCH, (length * np.sin(angle), 0.0, -0.12 - length * np.cos(angle)))
    stretched = 1.0 / (1.0 + WEIGHT * np.cos(angle) / 2e4)
    return Hoisted(rover=options.pop("rover", point_like()), at=at, slack=stretched, **options)


def test_it_hangs_with_its_weight():
    hoisted = hung(rover=ROVER)
    hoisted.run(8.0)
    tension = np.mean(hoisted.run(2.0, watch=lambda it: it.plant.winch["tension"][0]))
    assert tension == pytest.approx(WEIGHT, rel=0.01)
    assert hoisted.plant.body["R_WB"][H.ROVER][2, 2] > 0.999  # upright


def test_it_swings_as_the_analytic_pendulum_does():
    """Tether of 0.8 % of its mass, which makes it swing a little faster; stretch is 0.3 %."""
    hoisted = hung(angle=0.6)
    start = hoisted.hanging
    angles = np.array(hoisted.run(10.0, watch=lambda it: it.hanging.angle))
    states = swing(start, lambda t, state: 0.0, 10.0)
    twin = np.array([state.angle for state in states[10::10]])
    assert np.abs(angles - twin).max() < 0.05
    assert angles.min() == pytest.approx(twin.min(), rel=0.01)


def test_the_winch_takes_the_swing_out_of_both_alike():
    damper = SwingDamper(speed=0.3, rest=0.02)
    hoisted = hung(angle=0.5)
    start = hoisted.hanging
    amplitudes = hoisted.run(
        30.0, lambda hanging: damper(hanging, start.length), lambda it: it.hanging.amplitude()
    )
    most = float(hoisted.plant.winch["acceleration_max"][0]) * TICK

    def reel(t, state):
        return state.length_rate + min(max(damper(state, start.length) - state.length_rate, -most), most)

    states = swing(start, reel, 30.0, step=TICK)
    assert amplitudes[-1] == pytest.approx(states[-1].amplitude(), rel=0.05)
    assert amplitudes[-1] < 0.3 * amplitudes[0]


def test_energy_never_grows_while_the_winch_stands_still():
    hoisted = hung(angle=0.8, rover=ROVER)

    def energy(it):
        body, state = it.plant.body[H.ROVER], it.plant.memory
        kinetic = 0.5 * body["mass"] * float(body["v_W"] @ body["v_W"])
        spin = 0.5 * float(
            body["L_W"] @ np.linalg.solve(body["R_WB"] @ body["inertia_B"] @ body["R_WB"].T, body["L_W"])
        )
        stretch = float(
            (state.scalars[2, : state.number[M.COUNT]] ** 2 * state.scalars[0, : state.number[M.COUNT]]).sum()
        )
        return kinetic + spin + body["mass"] * 9.80665 * float(body["p_W"][2]) + stretch / (2.0 * 2e4)

    energies = np.array(hoisted.run(10.0, watch=energy))
    swung = energies.max() - energies.min()
    assert np.all(energies[1:] < energies[0] + 0.02)
    assert swung < 2.0  # of 40 J: drag of the tether, the damping of cord and hook


def climbing(**options):
    return Hoisted([FLOOR, WALL], rover=ROVER, at=(1.2, 0.0, -3.8), via=[CORNER], slack=1.001, **options)


def test_up_a_wall_it_pulls_with_its_weight_and_the_tether_beyond_the_corner_stands_still():
    hoisted = climbing()
    hoisted.run(5.0, -0.3)
    beyond = [n for n in nodes(hoisted) if n[0] < 0.2]
    tensions = hoisted.run(4.0, -0.3, lambda it: it.plant.winch["tension"][0])
    # The tether leans by 3 to 6 deg, and the hull rubs with 0.3 against what presses it to the wall.
    assert np.mean(tensions) == pytest.approx(WEIGHT, rel=0.06)
    assert np.array(beyond)[-3:] == pytest.approx(
        np.array([n for n in nodes(hoisted) if n[0] < 0.2])[-3:], abs=0.01
    )
    assert hoisted.place[0] == pytest.approx(0.4 + 0.95 * RADIUS, abs=0.01)
    assert abs(hoisted.place[1]) < 1e-3


def test_it_gets_over_the_wall_and_is_lowered_behind_it():
    damper = SwingDamper(speed=0.3, rest=0.03)
    hoisted = climbing()
    hoisted.run(19.0, -0.3)
    length = hoisted.hanging.length
    hoisted.run(70.0, lambda hanging: damper(hanging, length))
    assert hoisted.code == 0 and hoisted.place[0] < -0.6
    assert hoisted.hanging.length * hoisted.hanging.amplitude() < 0.1
    hoisted.run(25.0, 0.2)
    assert hoisted.place == pytest.approx((PERCH[0], 0.0, -3.8), abs=0.1)


def nodes(hoisted):
    return hoisted.plant.memory.vectors[M.POSITIONS, : hoisted.plant.memory.number[M.COUNT] + 1].copy()


def test_a_winch_that_is_too_weak_stops_and_does_not_break():
    hoisted = climbing(force=0.8 * WEIGHT)
    hoisted.run(10.0, -0.3)
    assert hoisted.code == 0 and hoisted.place[2] < -3.5
    assert hoisted.plant.winch["tension"][0] < 0.9 * WEIGHT
    assert hoisted.plant.winch["limited"][0] == 1


def test_a_perch_lets_go_above_its_force_and_the_drone_falls_with_the_tether():
    hoisted = hung(angle=1.2, holds=1.3 * WEIGHT)
    hoisted.run(5.0)
    assert hoisted.code == W.PERCH_LOST and hoisted.plant.flag[H.LINK] == H.LATCHED
    assert hung(angle=0.2, holds=1.3 * WEIGHT).run(5.0, watch=lambda it: it.code)[-1] == W.GOING


def test_neither_latching_nor_perching_moves_anyone():
    hoisted = hung(angle=0.3)
    before = hoisted.place.copy()
    twin = copy_hoist(hoisted.plant)
    hoisted.run(0.5)
    assert not np.allclose(before, hoisted.place, atol=0.01)
    assert twin.body["p_W"][H.ROVER] == pytest.approx(before, abs=1e-9)
    assert np.all(twin.body["v_W"] == 0.0)


def test_a_tether_is_latched_once():
    hoisted = hung()
    with pytest.raises(tl.InputError, match="latched already"):
        latch(hoisted.plant, hoisted.world, hoisted.tether)
