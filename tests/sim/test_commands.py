"""Commands while a run goes on: velocities, take-off, landing, hold; and a checkpoint in between."""

import numpy as np
import pytest

import tetherlab as tl

FAST = {"mission.uav_speed_m_per_s": 0.5, "mission.ugv_speed_m_per_s": 0.2}


def in_the_air(**changes):
    """Above its rover, at rest."""
    simulation = tl.Simulation("vertical", {**FAST, **changes})
    simulation.run(until=5.0)
    simulation.hold()
    simulation.run(until=8.0)
    return simulation


def go_on(simulation, seconds):
    simulation.run(until=simulation.time + seconds)


def test_vehicles_go_at_a_velocity_until_told_otherwise():
    simulation = in_the_air()
    simulation.command(uav_velocity=(0.3, -0.2, 0.1), ugv_velocity=(0.1, 0.05))
    go_on(simulation, 6.0)
    assert np.allclose(simulation.state.uav.velocity, (0.3, -0.2, 0.1), atol=0.02)
    assert np.allclose(simulation.state.ugv.velocity[:2], (0.1, 0.05), atol=0.01)


def test_the_reference_of_a_velocity_is_no_faster_than_its_acceleration_allows():
    simulation = in_the_air()
    simulation.command(uav_velocity=(0.5, 0.0, 0.0))
    speeds = []
    for _ in range(200):
        simulation.step()
        speeds.append(np.linalg.norm(simulation.mission.uav.velocity))
    assert np.diff(speeds).max() <= 0.5 * 0.01 * (1.0 + 1e-9)
    assert speeds[-1] == 0.5


def test_a_velocity_of_zero_holds_the_place():
    simulation = in_the_air()
    simulation.command(uav_velocity=(0.3, 0.0, 0.0), ugv_velocity=(0.2, 0.0))
    go_on(simulation, 4.0)
    simulation.hold()
    go_on(simulation, 6.0)
    uav, ugv = simulation.state.uav.position.copy(), simulation.state.ugv_origin.copy()
    assert uav[0] > 1.0
    assert ugv[0] > 0.5
    go_on(simulation, 5.0)
    assert np.allclose(simulation.state.uav.position, uav, atol=0.02)
    assert np.allclose(simulation.state.ugv_origin, ugv, atol=0.012)
    assert not simulation.mission.uav.velocity.any()


def test_one_vehicle_goes_at_a_velocity_and_the_other_to_a_place():
    simulation = in_the_air()
    above = simulation.state.uav.position[2]
    simulation.command(uav_velocity=(0.0, 0.2, 0.0), ugv=(0.4, 0.0))
    go_on(simulation, 10.0)
    assert np.allclose(simulation.state.ugv_origin[:2], (0.4, 0.0), atol=0.02)
    assert simulation.state.uav.velocity[1] == pytest.approx(0.2, abs=0.02)
    assert simulation.state.uav.position[2] == pytest.approx(above, abs=0.05)
    simulation.command(uav=(0.5, 0.5, 2.0))
    go_on(simulation, 12.0)
    assert np.allclose(simulation.state.uav.position, (0.5, 0.5, 2.0), atol=0.03)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            {"uav": (0, 0, 2), "uav_velocity": (0, 0, 0)},
            "give either uav, a place, or uav_velocity, not both",
        ),
        ({"ugv": (0, 0), "ugv_velocity": (0, 0)}, "give either ugv, a place, or ugv_velocity, not both"),
        ({"uav_velocity": (0.4, 0.4, 0.0)}, r"uav_velocity is 0.566 m/s, but .* 0.5 m/s: go slower, or"),
        ({"ugv_velocity": (0.0, 0.3)}, r"ugv_velocity is 0.3 m/s, but .*mission.ugv_speed_m_per_s"),
        ({"uav_velocity": (0.4, 0.4)}, r"uav_velocity must have shape \(3,\)"),
        ({"ugv_velocity": (0.1, np.nan)}, "ugv_velocity must be finite"),
        ({"ugv": "there"}, "ugv must be an array of numbers"),
        ({"uav": (2, 2, 2), "length": 1000}, "length must be at most"),
        ({"ugv": (1, 0), "tension": 0.0}, "tension must be"),
    ],
)
def test_a_wrong_command_is_refused_and_changes_nothing(wrong, said):
    simulation = tl.Simulation("vertical", FAST)
    with pytest.raises(tl.InputError, match=said):
        simulation.command(**wrong)
    assert not simulation.mission.by_hand
    assert not simulation.events


@pytest.mark.parametrize(
    "tell",
    [
        lambda run: run.command(uav=(0.0, 0.0, 2.0)),
        lambda run: run.command(length=2.0),
        lambda run: run.hold(),
        lambda run: run.take_off(),
        lambda run: run.land(),
        lambda run: run.follow_rule(),
    ],
)
def test_nothing_is_commanded_after_the_end(tell):
    simulation = tl.Simulation("vertical", {"run.duration_max_s": 0.5})
    simulation.run()
    events = list(simulation.events)
    with pytest.raises(tl.InputError, match=r"the run has ended, .*0 of 20 targets"):
        tell(simulation)
    assert simulation.events == events


