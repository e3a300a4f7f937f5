"""A batch does to each of its tethers what it would do alone."""

import numpy as np
import pytest
from tether_scenes import make_spec

import tetherlab as tl

WORLD = tl.World()
NUDGE = np.array([[0.01, 0.0, 0.0], [0.0, -0.02, 0.01]])


def pair(end_body=None):
    """Two tethers that differ."""
    return [
        tl.Tether(
            make_spec(), base=(0, 0, 0), end=(1, 0, rise), length=length, world=WORLD, end_body=end_body
        )
        for rise, length in ((0.2, 1.5), (-0.3, 2.0))
    ]


@pytest.mark.parametrize(
    ("body", "given"),
    [
        (None, ()),
        (None, ("end",)),
        (None, ("base", "end", "base_velocity", "end_velocity")),
        (None, ("end", "reel_speed")),
        (tl.PointMass(0.3), ("base", "end_force")),
    ],
)
def test_a_batch_agrees_to_the_last_bit_with_single_tethers(body, given):
    alone = pair(body)
    batch = tl.TetherBatch(alone)
    starts = {
        "base": np.zeros((2, 3)),
        "end": np.array([tether.nodes[-1] for tether in alone]),
        "base_velocity": np.zeros((2, 3)),
        "end_velocity": np.zeros((2, 3)),
        "end_force": np.zeros((2, 3)),
        "reel_speed": np.array([0.3, -0.2]),
    }
    for k in range(1, 6):
        command = {n: starts[n] if n == "reel_speed" else starts[n] + k * NUDGE for n in given}
        on_base, on_end = batch.step(0.01, **command)
        for i, tether in enumerate(alone):
            forces = tether.step(0.01, **{name: rows[i] for name, rows in command.items()})
            assert np.array_equal(on_base[i], forces.on_base)
            assert np.array_equal(on_end[i], forces.on_end)
            assert np.array_equal(batch[i].nodes, tether.nodes)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ({"end": (0.0, np.nan, 0.0)}, "end must be finite, got nan at end[1]"),
        ({"end": [(1, 0, 0), (0, 0, np.inf)]}, "end must be finite, got inf at end[2]"),
        ({"end": np.zeros((3, 3))}, "end must have shape (2, 3) or (3,), got (3, 3)"),
        ({"end_force": (1, 0, 0)}, "end is prescribed, so end_force has nothing to move"),
    ],
)
def test_a_command_that_cannot_be_is_refused(command, text):
    batch = tl.TetherBatch(pair())
    with pytest.raises(tl.InputError) as caught:
        batch.step(0.01, **command)
    assert str(caught.value).startswith(text)
