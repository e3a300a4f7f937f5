"""Every reason to break off a wall, one by one: what it says, and where it leads."""

import math
from dataclasses import replace

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.contracts.autonomy import Readings, TaskStatus
from tetherlab.missions.guards import Limits, WayHome
from tetherlab.missions.inspection import ABORT, COME_DOWN, MAP, Inspection, Stop, inspection_machine

NAMES = {"drive": "drive", "take_off": "take off", "approach": "approach", "map_wall": "map", "land": "land"}
GOOD = {
    "height": 2.0, "headroom": 5.0, "length": 5.0, "tension": 4.0, "voltage": 35.0, "power_share": 0.5,
    "energy_left": 0.9,
}  # fmt: skip
WRONG = [
    ("power low", {"energy_left": 0.1}, "battery at 10 %, at least 20 % wanted"),
    ("power low", {"voltage": 22.0}, "22.0 V at the drone, at least 24 V wanted"),
    ("power low", {"power_share": 0.95}, "the drone draws 95 % of the most that its cable can transfer"),
    ("tension high", {"tension": 50.0}, "50 N of tension, at most 25 N wanted"),
    ("tether short", {"length": 14.8}, "0.20 m of tether left"),
    ("ceiling near", {"headroom": 0.3}, "0.30 m below the ceiling, at least 0.5 m wanted"),
    ("sensor lost", {"lost": ("depth_camera",)}, "nothing from depth_camera"),
    ("sensor lost", {"lost": ("drone_angles", "uwb")}, "nothing from drone_angles"),
    ("sensor lost", {"lost": ("tension",), "tension": math.nan}, "nothing from tension"),
    ("sensor lost", {"lost": ("length",), "length": math.nan}, "nothing from length"),
    ("sensor lost", {"lost": ("ceiling",), "headroom": math.nan}, "nothing from ceiling"),
]


class Ready:
    """Goes on, or is done at once."""

    details = ""

    def __init__(self, name, status):
        self.name, self.status = name, status

    def begin(self, readings):
        pass

    def step(self, readings, commander):
        return self.status


def machine(at=MAP, abort=TaskStatus.DONE, come_down=TaskStatus.DONE):
    """One that stays in a state, once it is there."""
    tasks = {}
    for key, name in NAMES.items():
        tasks[key] = Ready(name, TaskStatus.GOING_ON if name == at else TaskStatus.DONE)
    last = Ready(COME_DOWN, come_down)
    last.details = "came down beside its platform"
    made = inspection_machine(**tasks, abort=Ready(ABORT, abort), come_down=last, limits=Limits())
    while made.state != at:
        made.step(Readings(time=0.0, **GOOD), None)
    return made


def run(made, duration, **wrong):
    """Step through some time; the first change, if any."""
    for time in np.arange(1.0, 1.0 + duration, 0.05):
        change = made.step(Readings(time=float(time), **{**GOOD, **wrong}), None)
        if change is not None:
            return change
    return None


@pytest.mark.parametrize(("guard", "wrong", "sentence"), WRONG)
def test_what_is_wrong_for_long_leads_home(guard, wrong, sentence):
    change = run(machine(), 5.0, **wrong)
    assert (change.cause, change.target, change.details) == (guard, ABORT, sentence)


@pytest.mark.parametrize(("guard", "wrong", "sentence"), WRONG)
def test_what_is_wrong_for_a_moment_does_not(guard, wrong, sentence):
    made = machine()
    assert run(made, 0.15, **wrong) is None
    assert run(made, 5.0) is None


@pytest.mark.parametrize(
    "unknown", ["voltage", "power_share", "energy_left", "headroom", "tension", "length"]
)
def test_what_is_not_known_is_not_wrong(unknown):
    assert run(machine(), 5.0, **{unknown: math.nan}) is None


def test_nothing_of_that_breaks_off_a_landing():
    for _, wrong, _ in WRONG:
        assert run(machine(at="land"), 5.0, **wrong) is None


def test_a_drive_is_broken_off_where_power_is_low_and_by_nothing_else():
    for guard, wrong, sentence in WRONG:
        change = run(machine(at="drive"), 5.0, **wrong)
        if guard == "power low":
            assert (change.cause, change.target, change.details) == ("battery low", "aborted", sentence)
        else:
            assert change is None


