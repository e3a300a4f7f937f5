"""A whole inspection in the plant, by sensors on board: a small wall in a bright hall."""

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.contracts.autonomy import Readings
from tetherlab.scenario.simulation import Simulation
from tetherlab.sim.pilot import Pilot

WALL = {"type": "box", "lower_m": [4.0, -2.0, -0.5], "upper_m": [5.0, 2.0, 4.5]}
CEILING = {"type": "plane", "point_m": [0.0, 0.0, 4.2], "normal": [0.0, 0.0, -1.0]}
HALL = {"shapes": [{"type": "plane"}, CEILING, WALL], "illuminance_lux": 200.0}
STOP = {"name": "wall", "route_m": [[0.5, 0.0]], "wall_heading_deg": 0.0}
CHANGES = {
    "world": HALL,
    "ugv.start_m": [0.0, 0.0, 0.0],
    "inspection": {
        "stops": [STOP],
        "depth_camera": {"columns": 32, "rows": 24},
        "take_off_height_m": 0.6,
        "wall_height_m": 2.4,
    },
    "run.duration_max_s": 300.0,
}


@pytest.fixture(scope="module")
def flown():
    simulation = Simulation("oxpecker", CHANGES, seed=5)
    simulation.run()
    return simulation


def test_a_wall_is_mapped_and_the_drone_stands_on_its_deck_again(flown):
    assert flown.outcome is tl.Outcome.COMPLETED, flown.outcome_sentence
    assert flown.outcome_sentence.endswith("1 of 1 walls were mapped.")
    away = flown.state.uav.position - flown.state.deck
    assert np.linalg.norm(away[:2]) < 0.1
    assert not flown.mission.armed


def test_the_log_tells_the_states_one_after_another(flown):
    said = [event.sentence for event in flown.log.events if event.kind == "mission"]
    assert [sentence.rpartition(": ")[2] for sentence in said] == [
        "take off",
        "approach",
        "map",
        "land",
        "completed",
    ]


def test_the_record_holds_what_the_mission_was_told(flown):
    readings, uav = flown.log["readings"], flown.log["uav"]
    assert np.allclose(np.diff(readings["time_s"]), 0.05)
    # Sensors lag and tremble, but they speak of the same flight.
    height = np.interp(readings["time_s"], uav["time_s"], uav["z_m"])
    high = (height > 1.6) & np.isfinite(readings["headroom_m"])
    assert high.sum() > 100
    assert np.median(np.abs(readings["headroom_m"][high] + height[high] - 4.2)) < 0.15


def test_the_tether_is_at_rest_while_the_drone_is_docked_and_pulls_no_more_than_a_flight_takes(flown):
    winch = flown.log["winch"]
    takes_off = next(event.time for event in flown.log.events if event.sentence.endswith(": take off"))
    assert winch["tension_N"][winch["time_s"] < takes_off].max() < 1.0
    assert flown.log.metrics["tension_max_winch_N"] < 20.0


def test_who_drives_draws_from_the_battery_that_feeds_the_drone(flown):
    power, ugv = flown.log["power"], flown.log["ugv"]
    gains_speed = (power["time_s"] < 1.2) & (np.gradient(ugv["vx_m_per_s"], ugv["time_s"]) > 0.1)
    stands = (power["time_s"] > 2.6) & (power["time_s"] < 2.8)
    drawn = power["battery_current_A"] * power["battery_voltage_V"]
    # 110 kg that reach 0.3 m/s within a second, by motors that are not perfect
    assert np.mean(drawn[gains_speed]) > np.mean(drawn[stands]) + 0.5 * 110.0 * 0.3**2
    assert power["power_W"][gains_speed] == pytest.approx(np.mean(power["power_W"][stands]))


