"""A batch does to each of its tethers what it would do alone."""

import copy
import pickle

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
        ({"end": [(1, 0, 0), (0, 0, np.inf)]}, "end must be finite, got inf at end[1, 2]"),
        ({"end": np.zeros((3, 3))}, "end must have shape (2, 3) or (3,), got (3, 3)"),
        ({"end": "xx"}, "end must have shape (2, 3) or (3,), got 'xx'"),
        ({"end": [(1, 0, 0), (0, 0)]}, "end must have shape (2, 3) or (3,), got [(1, 0, 0), (0, 0)]"),
        ({"end": ("a", "b", "c")}, "end must be an array of numbers of shape (3,), got ('a', 'b', 'c')"),
        ({"end_force": (1, 0, 0)}, "tethers[0]: end is prescribed, so end_force has nothing to move"),
        ({"reel_speed": (1, 2, 3)}, "reel_speed must have shape (2,) or be a number, got (3,)"),
        ({"reel_speed": "fast"}, "reel_speed must be a number, got 'fast'"),
        ({"reel_speed": (0, np.nan)}, "reel_speed must be finite, got nan at reel_speed[1]"),
        ({"reel_speed": (0, -200)}, "tethers[1]: reel_speed = -200 m/s for 0.01 s would leave"),
        ({"dt": "0.1"}, "dt must be a number, got '0.1'"),
        ({"ennd": (0, 0, 0)}, "TetherBatch.step has no argument 'ennd'. Did you mean 'end'?"),
    ],
)
def test_a_command_that_cannot_be_is_refused(command, text):
    batch = tl.TetherBatch(pair())
    with pytest.raises(tl.InputError) as caught:
        batch.step(**{"dt": 0.01, **command})
    assert str(caught.value).startswith(text)


def lines(*winds, **options):
    return [
        tl.Tether(make_spec(), base=(0, 0, 0), end=(1, 0, 0), length=1.5, wind=wind, **options)
        for wind in winds
    ]


BREEZE = (5.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("tethers", "text"),
    [
        ([], "tethers must hold at least one Tether, got none"),
        ([1], "tethers[0] must be a tl.Tether, got 1"),
        (3, "tethers must be a list of tl.Tether, got 3"),
        (
            lines(None, world=WORLD) + lines(None, world=tl.World.ground(-5)),
            "tethers[1] lives in another world than tethers[0]; a batch has one world",
        ),
        (
            lines(None, tl.Wind.uniform(BREEZE)),
            "tethers[1] has another wind than tethers[0]; a batch has one wind",
        ),
    ],
)
def test_tethers_that_do_not_belong_together_are_refused(tethers, text):
    with pytest.raises(tl.InputError) as caught:
        tl.TetherBatch(tethers)
    assert str(caught.value) == text


def test_tethers_without_a_world_and_in_equal_winds_belong_together():
    assert len(tl.TetherBatch(lines(None, tl.Wind.calm()))) == 2
    assert len(tl.TetherBatch(lines(tl.Wind.uniform(BREEZE), tl.Wind.uniform(BREEZE)))) == 2


def test_a_tether_taken_from_a_batch_stays_part_of_it_when_reeling_needs_room():
    batch, alone = tl.TetherBatch(pair()), pair()
    taken = batch[1]
    for k in range(200):
        batch.step(0.01, reel_speed=(0.0, 5.0))
        alone[1].step(0.01, reel_speed=5.0)
        if k == 100:
            taken.step(0.02, reel_speed=300.0)
            alone[1].step(0.02, reel_speed=300.0)
    assert taken is batch[1]
    assert taken.length == pytest.approx(18.0)
    assert np.array_equal(taken.nodes, alone[1].nodes)


@pytest.mark.parametrize("twin_of", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_copied_or_pickled_batch_goes_on_by_itself_as_the_original_does(twin_of):
    batch = tl.TetherBatch(pair(tl.PointMass(0.3)))
    batch.step(0.01)
    twin = twin_of(batch)
    before = batch[0].nodes
    first = twin.step(0.01, end_force=(0, 0, 5), reel_speed=2.0)
    assert np.array_equal(batch[0].nodes, before)
    second = batch.step(0.01, end_force=(0, 0, 5), reel_speed=2.0)
    assert np.array_equal(first, second)
    assert np.array_equal(twin[1].nodes, batch[1].nodes)


@pytest.mark.parametrize("twin_of", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_copy_of_a_tether_of_a_batch_is_a_tether_of_its_own(twin_of):
    batch = tl.TetherBatch(pair())
    twin = twin_of(batch[0])
    twin.step(0.5, reel_speed=20.0)
    assert type(twin) is tl.Tether
    assert batch[0].length == pytest.approx(1.5)
