"""Which cable pays, how far it reaches, what it lifts, and a battery on board instead."""

import dataclasses
import math

import numpy as np
import pytest

from tetherlab.vehicles.power import Airframe, Battery, Cable, Converter, PowerSpec, transfer, wire
from tetherlab.vehicles.power.design import GAUGES, Choice
from tetherlab.vehicles.power.endurance import BatteryOnBoard, alone, compare


def test_a_cable_is_weighed_with_the_drone_that_carries_it():
    row = Choice().weigh(16, 15.0, 38.4)
    assert row.cable_mass == pytest.approx(2 * 15.0 * wire(16).linear_density)
    assert row.power == pytest.approx(Airframe().hover_power(3.43 + row.cable_mass))
    assert row.loss == pytest.approx(transfer(38.4, 0.15 + 15.0 * wire(16).resistance, row.power).loss)
    assert row.total == pytest.approx(row.power + row.loss)


def test_the_best_gauge_is_the_one_beyond_which_weight_no_longer_pays():
    choice = Choice()
    best = choice.best(15.0, 38.4)
    rows = {gauge: choice.weigh(gauge, 15.0, 38.4) for gauge in GAUGES}
    heavier = [row.total for gauge, row in rows.items() if gauge < best.gauge]
    assert heavier and all(np.diff([*heavier, best.total]) < 0.0)
    thinner = [row for gauge, row in rows.items() if gauge > best.gauge]
    assert all(row.why_not or row.total > best.total for row in thinner)


def test_longer_and_higher_voltage_take_other_cables():
    choice = Choice()
    assert choice.best(30.0, 38.4).gauge < choice.best(15.0, 38.4).gauge
    raised = dataclasses.replace(choice, converter=Converter())
    assert raised.best(15.0, 38.4).gauge > choice.best(15.0, 38.4).gauge
    assert raised.best(60.0, 38.4) is not None and choice.best(60.0, 38.4) is None


@pytest.mark.parametrize(
    "gauge, length, words",
    [(10, 30.0, "too heavy"), (22, 15.0, "cannot be transferred"), (20, 15.0, "once the cable is warm")],
)
def test_what_does_not_fly_says_why(gauge, length, words):
    assert words in Choice().weigh(gauge, length, 38.4).why_not


def test_too_little_voltage_says_so():
    choice = Choice(airframe=Airframe(voltage_min=35.0))
    assert "V arrive, 35 V are needed" in choice.weigh(16, 15.0, 38.4).why_not


@pytest.mark.parametrize("gauge", [12, 16, 20])
def test_reach_is_where_it_just_flies(gauge):
    choice = Choice()
    reach = choice.reach(gauge, 38.4)
    assert not choice.weigh(gauge, 0.999 * reach, 38.4).why_not
    assert choice.weigh(gauge, 1.002 * reach, 38.4).why_not


def test_payload_is_what_it_just_lifts():
    choice = Choice()
    lift = choice.lift(16, 15.0, 38.4)
    assert lift > 0.5
    for share, flies in ((0.99, True), (1.01, False)):
        row = dataclasses.replace(choice, payload=share * lift).weigh(16, 15.0, 38.4)
        assert (row.why_not == "") == flies
    assert choice.lift(22, 15.0, 38.4) == 0.0


def test_the_best_battery_on_board_weighs_twice_the_airframe():
    frame = Airframe(mass=1.0, avionics=0.0)
    time, mass = alone(frame, BatteryOnBoard(mass_max=10.0))
    assert mass == pytest.approx(2.0, rel=0.01)
    assert time == pytest.approx(180 * 3600 * 0.8 * mass / frame.hover_power(1.0 + mass), rel=1e-6)
    limited, most = alone(frame, BatteryOnBoard(mass_max=2.0))
    assert most == pytest.approx(1.0, rel=1e-3) and limited < time
    assert alone(frame, BatteryOnBoard(mass_max=0.9)) == (0.0, 0.0)


def test_the_tether_outlasts_a_battery_on_board():
    spec = PowerSpec(cable=Cable(temperature_coefficient=0.0), battery=Battery.ideal(38.4))
    found = compare(spec, 15.0)
    given = transfer(38.4, 0.348, Airframe().hover_power(3.43 + 0.57))
    assert found.tethered == pytest.approx(180e3 / given.current, abs=10.0)
    assert found.why == "the battery is empty"
    assert found.tethered > 10.0 * found.alone
    assert found.flights(3600.0) == math.ceil(3600.0 / found.alone)
