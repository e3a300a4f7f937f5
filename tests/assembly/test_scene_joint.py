"""Joints of scenes: how they are added, commanded, looked at and refused."""

from dataclasses import replace

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.assembly.scene import Scene
from tetherlab.assembly.scene_failure import SceneFailure
from tetherlab.assembly.scene_simulation import SceneSimulation
from tetherlab.contracts.failure_file import read_failure

CORD = tl.TetherSpec(linear_density=0.02, diameter=0.004, axial_stiffness=5e3, axial_damping=20.0)
ROD = tl.RigidBody(mass=0.5, inertia=(0.02, 0.02, 0.001), radius=0.05)


def arm(rod=ROD, **options):
    """Two rods below each other: a hinge to the world, a universal joint between them."""
    scene = Scene()
    upper = scene.add_body(rod, name="upper", position=(0.0, 0.0, 2.7))
    lower = scene.add_body(rod, name="lower", position=(0.0, 0.0, 2.1))
    scene.add_joint(
        "hinge", name="shoulder", parent=(0.0, 0.0, 3.0), child=upper.site((0.0, 0.0, 0.3)),
        axes=(0.0, 2.0, 0.0), **options,
    )  # fmt: skip
    scene.add_joint(
        "universal", name="elbow", parent=upper.site((0.0, 0.0, -0.3)), child=lower.site((0.0, 0.0, 0.3)),
        axes=((0.0, 1.0, 0.0), (1.0, 0.0, 0.0)), stiffness=(2.0, 1.0), damping=0.05,
    )  # fmt: skip
    return scene


def test_a_torque_lifts_an_arm_as_far_as_its_weight_allows():
    sim = SceneSimulation(arm(damping=0.4))
    sim.command("shoulder", torque=1.0)
    sim.run(until=24.0)
    shoulder, elbow = sim["shoulder"].angle, sim["elbow"].angle
    weight = 0.5 * sim.scene.world.gravity
    assert isinstance(shoulder, float) and shoulder > 0.05
    assert elbow.shape == (2,) and sim["elbow"].rate.shape == (2,)
    assert abs(sim["shoulder"].rate) < 1e-4
    assert 2.0 * elbow[0] == pytest.approx(-weight * 0.3 * np.sin(shoulder + elbow[0]), rel=1e-3)
    at_root = weight * (0.3 * np.sin(shoulder) + 0.6 * np.sin(shoulder) + 0.3 * np.sin(shoulder + elbow[0]))
    assert at_root == pytest.approx(1.0, rel=1e-3)
    np.testing.assert_allclose(sim["shoulder"].force, (0.0, 0.0, 2.0 * weight), atol=1e-3)
    assert sim["shoulder"].torque[1] == pytest.approx(1.0, rel=1e-3)
    assert sim.log["shoulder"]["angle_1_rad"][-1] == pytest.approx(shoulder)
    assert not sim["shoulder"].locked


def test_a_joint_is_held_driven_and_let_go():
    sim = SceneSimulation(arm(held=True, release_time=0.2, torque_max=0.5, limits=(-0.4, 2.0)))
    sim.command("lower", force=(3.0, 0.0, 0.0))
    sim.run(until=0.2)
    assert sim["shoulder"].angle == pytest.approx(0.0, abs=1e-9) and sim["shoulder"].locked
    sim.run(until=0.5)
    assert sim["shoulder"].angle < -0.01
    sim.lock("shoulder")
    at = sim["shoulder"].angle
    sim.command("shoulder", rate=0.5)
    sim.run(until=1.5)
    assert sim["shoulder"].angle == pytest.approx(at + 0.5, abs=1e-6)
    sim.unlock("shoulder")
    sim.command("lower", force=(30.0, 0.0, 0.0))
    sim.run(until=3.0)
    assert sim["shoulder"].angle > -0.4 - 1e-9
    assert [event.kind for event in sim.events] == ["joint", "joint"]


