"""Checkpoints: what a controller remembers comes back as it was, and the same controllers go on."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.control.drive import DriveController
from tetherlab.control.position import PositionController
from tetherlab.control.winch_rules import FollowDistance


class MyController(PositionController):
    """Flies as the built-in one, and remembers something besides."""

    kept: Any = None

    def init(self):
        return super().init() | {"kept": self.kept}


class MyRule(FollowDistance):
    """As the built-in one."""


class MyDrive(DriveController):
    """As the built-in one."""


class Pair(NamedTuple):
    """Two numbers."""

    a: float
    b: float


def remembering(memory):
    kind = type("MyController", (MyController,), {"kept": memory})
    return tl.Simulation("vertical", controller=kind(mass=1.477))


def test_memory_comes_back_as_it_was_whatever_its_parts_are_called(tmp_path):
    memory = {"a": {"b": np.zeros(3)}, "a_b": np.ones(2), "c": [1, (2.5, np.arange(4)), None], "d": "x"}
    simulation = remembering(memory)
    simulation.checkpoint(tmp_path / "now")
    back = tl.Simulation.resume(tmp_path / "now", controller=MyController(mass=1.477))._crew.memories[0][
        "kept"
    ]
    assert list(back) == list(memory)
    assert np.array_equal(back["a"]["b"], np.zeros(3))
    assert np.array_equal(back["a_b"], np.ones(2))
    assert back["c"][0] == 1 and back["c"][1][0] == 2.5 and back["c"][2] is None
    assert type(back["c"][1]) is tuple
    assert np.array_equal(back["c"][1][1], np.arange(4))
    assert back["d"] == "x"


@pytest.mark.parametrize("memory", [Pair(1.0, 2.0), {"deep": [Pair(1.0, 2.0)]}, {1.0, 2.0}, {1: 2.0}])
def test_memory_that_would_come_back_as_something_else_is_refused(memory, tmp_path):
    with pytest.raises(tl.InputError, match=r"cannot hold a controller's memory of type (Pair|set|dict)"):
        remembering(memory).checkpoint(tmp_path / "now")
    assert not (tmp_path / "now").exists()


WINDS = {
    "calm": tl.Wind.calm(),
    "uniform": tl.Wind.uniform((1.0, 2.0, 0.1)),
    "shear": tl.Wind.shear((3.0, 0.0, 0.0), 10.0, 0.2),
    "gusts": tl.Wind.uniform((0.3, 4.1, 0.0)).with_gusts(np.float32(0.7), 5.0, np.int64(8)),
}


@pytest.mark.parametrize("name", WINDS)
@pytest.mark.parametrize("scenario", ["vertical", "windy"])
def test_a_wind_that_was_changed_goes_on_blowing(scenario, name, tmp_path):
    simulation = tl.Simulation(scenario, seed=3)
    simulation.run(until=0.2)
    simulation.set_wind(WINDS[name])
    simulation.run(until=0.4)
    simulation.checkpoint(tmp_path / "now")
    resumed = tl.Simulation.resume(tmp_path / "now")
    assert [event.sentence for event in resumed.events] == [event.sentence for event in simulation.events]
    for array, again in zip(simulation.plant.wind, resumed.plant.wind, strict=True):
        np.testing.assert_array_equal(array, again)
    for run in (simulation, resumed):
        run.run(until=1.0)
    assert np.array_equal(simulation.state.uav.position, resumed.state.uav.position)
    assert np.array_equal(simulation.state.tether.nodes, resumed.state.tether.nodes)


def test_the_gusts_of_the_runs_seed_go_on(tmp_path):
    simulation = tl.Simulation("windy", seed=3)
    simulation.checkpoint(tmp_path / "now")
    resumed = tl.Simulation.resume(tmp_path / "now")
    assert resumed.wind.gusts == simulation.wind.gusts
    assert np.array_equal(resumed.plant.wind.modes, simulation.plant.wind.modes)


OWN = {
    "controller": MyController(mass=1.477),
    "winch_rule": MyRule(),
    "ugv_controller": MyDrive(),
}


@pytest.mark.parametrize("which", OWN)
def test_a_run_goes_on_with_the_same_own_parts_alone(which, tmp_path):
    simulation = tl.Simulation("vertical", **{which: OWN[which]})
    simulation.step()
    simulation.checkpoint(tmp_path / "now")
    name = type(OWN[which]).__name__
    said = rf"made with an own {which} \({name}\): pass it to resume\({which}=...\)"
    with pytest.raises(tl.InputError, match=said):
        tl.Simulation.resume(tmp_path / "now")
    other = type("Other", (type(OWN[which]),), {})
    with pytest.raises(tl.InputError, match=said):
        tl.Simulation.resume(
            tmp_path / "now", **{which: other(mass=1.477) if which == "controller" else other()}
        )
    resumed = tl.Simulation.resume(tmp_path / "now", **{which: OWN[which]})
    assert resumed.time == simulation.time


@pytest.mark.parametrize("which", OWN)
def test_a_run_of_built_in_parts_does_not_go_on_with_own_ones(which, tmp_path):
    tl.Simulation("vertical").checkpoint(tmp_path / "now")
    with pytest.raises(tl.InputError, match=f"{which} [A-Za-z]+ of tetherlab, it cannot go on with another"):
        tl.Simulation.resume(tmp_path / "now", **{which: OWN[which]})


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"rate_hz": 400.0}, "at 400 Hz, not 100 Hz: pass the same one to resume\\(controller=...\\)"),
        ({"bandwidth": 3.0}, "with other settings: pass the same one"),
    ],
)
def test_another_rate_or_other_settings_are_refused(tmp_path, other, said):
    mine = PositionController(mass=1.477, **other)
    simulation = tl.Simulation("vertical", controller=mine)
    simulation.run(until=0.1)
    simulation.checkpoint(tmp_path / "now")
    with pytest.raises(tl.InputError, match=said):
        tl.Simulation.resume(tmp_path / "now")
    assert tl.Simulation.resume(tmp_path / "now", controller=mine).time == pytest.approx(0.1)