def test_its_wall_is_mapped_and_the_map_is_saved_with_the_run(flown, tmp_path):
    log = flown.log
    assert list(log.maps) == ["wall"] and log.metrics["map_error_max_m"] < 0.05
    points = log.maps["wall"].points
    on_wall = points[(np.abs(points[:, 1]) < 1.5) & (points[:, 2] > 0.5) & (points[:, 2] < 2.0)]
    assert len(on_wall) > 1000 and np.abs(np.median(on_wall[:, 0]) - 4.0) < 0.05
    assert [event.kind for event in log.events].count("map") == 1
    folder = log.save(tmp_path / "run")
    assert (folder / "map_wall.ply").exists()
    assert len(tl.Log.load(folder).maps["wall"].points) == len(points)


def test_ctrl_c_keeps_a_map_of_what_was_seen(monkeypatch):
    simulation = Simulation("oxpecker", CHANGES, seed=5)
    watch = simulation.mapper

    def press(readings, state):
        if watch.flight is not None and len(watch.flight.images) == 20:
            raise KeyboardInterrupt

    simulation.pilot.watchers.append(press)
    simulation.run()
    assert simulation.outcome is tl.Outcome.STOPPED
    assert len(simulation.log.maps["wall"].points) > 500
    again = Simulation("oxpecker", CHANGES, seed=5)
    again.pilot.watchers.append(press)
    monkeypatch.setattr("tetherlab.scenario.inspection_map.build_map", press_again)
    watch = again.mapper
    again.run()  # who presses it once more does not want to wait for the map
    assert again.outcome is tl.Outcome.STOPPED and again.log.maps == {}


def press_again(*_, **__):
    raise KeyboardInterrupt


def test_without_the_key_nobody_maps():
    simulation = Simulation("oxpecker", {**CHANGES, "inspection.map": False}, seed=5)
    simulation.run(until=1.0)
    assert simulation.mapper is None and simulation.log.maps == {}


def test_the_same_seed_flies_the_same_bits():
    runs = []
    for _ in range(2):
        simulation = Simulation("oxpecker", CHANGES, seed=6)
        simulation.run(until=12.0)
        runs.append(simulation.log)
    for table in ("uav", "readings"):
        a, b = (run[table] for run in runs)
        for column in a.columns:
            assert np.array_equal(a[column], b[column], equal_nan=True), column


class Straight:
    """Takes off, then flies ahead for ever."""

    rate_hz, done, ending, progress = 20.0, False, (True, ""), (0.0, "")

    def __init__(self, turn=0.0):
        self.turn, self.up = turn, False

    def step(self, readings, commander):
        if not self.up:
            commander.keep_tension(1.0)
            commander.take_off(0.8)
            self.up = True
        elif commander.arrived or readings.time > 8.0:
            commander.fly(np.array((0.3, 0.0, 0.0)), self.turn)
        return []


class Erring:
    """Odometry that believes in a velocity to the left that is not there."""

    def __init__(self, error):
        self.velocity_error = np.array(error)

    def read(self, plant, state):
        return Readings(time=state.time)

    def begun(self):
        return []


def flown_by(autonomy, senses):
    simulation = Simulation("oxpecker", {**CHANGES, "world": "plain"}, seed=1)
    simulation.pilot = Pilot(autonomy, senses)
    simulation.run(until=14.0)
    return simulation


def test_who_flies_by_odometry_errs_by_its_error():
    true, wrong = (flown_by(Straight(), Erring((0.0, error, 0.0))).log["uav"] for error in (0.0, 0.1))
    late = true["time_s"] > 11.0
    assert np.median(true["vx_m_per_s"][late]) == pytest.approx(0.3, abs=0.02)
    assert np.median(wrong["vx_m_per_s"][late]) == pytest.approx(0.3, abs=0.02)
    assert np.median(true["vy_m_per_s"][late]) == pytest.approx(0.0, abs=0.02)
    assert np.median(wrong["vy_m_per_s"][late]) == pytest.approx(-0.1, abs=0.02)


