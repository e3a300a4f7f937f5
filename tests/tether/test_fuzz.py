"""A few random runs, the seeds that once failed, and the study's own eyes."""

import sys
from pathlib import Path

import numpy as np
import pytest

import tetherlab as tl

sys.path.insert(0, str(Path(__file__).parents[2]))  # `validation` is not part of the package

from validation.fuzz import reasons, run
from validation.fuzz_scene import draw_scene
from validation.winding import PoleWatch

QUICK = [1, 4, 5, 6, 8, 15, 26, 49, 68, 116, 227]
QUICK_WIDE = [0, 12, 25, 46, 49, 55, 1010, 30176, 30704, 30829, 30844, 30994, 31112, 31567, 50547, 50696]
ONCE_FAILED = [
    0, 2, 3, 7, 9, 10, 11, 12, 13, 14, 17, 20, 21, 22, 23, 27, 28, 30, 32, 34, 36, 38, 39, 40, 42, 46, 48, 50,
    57, 58, 59, 65, 92, 102, 110, 125, 142, 154, 170, 197, 249, 260, 275, 349, 500, 808, 903,
]  # fmt: skip


def found(seed, wide=False):
    scene = draw_scene(seed, wide)
    return reasons(run(scene), scene)


@pytest.mark.parametrize("seed", QUICK)
def test_a_random_run_breaks_nothing(seed):
    assert found(seed) == []


@pytest.mark.parametrize("seed", QUICK_WIDE)
def test_a_random_run_at_the_edges_of_what_a_tether_accepts_breaks_nothing(seed):
    assert found(seed, wide=True) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", ONCE_FAILED)
def test_a_run_that_once_failed_does_so_no_more(seed):
    assert found(seed) == []


def test_a_seed_always_draws_the_same_scene():
    a, b = draw_scene(3), draw_scene(3)
    assert a.describe() == b.describe()
    np.testing.assert_array_equal(a.velocity[0], b.velocity[0])
    np.testing.assert_array_equal(a.mover_offset, b.mover_offset)


def _look_along(path, dt=0.01):
    """What the watch sees of a straight tether from x = 0 to 2 m when a vertical pole moves along `path`."""
    spec = tl.TetherSpec(linear_density=0.1, diameter=0.008)
    tether = tl.Tether(spec, base=(0.0, 0.0, 1.0), end=(2.0, 0.0, 1.0), length=2.0)
    watch = PoleWatch(np.array([0.0, 0.0, 1.0]), 0)
    centres = np.column_stack([path, np.zeros(len(path))])
    for centre, velocity in zip(centres, np.gradient(centres, dt, axis=0), strict=True):
        watch.look(tether, centre, velocity, dt)
    return watch.crossings


def test_the_watch_sees_a_pole_that_cuts_through_the_tether():
    y = np.linspace(-0.51, 0.5, 50)
    assert _look_along(np.column_stack([np.full(50, 0.73), y])) == 1


def test_the_watch_lets_a_pole_go_round_the_end():
    angle = np.linspace(-3.0, 3.0, 60)
    assert _look_along(np.column_stack([2.0 + 0.3 * np.cos(angle), 0.3 * np.sin(angle)])) == 0


def test_the_watch_lets_a_pole_go_round_both_ends_many_times():
    angle = np.linspace(0.0, 20.0, 600)
    assert _look_along(np.column_stack([1.0 + 1.5 * np.cos(angle), 1.2 * np.sin(angle)])) == 0
