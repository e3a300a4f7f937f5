"""A branch by itself, turned by given loads."""

import math

import numpy as np
import pytest
from canopy_scenes import twig

from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import plain
from tetherlab.math.record import make_records
from tetherlab.plant.branch import (
    BRANCH,
    Branch,
    branch_twist,
    fill_pose,
    find_load,
    keep_branch,
    turn_branch,
)

H = 0.002


def row_of(branch):
    row = make_records(1, BRANCH).view(np.recarray)[0]
    branch.fill(row, 0)
    return row


def swing(row, duration, load=(0.0, 0.0), h=H):
    """Bends (n, 2) and energies (n,) under a constant load."""
    bends, energies = [], []
    for k in range(round(duration / h)):
        row.load[:] = load
        plain(turn_branch)(row, k * h, h)
        row.found[:] = 0.0
        plain(keep_branch)(row)
        bends.append(row.bent.copy())
        turning = (math.cos(row.bent[1]) * row.rate[0]) ** 2 + row.rate[1] ** 2
        energies.append(0.5 * row.inertia * turning + 0.5 * row.stiffness * (row.bent**2).sum())
    return np.array(bends), np.array(energies)


def test_it_swings_and_decays_like_an_oscillator():
    given = twig(bent=(0.1, 0.0))
    bends, _ = swing(row_of(given), 2.0)
    decay = 0.5 * given.damping / given.inertia
    pace = math.sqrt(given.stiffness / given.inertia - decay**2)
    t = H * np.arange(1, len(bends) + 1)
    wanted = 0.1 * np.exp(-decay * t) * (np.cos(pace * t) + decay / pace * np.sin(pace * t))
    assert bends[:, 0] == pytest.approx(wanted, abs=4e-4)
    assert not bends[:, 1].any()


def test_it_keeps_its_energy_also_in_both_directions():
    row = row_of(twig(bent=(0.5, 0.3), damping=0.0))
    row.rate[:] = 3.0, -4.0
    _, energies = swing(row, 5.0)
    early, late = energies[:500].mean(), energies[-500:].mean()
    assert np.ptp(energies) < 2e-3 * early
    assert late == pytest.approx(early, rel=2e-4)


def test_a_load_bends_it_by_load_over_stiffness():
    given = twig(damping=20.0)
    bends, _ = swing(row_of(given), 5.0, load=(1.2, -0.6))
    assert bends[-1] == pytest.approx([1.2 / given.stiffness, -0.6 / given.stiffness], rel=1e-3)


def test_it_is_held_until_its_release():
    row = row_of(twig(bent=(math.radians(15.0), 0.0), release_time=0.5))
    bends, _ = swing(row, 1.0, load=(5.0, 5.0))
    t = H * np.arange(len(bends))
    assert (bends[t < 0.499] == row_of(twig(bent=(math.radians(15.0), 0.0))).bent).all()
    assert np.abs(bends[t > 0.6] - bends[0]).max() > 0.1


@pytest.mark.parametrize("tip", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.2), (-0.5, 0.5, -0.5), (0.0, 0.0, 1.0)])
def test_sideways_is_to_the_left_and_up_is_up(tip):
    branch = Branch(name="b", root=np.zeros(3), tip=tip, radius=0.01, stiffness=1.0, damping=0.0, inertia=1.0)
    along, row, R = np.array(tip) / np.linalg.norm(tip), row_of(branch), np.empty(9)
    side, lift = branch.axes
    assert abs(side @ along) < 1e-12 and abs(lift @ along) < 1e-12
    for bent, way in (((0.1, 0.0), np.cross(side, along)), ((0.0, 0.1), side)):
        plain(fill_pose)(row, np.array(bent), R)
        moved = R.reshape(3, 3) @ along
        assert (moved - along) @ way == pytest.approx(math.sin(0.1), abs=1e-9)
        assert np.linalg.det(R.reshape(3, 3)) == pytest.approx(1.0)
    if abs(along[2]) < 0.9:
        assert side[2] > 0.0


def test_a_force_at_the_tip_loads_it_the_way_it_pushes():
    """Upwards bends it up, to the left bends it to the left; power is load times rate."""
    branch = twig(bent=(0.2, 0.1))
    row, R, twist = row_of(branch), np.empty(9), np.empty(6)
    row.rate[:] = 1.0, -2.0
    row.release_time = 0.0
    plain(turn_branch)(row, 0.0, 1e-6)
    plain(branch_twist)(row, 1e-6, twist)
    plain(fill_pose)(row, row.bent, R)
    arm = R.reshape(3, 3) @ (branch.tip - branch.root)
    for force in ((0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.3, 0.5, -0.7)):
        plain(find_load)(row, np.concatenate([force, np.cross(arm, force)]) * 1e-6, 1e-6)
        power = np.dot(force, np.cross(twist[3:], arm))
        assert row.found @ row.rate == pytest.approx(power, abs=1e-4)
        if force == (0.0, 0.0, 1.0):
            assert row.found[1] > 0.0
        if force == (-1.0, 0.0, 0.0):
            assert row.found[0] > 0.0


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