@pytest.mark.parametrize("kind", ["drop_out", "stuck"])
def test_without_odometry_it_flies_by_its_other_sensors(kind):
    lost = {"sensor": "odometry", "kind": kind, "start_s": 8.0}
    inspection = CHANGES["inspection"] | {"faults": [lost]}
    simulation = Simulation("oxpecker", CHANGES | {"inspection": inspection}, seed=5)
    senses, uav = simulation.pilot.senses, simulation.state.uav
    wrong = []  # what it flies by less what is, of where the tether is tied, and what it errs by

    def watch(readings, state):
        arm = uav.rotation @ (0.0, 0.0, -0.08)
        true = uav.velocity + np.cross(uav.rotation @ uav.angular_velocity_body, arm)
        c, s = np.cos(uav.yaw), np.sin(uav.yaw)
        x, y, z = senses.home.velocity_H
        wrong.append((np.array((c * x - s * y, s * x + c * y, z)) - true, senses.velocity_error))

    simulation.pilot.watchers.append(watch)
    simulation.run(until=9.0)
    assert simulation.pilot.readings.lost == ("odometry",)
    filtered, flown = np.array(wrong).transpose(1, 0, 2)
    assert flown[-10:] == pytest.approx(filtered[-10:], abs=1e-9)
    assert np.abs(flown[:150] - filtered[:150]).max(axis=1).min() > 1e-4  # as long as there is odometry


def test_velocities_are_those_of_the_drone_as_it_turns():
    simulation = flown_by(Straight(turn=0.2), Erring((0.0, 0.0, 0.0)))
    velocity = simulation.state.uav.velocity
    assert simulation.state.uav.yaw > 0.8
    assert np.arctan2(velocity[1], velocity[0]) == pytest.approx(simulation.state.uav.yaw, abs=0.15)


def test_a_mission_that_takes_too_long_says_how_far_it_came():
    simulation = Simulation("oxpecker", {**CHANGES, "run.duration_max_s": 2.0}, seed=1)
    simulation.run()
    assert simulation.outcome is tl.Outcome.TIMED_OUT
    assert "0 of 1 walls were mapped in 2 s" in simulation.outcome_sentence


def test_a_drone_that_is_held_back_has_not_arrived():
    simulation = Simulation("oxpecker", CHANGES, seed=1)
    commander, mission = simulation.commander, simulation.mission
    commander.take_off(0.8)
    for _ in range(1000):
        mission.paths.advance(0.01)  # where it should be, while it stands
    assert mission.uav.arrived and not commander.arrived
    mission.uav.position[:] = mission.uav.target[:] = simulation.state.uav.position
    assert commander.arrived


def test_a_mission_on_board_has_no_checkpoint(flown, tmp_path):
    with pytest.raises(tl.InputError, match="a run with a section `inspection` cannot be written"):
        flown.checkpoint(tmp_path / "x")


def test_walls_are_in_the_record_and_targets_are_not(flown):
    walls, metrics = flown.log["walls"], flown.log.metrics
    assert walls["mapped"].tolist() == [1.0]
    assert walls["time_s"][0] == 0.0 and walls["ended_s"][0] == pytest.approx(flown.time, abs=0.1)
    assert np.isnan(walls["seen_share"][0])  # nobody knows where a wall of one's own ends
    assert metrics["walls"] == metrics["walls_mapped"] == 1.0
    assert "targets" not in metrics


def test_an_inspection_that_takes_too_long_says_how_far_it_came_and_what_went_wrong():
    late = {"sensor": "altimeter", "kind": "offset", "value": 0.05, "start_s": 1.0}
    changes = {"run.duration_max_s": 2.0, "inspection.faults": [late]}
    simulation = Simulation("oxpecker", CHANGES | changes, seed=5)
    simulation.run()
    assert simulation.outcome is tl.Outcome.TIMED_OUT
    assert simulation.outcome_sentence.endswith("0 of 1 walls were mapped in 2 s.")
    (fault,) = [event for event in simulation.events if event.kind == "fault"]
    assert (
        fault.time == pytest.approx(1.0) and fault.sentence == "from now on altimeter reads 0.05 m too much"
    )
