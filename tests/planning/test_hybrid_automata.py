"""Hybrid automata: the thermostat of Figure 2 against its closed form, guards, resets, and refusals."""

import math
from pathlib import Path

import numpy as np
import pytest

from tetherlab import InputError
from tetherlab.planning.automata import Event, HybridAutomaton, join, load_automaton
from tetherlab.planning.automata.expression import Expression

RATE, HEAT, OUTSIDE = 0.1, 3.0, 5.0  # [1/s], [K/s], [°C]
THERMOSTAT = HybridAutomaton(
    name="thermostat",
    locations=["on", "off"],
    events=[
        Event("on", "switch off", "off", guard="temperature >= 21"),
        Event("off", "switch on", "on", guard="temperature <= 19"),
    ],
    initial="off",
    labels=["switch on", "switch off"],
    variables={"temperature": 20.0},
    inputs={"heat": HEAT, "outside": OUTSIDE},
    invariants={"on": "temperature <= 21", "off": "temperature >= 19"},
    activities={
        "on": {"temperature": "0.1 * (outside - temperature) + heat"},
        "off": {"temperature": "0.1 * (outside - temperature)"},
    },
)


def cooling_time(start: float, end: float, equilibrium: float) -> float:
    return math.log((start - equilibrium) / (end - equilibrium)) / RATE


def test_the_thermostat_switches_when_it_must() -> None:
    run = THERMOSTAT.run(30.0)
    warm = OUTSIDE + HEAT / RATE
    moments = [cooling_time(20.0, 19.0, OUTSIDE)]
    for _ in range(3):
        moments.append(moments[-1] + cooling_time(19.0, 21.0, warm))
        moments.append(moments[-1] + cooling_time(21.0, 19.0, OUTSIDE))
    fired = [time for time, _ in run.events]
    assert len(fired) >= 6
    np.testing.assert_allclose(fired[:6], moments[:6], rtol=1e-8)
    assert run.word[:3] == ("switch on", "switch off", "switch on")
    assert run["temperature"].min() > 19.0 - 1e-6 and run["temperature"].max() < 21.0 + 1e-6
    assert run.ending == "the time is over"


def test_inputs_may_differ_from_run_to_run() -> None:
    """With too little heat it never gets warm: it stays on."""
    run = THERMOSTAT.run(200.0, values={"heat": 1.0})
    assert run.word == ("switch on",)
    assert run["temperature"][-1] == pytest.approx(OUTSIDE + 1.0 / RATE, abs=1e-3)


def test_labels_fire_as_soon_as_their_guard_holds() -> None:
    run = THERMOSTAT.run(30.0, labels=["switch on", "switch off"])
    assert run.ending == "all labels have fired" and run.word == ("switch on", "switch off")
    again = THERMOSTAT.run(30.0, labels=["switch off"])
    assert again.word == () and "no event can fire" in again.ending


def test_a_ball_bounces_by_its_reset() -> None:
    """Of height, time and energy after each bounce there is a closed form."""
    g, keeps, height = 9.81, 0.8, 1.0
    ball = HybridAutomaton(
        locations=["fall"],
        events=[Event("fall", "bounce", "fall", guard="z <= 0 and v < 0", reset={"z": 0.0, "v": "-0.8 * v"})],
        initial="fall",
        labels=["bounce"],
        variables={"z": height, "v": 0.0},
        invariants={"fall": "z >= 0 or v >= 0"},
        activities={"fall": {"z": "v", "v": -g}},
    )
    run = ball.run(2.3)
    first = math.sqrt(2.0 * height / g)
    expected = first + np.cumsum([0.0, *(2.0 * first * keeps**k for k in (1, 2, 3))])
    np.testing.assert_allclose([time for time, _ in run.events][:4], expected, rtol=1e-8)


def test_a_run_that_can_only_jump_says_so() -> None:
    restless = HybridAutomaton(
        locations=[1, 2], events=[Event(1, "a", 2), Event(2, "b", 1)], initial=1, labels=["a", "b"],
        variables={"x": 0.0}, activities={1: {"x": 1.0}, 2: {"x": -1.0}},
        invariants={1: "x < 1 or x > 1", 2: "x > 1 or x < 1"},
    )  # fmt: skip
    assert restless.run(0.5).ending == "the time is over"
    turns = restless.run(0.5, labels=["a", "b", "a"])
    assert turns.word == ("a", "b", "a") and turns.time[-1] == 0.0
    stuck = restless.run(2.0)
    assert stuck.ending.startswith("the invariant of 1 ends at 1 s") or stuck.ending == "the time is over"


def test_a_run_outside_of_its_invariant_does_not_start() -> None:
    run = THERMOSTAT.run(1.0, location="on", values={"temperature": 30.0})
    assert not run.time and "outside of the invariant of 'on'" in run.ending


def test_a_join_keeps_motion_of_both() -> None:
    heater = HybridAutomaton(
        locations=["off"], events=[], initial="off", labels=[], variables={"fuel": 5.0},
        invariants={"off": "fuel > 0"}, activities={"off": {"fuel": -1.0}},
    )  # fmt: skip
    team = join(THERMOSTAT, heater)
    run = team.run(100.0, values={"temperature": 1000.0}, location="off")
    assert isinstance(team, HybridAutomaton)
    assert run.time[-1] <= 5.0 and "no event can fire" in run.ending
    assert run["temperature"][-1] > 600.0 and "fuel" in run.ending