def test_a_state_is_taken_up_again_and_bodies_with_a_joint_do_not_touch():
    scene = arm(replace(ROD, radius=0.35))  # inside each other
    scene.add_body(ROD, name="ball", position=(0.0, 0.45, 2.1))
    scene.add_tether(
        CORD, name="cord", start=scene.parts["lower"].site((0.0, 0.0, -0.3)),
        end=scene.parts["ball"].site(), length=0.6,
    )  # fmt: skip
    sim = SceneSimulation(scene)
    sim.run(until=0.05)
    state = sim.get_state()
    sim.run(until=0.1)
    place = sim["lower"].position
    sim.set_state(state)
    sim.run(until=0.1)
    np.testing.assert_array_equal(sim["lower"].position, place)
    pairs = {tuple(pair) for pair in sim.graph.pair["body"].tolist()}
    assert (0, 1) not in pairs and (1, 2) in pairs


def test_a_failure_of_a_scene_with_joints_is_computed_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scene = arm()
    hand = scene.add_hand(name="hand", position=(0.5, 0.0, 1.8))
    scene.add_tether(
        CORD, name="cord", start=hand.site(), end=scene.parts["lower"].site((0.0, 0.0, -0.3)), length=0.6
    )
    sim = SceneSimulation(scene)
    for k in range(30):
        sim.command("shoulder", torque=0.3 * np.sin(0.3 * k))
        sim.step()
    sim.command("hand", position=(1e9, 0.0, 0.0))
    with pytest.raises(tl.SimulationError) as error:
        sim.step()
    path = str(error.value).split("`tetherlab replay-failure ")[1].split("`")[0]
    head, arrays, extra = read_failure(path)
    failure = SceneFailure(head, arrays, extra, path)
    assert failure.replay()
    assert failure.graph.joint.tobytes() == sim.graph.joint.tobytes()
    arrays["state_joint"]["body"][0, 1] = 2**40
    with pytest.raises(tl.InputError, match="damaged"):
        SceneFailure(head, arrays, extra, path)


def joined(**options):
    """A scene with one joint of these options."""
    scene = Scene()
    body = scene.add_body(ROD, name="body", position=(0.0, 0.0, 1.0))
    usual = {"name": "joint", "parent": (0.0, 0.0, 1.0), "child": body.site(), "axes": (0.0, 1.0, 0.0)}
    kind = options.pop("kind", "hinge")
    scene.add_joint(kind, **{**usual, **options})
    return SceneSimulation(scene)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"kind": "slider"}, "kind must be one of ball, universal, hinge, fixed"),
        ({"axes": None}, "needs axes"),
        ({"axes": (0.0, 0.0, 0.0)}, "must have a direction"),
        ({"kind": "universal", "axes": ((1, 0, 0), (1, 1, 0))}, "at right angles, got 45 deg"),
        ({"kind": "ball"}, "a ball joint has no axes"),
        ({"kind": "ball", "axes": None, "stiffness": 1.0}, "only a hinge or universal joint has axes"),
        ({"stiffness": -1.0}, "must be >= 0"),
        ({"stiffness": (1.0, 2.0)}, r"shape \(1,\)"),
        ({"limits": (1.0, -1.0)}, "least, largest"),
        ({"limits": (0.1, 1.0)}, "would start beyond its limits"),
        ({"release_time": 1.0}, "give held=True"),
        ({"parent": (0.0, 0.0, 1.1)}, "0.1 m apart"),
        ({"parent": "wall"}, "or a point of the world, got 'wall'"),
        ({"child": (0.0, 0.0, 1.0)}, "child must be a site of a body"),
        ({"name": "body"}, "called 'body' already"),
    ],
)
def test_a_wrong_joint_gets_one_sentence(options, said):
    with pytest.raises(tl.InputError, match=said):
        joined(**options)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda sim: sim.command("joint", speed=1.0), "takes torque and rate, got speed"),
        (lambda sim: sim.command("joint", rate=1.0), "is free to turn"),
        (lambda sim: sim.command("joint", torque=(1.0, 2.0)), r"shape \(1,\)"),
        (lambda sim: sim.lock("jont"), "Did you mean 'joint'"),
    ],
)
def test_a_wrong_command_gets_one_sentence(call, said):
    with pytest.raises(tl.InputError, match=said):
        call(joined())
