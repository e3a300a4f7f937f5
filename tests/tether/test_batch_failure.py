"""A step of a batch that does not converge leaves a file for the first tether that failed."""

import re

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.assembly.failure_replay import replay_failure
from tetherlab.contracts.failure_file import read_failure
from tetherlab.contracts.failure_ring import KEPT
from tetherlab.tether import batch_ring
from tetherlab.tether.failure import TetherFailure

SPEC = tl.TetherSpec(linear_density=0.03, diameter=0.006)
NOWHERE = (1e300, 0.0, 1.0)  # no step leads there


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """Where the files go."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def batch_of(count, **options):
    return tl.TetherBatch(
        [
            tl.Tether(SPEC, base=(0, 0, 1), end=(2, 0, 1 + 0.1 * k), length=2.5, name=f"line {k}", **options)
            for k in range(count)
        ]
    )


def ends(batch, *failing):
    """Where their ends are, but for those that go nowhere."""
    return [NOWHERE if i in failing else tether.nodes[-1] for i, tether in enumerate(batch.tethers)]


def failure_of(step, *arguments, **options):
    """The file of a step that fails."""
    with pytest.raises(tl.SimulationError) as error:
        step(*arguments, **options)
    return re.search(r"`tetherlab replay-failure (\S+)` computes the last", str(error.value))[1]


def replay(path, tether):
    """How many steps are replayed; they end in the very state in which the failure left the tether."""
    failure = TetherFailure(*read_failure(path), str(path))
    assert failure.replay()
    again, state = failure.tether._state, tether._state
    count = int(state.number[0])
    for name in ("x", "v", "a", "rest", "tension", "offset", "contact", "wrap"):
        assert getattr(again, name)[:count].tobytes() == getattr(state, name)[:count].tobytes(), name
    for name in ("total", "body", "reaction"):
        assert getattr(again, name).tobytes() == getattr(state, name).tobytes(), name
    assert len(again.rest) == len(state.rest)
    return len(read_failure(path)[1]["commands"])


def test_what_led_to_it_is_computed_again_to_the_last_bit():
    """With wind, an obstacle that moves, reeling that needs more room, and refused arguments in between."""
    pole = tl.shapes.Capsule(start=(0, -1, 0), end=(0, 1, 0), radius=0.1, name="pole")
    world = tl.World([pole, tl.shapes.Plane(point=(0, 0, -1), name="ground")])
    world.place("pole", position=(1.0, 0, 0.0))
    batch = batch_of(3, world=world, wind=tl.Wind.uniform((3.0, 1.0, 0.0)).with_gusts(0.3, 5.0, 2))
    start = np.array(ends(batch))
    for k in range(120):
        world.place("pole", position=(1.0, 0, 0.005 * k), velocity=(0, 0, 0.5))
        batch.step(0.01, end=start + 0.1 * np.sin(0.1 * k), reel_speed=(2.0, 0.5, 0.0))
        if k % 10 == 0:
            with pytest.raises(tl.InputError):
                batch.step(0.01, reel_speed=(1.0, 1.0, -1000.0))
    assert batch[1].contacts
    path = failure_of(batch.step, 0.01, end=ends(batch, 1), reel_speed=(2.0, 0.5, 0.0))
    assert replay(path, batch[1]) == 71
    head = read_failure(path)[0]
    assert head["time"] - head["since"] == pytest.approx(0.7)
    again = replay_failure(path)
    assert again.recurred and again.what == "line 1, tethers[1] of a batch: a step of the tether"


def test_room_that_another_tether_needed_is_there_in_the_replay():
    batch = batch_of(2)
    for _ in range(30):
        batch.step(0.01, reel_speed=(20.0, 0.0))
    assert replay(failure_of(batch.step, 0.01, end=ends(batch, 1)), batch[1]) == 31


def test_forces_on_bodies_are_replayed():
    crate = tl.RigidBody(mass=0.5, inertia=(0.01, 0.01, 0.01), attachment=(0, 0, 0.1))
    batch = batch_of(2, end_body=crate)
    push = np.zeros((2, 3))  # that its user changes in place
    for k in range(90):
        push[:] = ((0.1 * k, 0.0, 1.0), (0.0, 0.1 * k, 6.0))
        batch.step(0.01, **({} if k % 7 == 0 else {"end_force": push}))
    push[1] = 1e200
    assert replay(failure_of(batch.step, 0.01, end_force=push), batch[1]) == 91


def test_the_message_says_how_many_failed_and_whose_file_it_is():
    batch = batch_of(4)
    batch.step(0.01)
    with pytest.raises(tl.SimulationError) as error:
        batch.step(0.01, end=ends(batch, 2, 3))
    assert str(error.value).startswith("2 of 4 tethers of the batch did not converge in the step of 0.01 s")
    assert "tethers [2, 3]" in str(error.value)
    assert "of tethers[2], `tetherlab replay-failure " in str(error.value)


def test_after_a_failure_a_new_history_begins_for_who_failed():
    batch = batch_of(2)
    for _ in range(10):
        batch.step(0.01)
    failure_of(batch.step, 0.01, end=ends(batch, 1))
    batch.step(0.01)
    assert replay(failure_of(batch.step, 0.01, end=ends(batch, 1)), batch[1]) == 2
    assert replay(failure_of(batch.step, 0.01, end=ends(batch, 0)), batch[0]) == 14


@pytest.mark.parametrize("change", ["step", "attach"])
def test_a_tether_that_was_changed_alone_has_a_history_from_there_on(change):
    batch = batch_of(3)
    for _ in range(60):
        batch.step(0.01)
    if change == "step":
        batch[1].step(0.02, reel_speed=300.0)
    else:
        batch[1].attach("end")
    for _ in range(7):
        batch.step(0.01, end=ends(batch))
    assert replay(failure_of(batch.step, 0.01, end=ends(batch, 1)), batch[1]) == 8
    assert replay(failure_of(batch.step, 0.01, end=ends(batch, 2)), batch[2]) == 69


def test_steps_of_the_batch_end_the_history_of_a_tether_stepped_alone():
    batch = batch_of(2)
    batch[0].step(0.01)
    batch.step(0.01)
    batch[0].step(0.01)
    assert replay(failure_of(batch[0].step, 0.01, end=NOWHERE), batch[0]) == 2


@pytest.mark.parametrize(("dt", "steps"), [(0.3, 6), (0.05, 30), (0.002, 500), (1e-4, 1000)])
def test_the_history_is_bounded_and_covers_half_a_second_where_it_can(monkeypatch, dt, steps):
    monkeypatch.setattr(batch_ring, "COMMANDS_MAX", 0)  # no more of them than of states
    batch = batch_of(2, element_length=1.0)
    for _ in range(steps):
        batch.step(dt)
    head, arrays, _ = read_failure(failure_of(batch.step, dt, end=ends(batch, 1)))
    size = sum(array.nbytes for name, array in arrays.items() if name.startswith("memory_"))
    assert arrays["commands"].nbytes <= KEPT * size
    assert head["time"] - head["since"] >= min(0.5, size // 112 * dt) - 1e-9


def test_where_no_file_can_be_written_the_failure_is_still_told(temporary, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(temporary / "nowhere"))
    batch = batch_of(2)
    with pytest.raises(tl.SimulationError, match=r"not converge.*; of .*no file could be written to replay"):
        batch.step(0.01, end=ends(batch, 0))
