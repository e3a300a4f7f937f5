"""Scenes go into files and come back as they were."""

import dataclasses

import numpy as np
import pytest
from random_scenes import random_scene

import tetherlab as tl
from tetherlab.assembly import scene_simulation
from tetherlab.contracts.documents import read_yaml, write_yaml
from tetherlab.control.position import PositionController
from tetherlab.control.winch_rules import ConstantTension
from tetherlab.scenario.library import packaged

TEXT = """\
schema: 2
description: A load on a drone.
world: plain
hands:
  post:
    start_m: [3.0, 0.0, 0.5]
bodies:
  load:
    mass_kg: 0.5
    sphere:
      radius_m: 0.1
    start_m: [0.0, 0.0, 0.1]
    sites_m:
      eye: [0.0, 0.0, 0.1]
  ugv:
    robot: paper_ugv
    start_m: [-4.0, 0.0, 0.0]
    yaw_deg: 30.0
  uav:
    robot: x500
    start_m: [0.0, 0.0, 1.6]
tethers:
  sling:
    like: paper
    from: uav.hook
    to: load.eye
    length_m: 1.5
  main:
    like: paper
    from: post
    to:
      body: uav
      at_m: [0.0, 0.0, -0.05]
    length_m: 12.0
    paid_out_m: 4.2
control:
  uav:
    type: position
    bandwidth_rad_per_s: 2.5
  main:
    type: constant_tension
    tension_N: 2.0
commands:
- time_s: 1.0
  name: uav
  position_m: [0.0, 0.0, 3.0]
  yaw_deg: 20.0
- time_s: 5.0
  name: sling
  release: end
run:
  duration_max_s: 8.0
  seed: 4
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "my.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def assert_same(found, wanted, where):
    """Everything that an object holds, to round-off."""
    if dataclasses.is_dataclass(wanted):
        assert type(found) is type(wanted), where
        for field in dataclasses.fields(wanted):
            if field.name != "given":
                values = getattr(found, field.name), getattr(wanted, field.name)
                assert_same(*values, f"{where}.{field.name}")
    elif isinstance(wanted, dict):
        assert found.keys() == wanted.keys(), where
        for key in wanted:
            assert_same(found[key], wanted[key], f"{where}.{key}")
    elif wanted is None or isinstance(wanted, (str, bool)):
        assert found == wanted, where
    elif isinstance(wanted, (list, tuple)) and any(dataclasses.is_dataclass(item) for item in wanted):
        assert len(found) == len(wanted), where
        for i, (one, other) in enumerate(zip(found, wanted, strict=True)):
            assert_same(one, other, f"{where}[{i}]")
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12, err_msg=where)


def test_a_file_that_is_read_and_written_is_the_same_file(file, tmp_path):
    tl.Scene.load(file).to_yaml(tmp_path / "again.yaml")
    assert lines(tmp_path / "again.yaml") == lines(file)


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 4, 5, 104, 222])
def test_random_scenes_are_the_same_file_after_a_round_trip(seed, tmp_path):
    scene = random_scene(seed)
    scene.to_yaml(tmp_path / "one.yaml")
    again = tl.Scene.load(tmp_path / "one.yaml")
    again.to_yaml(tmp_path / "two.yaml")
    assert lines(tmp_path / "one.yaml") == lines(tmp_path / "two.yaml")
    whole = again.to_dict()
    assert tl.Scene.from_dict(whole).to_dict() == whole
    for known in ("parts", "tethers", "joints", "control"):
        before, after = getattr(scene, known), getattr(again, known)
        assert before.keys() == after.keys()
        for name in before:
            assert_same(after[name], before[name], name)
    assert_same(again.commands, scene.commands, "commands")
    assert again.run == scene.run and again.description == scene.description
    assert again.world.gravity == scene.world.gravity and again.world.names == scene.world.names


@pytest.mark.parametrize(
    "name", [n for n in packaged("scenarios") if n.startswith(("two_", "load_", "drone_"))]
)
def test_packaged_scenes_are_complete_in_their_logs(name):
    whole = tl.Scene.load(name).to_dict()
    assert whole["schema"] == 2
    assert isinstance(whole["world"], dict) and all("like" not in part for part in whole["tethers"].values())
    assert tl.Scene.from_dict(whole).to_dict() == whole


def test_names_stay_names_and_changes_become_contents(file, tmp_path):
    scene = tl.Scene.load(file, {"bodies.uav.robot.mass_kg": 2.5, "tethers.sling.friction": 0.5})
    assert scene.parts["uav"].spec.mass == 2.5 and scene.parts["uav"].site("hook").r_B.shape == (3,)
    assert scene.tethers["sling"].spec.friction == 0.5
    scene.to_yaml(tmp_path / "changed.yaml")
    written = read_yaml(tmp_path / "changed.yaml")
    assert written["bodies"]["ugv"]["robot"] == "paper_ugv" and written["tethers"]["main"]["like"] == "paper"
    assert written["bodies"]["uav"]["robot"]["mass_kg"] == 2.5
    assert written["tethers"]["sling"]["friction"] == 0.5 and "like" not in written["tethers"]["sling"]
    assert tl.Scene.load(tmp_path / "changed.yaml").to_dict() == scene.to_dict()


def test_a_robot_in_a_file_of_its_own_is_found_beside_the_scene_from_everywhere(file, tmp_path, monkeypatch):
    (tmp_path / "parts").mkdir()
    robot = tl.Scene.load(file).to_dict()["bodies"]["uav"]["robot"]
    write_yaml({**robot, "mass_kg": 3.0}, tmp_path / "parts" / "heavy.yaml")
    file.write_text(TEXT.replace("x500", "parts/heavy.yaml"), encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    scene = tl.Scene.load(file)
    assert scene.parts["uav"].spec.mass == 3.0
    scene.to_yaml("moved.yaml")
    assert read_yaml("moved.yaml")["bodies"]["uav"]["robot"] == "../parts/heavy.yaml"
    assert tl.Scene.load("moved.yaml").parts["uav"].spec.mass == 3.0


def test_robots_may_be_written_before_what_they_stand_on():
    data = {
        "bodies": {
            "uav": {"robot": "x500", "on": "ugv.deck"},
            "ugv": {"robot": "paper_ugv", "start_m": [0, 0, 0]},
        },
        "world": "plain",
    }
    scene = tl.Scene.from_dict(data)
    assert list(scene.parts) == ["uav", "ugv"] and scene.parts["uav"].stands


def test_a_file_and_its_lines_of_python_run_with_the_same_bits(file):
    scene = tl.Scene("plain")
    post = scene.add_hand(name="post", position=(3, 0, 0.5))
    ball = tl.RigidBody(mass=0.5, inertia=(0.4 * 0.5 * 0.1 * 0.1,) * 3, radius=0.1)
    load = scene.add_body(ball, name="load", position=(0, 0, 0.1))
    scene.add_robot("paper_ugv", name="ugv", position=(-4, 0, 0), yaw=np.radians(30.0))
    uav = scene.add_robot("x500", name="uav", position=(0, 0, 1.6))
    scene.add_tether("paper", name="sling", start=uav.site("hook"), end=load.site((0, 0, 0.1)), length=1.5)
    scene.add_tether(
        "paper", name="main", start=post.site(), end=uav.site((0, 0, -0.05)), length=12, paid_out=4.2
    )
    mine = {
        "uav": PositionController(mass=uav.spec.mass, bandwidth=2.5), "main": ConstantTension(tension=2.0)
    }  # fmt: skip
    by_hand = tl.Simulation(scene, seed=4, controllers=mine)
    by_hand.run(until=1.0)
    by_hand.command("uav", position=(0, 0, 3), yaw=np.radians(20.0))
    by_hand.run(until=5.0)
    by_hand.release("sling", "end")
    by_hand.run(until=8.0)
    from_file = tl.Simulation(file)
    from_file.run()
    assert from_file.outcome is tl.Outcome.COMPLETED and from_file.time == 8.0
    for name in ("load", "uav", "main", "sling"):
        for column in by_hand.log[name].columns:
            np.testing.assert_array_equal(from_file.log[name][column], by_hand.log[name][column])
    assert [event.kind for event in from_file.events] == ["command", "tie", "outcome"]
    assert from_file["load"].position[2] < 1.0 < from_file["uav"].position[2]


def test_a_hand_is_there_in_time_and_stops(tmp_path):
    scene = tl.Scene()
    hand = scene.add_hand(name="hand", position=(0, 0, 3))
    load = scene.add_body(tl.RigidBody(mass=0.2, inertia=(1e-3,) * 3), name="load", position=(0, 0, 2))
    scene.add_tether("paper", name="cord", start=hand.site(), end=load.site(), length=1.0)
    scene.add_command("hand", time=0.5, position=(1.0, 0.0, 3.5), within=2.0)
    sim = tl.Simulation(scene)
    sim.run(until=0.5)
    np.testing.assert_array_equal(sim["hand"].position, (0, 0, 3))
    sim.run(until=1.5)
    np.testing.assert_allclose(sim["hand"].position, (0.5, 0.0, 3.25), atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(sim["cord"].nodes[0] - sim["hand"].position), 0.0, atol=1e-9)
    sim.run(until=3.0)
    np.testing.assert_allclose(sim["hand"].position, (1.0, 0.0, 3.5), atol=1e-12)
    assert not sim["hand"].velocity.any()


def test_commands_are_given_again_after_a_reset():
    sim = tl.Simulation("two_drones_one_tether")
    sim.run(until=4.0)
    place = sim["right"].position
    sim.reset()
    sim.run(until=4.0)
    np.testing.assert_array_equal(sim["right"].position, place)
    assert len(sim.events) == 1


def test_what_a_file_cannot_hold_is_refused():
    class Mine:
        rate_hz = 50.0

        def init(self):
            return None

        def __call__(self, memory, seen, wanted):
            return memory, None

    scene = tl.Scene.load("two_drones_one_tether")
    scene.control["left"] = Mine()
    with pytest.raises(tl.InputError, match="cannot hold the controller of 'left'"):
        scene.to_yaml("nowhere.yaml")
    scene.control["left"] = PositionController(mass=7.0)  # not that of the drone
    with pytest.raises(tl.InputError, match="cannot hold the controller of 'left'"):
        scene.to_yaml("nowhere.yaml")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ({"positon": (0, 0, 1)}, "Did you mean 'position'"),
        ({"force": (0, 0)}, "force must have shape"),
        ({"release": "middle"}, "'start' or 'end'"),
        ({"length": -1.0}, "length must be >= 0"),
    ],
)
def test_a_wrong_timed_command_gets_one_sentence(said, answer):
    with pytest.raises(tl.InputError, match=answer):
        tl.Scene().add_command("load", time=1.0, **said)


def test_ctrl_c_keeps_what_there_is(monkeypatch):
    monkeypatch.setattr(scene_simulation, "PROGRESS_EVERY", 0.0)
    sim = tl.Simulation("two_drones_one_tether")

    def stop(share, text):
        if share > 0.1 and sim.outcome is None:
            raise KeyboardInterrupt

    sim.run(progress=stop)
    assert sim.outcome is tl.Outcome.STOPPED
    assert sim.log["left"]["time_s"][-1] == pytest.approx(0.1 * 12.0, abs=0.1)
    assert "stopped by its user" in sim.log.outcome_sentence
