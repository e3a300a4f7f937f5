"""What no team can do is refused at its key, before anything is computed."""

import pytest

import tetherlab as tl
from tetherlab.assembly.runs import load_scenario

LINE = [{"position_m": [0.1 * i, 0, 0], "direction": (-1) ** i} for i in range(4)]
RING = [{"position_m": [0.1 * i, (i % 3) * 0.1, 0], "direction": (-1) ** i} for i in range(9)]
SORTED = [{"position_m": [x, y, 0], "direction": y} for x in (1, -1) for y in (1, -1)]
LEFT = [[0.2, 0.3, 0.1], [-0.2, 0.3, 0.1]]
RIGHT = [[0.2, -0.3, 0.1], [-0.2, -0.3, 0.1]]
DIFFERENTIAL = {"ugv.robot": "differential_ugv"}
SHORT = {"winch.rule": {"type": "from_trajectory"}, "mission.targets[0].length_m": 1.0}


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            SHORT,
            "override: mission.targets[0].length_m: the drone would be 4.61 m from the exit of the winch",
        ),
        (
            DIFFERENTIAL | {"ugv.robot.wheels_m": LEFT},
            "override: ugv.robot.wheels_m: a differential drive needs",
        ),
        (
            DIFFERENTIAL | {"ugv.robot.wheels_m": RIGHT},
            "override: ugv.robot.wheels_m: a differential drive needs",
        ),
        ({"uav.robot.rotors": LINE}, "override: uav.robot.rotors: they cannot turn the drone"),
        ({"uav.robot.rotors": SORTED}, "override: uav.robot.rotors: they cannot turn the drone"),
        ({"uav.robot.rotors": RING}, "override: uav.robot.rotors: must have at most 8, got 9"),
        ({"uav.robot.feet_m": [[0, 0, -0.1]] * 9}, "override: uav.robot.feet_m: must have at most 8, got 9"),
        (
            {"ugv.robot.wheels_m": (LEFT + RIGHT) * 2},
            "override: ugv.robot.wheels_m: must have at most 6, got 8",
        ),
        ({"uav.robot.mass_kg": 50}, "override: uav.robot.mass_kg: the drone cannot lift itself and a tether"),
        ({"winch.rule.factor": 0.9}, "override: winch.rule.factor: must be >= 1, got 0.9"),
        ({"tether.element_length_m": 1e-4}, "override: tether.element_length_m: must be from 0.00095"),
        ({"tether.element_length_m": 20}, "to length_m, 18.95, got 20"),
        ({"mission.targets[0].uav_m": [0, 0, 40]}, "override: mission.targets[0].uav_m: the drone would be"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(overrides, message):
    with pytest.raises(tl.InputError) as caught:
        tl.Scenario.load("vertical", overrides)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"run.step_s": 10}, "override: run.step_s: must be <= 0.1, got 10"),
        ({"run.step_s": 1e-12}, "override: run.step_s: must be >= 1e-06, got 1e-12"),
        (
            {"run.step_s": 1e-6, "run.duration_max_s": 3600},
            "override: run.step_s: 1e-06 s would take 3.6e+09 "
            "steps for 3600 s; a run has at most 1e+09: choose a longer step or a shorter run",
        ),
        ({"winch.rule.rate_hz": 1e300}, "override: winch.rule.rate_hz: must be <= 10000, got 1e+300"),
        ({"ugv.start_m": [0, 1e300, 0]}, "override: ugv.start_m: must be from -1e+07 to 1e+07, got 1e+300"),
        (
            {"run.record_hz": 33},
            "run.record_hz: must divide the clock's 100 Hz, got 33; near it: 25 and 33.3333333",
        ),
        ({"run.record_hz": 300}, "run.record_hz: must divide the clock's 100 Hz, got 300; near it: 100"),
        ({"winch.rule.rate_hz": 30}, "winch.rule.rate_hz: must divide the clock's 100 Hz, got 30"),
        ({"run.record_hz": 40, "uav.controller.rate_hz": 180}, "must divide the clock's 180 Hz, got 50"),
        (["tether.length_m"], "overrides must be a mapping such as"),
        ({3: 4}, 'overrides must be a mapping such as {"tether.length_m": 12}, got the key 3'),
    ],
)
def test_what_cannot_be_computed_is_refused_with_its_key(overrides, message):
    with pytest.raises(tl.InputError) as caught:
        tl.Simulation("vertical", overrides)
    assert message in str(caught.value)


def test_a_rate_that_is_named_as_near_is_taken():
    assert tl.Simulation("vertical", {"run.record_hz": 33.3333333}).scenario.run.record == 33.3333333


def test_nothing_is_no_scenario():
    with pytest.raises(tl.InputError, match="by its name or its file, got None"):
        tl.run(None)


def test_a_length_that_no_rule_uses_may_be_short():
    assert tl.Scenario.load("vertical", {"mission.targets[0].length_m": 1.0}).mission.targets[0].length == 1.0


def test_an_angle_that_weak_motors_cannot_hold_is_refused():
    with pytest.raises(tl.InputError, match=r"references\[10\]\.theta_deg: must be at most 15\.96 deg"):
        load_scenario("canopy_indoor", {"robot.thrust_max_N": 2})
