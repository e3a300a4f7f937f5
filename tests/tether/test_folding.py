"""Folds sharper than the elements can follow: they open, keep their energy, and get none for nothing."""

import numpy as np
import pytest
from tether_scenes import book, make_spec

import tetherlab as tl
from tetherlab.tether.folding import FOLD_ABOVE
from tetherlab.tether.readout import sharpness


def closing(k):
    """Where the end is that comes from 1 m to 5 cm within 1 s and stays there."""
    return (max(0.05, 1.0 - 0.01 * k), 0.0, 0.0)


def folding(element_length=0.1, step_max=0.005, calls=100, **spec):
    """A slack tether without losses, folded by moving its end next to its base while the winch runs."""
    tether = tl.Tether(
        make_spec(axial_damping=0.0, **spec), base=(0, 0, 0), end=(1, 0, 0), length=3.0,
        element_length=element_length, step_max=step_max,
    )  # fmt: skip
    for k in range(calls):
        tether.step(0.01, end=closing(k + 1), reel_speed=0.01)
    return tether


@pytest.mark.parametrize("element_length", [0.05, 0.1, 0.2])
def test_a_fold_that_swings_freely_keeps_its_energy(element_length):
    tether = folding(element_length)
    start, lost, held = tether.energy.total, tether.energy.dissipated, []
    for _ in range(300):
        tether.step(0.01)
        held.append(np.max(sharpness(tether.nodes) - FOLD_ABOVE))
        assert tether.energy.total == pytest.approx(start, abs=2e-5)
    assert max(held) > 0.05
    assert tether.energy.dissipated == lost


def test_a_fold_opens_to_a_few_elements():
    tether = folding(calls=800, drag_coefficient=200.0, drag_coefficient_tangential=200.0)
    turn = np.arccos(1.0 - sharpness(tether.nodes))
    assert np.degrees(turn.max()) < 60.0
    assert (turn > 0.2).sum() >= 4


def test_a_shape_that_is_folded_at_the_start_gets_no_energy_for_it():
    corner = [(0, 0, 0), (0, 0, -1), (0.5, 0, -1), (0.5, 0, 0)]
    tether = tl.Tether(make_spec(), base=(0, 0, 0), end=(0.5, 0, 0), length=2.5, shape=corner)
    assert tether.energy.elastic == pytest.approx(0.0, abs=1e-12)
    before = book(tether)
    for _ in range(20):
        tether.step(1e-4)
        assert book(tether) == pytest.approx(before, abs=1e-9)


def test_without_gravity_nothing_resists():
    corner = [(0, 0, 0), (0, 0, -1), (0.5, 0, -1), (0.5, 0, 0)]
    tether = tl.Tether(
        make_spec(), base=(0, 0, 0), end=(0.5, 0, 0), length=2.5, shape=corner, world=tl.World(gravity=0.0)
    )
    start = tether.nodes
    for _ in range(100):
        tether.step(0.01, reel_speed=0.0)
    assert np.allclose(tether.nodes, start, rtol=0, atol=1e-9)


def test_a_fold_that_is_reeled_up_to_the_winch_takes_its_energy_along():
    tether = folding(calls=300, drag_coefficient=20.0)
    start, scale = book(tether), 0.0
    while tether.length > 0.3:
        tether.step(0.01, reel_speed=-0.5)
        scale = max(scale, abs(tether.energy.work))
    assert book(tether) == pytest.approx(start, abs=0.03 * scale)
