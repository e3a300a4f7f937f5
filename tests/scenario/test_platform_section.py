"""The platform of a ground robot, as it is written: every number counts, and what cannot be is refused."""

import copy

import numpy as np
import pytest
from test_no_dead_keys import changed, made_of, numbers

import tetherlab as tl

TEAM = {"uav.robot": "oxpecker", "ugv.robot": "rhino", "tether": "oxpecker", "winch": "oxpecker"}


@pytest.fixture(scope="module")
def written():
    data = tl.Scenario.load("vertical", TEAM).to_dict()
    del data["mission"]["targets"][1:]
    return data


def platform(data):
    return data["ugv"]["robot"]["platform"]


def built(data):
    return made_of(tuple(tl.Simulation(data).plant))


def test_a_change_of_any_number_of_platform_and_chassis_changes_the_plant(written):
    before, dead = built(written), []
    robot = ("ugv", "robot")
    paths = [
        (*robot, key, *path)
        for key in ("platform", "chassis")
        for path in numbers(written["ugv"]["robot"][key])
    ]
    assert len(paths) > 40
    for path in paths:
        try:
            if built(changed(written, path)) == before:
                dead.append(path)
        except tl.InputError:
            continue  # somebody looked at it
    assert dead == []


def test_the_seed_of_the_run_is_that_of_the_accelerometers_noise(written):
    other = copy.deepcopy(written)
    other["run"]["seed"] = 7
    one, two = tl.Simulation(written).plant.platform, tl.Simulation(other).plant.platform
    assert one["random"][0] != two["random"][0]


def test_the_drone_starts_in_the_depression_and_the_tether_comes_out_of_its_middle(written):
    scenario = tl.Scenario.from_dict(written)
    assert scenario.tether_exit == (0.0, 0.0, 0.81)
    assert scenario.uav_start == pytest.approx((0.0, 0.0, 0.86 - 0.07 + 0.27))
    without = copy.deepcopy(written)
    platform(without)["tether_exit_m"], without["tether"]["paid_out_m"] = None, 1.0
    assert tl.Scenario.from_dict(without).tether_exit == scenario.winch.exit


def test_without_a_depression_the_drone_starts_on_top(written):
    flat = copy.deepcopy(written)
    platform(flat)["depression"], platform(flat)["tether_exit_m"][2] = None, 0.88
    assert tl.Scenario.from_dict(flat).uav_start == pytest.approx((0.0, 0.0, 0.86 + 0.27))


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("depression", "rim_radius_m"), 0.2, "rim_radius_m: must be above floor_radius_m, 0.24, got 0.2"),
        (("depression", "depth_m"), 0.3, "depth_m: must be at most 0.241, where the wall is upright"),
        (("depression", "rim_radius_m"), 0.5, "does not fit into a deck that reaches 0.45 m"),
        (("levelling", "speed_loaded"), 1.5, "speed_loaded"),
        (("levelling", "stroke_max_m"), -0.1, "stroke_max_m: must be > 0"),
        (("upper_m",), [0.45, 0.45, 0.5], "upper_m must be above lower_m"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(written, path, value, told):
    data = copy.deepcopy(written)
    place = platform(data)
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(tl.InputError) as refused:
        tl.Scenario.from_dict(data)
    assert told in str(refused.value)


def test_a_lying_sensor_at_the_base_tells_where_the_drone_is():
    """The scenario of paper 002 with its base sensor on its side, flown by the truth."""
    lying = {"mounting": "lying", "elevation_range_rad": [-1.8, 1.8], "azimuth_noise_rad": 0.0032}
    sensors = {"like": "tether_inertial", "base_angles": {"elevation_noise_rad": 0.0032, **lying}}
    run = tl.Simulation("tether_inertial", {"localisation": {"sensors": sensors, "in_loop": False}})
    run.run(until=12.0)
    assert run.outcome is None
    estimates, uav = run.log["estimates"], run.log["uav"]
    tied = run.scenario.uav.robot.attachment[2]
    height = np.interp(estimates["stamp_s"], uav["time_s"], uav["z_m"]) + tied
    assert np.abs(estimates["z_m"] - height).max() < 0.2
