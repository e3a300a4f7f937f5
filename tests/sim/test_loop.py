"""The loop of a run: rates, controllers that fail, commands, ends, and the same bits for the same seed."""

import dataclasses
import math
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.contracts.messages import UavCommand, UgvCommand, WinchCommand
from tetherlab.control.position import PositionController
from tetherlab.control.winch_rules import FollowDistance

SHORT = {
    "mission": {
        "targets": [{"uav_m": [0.0, 0.0, 1.6], "ugv_m": [0.0, 0.0, 0.0]}],
        "take_off": True,
        "take_off_height_m": 0.6,
        "uav_speed_m_per_s": 0.4,
    },
    "run": {"duration_max_s": 60.0},
}


def short(**mission):
    """Take off and one target."""
    return {"mission": {**SHORT["mission"], **mission}, "run": SHORT["run"]}


@dataclasses.dataclass(frozen=True, kw_only=True)
class FailsLater(PositionController):
    """Flies, and at a time does something that it should not."""

    mass: float = 1.477
    after: float = 0.3
    how: str = "nan"

    def __call__(self, memory, observation, reference):
        memory, command = super().__call__(memory, observation, reference)
        if observation.time < self.after:
            return memory, command
        if self.how == "nan":
            return memory, UavCommand([0.0, math.nan, 10.0])
        if self.how == "shape":
            return memory, UavCommand([0.0, 1.0])
        raise KeyError("battery")  # here


SOURCE = Path(__file__).read_text(encoding="utf-8").splitlines()
WHERE = 1 + next(index for index, line in enumerate(SOURCE) if line.endswith("# here"))


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("nan", "its command holds nan"),
        ("raise", f"test_loop.py:{WHERE}: KeyError: 'battery'"),
        ("shape", "force must be three numbers"),
    ],
)
def test_a_controller_that_fails_ends_the_run_and_keeps_its_data(how, said):
    log = tl.run("vertical", short(), controller=FailsLater(how=how))
    assert log.outcome is tl.Outcome.CONTROLLER_FAILED
    assert "UAV controller failed" in log.outcome_sentence
    assert said in log.outcome_sentence
    times = log["uav"]["time_s"]
    assert 0.25 < times[-1] < 0.35
    assert np.isfinite(log["uav"]["x_m"]).all()


@dataclasses.dataclass(frozen=True, kw_only=True)
class TwoThings(FollowDistance):
    """Asks two things that exclude each other."""

    def __call__(self, memory, observation, reference):
        return memory, WinchCommand(length=1.0, tension=5.0)


def test_a_winch_rule_that_asks_two_things_is_told_so():
    log = tl.run("vertical", short(), winch_rule=TwoThings())
    assert log.outcome is tl.Outcome.CONTROLLER_FAILED
    assert "a length, a tension or a speed" in log.outcome_sentence


class Answers:
    """Returns what it was made with, whoever it stands for."""

    rate_hz = 50.0

    def __init__(self, answer):
        self.answer = answer

    def init(self):
        pass

    def __call__(self, memory, observation, reference):
        return self.answer


@pytest.mark.parametrize(
    ("speaker", "answer", "said"),
    [
        ("controller", UavCommand((0.0, 0.0, 9.0)), r"\(memory, UavCommand\), got only the UavCommand"),
        ("controller", None, r"must return \(memory, UavCommand\), got None"),
        ("controller", (None, (0.0, 0.0, 9.0)), r"must return \(memory, UavCommand\), got \(memory, tuple\)"),
        ("controller", (None, UavCommand(9.0)), "force must be three numbers"),
        ("controller", (None, UavCommand("abc")), "force must be three numbers"),
        ("controller", (None, UavCommand(np.ones((3, 2)))), "force must be three numbers"),
        ("controller", (None, UavCommand((0.0, 0.0, 9.0), None)), "yaw a number"),
        ("winch_rule", WinchCommand(1.0), r"\(memory, WinchCommand\), got only the WinchCommand"),
        ("winch_rule", (None, 1.0), r"must return \(memory, WinchCommand\), got \(memory, float\)"),
        ("winch_rule", (None, WinchCommand("long")), "a length, a tension or a speed"),
        ("ugv_controller", [None, UgvCommand(0.0)], r"must return \(memory, UgvCommand\), got a list"),
        ("ugv_controller", (None, UgvCommand(None)), "forward, left and turn must be numbers"),
    ],
)
def test_a_wrong_answer_is_told_with_what_it_should_be_and_who_gave_it(speaker, answer, said):
    simulation = tl.Simulation("vertical", short(), **{speaker: Answers(answer)})
    assert not simulation.step()
    assert re.search(said, simulation.outcome_sentence)
    line = Answers.__call__.__code__.co_firstlineno
    assert f"test_loop.py:{line}: TypeError" in simulation.outcome_sentence