def emptying(made, left, rate, length, duration=60.0):
    """Fly while the battery loses so much a second; the first change."""
    for time in np.arange(5.0, 5.0 + duration, 0.05):
        share = left - rate * (float(time) - 5.0)
        changed = {**GOOD, "energy_left": share, "length": length}
        change = made.step(Readings(time=float(time), **changed), None)
        if change is not None:
            return change, share
    return None, share


def test_it_leaves_for_home_while_the_battery_still_brings_it_there():
    # 12 m at 0.15 m/s are 80 s, and 15 s more: 9.5 % at 0.1 % a second.
    made = machine()
    made.guards = [replace(g, watch=lambda readings: "") if g.name == "power low" else g for g in made.guards]
    change, left = emptying(made, 0.16, 0.001, 12.0)
    assert (change.cause, change.target) == ("way home", ABORT)
    assert change.details.endswith("the way home takes 9.5 %")
    assert left == pytest.approx(1.5 * 0.095 - 0.001, abs=2e-4)  # a second later


def test_near_its_base_it_stays_longer():
    made = machine()
    made.guards = [replace(g, watch=lambda readings: "") if g.name == "power low" else g for g in made.guards]
    _, left = emptying(made, 0.16, 0.001, 1.5, duration=200.0)
    assert left == pytest.approx(1.5 * 0.025 - 0.001, abs=2e-4)


def test_another_flight_is_judged_by_itself():
    watch = WayHome(speed=0.15)
    for time in np.arange(0.0, 30.0, 0.05):  # empties the battery ten times as fast
        watch(Readings(time=float(time), **{**GOOD, "energy_left": 0.9 - 0.01 * float(time)}))
    for time in np.arange(100.0, 130.0, 0.05):
        left = 0.15 - 0.001 * (float(time) - 100.0)
        assert watch(Readings(time=float(time), **{**GOOD, "energy_left": left})) == ""


@pytest.mark.parametrize(("length", "most"), [(3.0, 120.0), (math.nan, 360.0)])
def test_a_landing_that_takes_far_longer_than_its_way_is_given_up(length, most):
    # 60 s and three times 3 m, or all 15 m if nobody knows, at 0.15 m/s
    made = machine(at="land")
    change = run(made, 500.0, length=length)
    assert (change.cause, change.target) == ("over time", "come down")
    assert change.details.startswith(f"not down after {most:.0f} s")
    assert change.time == pytest.approx(1.0 + most, abs=0.1)


def stops():
    return [Stop(name, np.zeros((1, 2)), 0.0) for name in ("one", "two")]


def fly(inspection, wrong, duration=10.0):
    said = []
    for time in np.arange(0.0, duration, 0.05):
        said += inspection.step(Readings(time=float(time), **{**GOOD, **wrong(float(time))}), None)
    return said


def test_a_wall_that_had_to_be_left_is_passed_over():
    inspection = Inspection(machine(), stops())
    said = fly(inspection, lambda time: {"tension": 50.0} if time < 0.8 else {})
    assert inspection.results == [("one", "aborted", "tension high: 50 N of tension, at most 25 N wanted")]
    assert inspection.index == 1
    assert not inspection.done
    assert said[0] == "one: drive, done: take off"


def test_without_power_nothing_more_is_begun():
    inspection = Inspection(machine(), stops())
    fly(inspection, lambda time: {"energy_left": 0.1})
    assert inspection.done
    completed, sentence = inspection.ending
    assert not completed
    assert sentence.startswith("0 of 2 walls were mapped; one was left, power low: battery at 10 %")


def test_a_battery_that_is_low_on_the_way_ends_the_tour():
    inspection = Inspection(machine(at="drive"), stops())
    said = fly(inspection, lambda time: {"energy_left": 0.1})
    assert inspection.done
    assert said == ["one: drive, battery low (battery at 10 %, at least 20 % wanted): aborted"]


def test_a_drone_that_stands_beside_its_platform_ends_the_mission():
    failed = TaskStatus.FAILED
    inspection = Inspection(machine(abort=failed, come_down=failed), stops())
    fly(inspection, lambda time: {"tension": 50.0})
    assert inspection.done
    high = "tension high: 50 N of tension, at most 25 N wanted"
    assert inspection.results == [("one", "stranded", f"{high}; came down beside its platform")]
    assert inspection.ending[1].endswith("came down beside its platform")


