"""A drone comes home to a rover on a slope: on a level deck it stays, on one that leans it slides."""

import math

import numpy as np
import pytest

import tetherlab as tl

START = [0.0, 0.0, 2.2]  # of the drone [m]


def written(angle, *, levelling=True, depression=True):
    """Rhino on a slope [deg], Oxpecker above it."""
    lean = math.radians(angle)
    plane = {
        "type": "plane",
        "name": "slope",
        "normal": [-math.sin(lean), 0.0, math.cos(lean)],
        "friction": 0.8,
    }
    scenario = {
        "schema": 1,
        "world": {"shapes": [plane]},
        "tether": {"like": "oxpecker", "paid_out_m": 1.6},
        "winch": {"like": "oxpecker", "rule": {"type": "constant_tension", "tension_N": 3.0}},
        "uav": {"robot": "oxpecker", "start_m": START, "controller": {"feed_forward": "measured"}},
        "ugv": {"robot": "rhino"},
        "mission": {"targets": [{"uav_m": START, "ugv_m": [0.0, 0.0, 0.0]}], "hold_last_s": 60},
        "run": {"duration_max_s": 100},
    }
    data = tl.Scenario.from_dict(scenario).to_dict()
    platform = data["ugv"]["robot"]["platform"]
    if not levelling:
        del platform["levelling"]
    if not depression:
        platform["upper_m"][2] -= platform["depression"]["depth_m"]
        del platform["depression"]
    return data


def landed(data, wait):
    """The run so long after its landing [s]."""
    run = tl.Simulation(data)
    run.run(until=12.0)
    run.land()
    while not any("landed" in event.sentence for event in run.events):
        assert run.outcome is None and run.time < 60.0, run.outcome_sentence
        run.run(until=run.time + 0.25)
    run.run(until=run.time + wait)
    return run


def off_centre(run):
    """Of the drone from its place, along the deck [m]."""
    state = run.state
    return float(np.hypot(*(state.deck_rotation.T @ (state.uav.position - state.deck))[:2]))


def tilt(rotation):
    """[deg]."""
    return math.degrees(math.acos(min(rotation[2, 2], 1.0)))


@pytest.mark.parametrize("angle", [10.0, 20.0])
def test_on_a_level_deck_it_stays_in_the_middle(angle):
    run = landed(written(angle), 3.0)
    assert run.outcome is None
    assert tilt(run.state.ugv.rotation) == pytest.approx(angle, abs=0.6)
    assert tilt(run.state.deck_rotation) < 0.5
    assert tilt(run.state.uav.rotation) < 1.0
    assert off_centre(run) < 0.02


def test_the_depression_catches_it_where_the_deck_leans():
    run = landed(written(15.0, levelling=False), 3.0)
    assert run.outcome is None
    assert 0.02 < off_centre(run) < 0.1
    assert tilt(run.state.uav.rotation) > 5.0
    # The winch, which keeps a tension on a short tether, jerks it now and then: it stays where it is.
    before = run.state.uav.position.copy()
    run.run(until=run.time + 1.0)
    assert np.abs(run.state.uav.position - before).max() < 0.01


def test_from_a_flat_deck_that_leans_more_than_friction_holds_it_slides():
    # Friction of 0.3 holds up to 17 degrees, and the 3 N of its tether up to 21.
    run = landed(written(25.0, levelling=False, depression=False), 8.0)
    assert run.outcome is not None or off_centre(run) > 0.3


def test_the_record_tells_how_the_deck_turned():
    run = tl.Simulation(written(10.0))
    run.run(until=10.0)
    table = run.log["platform"]
    assert math.degrees(table["pitch_rad"][0]) == pytest.approx(-10.0, abs=0.6)
    assert abs(math.degrees(table["pitch_rad"][-1])) < 0.5
    on_ugv = table["pitch_on_ugv_rad"]
    assert math.degrees(on_ugv[-1]) == pytest.approx(10.0, abs=1.0)
    assert table["limited"][len(table) // 10] == 1 and table["limited"][-1] == 0
    assert table["stroke_a_m"][-1] > table["stroke_a_m"][0] + 0.05
    assert "platform" not in tl.Simulation(written(10.0, levelling=False)).log.tables