def test_an_error_inside_a_library_is_told_by_the_line_that_called_it():
    class Singular(Answers):
        def __call__(self, memory, observation, reference):
            return np.linalg.inv(np.zeros((3, 3)))

    simulation = tl.Simulation("vertical", controller=Singular(None))
    simulation.step()
    line = Singular.__call__.__code__.co_firstlineno + 1
    assert f"test_loop.py:{line}: LinAlgError" in simulation.outcome_sentence


@pytest.mark.parametrize("speaker", ["controller", "winch_rule", "ugv_controller"])
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (Answers, r"Answers is a class, pass an instance of it: Answers\(...\)"),
        (abs, "builtin_function_or_method has no init and no rate_hz; it needs rate_hz, init"),
        (SimpleNamespace(rate_hz=50.0, init=None), "SimpleNamespace has no init and no __call__"),
    ],
)
def test_what_cannot_decide_is_refused_before_the_run(speaker, wrong, said):
    with pytest.raises(tl.InputError, match=said):
        tl.Simulation("vertical", **{speaker: wrong})


@pytest.mark.parametrize("rate", [30.0, 70.0])
def test_a_rate_that_does_not_divide_the_clock_is_refused(rate):
    with pytest.raises(tl.InputError, match=f"winch rule: {rate:g} Hz must divide the clock's 100 Hz evenly"):
        tl.Simulation("vertical", winch_rule=FollowDistance(rate_hz=rate))


@pytest.mark.parametrize("rate", [0.0, -5.0, 1e5, "fast", None])
def test_a_rate_that_is_no_rate_is_refused(rate):
    with pytest.raises(tl.InputError, match="winch rule: rate_hz must be a number > 0 and at most 2000"):
        tl.Simulation("vertical", winch_rule=FollowDistance(rate_hz=rate))


def test_a_fast_controller_makes_the_clock_faster():
    calls = []

    class Counts(PositionController):
        def __call__(self, memory, observation, reference):
            calls.append(observation.time)
            return super().__call__(memory, observation, reference)

    simulation = tl.Simulation("vertical", controller=Counts(mass=1.477, rate_hz=400.0))
    simulation.run(until=0.5)
    assert np.allclose(np.diff(calls), 1.0 / 400.0)
    assert len(calls) == 200


def test_slow_controllers_are_called_at_their_rate():
    calls = []

    class Counts(FollowDistance):
        def __call__(self, memory, observation, reference):
            calls.append(observation.time)
            return super().__call__(memory, observation, reference)

    tl.Simulation("vertical", winch_rule=Counts(rate_hz=20.0)).run(until=1.0)
    assert np.allclose(calls, np.arange(20) / 20.0)


def test_the_same_seed_gives_the_same_bits():
    one, two = (tl.Simulation("windy", seed=3) for _ in range(2))
    for simulation in (one, two):
        simulation.run(until=3.0)
    a, b = one.log, two.log
    for name in ("uav", "ugv", "winch", "tether"):
        for column in a[name].columns:
            assert np.array_equal(a[name][column], b[name][column]), (name, column)


def test_a_mission_is_flown_from_take_off_to_landing():
    log = tl.run("vertical", short(land=True))
    assert log.outcome is tl.Outcome.COMPLETED
    uav, ugv = log["uav"], log["ugv"]
    assert uav["z_m"].max() > 1.1
    # It stands where it started, on the middle of the deck.
    assert uav["z_m"][-1] == pytest.approx(uav["z_m"][0], abs=0.02)
    assert uav["x_m"][-1] - ugv["x_m"][-1] == pytest.approx(uav["x_m"][0], abs=0.03)


@pytest.mark.parametrize("robot", ["qav250", "x500"])
def test_other_packaged_drones_fly_the_same_mission(robot):
    log = tl.run("vertical", {**short(), "uav.robot": robot})
    assert log.outcome is tl.Outcome.COMPLETED


