"""A flight beside the wall clock: what people ask for happens in its thread, in order, and can be saved."""

import threading

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.contracts.columns import STATION_TENSIONS
from tetherlab.view.flight import Flight
from tetherlab.view.record import Record
from tetherlab.view.replay_page import moments
from tetherlab.view.watching import comes_true


@pytest.fixture
def flight():
    scenario = tl.Scenario.load("vertical", {"mission.uav_speed_m_per_s": 0.4, "run.duration_max_s": 20.0})
    tl.Simulation(scenario).step()  # compiles
    flight = Flight(lambda: tl.Simulation(scenario), lambda _: None, "vertical")
    flight.speed = 10.0
    flight.start()
    yield flight
    flight.stop()


def saved(flight, tmp_path):
    """The scenario of what was flown."""

    def new_folder():
        (tmp_path / "flown").mkdir()
        return tmp_path / "flown"

    return tl.Scenario.load(flight.flown.save(new_folder))


def in_the_air(flight):
    flight.take_off()
    mission = flight.simulation.mission
    assert comes_true(lambda: mission.armed and mission.uav.arrived)


def test_fast_nudges_add_up_also_right_after_take_off(flight):
    start = flight.simulation.mission.uav.target.copy()
    flight.take_off()
    for _ in range(4):
        flight.nudge("uav", np.array((0.25, 0.0, 0.0)))
    mission = flight.simulation.mission
    assert comes_true(lambda: mission.uav.target[0] > start[0] + 0.99)
    assert mission.uav.target == pytest.approx(start + np.array((1.0, 0.0, 1.0)), abs=0.01)


def test_by_hand_there_is_no_limit_of_time(flight):
    in_the_air(flight)
    assert comes_true(lambda: flight.simulation.time > 25.0)
    assert flight.simulation.outcome is None


def test_a_mistake_in_one_wish_leaves_the_flight_alive(flight, capsys):
    flight.ask(lambda simulation: 1 / 0)
    assert comes_true(lambda: "ZeroDivisionError" in flight.message)
    in_the_air(flight)
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_refused_wish_is_told(flight):
    flight.land()
    assert comes_true(lambda: "landed already" in flight.message)
    flight.go(uav=(0.0, 0.0, 3.0))
    assert comes_true(lambda: "let it take off first" in flight.message)


def test_landing_is_said_when_it_has_happened(flight):
    in_the_air(flight)
    flight.land()
    assert comes_true(lambda: flight.message == "has landed")


def test_an_aborted_landing_is_not_flown_again(flight, tmp_path):
    in_the_air(flight)
    flight.go(uav=(1.0, 0.0, 2.0))
    flight.land()
    flight.hold()
    assert comes_true(lambda: flight.message == "stays where it is")
    assert not saved(flight, tmp_path).mission.land


def test_a_slider_that_is_swept_leaves_one_place(flight, tmp_path):
    in_the_air(flight)
    flight.go(uav=(1.0, 0.0, 2.0))
    for length in (2.0, 2.1, 2.2, 2.3, 2.5):
        flight.reel(length=length)
    assert comes_true(lambda: flight.message == "tether 2.5 m")
    targets = saved(flight, tmp_path).mission.targets
    assert [target.length for target in targets] == [None, 2.5]


def test_a_drive_before_take_off_is_flown_above_the_rover(flight, tmp_path):
    flight.go(ugv=(0.5, 0.0))
    assert comes_true(lambda: len(flight.flown.waypoints) == 1)
    in_the_air(flight)
    again = tl.Simulation(saved(flight, tmp_path))
    again.duration_max = 100.0
    again.run()
    assert again.outcome is tl.Outcome.COMPLETED
    assert flight.flown.waypoints[0].uav[2] > 1.0


def test_of_a_slider_that_is_swept_the_last_value_counts(flight):
    flight.paused = True
    flight.stop()  # so that all is asked between two pictures
    for speed in np.linspace(0.0, 3.0, 1000):
        flight.blow(np.array((speed, 0.0, 0.0)))
    flight.hold()
    flight._do_what_was_asked()
    said = [event.sentence for event in flight.simulation.events if event.kind == "command"]
    assert said[-2:] == ["wind [3.0, 0.0, 0.0] m/s", "hold"]
    assert len(said) < 10


def test_nothing_flown_is_nothing_to_save(flight, tmp_path):
    flight.hold()
    assert comes_true(lambda: flight.message == "stays where it is")
    with pytest.raises(tl.InputError, match="nothing to save"):
        saved(flight, tmp_path)


def test_the_winch_keeps_what_it_is_told_until_it_follows_its_rule_again(flight):
    flight.reel(length=1.5)
    assert comes_true(lambda: abs(flight.simulation.state.length - 1.5) < 0.02)
    flight.reel()
    assert comes_true(lambda: flight.message == "the winch follows its rule")
    assert comes_true(lambda: abs(flight.simulation.state.length - 1.5) > 0.1)


def test_the_last_wind_is_saved_with_what_was_flown(flight, tmp_path):
    in_the_air(flight)
    flight.blow(np.array((1.0, 2.0, 0.0)))
    assert comes_true(lambda: flight.message == "wind 2.2 m/s")
    assert saved(flight, tmp_path).world.wind.velocity == pytest.approx((1.0, 2.0, 0.0))


@pytest.mark.parametrize("follow_plan", [True, False])
def test_after_a_reset_the_plan_is_flown_if_that_was_asked_for(flight, follow_plan):
    before, begun = flight.simulation, threading.Event()
    flight.reset(follow_plan, begun.set, lambda _: True)
    assert begun.wait(60.0)
    simulation = flight.simulation
    assert simulation is not before
    assert comes_true(lambda: simulation.time > 15.0 or simulation.outcome is not None)
    planned = [event for event in simulation.events if event.sentence.startswith("target 1 of")]
    assert simulation.mission.by_hand is not follow_plan
    assert len(planned) == follow_plan


def test_another_wind_keeps_the_gusts_of_the_run():
    scenario = tl.Scenario.load("windy", {"run.seed": 3})
    flight = Flight(lambda: tl.Simulation(scenario), lambda _: None, "windy")
    before = flight.simulation.plant.wind
    flight.blow(np.array((0.0, 5.0, 0.0)))
    flight.start()
    assert comes_true(lambda: flight.simulation.wind.velocity[1] == 5.0)
    flight.stop()
    after = flight.simulation.plant.wind
    carried = 3  # the row of modes that tells how fast they pass
    assert after.mean[:3].tolist() == [0.0, 5.0, 0.0]
    assert np.array_equal(np.delete(after.modes, carried, 0), np.delete(before.modes, carried, 0))
    assert np.array_equal(after.mean[3:], before.mean[3:])


def test_moments_are_those_of_the_tether_and_each_is_there_once():
    log = tl.run("wall")
    found = moments(Record(log))
    tension = max(float(np.nanmax(log["tether"][name])) for name in STATION_TENSIONS)
    assert any(what == f"largest tension, {tension:.1f} N" for _, what in found)
    touched = [when for when, what in found if "touches" in what]
    assert touched and all(np.diff(touched) > 1.0)
