"""Checkpoints of scenes: a run goes on with the same bits, and values that cannot be are refused."""

import io
import json
import re
import zipfile

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.control.position import PositionController

BALL = tl.RigidBody(mass=0.5, inertia=(1e-3,) * 3, radius=0.05)
CORD = tl.TetherSpec(linear_density=0.015, diameter=0.004, axial_stiffness=2e4, axial_damping=100.0)
NEST = tl.RigidBody(
    mass=2.0, inertia=(1e-2,) * 3, feet=[(x, y, 0.0, 0.05) for x in (-0.06, 0.06) for y in (-0.06, 0.06)]
)
GUSTS = tl.Wind.uniform((2.0, 1.0, 0.0)).with_gusts(0.5, 5.0, 8)


class Counting(PositionController):
    """Flies as the packaged one, asked in Python, and counts."""

    def init(self):
        return super().init() | {"calls": 0}

    def __call__(self, memory, seen, reference):
        kept, command = super().__call__({k: v for k, v in memory.items() if k != "calls"}, seen, reference)
        return kept | {"calls": memory["calls"] + 1}, command


MINE = {"uav": Counting(mass=2.315)}


def crowd():
    """Winch, drone, rider, joint, hand, a pair that touches, gusts, an obstacle, and commands to come."""
    post = tl.shapes.Box(lower=(-0.05, -0.05, -0.3), upper=(0.05, 0.05, 0.3), name="post")
    scene = tl.Scene(tl.World([tl.shapes.Plane(name="ground"), post], wind=GUSTS))
    scene.world.place("post", position=(0.5, 2.0, 0.3))
    ugv = scene.add_robot("paper_ugv", name="ugv", position=(0.0, 0.0, 0.0))
    uav = scene.add_robot("x500", name="uav", position=(1.0, 0.0, 2.0))
    hand = scene.add_hand(name="hand", position=(0.0, 3.0, 1.5))
    other = scene.add_hand(name="other", position=(1.0, 3.0, 1.5))
    load = scene.add_body(BALL, name="load", position=(0.0, 3.0, 0.11))
    scene.add_body(NEST, name="low", position=(0.0, 3.0, 0.05))
    held = scene.add_body(BALL, name="held", position=(3.0, 3.0, 1.0))
    weight = scene.add_body(BALL, name="weight", position=(3.0, 3.0, 0.4))
    bar = tl.shapes.Capsule(start=(0.0, -0.3, 0.0), end=(0.0, 0.3, 0.0), radius=0.03)
    arm = tl.RigidBody(mass=1.0, inertia=(1e-2,) * 3)
    rail = scene.add_body(arm, name="rail", position=(0.5, 3.0, 1.2), shapes=[bar])
    scene.add_joint(
        "hinge", name="pin", parent=(0.5, 3.0, 1.4), child=rail.site((0.0, 0.0, 0.2)), axes=(0.0, 1.0, 0.0),
        stiffness=20.0, damping=0.1, held=True, release_time=0.5,
    )  # fmt: skip
    scene.add_tether(
        "paper", name="main", start=ugv.site("winch"), end=uav.site("hook"), length=12, paid_out=2.6
    )
    scene.add_tether(CORD, name="sling", start=hand.site(), end=load.site(), length=1.45)
    scene.add_tether(CORD, name="over", start=hand.site(), end=other.site(), length=1.4)
    scene.add_tether(CORD, name="hung", start=held.site(), end=weight.site(), length=0.7)
    scene.add_tether("paper", name="drum", start=ugv.site("deck"), end=other.site(), length=9, paid_out=4.0)
    scene.control["main"] = "constant_tension"
    scene.add_command("uav", time=1.0, position=(1.2, 0.5, 2.5))
    scene.add_command("hand", time=1.5, position=(0.2, 3.0, 1.5), within=1.5)
    scene.add_command("sling", time=2.0, release="end")
    return scene


def begun():
    sim = tl.Simulation(crowd(), controllers=MINE, seed=3, record_hz=20)
    sim.hold("held")
    sim.stow("drum")
    sim.run(until=0.6)
    sim.lock("pin")
    sim.scene.world.place("post", position=(0.5, 2.0, 0.4))
    sim.run(until=1.0)
    sim.unlock("pin")
    sim.lay("drum", sim.scene.parts["other"].site(), length=6.0)  # for which there must be more room
    sim.run(until=1.1)
    sim.stow("drum")
    sim.run(until=2.0)
    sim.command("ugv", velocity=(0.1, 0.0))
    sim.command("other", position=(1.0, 3.0, 1.499))
    sim.set_wind(tl.Wind.uniform((0.5, 0.0, 0.0)).with_gusts(0.7, 4.0, 5))
    return sim


