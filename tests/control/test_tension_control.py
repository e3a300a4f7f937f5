"""Winch rules that keep a tension: their laws by hand, closed on a spring, and in a flight."""

from types import SimpleNamespace

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.control.tension_control import TensionPD, TensionPID

REFERENCE = None  # they do not look at it
QUICK = 1e-9  # time constant of a filter that does nothing [s]


def decide(rule, tensions, lengths=None):
    """Speeds that a rule asks for while it sees these tensions; the winch obeys unless lengths are given."""
    memory, speeds, length = rule.init(), [], 1.0
    for k, tension in enumerate(tensions):
        seen = SimpleNamespace(tension=tension, length=length if lengths is None else lengths[k])
        memory, command = rule(memory, seen, REFERENCE)
        assert command.length is None and command.tension is None
        speeds.append(command.speed)
        length += command.speed / rule.rate_hz
    return np.array(speeds)


def close(rule, *, stiffness, start, seconds, parting=0.0, delay=0):
    """The tension of a spring between a winch that obeys and an end that goes away [m/s], at every call."""
    dt, memory, length = 1.0 / rule.rate_hz, rule.init(), 1.0
    stretch, tensions, waiting = start / stiffness, [], [0.0] * delay
    for _ in range(round(seconds / dt)):
        tensions.append(max(stiffness * stretch, 0.0))
        memory, command = rule(memory, SimpleNamespace(tension=tensions[-1], length=length), REFERENCE)
        waiting.append(command.speed)
        speed = waiting.pop(0)
        stretch += dt * (parting - speed)
        length += dt * speed
    return np.array(tensions)


@pytest.mark.parametrize(
    ("tension", "speed"), [(3.5, 0.0), (4.5, 0.1), (5.5, 0.4), (2.5, -0.1), (3.0, -0.025), (0.0, -1.225)]
)
def test_the_speed_grows_with_the_square_of_the_error_and_pays_out_what_is_too_tight(tension, speed):
    rule = TensionPD(tension=3.5, gain=0.1, rate_gain=0.0)
    assert decide(rule, [tension, tension]) == pytest.approx([speed, speed])


def test_a_rising_tension_is_met_by_paying_out():
    rule = TensionPD(tension=3.5, gain=0.0, rate_gain=0.002, filter_time=QUICK)
    rising = 3.5 + 0.05 * np.arange(5)  # 5 N/s at 100 Hz
    assert decide(rule, rising) == pytest.approx([0.0, 0.01, 0.01, 0.01, 0.01])


def test_the_filter_takes_up_a_step_in_its_time_constant():
    rule = TensionPID(
        tension=0.0, gain=1.0, integral_gain=0.0, rate_gain=0.0, filter_time=0.05, speed_max=10.0
    )
    seen = decide(rule, [0.0] + [1.0] * 20)
    assert seen[1:] == pytest.approx(1.0 - np.exp(-np.arange(1, 21) / 5.0))


def test_a_pid_is_the_sum_of_its_terms():
    rule = TensionPID(
        tension=1.0, gain=0.1, integral_gain=0.2, rate_gain=0.01, filter_time=QUICK, speed_max=10.0
    )
    # Errors 1, 2, 4: the integral is that of the calls before.
    expected = [0.1, 0.2 + 0.2 * 0.01 + 0.01 * 100.0, 0.4 + 0.2 * 0.03 + 0.01 * 200.0]
    assert decide(rule, [2.0, 3.0, 5.0]) == pytest.approx(expected)


