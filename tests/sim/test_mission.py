"""The mission: phases, and when the next target is taken."""

import numpy as np
import pytest

from tetherlab.sim.mission import Mission, Phase, Plan

DT = 0.01
START, ROVER, DECK = np.array([0.2, 0.0, 0.5]), np.zeros(3), np.array([0.2, 0.0, 0.5])


def make_plan(targets, **changes):
    """Targets as (drone, rover) pairs."""
    rows = [[*uav, *ugv, np.nan] for uav, ugv in targets]
    values = {
        "targets": np.array(rows, float), "slack": np.full(len(rows), np.nan),
        "take_off_height": None, "land": False, "switch_uav": 0.5,
        "switch_ugv": 0.3, "uav_speed": 0.5, "uav_slow_down": 0.5, "ugv_speed": 0.2, "hold_last": 0.0,
    }  # fmt: skip
    return Plan(**{**values, **changes})


TWO = [((0.0, 0.0, 3.0), (0.0, 0.0, 0.0)), ((2.0, 0.0, 3.0), (1.0, 0.0, 0.0))]


@pytest.mark.parametrize(
    ("uav", "ugv", "taken"),
    [
        ((0.0, 0.0, 2.51), (0.0, 0.29, 0.0), True),
        ((0.0, 0.0, 2.49), (0.0, 0.0, 0.0), False),
        ((0.3, 0.3, 2.7), (0.0, 0.0, 0.0), False),
        ((0.0, 0.0, 3.0), (0.31, 0.0, 0.0), False),
        ((0.0, 0.0, 3.0), (0.0, 0.0, 5.0), True),
    ],
    ids=["both near", "drone low", "drone aside", "rover away", "the rover's height does not count"],
)
def test_the_next_target_is_taken_when_both_vehicles_are_near(uav, ugv, taken):
    mission = Mission(make_plan(TWO), START, ROVER)
    said = mission.advance(1.0, DT, np.array(uav), np.array(ugv), DECK)
    assert (mission.index == 1) == taken
    assert (said == "target 1 of 2 reached") == taken


def test_targets_of_both_vehicles_change_together():
    mission = Mission(make_plan(TWO), START, ROVER)
    mission.advance(1.0, DT, np.array([0.0, 0.0, 3.0]), ROVER, DECK)
    assert np.array_equal(mission.uav.target, (2.0, 0.0, 3.0))
    assert np.array_equal(mission.ugv.target[:2], (1.0, 0.0))
    assert mission.began[1] == mission.reached[0] == 1.0


def test_after_the_last_target_it_stays_and_is_done():
    mission = Mission(make_plan(TWO[:1], hold_last=2.0), START, ROVER)
    place = np.array([0.0, 0.0, 3.0])
    mission.advance(1.0, DT, place, ROVER, DECK)
    assert mission.phase == Phase.HOLD
    mission.advance(2.9, DT, place, ROVER, DECK)
    assert not mission.done
    mission.advance(3.0, DT, place, ROVER, DECK)
    assert mission.done


def follow(mission, *, seconds=200.0):
    """A drone and a rover that are always where they should be; (times, heights, events)."""
    time, events, heights = 0.0, [], []
    while not mission.done and time < seconds:
        said = mission.advance(time, DT, mission.uav.position.copy(), mission.ugv.position.copy(), DECK)
        if said:
            events.append(said)
        heights.append(mission.uav.position[2])
        time += DT
    return time, heights, events


def test_it_takes_off_straight_up_before_the_first_target():
    mission = Mission(make_plan(TWO, take_off_height=1.0), START, ROVER)
    while mission.phase == Phase.TAKE_OFF:
        mission.advance(mission.since + 1.0, DT, START, ROVER, DECK)
        if mission.phase == Phase.TAKE_OFF:
            assert np.array_equal(mission.uav.position[:2], START[:2])
    assert mission.uav.position[2] == pytest.approx(START[2] + 1.0, abs=0.02)


def test_it_lands_on_the_deck_and_only_then_disarms():
    mission = Mission(make_plan(TWO, take_off_height=1.0, land=True), START, ROVER)
    assert mission.armed
    _, heights, events = follow(mission)
    assert mission.done
    assert not mission.armed
    assert heights[-1] < DECK[2] + 0.01
    assert events == [
        "takes off", "target 1 of 2 reached", "target 2 of 2 reached", "returns to the deck", "has landed",
    ]  # fmt: skip


def test_sent_by_hand_it_leaves_the_plan():
    mission = Mission(make_plan(TWO), START, ROVER)
    mission.leave_plan(1.0)
    mission.uav.go_to(np.array([5.0, 0.0, 2.0]))
    assert mission.phase == Phase.MANUAL
    mission.advance(1.0, DT, np.array([0.0, 0.0, 3.0]), ROVER, DECK)
    assert mission.index == 0
    assert np.array_equal(mission.uav.target, (5.0, 0.0, 2.0))