def test_a_differential_rover_drives_to_its_target():
    targets = [{"uav_m": [1.0, 0.8, 2.0], "ugv_m": [1.0, 0.8, 0.0]}]
    log = tl.run(
        "vertical",
        {**short(targets=targets, ugv_speed_m_per_s=0.2), "ugv.robot": "differential_ugv"},
    )
    assert log.outcome is tl.Outcome.COMPLETED
    assert math.hypot(log["ugv"]["x_m"][-1] - 1.0, log["ugv"]["y_m"][-1] - 0.8) < 0.3


@pytest.mark.parametrize("robot", ["paper_ugv", "differential_ugv"])
def test_a_rover_stands_on_its_target_wherever_its_centre_of_mass_is(robot):
    changes = {"ugv.robot": robot, "ugv.robot.center_of_mass_m": [0.1, 0.0, 0.2]}
    simulation = tl.Simulation("vertical", changes)
    simulation.command(uav=(0.0, 0.0, 2.0), ugv=(0.5, 0.0))
    simulation.run(until=30.0)
    assert simulation.state.ugv_origin[0] == pytest.approx(0.5, abs=0.015)


def test_a_run_that_is_too_slow_says_how_far_it_came():
    log = tl.run("vertical", {"run.duration_max_s": 2.0})
    assert log.outcome is tl.Outcome.TIMED_OUT
    assert "0 of 20 targets were reached in 2 s" in log.outcome_sentence


def test_a_vehicle_is_sent_elsewhere_while_it_runs():
    simulation = tl.Simulation("vertical")
    simulation.run(until=2.0)
    simulation.command(uav=(0.5, 0.3, 1.5), ugv=(0.3, 0.0))
    simulation.run(until=40.0)
    assert np.allclose(simulation.state.uav.position, (0.5, 0.3, 1.5), atol=0.03)
    assert np.allclose(simulation.state.ugv_origin[:2], (0.3, 0.0), atol=0.03)


@pytest.mark.parametrize("wrong", [(1.0, 2.0), (1.0, math.nan, 0.0), "there"])
def test_a_wrong_place_is_refused(wrong):
    simulation = tl.Simulation("vertical")
    with pytest.raises((tl.InputError, ValueError)):
        simulation.command(uav=wrong)


def test_a_drone_starts_with_its_own_heading_and_keeps_it():
    changes = {"uav.yaw_deg": 60.0, "ugv.yaw_deg": -30.0}
    simulation = tl.Simulation("vertical", {**short(), **changes})
    assert math.degrees(simulation.state.uav.yaw) == pytest.approx(60.0)
    simulation.run(until=6.0)
    assert simulation.state.uav.position[2] > 1.0
    assert math.degrees(simulation.state.uav.yaw) == pytest.approx(60.0, abs=1.0)
    assert math.degrees(simulation.state.ugv.yaw) == pytest.approx(-30.0, abs=1.0)


def test_another_seed_has_other_gusts():
    one, two = (tl.Simulation("windy", seed=seed).plant.wind.modes for seed in (3, 4))
    assert one.shape == two.shape
    assert not np.array_equal(one, two)


@pytest.mark.parametrize(
    "grasp",
    [
        lambda seen, wanted: seen.uav.position,
        lambda seen, wanted: seen.uav.rotation,
        lambda seen, wanted: seen.ugv.velocity,
        lambda seen, wanted: seen.ugv.tether_force,
        lambda seen, wanted: seen.ugv_origin,
        lambda seen, wanted: seen.exit,
        lambda seen, wanted: seen.attachment,
        lambda seen, wanted: wanted.position,
        lambda seen, wanted: wanted.target,
    ],
)
def test_a_controller_moves_nothing_but_by_its_command(grasp):
    class Grasps(PositionController):
        def __call__(self, memory, observation, reference):
            grasp(observation, reference)[:] = 7.0
            return super().__call__(memory, observation, reference)

    simulation = tl.Simulation("vertical", controller=Grasps(mass=1.477))
    before = simulation.state.uav.position.copy()
    assert not simulation.step()
    assert "read-only" in simulation.outcome_sentence
    assert np.array_equal(simulation.state.uav.position, before)


def test_the_moment_of_the_end_is_in_the_record():
    log = tl.run("ends_in_collision")
    assert log.outcome is tl.Outcome.COLLISION
    assert log["uav"]["time_s"][-1] == pytest.approx(log.events[-1].time, abs=1e-6)
    assert log.metrics["min_dist_uav_m"] < 0.0
    assert (np.diff(log["uav"]["time_s"]) > 0.0).all()
