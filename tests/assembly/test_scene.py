"""Scenes of bodies, hands and tethers: what they do, how they are commanded, and what they refuse."""

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.assembly.scene import Scene, Site
from tetherlab.assembly.scene_simulation import SceneSimulation

CORD = tl.TetherSpec(linear_density=0.02, diameter=0.004, axial_stiffness=5e3, axial_damping=20.0)


def load_on_two_hands():
    scene = Scene()
    left = scene.add_hand(name="left", position=(-1.0, 0.0, 3.0))
    right = scene.add_hand(name="right", position=(1.0, 0.0, 3.0))
    load = scene.add_body(
        tl.RigidBody(mass=0.5, inertia=(2e-3,) * 3, radius=0.1), name="load", position=(0.0, 0.0, 1.8)
    )
    scene.add_tether(CORD, name="one", start=left.site(), end=load.site((-0.1, 0.0, 0.0)), length=1.51)
    scene.add_tether(CORD, name="two", start=right.site(), end=load.site((0.1, 0.0, 0.0)), length=1.51)
    return scene


def test_a_load_on_two_hands_is_lifted_as_they_rise():
    sim = SceneSimulation(load_on_two_hands())
    sim.run(until=4.0)
    before = sim["load"].position
    assert abs(before[0]) < 1e-6
    weight = (0.5 + 2 * 1.51 * CORD.linear_density) * 9.80665
    rate = 0.5
    for _ in range(200):
        for name in ("left", "right"):
            sim.command(name, position=sim[name].position + np.array((0.0, 0.0, rate * sim.dt)))
        sim.step()
    assert sim["load"].position[2] == pytest.approx(before[2] + 1.0, abs=0.05)
    sim.run(until=16.0)
    late = sim.log["one"]["time_s"] > 8.0
    mean = sum(sim.log[name]["force_start_z_N"][late].mean() for name in ("one", "two"))
    assert mean == pytest.approx(-weight, rel=0.01)
    np.testing.assert_array_equal(sim["left"].force, sim["one"].force_start)
    assert sim.log["load"]["z_m"][-1] == pytest.approx(sim["load"].position[2])


def test_a_winch_pays_out_more_than_there_was_room_for():
    scene = Scene()
    hand = scene.add_hand(name="hand", position=(0.0, 0.0, 8.0))
    load = scene.add_body(tl.RigidBody(mass=0.3, inertia=(1e-3,) * 3), name="load", position=(0.0, 0.0, 7.0))
    scene.add_tether(CORD, name="cord", start=hand.site(), end=load.site(), length=1.0)
    sim = SceneSimulation(scene)
    sim.command("cord", speed=1.0)
    sim.run(until=4.0)
    assert sim["cord"].length == pytest.approx(5.0)
    assert len(sim["cord"].nodes) == pytest.approx(51, abs=2)
    assert sim["load"].position[2] == pytest.approx(3.0, abs=0.1)


def test_a_state_is_taken_up_again_with_the_same_bits():
    sim = SceneSimulation(load_on_two_hands())
    sim.command("load", force=(0.3, 0.2, 0.0))
    sim.run(until=0.5)
    state = sim.get_state()
    sim.run(until=1.0)
    nodes, place = sim["one"].nodes, sim["load"].position
    sim.set_state(state)
    sim.run(until=1.0)
    np.testing.assert_array_equal(sim["one"].nodes, nodes)
    np.testing.assert_array_equal(sim["load"].position, place)
    sim.reset()
    assert sim.time == 0.0
    np.testing.assert_allclose(sim["load"].position, (0.0, 0.0, 1.8))
    assert len(sim.log["load"]) == 1


def test_what_is_released_falls_and_what_is_attached_hangs_again():
    sim = SceneSimulation(load_on_two_hands())
    sim.run(until=1.0)
    sim.release("two", "end")
    sim.run(until=3.0)
    assert sim["load"].position[0] < -0.3  # it swings below the other hand
    assert len(sim.graph.program.island) == 2
    sim.attach("two", "end", Site("load", _place_on(sim, "two", "load")))
    sim.run(until=3.2)
    assert len(sim.graph.program.island) == 1
    assert [event.kind for event in sim.events] == ["tie", "tie"]


def _place_on(sim, tether, body):
    row = sim.graph.body[sim._bodies[body]]
    return row["R_WB"].T @ (sim[tether].nodes[-1] - row["p_W"])


def test_a_scene_tells_all_that_is_wrong_with_it_at_once():
    scene = Scene(tl.World.ground())
    ball = tl.RigidBody(mass=1.0, inertia=(0.01,) * 3, radius=0.2)
    a = scene.add_body(ball, name="a", position=(0.0, 0.0, 1.0))
    scene.add_body(ball, name="b", position=(0.1, 0.0, 1.0))
    c = scene.add_body(ball, name="c", position=(3.0, 0.0, 0.1))
    scene.add_tether(CORD, name="short", start=a.site(), end=c.site(), length=1.0)
    scene.add_tether(CORD, name="nowhere", start=a.site(), end=Site("aa", np.zeros(3)), length=1.0)
    scene.add_tether(CORD, name="loop", start=a.site(), end=a.site(), length=1.0)
    with pytest.raises(tl.InputError) as refused:
        SceneSimulation(scene)
    said = str(refused.value).splitlines()
    assert len(said) == 5
    for part in (
        "3.132 m apart",
        "Did you mean 'a'",
        "the same point",
        "inside an obstacle",
        "inside each other",
    ):
        assert any(part in line for line in said), part


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda sim: sim["lod"], "Did you mean 'load'"),
        (lambda sim: sim.command("load", position=(0, 0, 1)), "takes force and torque, got position"),
        (lambda sim: sim.command("one"), "takes speed, got nothing"),
        (lambda sim: sim.command("lod", speed=1.0), "Did you mean 'load'"),
        (lambda sim: sim.release("three", "end"), "there is no tether 'three'"),
        (lambda sim: sim.release("one", "top"), "'start' or 'end'"),
        (lambda sim: sim.attach("one", "end", sim.scene.parts["right"].site()), "m away from the site"),
        (lambda sim: sim.run(until=-1.0), "already"),
    ],
)
def test_a_wrong_call_gets_one_sentence(call, said):
    with pytest.raises(tl.InputError, match=said):
        call(SceneSimulation(load_on_two_hands()))


@pytest.mark.parametrize("name", ["load", "2nd", "", 7])
def test_a_name_is_new_and_a_word(name):
    with pytest.raises(tl.InputError):
        load_on_two_hands().add_hand(name=name, position=(0, 0, 0))
