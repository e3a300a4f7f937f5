"""Many ticks at once, compiled, are the same ticks as one after another with Python in between."""

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.control.drive import DriveController
from tetherlab.control.position import PositionController
from tetherlab.control.winch_rules import ConstantTension, FollowDistance, FromTrajectory


class AskedPosition(PositionController):
    """The same, but who derives from a controller may decide otherwise: it has to be asked."""


class AskedDrive(DriveController):
    """The same."""


class AskedDistance(FollowDistance):
    """The same."""


class AskedTrajectory(FromTrajectory):
    """The same."""


class AskedTension(ConstantTension):
    """The same."""


def tour():
    """Both vehicles go about in gusts, with targets that are passed without a stop."""
    places = [(0.4, 0.2, 1.9), (1.0, 0.5, 2.2), (1.5, -0.4, 1.8), (1.0, 0.0, 1.7)]
    targets = [
        {"uav_m": list(place), "ugv_m": [0.5 * k, -0.1 * k, 0.0], "length_m": 2.0}
        for k, place in enumerate(places)
    ]
    return {
        "mission": {"targets": targets, "take_off": True, "uav_speed_m_per_s": 0.25, "hold_last_s": 8.0},
        "wind": {
            "velocity_m_per_s": [1.0, 0.5, 0.0],
            "gusts": {"intensity_m_per_s": 0.8, "length_scale_m": 20.0, "seed": 3},
        },
        "run": {"duration_max_s": 30.0, "record_hz": 100},
    }


def bits(simulation):
    """All that was recorded."""
    return {
        f"{name}.{column}": np.asarray(table[column]).tobytes()
        for name, table in simulation.log.tables.items()
        for column in table.columns
    }


PAIRS = [
    {"controller": (PositionController(mass=1.4), AskedPosition(mass=1.4))},
    {
        "controller": (
            PositionController(mass=1.4, feed_forward="measured"),
            AskedPosition(mass=1.4, feed_forward="measured"),
        )
    },
    {"ugv_controller": (DriveController(), AskedDrive())},
    {"ugv_controller": (DriveController(yaw=0.3), AskedDrive(yaw=0.3))},
    {"ugv_controller": (DriveController(holonomic=False), AskedDrive(holonomic=False))},
    {"winch_rule": (FollowDistance(factor=1.1), AskedDistance(factor=1.1))},
    {"winch_rule": (FromTrajectory(), AskedTrajectory())},
    {"winch_rule": (ConstantTension(tension=2.0), AskedTension(tension=2.0))},
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: str(next(iter(pair.values()))[0])[:40])
def test_a_law_decides_as_its_controller_does(pair):
    ((role, (compiled, asked)),) = pair.items()
    calls = []
    deciding = type(asked).__call__
    type(asked).__call__ = lambda self, *seen: calls.append(1) or deciding(self, *seen)
    try:
        runs = [tl.Simulation("vertical", tour(), **{role: who}) for who in (compiled, asked)]
        for run in runs:
            run.run()
    finally:
        type(asked).__call__ = deciding
    assert len(calls) > 500  # it was asked indeed
    first, second = map(bits, runs)
    assert [name for name in first if first[name] != second[name]] == []
    assert runs[0].outcome_sentence == runs[1].outcome_sentence


@pytest.fixture(scope="module")
def at_once():
    simulation = tl.Simulation("vertical", tour())
    simulation.run()
    return simulation


def test_tick_by_tick_is_the_same_run(at_once):
    simulation = tl.Simulation("vertical", tour())
    while simulation.step():
        pass
    assert bits(simulation) == bits(at_once)
    assert simulation.events == at_once.events


@pytest.mark.parametrize("pieces", [(0.013, 0.5, 7.77, 19.2), (3.0, 3.0, 3.01, 20.47, 20.48)])
def test_a_run_in_pieces_is_the_same_run_and_stops_where_it_is_told(at_once, pieces):
    simulation = tl.Simulation("vertical", tour())
    for until in pieces:
        simulation.run(until=until)
        assert simulation.time == pytest.approx(until, abs=0.0051)
    simulation.run()
    assert bits(simulation) == bits(at_once)


def test_every_row_is_there_once(at_once):
    time = at_once.log.tables["uav"]["time_s"]
    assert len(time) > 2048  # more than one chunk of rows
    assert np.allclose(np.diff(time), 0.01)
    assert time[-1] == pytest.approx(at_once.time)


def test_the_winch_by_hand_overrules_its_law_until_the_rule_is_back():
    simulation = tl.Simulation("vertical", tour())
    simulation.run(until=5.0)
    simulation.command(length=4.0)
    simulation.run(until=12.0)
    assert simulation.state.length == pytest.approx(4.0, abs=0.05)
    simulation.follow_rule()
    simulation.run(until=19.0)
    assert simulation.state.length < 3.5


NOT_FINITE = [
    ({"controller": PositionController(mass=np.nan)}, "UAV controller: PositionController has mass nan"),
    ({"ugv_controller": DriveController(gain=np.inf)}, "UGV controller: DriveController has gain inf"),
    ({"winch_rule": ConstantTension(tension=np.nan)}, "winch rule: ConstantTension has tension nan"),
]


@pytest.mark.parametrize(("speaker", "said"), NOT_FINITE, ids=["flight", "drive", "reel"])
def test_a_setting_that_is_not_finite_is_refused_before_the_run(speaker, said):
    with pytest.raises(tl.InputError, match=said):
        tl.Simulation("vertical", tour(), **speaker)


class CommandsTheWinch(DriveController):
    """Stands, and commands the winch at a time."""

    def __call__(self, memory, observation, reference):
        if abs(observation.time - 5.0) < 0.005:
            self.simulation.command(length=3.0)
        return super().__call__(memory, observation, reference)


def test_a_winch_that_is_commanded_from_within_a_controller_obeys_at_once():
    mine = CommandsTheWinch()
    simulation = tl.Simulation("vertical", tour(), ugv_controller=mine)
    object.__setattr__(mine, "simulation", simulation)
    simulation.run(until=5.2)
    winch = simulation.log["winch"]
    changed = winch["time_s"][np.flatnonzero(winch["length_reference_m"] == 3.0)[0]]
    assert changed == pytest.approx(5.01)