def go_on(sim):
    """What nobody knew when the checkpoint was written."""
    sim.run(until=2.5)
    sim.let_go("held")
    sim.lay("drum", sim.scene.parts["other"].site(), length=5.0)
    sim.release("hung", "end")
    sim.command("main", length=3.0)
    sim.run(until=4.0)
    return sim.log


@pytest.fixture(scope="module")
def flown(tmp_path_factory):
    path = tmp_path_factory.mktemp("scene") / "flown"
    sim = begun()
    sim.checkpoint(path)
    return path, go_on(sim)


def require_same(log, again):
    assert list(log.tables) == list(again.tables)
    for name, table in log.tables.items():
        for column in table.columns:
            np.testing.assert_array_equal(table[column], again[name][column], err_msg=f"{name} {column}")
    assert log.events == again.events
    assert log.scenario == again.scenario != {}


def test_a_scene_goes_on_with_the_same_bits(flown):
    resumed = tl.Simulation.resume(flown[0], controllers=MINE)
    assert resumed.time == 2.0 and resumed.graph.held.any() and resumed.graph.stowed.any()
    assert resumed.graph.pair["touching"].any() and (resumed.graph.drapes == 1).any()
    again = go_on(resumed)
    require_same(flown[1], again)
    assert [event.sentence for event in again.events if "sling" in event.sentence]
    assert next(m for m in resumed.commanded if m.name == "uav").memory["calls"] == 400


def test_a_checkpoint_leaves_the_run_as_it_is(flown):
    require_same(flown[1], go_on(begun()))


def test_a_resumed_scene_starts_again_as_it_did_at_first(flown):
    resumed = tl.Simulation.resume(flown[0], controllers=MINE)
    resumed.reset()
    fresh = tl.Simulation(crowd(), controllers=MINE, seed=3, record_hz=20)
    for run in (resumed, fresh):
        run.run(until=0.5)
    assert np.allclose(resumed["uav"].position, fresh["uav"].position, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, r"own controller of 'uav' \(Counting\): pass it to resume\(controllers={'uav': ...}\)$"),
        ({"controllers": {"uav": Counting(mass=2.315, rate_hz=50.0)}}, "at 100 Hz, not 50 Hz: pass the same"),
        ({"controller": MINE["uav"]}, "controller: a scene takes controllers={name: ...}"),
    ],
)  # fmt: skip
def test_own_controllers_are_given_again(flown, given, said):
    with pytest.raises(tl.InputError, match=said) as error:
        tl.Simulation.resume(flown[0], **given)
    assert "\n" not in str(error.value)


def test_what_a_file_cannot_hold_is_said(tmp_path):
    scene = tl.Scene()
    uav = scene.add_robot("x500", name="uav", position=(0.0, 0.0, 3.0))
    hand = scene.add_hand(name="hand", position=(0.0, 0.0, 0.0))
    scene.add_tether(
        CORD, name="cord", start=uav.site("hook"), end=hand.site(), length=3.5, start_damping=(0.1, 0.1, 0.1)
    )
    with pytest.raises(
        tl.InputError, match=r"cannot be written to a checkpoint: .* start_damping of tether 'c"
    ):
        tl.Simulation(scene).checkpoint(tmp_path / "now")
    assert not (tmp_path / "now").exists()
    tl.Simulation("vertical").checkpoint(tmp_path / "team")
    with pytest.raises(tl.InputError, match="is no checkpoint of a scene"):
        type(tl.Simulation(scene)).resume(tmp_path / "team")


