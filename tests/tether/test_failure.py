"""A step that does not converge leaves a file from which it is computed again, bit by bit."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.assembly.failure_replay import replay_failure
from tetherlab.contracts import failure_file
from tetherlab.contracts.failure_file import read_failure
from tetherlab.contracts.failure_ring import KEPT
from tetherlab.contracts.files import write_archive
from tetherlab.tether.failure import ROOM_MAX, STEPS_MAX, TetherFailure

SPEC = tl.TetherSpec(linear_density=0.03, diameter=0.006)
NOWHERE = (1e300, 0.0, 1.0)  # no step leads there


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """Where the files go."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def fail(tether, dt=0.01, **arguments):
    """The file of a step that fails."""
    with pytest.raises(tl.SimulationError) as error:
        tether.step(dt, **(arguments or {"end": NOWHERE}))
    return re.search(r"`tetherlab replay-failure (\S+)` computes the last", str(error.value))[1]


def replayed(path):
    failure = TetherFailure(*read_failure(path), str(path))
    return failure, failure.replay()


def swinging(**options):
    return tl.Tether(SPEC, base=(0, 0, 1), end=(2, 0, 1), length=2.5, **options)


def same(failure, tether):
    """Whether the replay ended in the very state in which the failure left the tether."""
    again, state = failure.tether._state, tether._state
    names = ("total", "x", "v", "a", "rest", "tension", "offset", "contact", "wrap", "body", "reaction")
    return all(getattr(again, name).tobytes() == getattr(state, name).tobytes() for name in names)


def test_what_led_to_it_is_computed_again_to_the_last_bit():
    """With wind, an obstacle that moves, reeling that needs more room, and refused arguments in between."""
    pole = tl.shapes.Capsule(start=(0, -1, 0), end=(0, 1, 0), radius=0.1, name="pole")
    world = tl.World([pole, tl.shapes.Plane(point=(0, 0, -1), name="ground")])
    world.place("pole", position=(1.0, 0, 0.0))
    gusts = tl.Wind.uniform((3.0, 1.0, 0.0)).with_gusts(0.3, 5.0, 2)
    tether = swinging(world=world, wind=gusts)
    for k in range(120):
        world.place("pole", position=(1.0, 0, 0.005 * k), velocity=(0, 0, 0.5))
        tether.step(0.01, end=(2 + 0.1 * np.sin(0.1 * k), 0, 1), reel_speed=2.0)
        if k % 10 == 0:
            with pytest.raises(tl.InputError):
                tether.step(0.01, end=(1, 2))
    assert tether.contacts
    failure, recurred = replayed(path := fail(tether))
    assert recurred and failure.iterations > 0 and same(failure, tether)
    head, arrays, _ = read_failure(path)
    assert head["time"] == tether.time and 0.5 - 1e-9 <= head["time"] - head["since"] <= 1.01
    assert len(arrays["commands"]) == round((head["time"] - head["since"]) / 0.01) + 1


def test_forces_on_bodies_are_replayed():
    crate = tl.RigidBody(mass=0.5, inertia=(0.01, 0.01, 0.01), attachment=(0, 0, 0.1))
    tether = tl.Tether(SPEC, base=(0, 0, 3), end=(1, 0, 1.5), length=1.8, end_body=crate)
    push = np.zeros(3)  # that its user changes in place
    for k in range(90):
        push[:] = (0.1 * k, 0.0, 1.0)
        tether.step(0.01, end_force=push, end_torque=(0, 0, 0.01) if k % 2 else None)
    path = fail(tether, end_force=(1e200, 1e200, 0.0))
    failure, recurred = replayed(path)
    assert recurred and same(failure, tether)


def test_a_change_of_hands_begins_a_new_history():
    tether = swinging()
    for _ in range(60):
        tether.step(0.01)
    tether.attach("end", tl.PointMass(0.3))
    for _ in range(7):
        tether.step(0.01, end_force=(0, 0, 2.0))
    path = fail(tether, end_force=(1e300, 0, 0))
    assert len(read_failure(path)[1]["commands"]) == 8 and replayed(path)[1]


