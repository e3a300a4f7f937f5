"""Landings of paper 003 in the plant: where they start, what is told of them, and that they end well."""

import math

import numpy as np
import pytest

from tetherlab.contracts.autonomy import TaskStatus
from tetherlab.scenario.scenario import Scenario
from tetherlab.scenario.simulation import Simulation
from tetherlab.studies.oxpecker_landing import KINDS, low_rows, low_starts, rows, starts
from tetherlab.studies.oxpecker_landing_flight import Landed, Start, land, scenario


def landed(duration, off_center=0.01, status=TaskStatus.DONE, reason="has landed"):
    numbers = (duration, off_center, off_center, 9.0, 9.0, 2.0, 0.1)
    return Landed(status, reason, "", *numbers, np.zeros((1, 11)), [reason])


def test_starts_cover_what_was_promised():
    found = starts(200)
    elevations = np.degrees([start.elevation for start in found])
    distances = np.array([start.distance for start in found])
    assert 15.0 <= elevations.min() < 15.5 and 88.5 < elevations.max() <= 89.0
    assert distances.max() > 11.9
    assert np.histogram(elevations, 10, (15.0, 89.0))[0].tolist() == [20] * 10
    assert max(start.wind for start in found) > 4.9
    assert all(start.distance * math.sin(start.elevation) > 0.3 for start in low_starts(24))


def test_rows_say_how_many_landed_and_how_much_faster():
    found = {"switched": [landed(30.0), landed(60.0), landed(44.0)], "continuous": [landed(20.0)] * 3}
    found["switched"][2] = landed(44.0, off_center=0.2)
    told = {row.quantity: row.here for row in rows(found)}
    assert told["landing, switched field: landed, of 3 starts"] == pytest.approx(200.0 / 3.0)
    assert told["landing, continuous field: landed, of 3 starts"] == 100.0
    assert told["landing time, switched over continuous field: median of the ratios"] == pytest.approx(2.2)
    low = {kind: [landed(9.0), landed(9.0, status=TaskStatus.FAILED, reason="why")] for kind in KINDS}
    refused = [row for row in low_rows(low) if row.quantity.endswith("refused")]
    assert [(row.here, row.note) for row in refused] == [(1.0, "why")] * 2


def test_it_starts_where_it_should_with_the_winch_and_the_sensors_of_an_inspection():
    start = Start(4.0, math.radians(50.0), 2.0, slack=1.02, wind=3.0, wind_azimuth=1.0, yaw=1.3, seed=4)
    here, inspection = scenario(start), Scenario.load("oxpecker")
    for mine, theirs in ((here.winch, inspection.winch), (here.uav.robot, inspection.uav.robot)):
        assert mine == theirs
    simulation = Simulation(here)
    line = simulation.state.attachment - simulation.state.exit
    direction = (math.cos(2.0) * math.cos(start.elevation), math.sin(2.0) * math.cos(start.elevation))
    assert line == pytest.approx(4.0 * np.array((*direction, math.sin(start.elevation))), abs=2e-3)
    assert simulation.state.length == pytest.approx(1.02 * 4.0)
    assert simulation.wind.velocity == pytest.approx((3.0 * math.cos(1.0), 3.0 * math.sin(1.0), 0.0))


@pytest.mark.parametrize("kind", KINDS)
def test_it_lands_in_gusts_on_a_tilted_platform(kind):
    tilted = math.radians(5.0)
    start = Start(1.8, math.radians(55.0), 1.0, wind=4.0, slope=tilted, levelled=False, seed=5)
    found = land(start, kind)
    assert (found.status, found.outcome) == (TaskStatus.DONE, "")
    assert found.off_center < 0.1 and found.off_at_rest < 0.1
    assert found.tension_max < 40.0
    height = found.trace[:, 4]
    assert np.diff(height).min() < -0.6  # the altimeter passes the edge of the platform
    assert height[-1] < 0.25


@pytest.mark.slow
def test_all_land_from_everywhere_and_the_continuous_field_is_faster():
    from tetherlab.studies.oxpecker_landing import fly_all

    found = fly_all(starts(12), say=lambda text: None)
    told = {row.quantity: row.here for row in rows(found)}
    for kind in KINDS:
        assert told[f"landing, {kind} field: landed, of 12 starts"] == 100.0
        assert told[f"landing, {kind} field: nearest to the ceiling"] > 1.0
    assert told["landing time, switched over continuous field: median of the ratios"] > 1.15


@pytest.mark.slow
def test_low_starts_land_or_say_why():
    for start in low_starts(4):
        for kind in KINDS:
            found = land(start, kind)
            assert found.status is not TaskStatus.GOING_ON
            assert found.off_center < 0.1 or "not" in found.reason