RULES = {"pd": TensionPD(), "pid": TensionPID(tension=3.5)}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize("start", [0.0, 2.0, 5.0, 7.0])
@pytest.mark.parametrize("stiffness", [30.0, 100.0])
def test_on_a_spring_the_tension_comes_to_its_set_point(rule, start, stiffness):
    tensions = close(rule, stiffness=stiffness, start=start, seconds=40.0)
    assert abs(tensions[-1] - 3.5) < 0.1
    late = tensions[len(tensions) // 2 :]
    assert late.max() - late.min() < 0.2  # no hunting


def test_an_end_that_goes_away_leaves_the_error_whose_square_pays_out_as_fast():
    rule = TensionPD(gain=0.2)
    for parting in (0.1, -0.1):
        tensions = close(rule, stiffness=50.0, start=3.5, seconds=10.0, parting=parting)
        assert tensions[-1] == pytest.approx(3.5 + np.sign(parting) * np.sqrt(0.1 / 0.2), abs=1e-3)


def test_with_an_integral_the_end_goes_away_at_the_set_point():
    tensions = close(TensionPID(tension=3.5), stiffness=50.0, start=3.5, seconds=60.0, parting=0.1)
    assert tensions[-1] == pytest.approx(3.5, abs=0.02)


def test_the_integral_waits_while_the_speed_is_limited():
    rule = TensionPID(tension=3.5, gain=0.05, integral_gain=0.5, rate_gain=0.0, speed_max=0.1)
    speeds = decide(rule, [0.0] * 1000 + [4.5] * 30)
    assert np.allclose(speeds[5:1000], -0.1)
    assert speeds[-1] > 0.0  # 10 s of integral would be -17 m/s


def test_the_integral_waits_while_the_winch_is_held():
    rule = TensionPID(tension=3.5, gain=0.01, integral_gain=0.05, rate_gain=0.0, speed_max=1.0)
    slack = [0.0] * 1000
    held = decide(rule, slack, lengths=[0.04] * 1000)
    free = decide(rule, slack)
    assert held.min() > -0.06  # the error alone asks for -0.035
    assert free.min() < -0.9


def test_what_was_wound_up_is_given_back_at_once():
    """The integral waits only for an error that would add to it."""
    rule = TensionPID(
        tension=3.5, gain=0.0, integral_gain=0.1, rate_gain=0.0, filter_time=QUICK, speed_max=0.1
    )
    speeds = decide(rule, [0.0] * 100 + [4.5] * 50)
    assert np.all(np.diff(speeds[102:]) > 0.0)


def test_the_scenario_hands_its_numbers_to_the_rules():
    written = {
        "type": "tension_pid", "tension_N": 2.0, "gain_m_per_N_s": 0.1, "integral_gain_m_per_N_s2": 0.3,
        "rate_gain_m_per_N": 0.001, "filter_time_s": 0.03, "rate_hz": 50,
    }  # fmt: skip
    pid = tl.Simulation("tether_inertial", {"winch.rule": written})._crew.speakers[2]
    assert pid == TensionPID(
        tension=2.0,
        gain=0.1,
        integral_gain=0.3,
        rate_gain=0.001,
        filter_time=0.03,
        speed_max=0.5,
        rate_hz=50.0,
    )
    written = {
        "type": "tension_pd", "tension_N": 2.0, "gain_m_per_N2_s": 0.1, "rate_gain_m_per_N": 0.001,
        "filter_time_s": 0.03, "rate_hz": 50,
    }  # fmt: skip
    pd = tl.Simulation("tether_inertial", {"winch.rule": written})._crew.speakers[2]
    assert pd == TensionPD(tension=2.0, gain=0.1, rate_gain=0.001, filter_time=0.03, rate_hz=50.0)


@pytest.mark.parametrize(("kind", "rule"), [("tension_pd", TensionPD()), ("tension_pid", TensionPID())])
def test_defaults_are_those_of_python(kind, rule):
    simulation = tl.Simulation(
        "tether_inertial", {"winch.rule": {"type": kind}, "winch.reel_speed_max_m_per_s": 0.4}
    )
    assert simulation._crew.speakers[2] == rule


@pytest.fixture(scope="module")
def flight():
    """Take-off, the way to the circle and a third of it."""
    simulation = tl.Simulation("tether_inertial", {"run.record_hz": 100})
    simulation.run(until=21.0)
    return simulation


def test_speed_and_acceleration_stay_within_the_limits_of_the_winch(flight):
    winch, limits = flight.log["winch"], flight.scenario.winch
    speed = winch["reel_speed_m_per_s"]
    assert np.abs(speed).max() <= limits.reel_speed_max + 1e-9
    assert np.abs(speed).max() > 0.9 * limits.reel_speed_max  # take-off needs what there is
    change = np.abs(np.diff(speed) / np.diff(winch["time_s"]))
    off_its_stop = winch["length_m"][1:] > 0.05  # where all is wound up it stops at once
    assert change[off_its_stop].max() <= limits.reel_acceleration_max + 1e-6


def test_on_the_circle_the_tension_stays_within_one_newton(flight):
    winch, targets = flight.log["winch"], flight.log["targets"]
    on_circle = winch["time_s"] > targets["time_s"][3]
    assert on_circle.sum() > 600
    error = winch["tension_N"][on_circle] - 3.5
    assert np.abs(error).max() < 1.0
    assert np.sqrt((error**2).mean()) < 0.3


def test_targets_on_the_circle_are_passed_at_full_speed(flight):
    uav, targets = flight.log["uav"], flight.log["targets"]
    on_circle = uav["time_s"] > targets["time_s"][20]
    assert on_circle.sum() > 500
    speed = np.hypot(uav["vx_m_per_s"], uav["vy_m_per_s"])[on_circle]
    assert speed.min() > 0.33 and speed.max() < 0.37


def test_a_checkpoint_goes_on_with_what_the_rule_remembers(tmp_path):
    simulation = tl.Simulation("tether_inertial")
    simulation.run(until=2.0)
    simulation.checkpoint(tmp_path / "here.zip")
    simulation.run(until=3.0)
    again = tl.Simulation.resume(tmp_path / "here.zip")
    again.run(until=3.0)
    for column in ("tension_N", "length_m"):
        assert again.log["winch"][column].tobytes() == simulation.log["winch"][column].tobytes()