@pytest.mark.parametrize(("dt", "steps"), [(0.3, 6), (0.05, 30), (0.002, 500), (1e-5, 2 * STEPS_MAX)])
def test_the_history_is_bounded_and_covers_half_a_second_where_it_can(dt, steps):
    tether = swinging(element_length=1.0)
    for _ in range(steps):
        tether.step(dt)
    head, arrays, _ = read_failure(fail(tether, dt))
    assert len(arrays["commands"]) <= KEPT * STEPS_MAX
    assert head["time"] - head["since"] >= min(0.5, (KEPT - 1) * STEPS_MAX * dt) - 1e-9


def test_a_copy_has_a_history_of_its_own():
    tether = swinging()
    for _ in range(30):
        tether.step(0.01)
    twin = tether.copy()
    twin.step(0.01)
    assert len(read_failure(fail(twin))[1]["commands"]) == 2
    assert len(read_failure(fail(tether))[1]["commands"]) == 31


def test_the_temporary_folder_keeps_the_newest(temporary, monkeypatch):
    monkeypatch.setattr(failure_file, "KEPT", 3)
    tether = swinging()
    paths = [fail(tether) for _ in range(5)]
    (folder,) = temporary.glob("tetherlab-failures-*")
    assert len(list(folder.iterdir())) == 3 and replayed(paths[-1])[1]


def test_where_no_file_can_be_written_the_failure_is_still_told(temporary, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(temporary / "nowhere"))
    with pytest.raises(tl.SimulationError, match=r"not converge.*; no file could be written to replay it"):
        swinging().step(0.01, end=NOWHERE)


def test_a_failure_that_cannot_be_written_leaves_no_empty_file(temporary, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(failure_file, "write_archive", full)
    with pytest.raises(tl.SimulationError, match="replay it: No space left on device"):
        swinging().step(0.01, end=NOWHERE)
    assert not list(temporary.glob("tetherlab-failures-*/*"))


def test_the_command_can_be_pasted_where_a_folder_has_a_space(temporary, monkeypatch):
    (place := temporary / "a run").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    with pytest.raises(tl.SimulationError) as error:
        swinging().step(0.01, end=NOWHERE)
    command = re.search(r"`(.*)`", str(error.value))[1]
    assert replayed(shlex.split(command)[-1])[1]


def rewritten(path, change):
    """The file with other arrays; `change` is called with head and arrays."""
    head, arrays, extra = read_failure(path)
    change(head, arrays)
    write_archive(path, {failure_file.HEAD: json.dumps(head), **extra}, arrays)


def set_field(name, field, value):
    def change(head, arrays):
        arrays[name][field] = value

    return change


DAMAGE = {
    "count": set_field("memory_number", 0, 10_000),
    "end": set_field("memory_number", 1, 9),
    "object": set_field("memory_contact", "object", 77),
    "points": set_field("memory_body", "point_count", 1000),
    "room": lambda head, arrays: arrays.update(memory_vectors=arrays["memory_vectors"][:, :5]),
    "kind": lambda head, arrays: arrays.update(commands=np.zeros((2, 14), np.float32)),
    "years": set_field("commands", (0, 0), 1e12),
    "backwards": set_field("commands", (0, 0), -0.01),
    "no step": set_field("memory_constants", -1, 1e-300),
    "missing": lambda head, arrays: arrays.pop("loads"),
    "growth": lambda head, arrays: arrays.update(grown_at=np.array([0]), grown_to=np.array([ROOM_MAX + 1])),
    "wind": lambda head, arrays: arrays.update(wind_modes=np.zeros((3, 3))),
    "who": lambda head, arrays: head.update(kind="teapot"),
    "format": lambda head, arrays: head.update(format=99),
}


@pytest.mark.parametrize("which", DAMAGE)
def test_a_damaged_file_is_answered_with_a_sentence(which):
    tether = swinging(world=tl.World.ground())
    tether.step(0.01)
    path = fail(tether)
    rewritten(path, DAMAGE[which])
    with pytest.raises(tl.InputError, match=re.escape(path)) as error:
        replay_failure(path)
    assert "\n" not in str(error.value)


def test_half_a_file_and_what_is_none_are_answered_with_a_sentence(temporary):
    path = temporary / "failure.npz"
    whole = Path(fail(swinging())).read_bytes()
    for content in (b"", b"no failure", whole[: len(whole) // 2], whole[:-1]):
        path.write_bytes(content)
        with pytest.raises(tl.InputError, match=r"failure.npz: damaged, or not a failure that"):
            replay_failure(path)
    with pytest.raises(tl.InputError, match="no such file"):
        replay_failure(temporary / "nosuch.npz")