def put(where, value, field=None):
    def change(array):
        (array if field is None else array[field])[where] = value
        return array

    return change


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("memory_contact", put((0, 3), 2**40, "object"), "tether.contact.object must be from 0 to"),
        ("memory_number", put((0, 0), 10_000), r"tether.number\[0\] must be from 1 to \d+ elements"),
        ("memory_number", put((0, 2), 7), r"tether.number\[2\] is not that of this scenario"),
        ("memory_vectors", put((0, 0, 2, 1), np.nan), "tether.x must be from"),
        ("memory_scalars", lambda array: array[:, :, :-1], r"\(memory_[a-z]+ differs\)"),
        ("graph_tie", put((0, 0), 2**40, "body"), "tie.body is not that of this scenario"),
        ("graph_held", put(0, 2**40), "held is not that of this scenario"),
        ("graph_stowed", put(1, 1), "is not that of this scenario"),
        ("graph_meets", put((0, 1), 2**40), "meets is not that of this scenario"),
        ("graph_drapes", put((0, 1), 7), "drapes is not that of this scenario"),
        ("graph_joint", put(0, 2**40, "kind"), "joint.kind is not that of this scenario"),
        ("graph_joint", put((0, 0), 3.0, "release_time"), "joint.release_time is not that of this scenario"),
        ("graph_joint", put((0, 0), -7, "lock"), "joint.lock must be from 0 to"),
        ("near", put((1, 0), 1), "near must be 0 or 1"),
        ("near", put((0, 1), 2**40), "near must be 0 or 1"),
        ("pair", put(0, 2**40, "body"), "pair.body is not that of this scenario"),
        ("pair", put(0, np.nan, "depth"), "pair.depth must be from"),
        ("pair", lambda array: array[:0], "pair differs"),
        ("command_reel", put(0, 9, "mode"), "command_reel.mode must be from 0 to 3, got 9"),
        ("flying", put(0, 2**40, "path"), "flying.path is not that of this scenario"),
        ("reeling", put(0, 0, "every"), "reeling.every is not that of this scenario"),
        ("flying", put(0, np.nan, "integral"), "flying.integral must be from"),
        ("paths", put((3, 0, 0), np.inf), r"paths\[3\] must be from"),
        ("paths", put((5, 0, 0), 9.0), r"paths\[5\] is not that of this scenario"),
        ("hands", put((0, 0, 0), 1e300), "hands must be from"),
        ("hands", put((0, 0, 0), np.nan), "hands must be where hands are"),
        ("island_steps", put(0, -1), "island_steps must be from 0"),
        ("clock", put(0, 7, "steps"), "7 steps of 0.005 s do not make 2 s"),
        ("wind_modes", put((0, 0), np.nan), "the wind is none that can blow"),
        ("wind_modes", lambda array: np.repeat(array, 100, axis=1), "the wind is none that can blow"),
        ("rows_time", put(3, 0.0), "the times of the rows do not rise"),
        ("rows_body", put((1, 0, 0), np.nan), "the rows of body are not of this run"),
        ("rows_station", lambda array: array[:, :-1], "the rows of station are not of this run"),
        (None, lambda head: head.update(tolerance=-1.0), "tolerance must be"),
        (None, lambda head: head["sites"].pop(), "9 sites for 10 ends of tethers"),
        (None, lambda head: head["sites"].__setitem__(0, ["nobody", [0, 0, 0]]), "a site must be a part and"),
        (None, lambda head: head["sites"].__setitem__(0, ["ugv", [0, "x", 0]]), "the point of a site"),
        (None, lambda head: head["sites"].__setitem__(0, None), "is not that of this scenario"),
        (None, lambda head: head["machines"].pop("ugv"), r"machines differ"),
        (None, lambda head: head["machines"]["ugv"].pop("by_hand"), "machines.ugv.by_hand is missing or of"),
        (None, lambda head: head["machines"]["main"].update(kind=[3]), "must be a name and whether it"),
        (None, lambda head: head["machines"]["ugv"].update(memory=[1]), "not one that it could have"),
        (None, lambda head: head.update(outcome="FINE"), "outcome must be one of"),
        (None, lambda head: head.update(events=[[1, 2, 3]]), "an event must have time, kind and sentence"),
        (None, lambda head: head["extra"]["scenario"]["bodies"].pop("low"), "not"),
        (None, lambda head: head["extra"]["scenario"]["bodies"]["low"].update(mass_kg=0.7), "body.[a-z]+"),
    ],
)  # fmt: skip
def test_a_state_that_cannot_be_is_refused_before_it_is_used(flown, tmp_path, name, change, said):
    with zipfile.ZipFile(flown[0]) as archive:
        members = {held: archive.read(held) for held in archive.namelist()}
    if name is None:
        head = json.loads(members["head.json"])
        change(head)
        members["head.json"] = json.dumps(head).encode()
    else:
        stream = io.BytesIO()
        np.save(stream, change(np.load(io.BytesIO(members[f"{name}.npy"])).copy()))
        members[f"{name}.npy"] = stream.getvalue()
    path = tmp_path / "bad"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for held, data in members.items():
            archive.writestr(held, data)
    with pytest.raises(tl.InputError, match=rf"^{re.escape(str(path))}: [^\n]*{said}[^\n]*$"):
        tl.Simulation.resume(path, controllers=MINE)
