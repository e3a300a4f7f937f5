"""Bodies that are held and let go, tethers on their drums, and the damped joint where a tether starts."""

import numpy as np
import pytest

import tetherlab as tl

BALL = tl.RigidBody(mass=0.5, inertia=(1e-3,) * 3)
CORD = tl.TetherSpec(linear_density=0.015, diameter=0.004, axial_stiffness=2e4, axial_damping=100.0)


def hung():
    """A ball on a cord below another one."""
    scene = tl.Scene()
    top = scene.add_body(BALL, name="top", position=(0.0, 0.0, 2.0))
    low = scene.add_body(BALL, name="low", position=(0.0, 0.0, 1.0))
    scene.add_tether(CORD, name="cord", start=top.site(), end=low.site(), length=1.0)
    return tl.Simulation(scene)


def test_what_hangs_on_a_body_that_is_held_hangs_there_until_it_is_let_go():
    sim = hung()
    sim.hold("top")
    sim.run(until=3.0)
    assert sim["top"].position.tolist() == [0.0, 0.0, 2.0] and not sim["top"].velocity.any()
    assert sim["low"].position[2] == pytest.approx(1.0, abs=0.01)
    assert sim["cord"].force_start[2] == pytest.approx(-(0.5 + 0.015) * 9.80665, rel=0.01)
    sim.let_go("top")
    before = sim["low"].position[2]
    sim.run(until=3.5)
    fallen = 0.5 * 9.80665 * 0.5**2
    assert sim["top"].position[2] == pytest.approx(2.0 - fallen, rel=0.02)
    assert sim["low"].position[2] == pytest.approx(before - fallen, rel=0.05)


def test_a_state_remembers_who_is_held():
    sim = hung()
    sim.hold("top")
    sim.run(until=0.2)
    state = sim.get_state()
    sim.let_go("top")
    sim.run(until=0.4)
    sim.set_state(state)
    sim.run(until=0.4)
    assert sim["top"].position.tolist() == [0.0, 0.0, 2.0]


def driven():
    scene = tl.Scene(tl.World([tl.shapes.Plane(name="ground")]))
    ugv = scene.add_robot("paper_ugv", name="ugv", position=(0.0, 0.0, 0.0))
    hand = scene.add_hand(name="hand", position=(2.0, 0.0, 1.5))
    scene.add_tether(CORD, name="cord", start=ugv.site("winch"), end=hand.site(), length=9.0, paid_out=3.0)
    return tl.Simulation(scene), hand


def test_a_tether_on_its_drum_weighs_in_its_robot_and_is_laid_again():
    sim, hand = driven()
    weighs = float(sim.graph.body["mass"][0])
    sim.stow("cord")
    assert float(sim.graph.body["mass"][0]) == pytest.approx(weighs + 3.0 * 0.015)
    sim.run(until=0.5)
    assert not sim["cord"].forces.any()
    assert sim.outcome is None
    with pytest.raises(tl.InputError, match="lies on its drum; lay it"):
        sim.release("cord", "end")
    with pytest.raises(tl.InputError, match="'cord' lies on its drum already"):
        sim.stow("cord")
    with pytest.raises(tl.InputError, match=r"9\.50 m would have to be out, the tether has 9 m"):
        sim.lay("cord", hand.site(), length=9.5)
    sim.lay("cord", hand.site(), length=4.0)
    assert float(sim.graph.body["mass"][0]) == pytest.approx(weighs - 1.0 * 0.015)
    assert sim["cord"].length == pytest.approx(4.0)
    assert sim["cord"].nodes[-1].tolist() == [2.0, 0.0, 1.5]
    with pytest.raises(tl.InputError, match="stow it first"):
        sim.lay("cord", hand.site(), length=4.0)
    sim.run(until=1.5)
    assert np.linalg.norm(sim["cord"].force_end) > 0.1


def test_what_cannot_be_held_is_said():
    sim = hung()
    with pytest.raises(tl.InputError, match="'top' is not held"):
        sim.let_go("top")
    sim.hold("top")
    with pytest.raises(tl.InputError, match="'top' is already held"):
        sim.hold("top")
    with pytest.raises(tl.InputError, match=r"there is no body 'tpo'. Did you mean"):
        sim.hold("tpo")
    with pytest.raises(tl.InputError, match="with shapes that others touch, cannot be held"):
        driven()[0].hold("ugv")


def test_damping_at_the_start_is_for_robots():
    scene = tl.Scene()
    ball = scene.add_body(BALL, name="ball", position=(0.0, 0.0, 1.0))
    hand = scene.add_hand(name="hand", position=(0.0, 0.0, 2.0))
    ends = {"start": ball.site(), "end": hand.site(), "length": 1.5}
    with pytest.raises(tl.InputError, match="start_damping is for a tether that starts at a robot"):
        scene.add_tether(CORD, name="cord", **ends, start_damping=(0.1, 0.1, 0.1))
    drone = scene.add_robot("x500", name="drone", position=(2.0, 0.0, 1.0))
    ends = {"start": drone.site("hook"), "end": hand.site(), "length": 3.0}
    with pytest.raises(tl.InputError, match="start_damping must be >= 0"):
        scene.add_tether(CORD, name="cord", **ends, start_damping=(0.1, -0.1, 0.1))


@pytest.mark.parametrize("damping", [None, (0.05, 0.05, 0.05)])
def test_a_robot_that_rocks_on_its_tether_comes_to_rest_by_the_damping_alone(damping):
    """A drone with its rotors off, which hangs from above its centre of mass, tilted by 0.3 rad."""
    scene = tl.Scene()
    hand = scene.add_hand(name="hand", position=(0.0, 0.0, 3.0))
    turn = (np.cos(0.15), 0.0, np.sin(0.15), 0.0)
    drone = scene.add_robot("x500", name="drone", position=(0.0, 0.0, 1.0), rotation_wxyz=turn)
    site = drone.site((0.0, 0.0, 0.1))
    length = float(np.linalg.norm(scene.at(site) - (0.0, 0.0, 3.0)))
    scene.add_tether(CORD, name="cord", start=site, end=hand.site(), length=length, start_damping=damping)
    sim = tl.Simulation(scene)
    sim.command("drone", land=True)  # nothing to push against
    sim._machinery.commands.flight["armed"] = 0
    sim.run(until=6.0)
    rocking = np.abs(sim.log["drone"]["wy_rad_per_s"][sim.log["drone"]["time_s"] > 4.0]).max()
    assert rocking > 0.5 if damping is None else rocking < 0.25