def test_a_join_with_two_meanings_of_a_variable_is_refused() -> None:
    other = HybridAutomaton(
        locations=["on"], events=[], initial="on", labels=[], variables={"temperature": 3.0}
    )
    with pytest.raises(InputError, match=r"'temperature' is 20\.0 in one automaton and 3\.0 in another"):
        join(THERMOSTAT, other)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"invariants": {"on": "temprature < 3"}}, "Did you mean 'temperature'"),
        ({"invariants": {"of": "temperature < 3"}}, "no location 'of'"),
        ({"activities": {"on": {"heat": 1.0}}}, "'heat' is no variable"),
        ({"events": [Event("on", "x", "off", reset={"heat": 1.0})]}, "which is no variable"),
        ({"events": [Event("on", "x", "off", guard="__import__('os')")]}, "is not allowed"),
        ({"events": [Event("on", "x", "off", guard="temperature >")]}, "is no expression"),
        ({"inputs": {"temperature": 3.0}}, "both a variable and an input"),
        ({"variables": {"temperature": math.nan}}, "must be finite"),
    ],
)
def test_what_contradicts_itself_is_refused(change: dict[str, object], said: str) -> None:
    good: dict[str, object] = {
        "locations": ["on", "off"], "events": [], "initial": "on", "labels": [],
        "variables": {"temperature": 1.0}, "inputs": {"heat": 1.0},
    }  # fmt: skip
    HybridAutomaton(**good)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=said):
        HybridAutomaton(**(good | change))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "value"),
    [("1 + 2 * x", 7.0), ("-x ** 2", -9.0), ("0 < x <= 3", True), ("not x > 5 and x != 2", True),
     ("hypot(x, 4)", 5.0), ("max(x, 1, 8) - cos(0 * pi)", 7.0)],
)  # fmt: skip
def test_expressions(text: str, value: float) -> None:
    assert Expression(text)({"x": 3.0}) == value


@pytest.mark.parametrize(
    "text", ["x.y", "[1]", "lambda: 1", "x if x else 1", "open('f')", "'word'", "x[0]", "max(x, default=1)"]
)
def test_expressions_are_no_code(text: str) -> None:
    with pytest.raises(InputError):
        Expression(text)


@pytest.mark.parametrize("rate", ["1 / (x - 1)", "log(-x)", "(-x) ** 0.5", "abs(x, 1)", "exp(1000 * x)"])
def test_an_expression_without_a_value_is_named(rate: str) -> None:
    automaton = HybridAutomaton(
        locations=[1], events=[], initial=1, labels=[], variables={"x": 1.0}, activities={1: {"x": rate}}
    )
    with pytest.raises(InputError, match="has no value where x = 1") as error:
        automaton.run(1.0)
    assert rate in str(error.value)


def test_samples_of_a_run() -> None:
    with pytest.raises(InputError, match=r"no variable 'temprature'\. Did you mean 'temperature'"):
        THERMOSTAT.run(1.0)["temprature"]
    never = THERMOSTAT.run(1.0, location="on", values={"temperature": 30.0})
    assert len(never["temperature"]) == 0


FILE = """
name: thermostat
labels: [switch on, switch off]
variables: {temperature: 20}
inputs: {heat: 3, outside: 5}
locations:
  on: {invariant: temperature <= 21, activity: {temperature: 0.1 * (outside - temperature) + heat}}
  off: {invariant: temperature >= 19, activity: {temperature: 0.1 * (outside - temperature)}}
initial: 'off'
events:
  - {from: on, label: switch off, to: 'off', guard: temperature >= 21}
  - {from: 'off', label: switch on, to: on, guard: temperature <= 19}
"""


def test_a_file_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "thermostat.yaml"
    path.write_text(FILE)
    loaded = load_automaton(path)
    assert isinstance(loaded, HybridAutomaton)
    np.testing.assert_array_equal(loaded.run(30.0)["temperature"], THERMOSTAT.run(30.0)["temperature"])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [("label:", "lable:", "Did you mean 'label'"), ("initial: 'off'", "", "'initial' is missing"),
     ("invariant: temperature <= 21", "invariant: temp <= 21", "no variable or input 'temp'"),
     ("activity: {temperature: 0.1 * (outside - temperature)}", "activity: -1", "must be a mapping"),
     ("variables: {temperature: 20}", "", "has an invariant or an activity, but there are no variables")],
)  # fmt: skip
def test_a_wrong_file_is_answered_in_a_sentence(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(FILE.replace(old, new, 1))
    with pytest.raises(InputError, match=said) as error:
        load_automaton(path)
    assert "wrong.yaml" in str(error.value)


def test_several_invariants_of_a_file_must_all_hold(tmp_path: Path) -> None:
    path = tmp_path / "thermostat.yaml"
    path.write_text(FILE.replace("temperature >= 19,", "[temperature >= 19, temperature <= 40],", 1))
    loaded = load_automaton(path)
    assert isinstance(loaded, HybridAutomaton)
    assert loaded.inside("off", {"temperature": 20.0, "heat": 3.0, "outside": 5.0})
    assert not loaded.inside("off", {"temperature": 50.0, "heat": 3.0, "outside": 5.0})