def test_a_landing_that_fails_is_ended_in_another_way_and_the_next_wall_is_driven_to():
    inspection = Inspection(machine(abort=TaskStatus.FAILED), stops())
    said = fly(inspection, lambda time: {"tension": 50.0} if time < 0.8 else {})
    assert "one: abort, failed: come down" in said
    assert inspection.results[0][1] == "aborted" and inspection.index == 1 and not inspection.done


@pytest.mark.parametrize("state", ["land", "abort"])
def test_no_landing_leaves_the_drone_in_the_air(state):
    assert (state, "failed", COME_DOWN) in machine().rows()
    assert {target for source, _, target in machine().rows() if source == COME_DOWN} == {
        "aborted",
        "stranded",
    }


MINE = {"mine": {"seed": 2, "pillar_m": [8.0, 8.0], "height_m": 5.0, "entry_m": 12.0, "friction": 0.8}}
LATE, HIGH = {"start_s": 45.0}, {"start_s": 155.0}  # as the first row begins; in the last one
FLOWN = {
    "power low": {"power.battery.capacity_Ah": 1.0, "inspection.limits.energy_min": 0.5},
    "tether short": {"tether.length_m": 5.0},
    "tension high": {"inspection.faults": [{"sensor": "tension", "kind": "offset", "value": 50.0, **LATE}]},
    "ceiling near": {"inspection.faults": [{"sensor": "ceiling", "kind": "offset", "value": -0.6, **HIGH}]},
    "sensor lost": {"inspection.faults": [{"sensor": "depth_camera", "kind": "drop_out", **LATE}]},
    "failed: nothing from odometry": {"inspection.spotlights": False},
}


def lose(*sensors, kind="drop_out", start=45.0):
    return {"inspection.faults": [{"sensor": name, "kind": kind, "start_s": start} for name in sensors]}


LOST = {
    "nothing from odometry": lose("odometry"),
    "nothing from odometry, which repeats itself": lose("odometry", kind="stuck"),
    "nothing from drone_angles": lose("drone_angles"),
    "nothing from altimeter": lose("altimeter"),
    "nothing from tension": lose("tension"),
}


def stands_on_its_deck(simulation):
    away = simulation.state.uav.position - simulation.state.deck
    return not simulation.mission.armed and np.linalg.norm(away[:2]) < 0.1 and abs(away[2]) < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("reason", FLOWN)
def test_it_comes_home_along_its_tether(reason):
    simulation = tl.Simulation("oxpecker", {"world": MINE, **FLOWN[reason]}, seed=4)
    simulation.run()
    (result,) = simulation.pilot.autonomy.results
    assert result[1] == "aborted", simulation.outcome_sentence
    assert result[2].startswith(reason)
    assert simulation.outcome is tl.Outcome.BROKEN_OFF
    assert stands_on_its_deck(simulation)


@pytest.mark.slow
@pytest.mark.parametrize("lost", LOST)
def test_it_comes_home_without(lost):
    simulation = tl.Simulation("oxpecker", {"world": MINE, **LOST[lost]}, seed=4)
    simulation.run()
    (result,) = simulation.pilot.autonomy.results
    assert result[1:] == ("aborted", f"sensor lost: {lost.partition(', ')[0]}"), simulation.outcome_sentence
    assert stands_on_its_deck(simulation)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [4, 5])
def test_it_comes_home_in_the_dark(seed):
    simulation = tl.Simulation("oxpecker", {"world": MINE}, seed=seed)
    simulation.run(until=60.0)
    simulation.pilot.senses.spotlights = False
    simulation.run()
    (result,) = simulation.pilot.autonomy.results
    assert result[1:] == ("aborted", "sensor lost: nothing from odometry"), simulation.outcome_sentence
    assert stands_on_its_deck(simulation)


@pytest.mark.slow
def test_where_nothing_leads_home_it_comes_down_and_says_so():
    simulation = tl.Simulation("oxpecker", {"world": MINE, **lose("odometry", "drone_angles")}, seed=4)
    simulation.run()
    (result,) = simulation.pilot.autonomy.results
    assert result[1] == "stranded", simulation.outcome_sentence
    assert result[2].endswith("came down beside its platform: nobody knows where the platform is")
    assert not simulation.mission.armed and simulation.state.uav.position[2] < 0.6
