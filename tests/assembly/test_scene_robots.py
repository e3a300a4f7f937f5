"""Robots and winches in scenes, in arrangements that no scenario file could describe."""

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.assembly.scene import Scene
from tetherlab.assembly.scene_simulation import SceneSimulation
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.messages import WinchCommand
from tetherlab.control.position import PositionController

G = 9.80665
PAPER_DENSITY = 0.067  # of the packaged tether [kg/m]


def ground():
    return tl.World([tl.shapes.Plane(name="ground")])


def two_drones(**options):
    scene = Scene(ground())
    left = scene.add_robot("x500", name="left", position=(0.0, 0.0, 3.0))
    right = scene.add_robot("x500", name="right", position=(2.0, 0.0, 3.0))
    scene.add_tether("paper", name="rope", start=left.site("hook"), end=right.site("hook"), length=3.0)
    return SceneSimulation(scene, **options)


def team(**options):
    scene = Scene(ground())
    ugv = scene.add_robot("paper_ugv", name="ugv", position=(0.0, 0.0, 0.0))
    uav = scene.add_robot("x500", name="uav", on=ugv.site("deck"))
    scene.add_tether(
        "paper", name="main", start=ugv.site("winch"), end=uav.site("hook"), length=18.0, paid_out=0.7
    )
    return SceneSimulation(scene, **options)


def test_two_drones_hold_a_tether_that_hangs_as_a_catenary():
    sim = two_drones()
    sim.run(until=12.0)
    a, b = sim["rope"].nodes[[0, -1]]
    curve = tl.Catenary.between(a, b, 3.0)
    expected = float(curve.tension(0.0, PAPER_DENSITY, G))
    assert np.linalg.norm(sim["rope"].force_start) == pytest.approx(expected, rel=0.02)
    assert np.abs(sim["left"].position - (0.0, 0.0, 3.0)).max() < 0.02


def test_a_drone_goes_where_it_is_told_and_turns_its_heading():
    sim = two_drones()
    sim.command("right", position=(2.0, 1.0, 3.5), yaw=1.0)
    sim.run(until=12.0)
    assert np.abs(sim["right"].position - (2.0, 1.0, 3.5)).max() < 0.02
    qw, _, _, qz = sim["right"].rotation
    assert 2.0 * np.arctan2(qz, qw) == pytest.approx(1.0, abs=0.02)
    assert sim.events[0].sentence.startswith("right: position")


def test_thrust_of_two_drones_carries_a_load():
    scene = Scene(ground())
    load = scene.add_body(
        tl.RigidBody(mass=0.5, inertia=(2e-3,) * 3, radius=0.1), name="load", position=(0, 0, 1.5)
    )
    for name, x in (("left", -1.0), ("right", 1.0)):
        drone = scene.add_robot("x500", name=name, position=(x, 0.0, 3.0))
        eye = load.site((np.sign(x) * 0.05, 0.0, 0.1))
        scene.add_tether("paper", name=f"sling_{name}", start=drone.site("hook"), end=eye, length=1.8)
    sim = SceneSimulation(scene)
    sim.run(until=8.0)
    lift = []
    for _ in range(400):
        sim.step()
        lift.append(sim.plant.rotorcraft["thrust"].sum())
    weight = G * (2 * 2.315 + 0.5 + 2 * 1.8 * PAPER_DENSITY)
    assert np.mean(lift) == pytest.approx(weight, rel=0.01)  # tilt is small
    assert abs(sim["load"].position[0]) < 1e-6  # what is symmetric stays so
    assert sim["load"].position[2] > 1.0


def test_a_drone_flies_on_two_ground_winches():
    scene = Scene(ground())
    drone = scene.add_robot("x500", name="drone", position=(0.0, 0.0, 3.0))
    for name, x in (("west", -3.0), ("east", 3.0)):
        post = scene.add_hand(name=f"post_{name}", position=(x, 0.0, 0.5))
        scene.add_tether(
            "paper", name=name, start=post.site(), end=drone.site("hook"), length=12.0, paid_out=4.2
        )
    sim = SceneSimulation(scene)
    sim.command("drone", position=(0.5, 0.5, 4.0))
    sim.run(until=12.0)
    assert np.abs(sim["drone"].position - (0.5, 0.5, 4.0)).max() < 0.03
    for name in ("west", "east"):  # the packaged rule: 1.05 times the distance and 5 cm
        a, b = sim[name].nodes[[0, -1]]
        assert sim[name].length == pytest.approx(1.05 * np.linalg.norm(b - a) + 0.05, abs=0.02)
    sim.command("west", length=6.0)
    sim.command("east", tension=4.0)
    sim.run(until=18.0)
    assert sim["west"].length == pytest.approx(6.0, abs=0.02)
    assert np.linalg.norm(sim["east"].force_start) == pytest.approx(4.0, abs=0.5)


