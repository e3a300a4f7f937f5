"""From the section `inspection` to a mission: what is refused, and which numbers go where."""

import pytest

import tetherlab as tl
from tetherlab.missions.inspection import ABORT, LAND, MAP
from tetherlab.scenario.inspection_build import build_inspection, build_senses, inspection_sensors

OFFSET = {"sensor": "odometry", "kind": "offset", "axis": "left", "value": 0.1, "start_s": 60}
STOP = {"name": "wall", "route_m": [[3.0, 0.0]], "wall_heading_deg": 90.0}
PLAIN = {"world": "plain", "inspection": {"stops": [STOP]}}


def machine(overrides):
    scenario = tl.Scenario.load("oxpecker", overrides)
    return build_inspection(scenario, scenario.inspection).machine


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"inspection.faces": ["pillar_1 suoth"]}, "inspection.faces[0]: no face 'pillar_1 suoth'"),
        ({"inspection.stops": [STOP]}, "inspection.faces: give either stops or faces, not both"),
        ({"inspection.stand_off_m": 30.0}, "inspection.stand_off_m: must leave room within the entry"),
        ({"world": "plain", "inspection": {}}, "inspection.stops: missing: the world is no mine"),
        (PLAIN, "inspection.wall_height_m: missing: there is no ceiling within 10 m above wall"),
        ({"uav.on_platform": False, "uav.start_m": [2.5, 2.5, 3.0]}, "uav.on_platform: must be true"),
        ({"mission.targets": [{"uav_m": [0, 0, 3], "ugv_m": [0, 0, 0]}]}, "mission.targets: belong to"),
        (
            {"inspection.faults": [OFFSET | {"axis": "azimuth"}]},
            "faults[0].axis: odometry has x, y, z, forward",
        ),
        ({"inspection.faults": [OFFSET | {"sensor": "uwb"}]}, "faults[0].axis: belongs to base_angles and"),
    ],
)
def test_what_cannot_be_is_refused_at_its_key(overrides, message):
    with pytest.raises(tl.InputError) as caught:
        tl.Scenario.load("oxpecker", overrides)
    assert message in str(caught.value)


def test_stops_of_a_mine_do_not_ask_for_a_distance_from_its_faces():
    scenario = tl.Scenario.load("oxpecker", {"inspection": {"stops": [STOP], "stand_off_m": 30.0}})
    assert build_inspection(scenario, scenario.inspection).stops[0].name == "wall"


@pytest.mark.parametrize("limit", [10.0, 40.0, 90.0])
def test_the_sensor_of_the_tension_tells_more_than_the_limit(limit):
    scenario = tl.Scenario.load("oxpecker", {"inspection.limits.tension_max_N": limit})
    assert inspection_sensors(scenario.inspection).tension.tension_max >= 1.5 * limit


def test_a_landing_knows_how_much_tether_there_is():
    states = machine({"tether.length_m": 11.0, "inspection.landing.law": "switched"}).states
    for name in (LAND, ABORT):
        assert states[name].task.settings.length_max == 11.0


def test_rows_are_kept_clear_of_where_the_ceiling_breaks_off():
    states = machine({"inspection.limits.headroom_min_m": 1.1}).states
    assert states[MAP].task.follow.headroom_min > 1.1
    assert states[LAND].task.settings.headroom_min == states[ABORT].task.settings.headroom_min > 1.1


@pytest.mark.parametrize("axis", ["forward", "left", "up"])
def test_an_offset_of_a_velocity_of_the_odometry_can_be_written(axis):
    scenario = tl.Scenario.load("oxpecker", {"inspection.faults": [OFFSET | {"axis": axis}]})
    (injected,) = build_senses(scenario, scenario.inspection).suite.odometry.faults
    assert (injected.axis, injected.value, injected.start) == (axis, 0.1, 60.0)
