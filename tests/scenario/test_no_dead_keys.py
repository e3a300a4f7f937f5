"""Every number of a scenario reaches the plant, a controller or the plan."""

import copy
import dataclasses

import numpy as np
import pytest

import tetherlab as tl

# Together they have every winch rule, drive, start and wind.
IN_THE_AIR = {"uav.on_platform": False, "uav.start_m": [0.1, 0.2, 2.0], "tether.paid_out_m": 2.5}
SCENARIOS = {"windy": IN_THE_AIR, "constant_tension": {"power": "oxpecker"}, "recorded_predefined": {}}


def numbers(value, path=()):
    """The path of each number in plain data."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from numbers(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from numbers(item, (*path, index))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path


def changed(data, path):
    """The same with one number a little different."""
    data = copy.deepcopy(data)
    *way, last = path
    place = data
    for part in way:
        place = place[part]
    old = place[last]
    if last == "direction":
        place[last] = -old
    else:
        place[last] = old + 1 if isinstance(old, int) else old * 1.01 or 0.01
    return data


def made_of(value):
    """All that something consists of, as bytes."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, tuple):
        return tuple(made_of(item) for item in value)
    return repr(value)


def built(scenario):
    """What a run is computed from; its seed only as far as somebody uses it."""
    run = tl.Simulation(scenario)
    plan = {name: made_of(value) for name, value in dataclasses.asdict(run.mission.plan).items()}
    clock = (run._clock, run.duration_max)
    headings = (run.mission.uav_yaw, run.mission.ugv_yaw)
    return made_of(tuple(run.plant)), plan, run._crew.speakers, clock, headings


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_change_of_any_number_changes_the_run(name):
    data = tl.Scenario.load(name, SCENARIOS[name]).to_dict()
    del data["mission"]["targets"][1:]
    before = built(data)
    assert built(data) == before
    dead = []
    for path in numbers(data):
        if "sites_m" in path:
            continue  # of a robot, for scenes: a scenario has its attachment and its exit
        try:
            if built(changed(data, path)) == before:
                dead.append(path)
        except tl.InputError:
            continue  # somebody looked at it
    inert = {("run", "seed")} if name != "windy" else set()  # without gusts nothing is random
    assert set(dead) == inert