def test_a_team_drives_flies_and_lands_on_the_deck():
    sim = team()
    sim.run(until=0.5)
    weight = sim.graph.body_contact["force_W"][:, :, 2].sum()
    load = (40.0 + 2.315 + 0.7 * PAPER_DENSITY) * G  # of the wheels, and of the feet on the deck once more
    assert weight == pytest.approx(load + 2.315 * G, rel=0.02)
    sim.command("uav", take_off=True)
    sim.run(until=3.0)
    sim.command("uav", position=(1.0, 1.0, 3.0))
    sim.command("ugv", position=(2.0, 0.0))
    sim.run(until=14.0)
    assert np.abs(sim["uav"].position - (1.0, 1.0, 3.0)).max() < 0.02
    assert np.abs(sim["ugv"].position[:2] - (2.0, 0.0)).max() < 0.02
    sim.command("uav", position=sim["ugv"].position + np.array((0.2, 0.0, 0.9)))
    sim.run(until=20.0)
    sim.command("uav", land=True)
    sim.run(until=24.0)
    assert sim._machinery.commands.flight["armed"][0] == 0
    assert np.abs(sim["uav"].velocity).max() < 0.01
    assert 0.36 < sim["uav"].position[2] < 0.8  # the deck is 0.36 m high


def test_the_same_seed_gives_the_same_bits_after_reset_and_set_state():
    sim = team(seed=3)
    sim.command("uav", take_off=True)
    sim.run(until=1.0)
    state = sim.get_state()
    sim.run(until=2.0)
    first = sim["uav"].position, sim["main"].nodes
    sim.set_state(state)
    sim.run(until=2.0)
    assert np.array_equal(sim["uav"].position, first[0])
    assert np.array_equal(sim["main"].nodes, first[1])
    sim.reset()
    sim.command("uav", take_off=True)
    sim.run(until=2.0)
    assert np.array_equal(sim["uav"].position, first[0])


class InPython(PositionController):
    """The same law, called from Python: a subclass has no compiled law of its own."""


def test_a_controller_in_python_flies_as_the_compiled_law_does():
    kinds = (PositionController, InPython)
    sims = [two_drones(controllers={"left": kind(mass=2.315)}) for kind in kinds]
    for sim in sims:
        sim.command("left", position=(0.3, 0.2, 3.2))
        sim.run(until=3.0)
    assert np.abs(sims[0]["left"].position - sims[1]["left"].position).max() < 1e-9


class PayOut:
    """A winch rule of a user."""

    rate_hz = 20.0

    def init(self):
        return 0

    def __call__(self, calls, seen, reference):
        assert seen.length_total == 18.0
        return calls + 1, WinchCommand(speed=0.1)


def test_a_winch_rule_of_ones_own_is_asked_at_its_rate():
    sim = team(controllers={"main": PayOut()})
    sim.run(until=2.0)
    assert sim._machinery._known["main"].memory == 40
    assert sim["main"].length == pytest.approx(0.9, abs=0.02)


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        (lambda s: s.add_robot("x50", name="d", position=(0, 0, 1)), "x500"),
        (lambda s: s.add_robot(3, name="d", position=(0, 0, 1)), "packaged name"),
        (lambda s: s.add_robot("x500", name="d"), "either position or on"),
        (lambda s: s.add_robot("x500", name="uav", position=(0, 0, 1)), "already"),
        (lambda s: s.parts["uav"].site("hok"), "hook"),
        (lambda s: s.add_tether("papre", name="t", start=None, end=None, length=2.0), "paper"),
        (
            lambda s: s.add_tether("paper", name="t", start=None, end=None, length=2.0, paid_out=3.0),
            "at most length",
        ),
        (
            lambda s: s.add_tether("paper", name="t", start=None, end=None, length=2.0, winch="papr"),
            "paper",
        ),
    ],
)
def test_mistakes_in_a_scene_are_one_sentence(mistake, said):
    scene = team().scene
    with pytest.raises(InputError, match=said):
        mistake(scene)


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("uav", {"position": (0, 0, 2)}, "take_off"),
        ("uav", {"length": 2.0}, "takes position"),
        ("uav", {}, "got nothing"),
        ("main", {"length": 19.0}, "18 m of tether"),
        ("main", {"length": 2.0, "tension": 3.0}, "give one of"),
        ("main", {"position": (0, 0, 1)}, "takes length"),
        ("ugv", {"take_off": True}, "takes position"),
        ("uva", {"hold": True}, "uav"),
    ],
)
def test_wrong_commands_are_one_sentence(name, given, said):
    with pytest.raises(InputError, match=said):
        team().command(name, **given)


@pytest.mark.parametrize(
    ("controllers", "said"),
    [
        ({"uva": "position"}, "uav"),
        ({"uav": "positoin"}, "position"),
        ({"uav": 3}, "rate_hz"),
    ],
)
def test_wrong_controllers_are_one_sentence(controllers, said):
    with pytest.raises(InputError, match=said):
        team(controllers=controllers)
