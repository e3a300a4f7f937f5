"""Checkpoints: what a controller remembers comes back as it was, and the same controllers go on."""

import io
import json
import re
import zipfile
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


def rewritten(path, changes, head=None):
    """A checkpoint with other arrays or another head."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name, change in changes.items():
        array = np.load(io.BytesIO(members[f"{name}.npy"]))
        array = change(array.copy())
        stream = io.BytesIO()
        np.save(stream, array)
        members[f"{name}.npy"] = stream.getvalue()
    if head is not None:
        said = json.loads(members["head.json"])
        head(said)
        members["head.json"] = json.dumps(said).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def put(where, value, field=None):
    """A change of an array, or of a field of its records, at one place."""

    def change(array):
        (array if field is None else array[field])[where] = value
        return array

    return change


@pytest.fixture(scope="module")
def flown(tmp_path_factory):
    path = tmp_path_factory.mktemp("checkpoint") / "flown"
    simulation = tl.Simulation("theatre")
    simulation.run(until=2.0)
    simulation.checkpoint(path)
    return path.read_bytes()


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("memory_contact", put((0, 3), 2**40, "object"), r"tether.contact.object must be from 0 to \d+, got"),
        ("memory_wrap", put((0, 3), -1, "object"), r"tether.wrap.object must be from 0 to \d+, got -1"),
        ("memory_number", put((0, 0), 2**40), r"tether.number\[0\] must be from 1 to 1e\+09, got 1.09"),
        ("memory_number", put((0, 0), 10_000), r"tether.number\[0\] must be from 1 to \d+ elements, got"),
        ("memory_number", put((0, 0), -5), r"tether.number\[0\] must be from 1 to 1e\+09, got -5"),
        ("memory_number", put((0, 2), 7), r"tether.number\[2\] is not that of this scenario"),
        ("memory_constants", put((0, 0), 9.0), "tether.linear_density is not that of this scenario"),
        ("memory_vectors", put((0, 0, 2, 1), np.nan), r"tether.x must be from -1e\+09 to 1e\+09, got nan"),
        ("memory_scalars", put((0, 0, 1), 0.0), "tether.rest must be > 0 for each of"),
        ("graph_body", put(1, np.zeros((3, 3)), "R_WB"), "body.R_WB must be a rotation"),
        ("rotorcraft", put(0, 99, "rotor_count"), "rotorcraft.rotor_count is not that of this scenario"),
        ("rover", put(0, -1, "wheel_count"), "rover.wheel_count is not that of this scenario"),
        ("graph_body", put(0, 2**40, "point_count"), "body.point_count is not that of this scenario"),
        ("graph_body_contact", put((0, 0), 2**40, "object"), r"body_contact.object must be from 0 to \d+"),
        ("berth", put(0, 2**40, "deck"), "berth.deck is not that of this scenario"),
        ("graph_rider", put(..., 2**40), "rider is not that of this scenario"),
        ("graph_tie", put((0, 0), 2**40, "body"), "tie.body is not that of this scenario"),
        ("winch", put(0, 1e6, "length"), "winch.length must be at most"),
        ("command_reel", put(0, 9, "mode"), "command_reel.mode must be from 0 to 3, got 9"),
        ("command_flight", lambda array: array[:0], r"this scenario \(command_flight differs\)"),
        ("uav_position", put(0, np.inf), r"uav_position must be from -1e\+09 to 1e\+09, got inf"),
        ("rows", put((1, 0), np.nan), "the times of the table 'uav' do not rise"),
        ("rows", lambda array: array[:, :4], r"rows of shape \(\d+, 4\)"),
        ("stations", lambda array: array[:1], "rows of shape"),
        ("memory_wrap", lambda array: array[:-1], r"not belong to this scenario \(memory_wrap differs\)"),
        ("memory_number", lambda array: array.astype(np.int32), r"\(memory_number differs\)"),
        ("array26", put(0, np.nan), "the memory of the controller is not one that it could have"),
    ],
)  # fmt: skip
def test_a_state_that_cannot_be_is_refused_before_it_is_used(flown, tmp_path, name, change, said):
    path = tmp_path / "bad"
    path.write_bytes(flown)
    if name.startswith("array"):
        with zipfile.ZipFile(path) as archive:
            name = next(held[:-4] for held in archive.namelist() if held.startswith("array"))
    rewritten(path, {name: change})
    with pytest.raises(tl.InputError, match=rf"^{re.escape(str(path))}: [^\n]*{said}"):
        tl.Simulation.resume(path)


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (lambda head: head.pop("ticks"), "ticks is missing or of another type, got None"),
        (lambda head: head.update(ticks=True), "ticks is missing or of another type, got True"),
        (lambda head: head.update(ticks=-3), "-3 ticks of 0.01 s do not make the time of 2 s"),
        (lambda head: head.update(phase=77), "phase must be one that the mission has, got 77"),
        (lambda head: head["mission"].update(index=2**40), "mission.index must be a target from 0 to"),
        (lambda head: head["mission"].update(armed=1), "mission.armed is missing or of another type, got 1"),
        (lambda head: head.update(outcome="FINE"), "outcome must be one of"),
        (lambda head: head.update(winch_by_hand=["a", 1, 2]), "winch_by_hand must be length, speed and"),
        (lambda head: head.update(events=[[1, 2, 3]]), "an event must have time, kind and sentence"),
        (lambda head: head.update(memories=[{"eval": "1"}, None, None]), "memory has a part 'eval'"),
        (lambda head: head.update(speakers=[3, 4, 5]), "the controller must be a name and whether"),
        (lambda head: head["extra"].update(scenario=[]), "extra.scenario is missing or of another type"),
        (lambda head: head.update(format=99), r"written by another version of tetherlab \(format 99"),
    ],
)  # fmt: skip
def test_a_head_that_cannot_be_is_refused(flown, tmp_path, head, said):
    path = tmp_path / "bad"
    path.write_bytes(flown)
    rewritten(path, {}, head)
    with pytest.raises(tl.InputError, match=rf"^{re.escape(str(path))}: [^\n]*{said}"):
        tl.Simulation.resume(path)
