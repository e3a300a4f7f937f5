"""A scene that does not converge leaves a file from which its last steps are computed again, bit by bit."""

import json
import re

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.assembly.failure_replay import replay_failure
from tetherlab.assembly.scene import Scene
from tetherlab.assembly.scene_failure import SceneFailure
from tetherlab.assembly.scene_simulation import SceneSimulation
from tetherlab.contracts.failure_file import read_failure
from tetherlab.contracts.files import write_archive
from tetherlab.plant.graph_build import LASTING

CORD = tl.TetherSpec(linear_density=0.02, diameter=0.004, axial_stiffness=5e3, axial_damping=20.0)
NOWHERE = (1e300, 0.0, 1.0)  # no step leads there


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """Where the files go."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def lifted_load():
    """A load on two hands above a block that moves, in wind."""
    block = tl.shapes.Box(lower=(-0.3, -0.3, -0.2), upper=(0.3, 0.3, 0.0), name="block")
    world = tl.World([block], wind=tl.Wind.uniform((3.0, 1.0, 0.0)).with_gusts(0.3, 5.0, 2))
    world.place("block", position=(0, 0, 1.4))
    scene = Scene(world)
    left = scene.add_hand(name="left", position=(-1.0, 0.0, 3.0))
    right = scene.add_hand(name="right", position=(1.0, 0.0, 3.0))
    load = scene.add_body(
        tl.RigidBody(mass=0.5, inertia=(2e-3,) * 3, radius=0.1), name="load", position=(0.0, 0.0, 1.8)
    )
    scene.add_tether(CORD, name="one", start=left.site(), end=load.site((-0.1, 0.0, 0.0)), length=1.51)
    scene.add_tether(CORD, name="two", start=right.site(), end=load.site((0.1, 0.0, 0.0)), length=1.51)
    return SceneSimulation(scene), world


def fail(sim):
    sim.command("left", position=NOWHERE)
    with pytest.raises(tl.SimulationError) as error:
        sim.step()
    assert "for one, two" in str(error.value)
    return re.search(r"`tetherlab replay-failure (\S+)` computes the last", str(error.value))[1]


def same(again, graph):
    """Whether two graphs are in the very same state."""
    parts = [*LASTING, "memories.scalars", "memories.vectors", "memories.small", "memories.number"]
    for part in parts:
        a, b = again, graph
        for name in part.split("."):
            a, b = getattr(a, name), getattr(b, name)
        if a.tobytes() != b.tobytes():
            return False
    return True


def test_what_led_to_it_is_computed_again_to_the_last_bit():
    """With wind, an obstacle that moves, pushes, reeling, a tether that is released and room that grows."""
    sim, world = lifted_load()
    for k in range(120):
        world.place("block", position=(0, 0, 1.4 + 0.003 * k), velocity=(0, 0, 0.3))
        sim.command("right", position=(1.0 + 0.1 * np.sin(0.1 * k), 0.0, 3.0))
        sim.command("load", force=(0.1 * np.cos(0.2 * k), 0.2, 0.0))
        sim.command("two", speed=2.0)
        sim.step()
    path = fail(sim)
    head, arrays, extra = read_failure(path)
    assert head["time"] == sim.time and 0.0 < head["time"] - head["since"] <= 1.01
    failure = SceneFailure(head, arrays, extra, path)
    assert failure.replay()
    assert same(failure.graph, sim.graph)
    found = replay_failure(path)
    assert found.recurred and found.what == "a step of one, two" and "tether one" in found.lines


def test_a_state_that_was_set_or_a_tie_that_was_changed_begins_a_new_history():
    sim, _ = lifted_load()
    sim.run(until=0.3)
    start = sim.get_state()
    sim.run(until=0.8)
    sim.set_state(start)
    sim.release("two", "start")
    sim.step()
    head, arrays, extra = read_failure(path := fail(sim))
    assert head["since"] == pytest.approx(0.3) and len(arrays["calls"]) == 2
    failure = SceneFailure(head, arrays, extra, path)
    assert failure.replay() and same(failure.graph, sim.graph)


def change(arrays, head, what):
    """Damage a file in one of the ways that a kernel would not survive."""
    if what == "body":
        arrays["state_tie"]["body"][0, 1] = 2**40
    elif what == "untied":
        arrays["state_tie"]["body"][0, 1] = -1
    elif what == "points":
        arrays["state_body"]["point_count"][0] = 2**40
    elif what == "contact":
        arrays["state_body_contact"]["object"][0, 0] = 2**40
    elif what == "count":
        arrays["state_memory_number"][0, 0] = 2**40
    elif what == "rows":
        arrays["state_memory_scalars"] = arrays["state_memory_scalars"][:1]
    elif what == "calls":
        arrays["calls"] = arrays["calls"][:, :-1]
    elif what == "duration":
        arrays["calls"][:, 0] = 1e9
    elif what == "mass":
        arrays["state_body"]["mass"] = np.nan
    elif what == "names":
        head["tethers"] = ["one"]
    elif what == "moved":
        arrays["laws_at"] = np.array([2**40, -5], np.int64)


@pytest.mark.parametrize(
    "what",
    ["body", "untied", "points", "contact", "count", "rows", "calls", "duration", "mass", "names", "moved"],
)
def test_a_damaged_file_is_refused_with_one_sentence(tmp_path, what):
    sim, _ = lifted_load()
    sim.run(until=0.05)
    head, arrays, extra = read_failure(fail(sim))
    change(arrays, head, what)
    path = tmp_path / "damaged.npz"
    write_archive(path, {"failure.json": json.dumps(head), **extra}, arrays)
    with pytest.raises(tl.InputError, match="damaged"):
        replay_failure(path)