@pytest.mark.parametrize(
    ("until", "said"),
    [
        (float("nan"), "until must be finite"),
        ("soon", "until must be a number"),
        (0.3, "until is 0.3 s, but it is 0.5 s already"),
    ],
)
def test_a_run_goes_on_until_a_time_to_come(until, said):
    simulation = tl.Simulation("vertical")
    simulation.run(until=0.5)
    with pytest.raises(tl.InputError, match=said):
        simulation.run(until=until)
    simulation.run(until=0.5)
    assert simulation.time == pytest.approx(0.5)


def test_on_command_it_lands_rides_along_and_takes_off_again():
    simulation = in_the_air()
    simulation.command(uav=(0.8, 0.3, 1.8), ugv_velocity=(0.1, 0.0))
    go_on(simulation, 5.0)
    simulation.land()
    go_on(simulation, 25.0)
    assert simulation.outcome is None
    assert not simulation.mission.armed
    assert np.linalg.norm(simulation.state.uav.position - simulation.state.deck) < 0.06

    with pytest.raises(tl.InputError, match="let it take off first"):
        simulation.command(uav_velocity=(0.1, 0.0, 0.0))
    with pytest.raises(tl.InputError, match="landed already"):
        simulation.land()
    start = simulation.state.ugv_origin[0]
    simulation.command(ugv_velocity=(-0.15, 0.0))
    go_on(simulation, 10.0)
    assert simulation.state.ugv_origin[0] < start - 1.0
    assert np.linalg.norm(simulation.state.uav.position - simulation.state.deck) < 0.06

    simulation.hold()
    go_on(simulation, 2.0)
    place = simulation.state.uav.position.copy()
    simulation.take_off()
    go_on(simulation, 10.0)
    assert simulation.outcome is None
    assert np.allclose(simulation.state.uav.position, place + np.array((0.0, 0.0, 1.0)), atol=0.05)
    said = [event.sentence for event in simulation.events if event.time > 10.0]
    assert said == ["land", "has landed", "rover at [-0.15, 0.0, 0.0] m/s", "hold", "take off"]


@pytest.mark.parametrize("what", ["velocity", "land", "landed"])
def test_a_checkpoint_keeps_what_was_commanded(what, tmp_path):
    simulation = in_the_air()
    simulation.command(uav_velocity=(0.3, 0.1, 0.0), ugv_velocity=(0.1, 0.0))
    go_on(simulation, 1.0)
    if what != "velocity":
        simulation.land()
        go_on(simulation, 2.0 if what == "land" else 22.0)
        assert simulation.mission.armed == (what == "land")
    simulation.checkpoint(tmp_path / "now")
    resumed = tl.Simulation.resume(tmp_path / "now")
    for run in (simulation, resumed):
        go_on(run, 20.0 if what == "land" else 2.0)
        if what == "landed":
            run.take_off()
        go_on(run, 2.0)
    a, b = simulation.log, resumed.log
    for name in a.tables:
        for column in a[name].columns:
            assert np.array_equal(a[name][column], b[name][column], equal_nan=True), (name, column)


def test_a_length_by_hand_is_held_until_the_winch_follows_its_rule_again():
    simulation = tl.Simulation("vertical")
    simulation.run(until=8.0)
    simulation.command(uav=(0.0, 0.0, 2.0), length=4.0)
    simulation.run(until=22.0)
    assert simulation.state.length == pytest.approx(4.0, abs=0.005)
    simulation.follow_rule()
    simulation.run(until=36.0)
    apart = np.linalg.norm(simulation.state.attachment - simulation.state.exit)
    rule = simulation.scenario.winch.rule
    assert simulation.state.length == pytest.approx(rule.factor * apart + rule.margin, abs=0.02)


def test_a_tension_by_hand_is_kept():
    simulation = tl.Simulation("vertical")
    simulation.run(until=8.0)
    simulation.command(uav=(0.0, 0.0, 3.0), tension=3.0)
    simulation.run(until=30.0)
    seen = []
    while simulation.time < 40.0:
        simulation.step()
        seen.append(simulation.state.tension)
    # The tether swings on for long.
    assert np.mean(seen) == pytest.approx(3.0, abs=0.05)
    assert np.std(seen) < 0.5


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"length": 3.0, "tension": 2.0}, "a length or a tension, not both"),
        ({"length": -1.0}, "length must be"),
        ({"length": 1e3}, "all that is on the drum"),
        ({"tension": 0.0}, "tension must be"),
    ],
)
def test_what_a_winch_cannot_do_is_refused(asked, said):
    simulation = tl.Simulation("vertical")
    with pytest.raises(tl.InputError, match=said):
        simulation.command(**asked)


def test_the_targets_of_a_log_hold_the_lengths_of_the_file():
    simulation = tl.Simulation("theatre")
    simulation.run(until=30.0)
    wanted = [target.length for target in simulation.scenario.mission.targets]
    found = simulation.log["targets"]["length_m"]
    assert len(found) > 1
    assert np.allclose(found, wanted[: len(found)], rtol=0, atol=1e-9)
