"""Copies of a tether, made in any of Python's ways, are tethers of their own."""

import copy
import pickle

import numpy as np
import pytest
from tether_scenes import make_spec

import tetherlab as tl

WAYS = [
    pytest.param(tl.Tether.copy, id="copy method"),
    pytest.param(copy.copy, id="copy"),
    pytest.param(copy.deepcopy, id="deepcopy"),
    pytest.param(lambda tether: pickle.loads(pickle.dumps(tether)), id="pickle"),
]


@pytest.mark.parametrize("twin_of", WAYS)
def test_a_copy_goes_on_by_itself_as_the_original_does(twin_of):
    body = tl.RigidBody(mass=0.5, inertia=(0.01, 0.01, 0.01), radius=0.1)
    tether = tl.Tether(
        make_spec(), base=(0, 0, 1), end=(1, 0, 0.2), length=1.5, world=tl.World.ground(), end_body=body
    )
    for _ in range(3):
        tether.step(0.01, reel_speed=0.5)
    twin = twin_of(tether)
    before = tether.nodes
    for _ in range(20):
        twin.step(0.01, reel_speed=1.0)
    assert np.array_equal(tether.nodes, before)
    for _ in range(20):
        tether.step(0.01, reel_speed=1.0)
    assert twin.time == tether.time
    assert np.array_equal(twin.nodes, tether.nodes)
    assert twin.energy == tether.energy
