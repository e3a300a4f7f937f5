"""A branch by itself in a scene, turned by given loads."""

import math

import numpy as np
import pytest
from canopy_scenes import twig

from tetherlab.assembly.scene import Scene
from tetherlab.assembly.scene_simulation import SceneSimulation
from tetherlab.contracts.errors import InputError
from tetherlab.plant.branch import Branch
from tetherlab.plant.joint_build import joint_energy

H = 0.002


def grown(branch):
    scene = Scene()
    scene.add_branch(branch)
    return SceneSimulation(scene, dt=H)


def swing(sim, duration):
    """Bends (n, 2) and energies (n,)."""
    bends, energies, inertia = [], [], sim.graph.body[0]["inertia_B"]
    for _ in range(round(duration / H)):
        sim.step()
        bends.append(sim["twig_root"].angles)
        rates = np.linalg.solve(inertia, sim.graph.body[0]["R_WB"].T @ sim.graph.body[0]["L_W"])
        energies.append(0.5 * rates @ inertia @ rates + joint_energy(sim.graph.joint))
    return np.array(bends), np.array(energies)


def test_it_keeps_its_energy_also_in_both_directions():
    given = twig(bent=(0.5, 0.3), damping=0.0)
    sim, (side, lift) = grown(given), given.axes
    body = sim.graph.body[0]
    turning = 3.0 * side - 4.0 * given.rotation((0.5, 0.0)) @ lift
    body["L_W"] = body["R_WB"] @ body["inertia_B"] @ body["R_WB"].T @ turning
    sim.step()
    bends, energies = swing(sim, 5.0)
    assert np.ptp(bends, axis=0).min() > 0.3
    assert np.ptp(energies) < 2e-3 * energies[:500].mean()
    assert energies[-500:].mean() == pytest.approx(energies[:500].mean(), rel=2e-4)


def test_a_load_bends_it_by_load_over_stiffness():
    given = twig(damping=20.0)
    sim, (side, lift) = grown(given), given.axes
    sim.command("twig", torque=1.2 * side - 0.6 * lift)
    bends, _ = swing(sim, 5.0)
    assert bends[-1] == pytest.approx([1.2 / given.stiffness, -0.6 / given.stiffness], rel=1e-3)


def test_at_rest_it_takes_no_steps_and_wakes_when_it_is_pushed():
    given = twig()
    sim, (side, _) = grown(given), given.axes
    sim.run(until=0.5)
    assert sim.graph.program.island["steps"][0] == 1
    assert np.abs(sim["twig_root"].angles).max() < 1e-12
    sim.command("twig", torque=0.6 * side)
    sim.run(until=0.6)
    pace = math.sqrt(given.stiffness / given.inertia)
    wanted = 0.6 / given.stiffness * (1.0 - math.cos(0.1 * pace))
    assert sim["twig_root"].angles[0] == pytest.approx(wanted, rel=0.15)
    sim.command("twig", torque=np.zeros(3))
    sim.run(until=0.7)
    assert np.abs(sim["twig_root"].rates).max() > 0.01


def test_it_is_held_until_its_release():
    given = twig(bent=(math.radians(15.0), 0.0), release_time=0.5)
    sim = grown(given)
    sim.command("twig", torque=(5.0, 0.0, 5.0))
    bends, _ = swing(sim, 1.0)
    t = H * np.arange(1, len(bends) + 1)
    assert bends[t < 0.499] == pytest.approx(np.tile(given.bent, ((t < 0.499).sum(), 1)), abs=1e-9)
    assert np.abs(bends[t > 0.6] - bends[0]).max() > 0.1


@pytest.mark.parametrize("tip", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.2), (-0.5, 0.5, -0.5), (0.0, 0.0, 1.0)])
def test_sideways_is_to_the_left_and_up_is_up(tip):
    branch = Branch(name="b", root=np.zeros(3), tip=tip, radius=0.01, stiffness=1.0, damping=0.0, inertia=1.0)
    along = np.array(tip) / np.linalg.norm(tip)
    side, lift = branch.axes
    assert abs(side @ along) < 1e-12 and abs(lift @ along) < 1e-12
    for bent, way in (((0.1, 0.0), np.cross(side, along)), ((0.0, 0.1), side)):
        R = branch.rotation(bent)
        assert (R @ along - along) @ way == pytest.approx(math.sin(0.1), abs=1e-9)
        assert np.linalg.det(R) == pytest.approx(1.0)
    if abs(along[2]) < 0.9:
        assert side[2] > 0.0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"stiffness": 0.0}, "Branch.stiffness must be > 0"),
        ({"bent": (2.0, 0.0)}, "within 80 deg"),
        ({"release_time": -1.0}, "release_time must be >= 0"),
        ({"inertai": 1.0}, "Did you mean 'inertia'"),
        ({"radius": 0.6}, "a rod, not a ball"),
    ],
)
def test_a_wrong_branch_is_explained(wrong, words):
    with pytest.raises(InputError, match=words):
        twig(**wrong)
