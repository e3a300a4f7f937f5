"""A step of a vehicle alone that does not converge leaves a file from which it is computed again."""

import copy
import json
import re

import numpy as np
import pytest
from vehicle_scenes import drone_spec, ground_spec

import tetherlab as tl
from tetherlab.assembly.failure_replay import replay_failure
from tetherlab.contracts.failure_file import HEAD, read_failure
from tetherlab.contracts.files import write_archive
from tetherlab.vehicles.alone import LoneQuadrotor, LoneRover

HOVER = (0.0, 0.0, 15.0)
MUCH = (1e200, 0.0, 1e200)  # [N]


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def flying(**options):
    return LoneQuadrotor(drone_spec(), position=(0.0, 0.0, 0.3), **options)


def failure_of(step, *arguments, **options):
    """The file of a step that fails."""
    with pytest.raises(tl.SimulationError, match="the smallest step did not converge") as error:
        step(*arguments, **options)
    return re.search(r"`tetherlab replay-failure (\S+)` computes the last", str(error.value))[1]


def numbers(vehicle):
    """What is said of the state in which the failure left it."""
    speed, rate = (np.linalg.norm(vector) for vector in (vehicle.velocity, vehicle.angular_velocity))
    return f"body        {speed:.4g} m/s, {rate:.4g} rad/s, at {vehicle.position.round(3).tolist()} m"


def test_a_drone_is_replayed_with_wind_arming_and_a_floor_that_moves():
    world = tl.World([tl.shapes.Box(lower=(-50, -50, -0.1), upper=(50, 50, 0), name="floor")])
    world.place("floor", position=(0.0, 0.0, 0.0))
    drone = flying(world=world, wind=tl.Wind.uniform((3.0, 0.0, 0.0)).with_gusts(0.3, 5.0, 2))
    for k in range(200):
        world.place("floor", position=(0.001 * k, 0.0, 0.0))
        drone.step(0.01, HOVER, yaw=0.01 * k, armed=k % 40 < 10, push=(0.01 * k, 0, 0), at=(0, 0.1, 0))
    assert drone.contact_forces.any()
    path = failure_of(drone.step, 0.01, HOVER, push=MUCH)
    head, _, _ = read_failure(path)
    assert 0.5 <= head["time"] - head["since"] < 1.01 and head["time"] == drone.time
    again = replay_failure(path)
    assert again.recurred and again.reached == drone.time and again.what == "a step of the quadrotor"
    assert numbers(drone) == again.lines[0]


def test_a_rover_is_replayed():
    rover = LoneRover(ground_spec())
    for k in range(80):
        rover.step(0.01, forward=0.3, turn=0.01 * k)
    again = replay_failure(failure_of(rover.step, 0.01, push=MUCH))
    assert again.recurred and again.reached == rover.time and numbers(rover) == again.lines[0]
    assert "contact     with ground" in again.lines


def test_a_record_that_was_changed_between_steps_begins_a_new_history():
    drone = flying()
    for _ in range(30):
        drone.step(0.01, HOVER)
    drone.body["L_W"][0] = (0.0, 0.0, 0.5)
    drone.step(0.01, HOVER)
    path = failure_of(drone.step, 0.01, HOVER, push=MUCH)
    assert len(read_failure(path)[1]["calls"]) == 2
    assert replay_failure(path).recurred and numbers(drone) == replay_failure(path).lines[0]


def test_a_copy_has_a_history_of_its_own():
    drone = flying()
    for _ in range(30):
        drone.step(0.01, HOVER)
    twin = copy.deepcopy(drone)
    for _ in range(3):
        twin.step(0.01, (0.0, 0.0, 20.0))
    assert len(read_failure(path := failure_of(twin.step, 0.01, HOVER, push=MUCH))[1]["calls"]) == 4
    assert replay_failure(path).recurred and numbers(twin) == replay_failure(path).lines[0]


def test_where_no_file_can_be_written_the_failure_is_still_told(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(tl.SimulationError, match=r"not converge.*; no file could be written to replay it"):
        flying().step(0.01, HOVER, push=MUCH)


def set_field(name, field, value):
    def change(arrays):
        arrays[name][field] = value

    return change


DAMAGE = {
    "rotors": set_field("state_rotors", "rotor_count", 1000),
    "points": set_field("state_body", "point_count", -1),
    "object": set_field("state_contacts", "object", 77),
    "steps": set_field("calls", (0, 0), 1e12),
    "wind": lambda arrays: arrays.update(wind_modes=np.zeros((3, 3))),
    "pose": lambda arrays: arrays.update(laws0_pose=np.zeros((5, 12))),
    "missing": lambda arrays: arrays.pop("state_body"),
}


@pytest.mark.parametrize("which", DAMAGE)
def test_a_damaged_file_is_answered_with_a_sentence(which):
    drone = flying()
    for _ in range(200):
        drone.step(0.01, (0, 0, 0), armed=False)
    path = failure_of(drone.step, 0.01, HOVER, push=MUCH)
    head, arrays, extra = read_failure(path)
    DAMAGE[which](arrays)
    write_archive(path, {HEAD: json.dumps(head), **extra}, arrays)
    with pytest.raises(tl.InputError, match=re.escape(path)) as error:
        replay_failure(path)
    assert "\n" not in str(error.value)
