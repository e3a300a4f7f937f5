"""Localisation in the loop: controllers see the estimate, faults are told and answered, all is recorded."""

from dataclasses import replace

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.control.position import PositionController
from tetherlab.sim.mission import Phase

UNTIL = 6.0  # it takes off at 0.5 s, and is on its way to the circle [s]
FAULT_AT = 4.0


def simulation(section=None, seed=None, controller=None, **overrides):
    changes = {"localisation": {"sensors": "tether_inertial", **(section or {})}, **overrides}
    return tl.Simulation("tether_inertial", changes, seed=seed, controller=controller)


def flown(*arguments, until=UNTIL, **others):
    run = simulation(*arguments, **others)
    run.run(until=until)
    return run


def bits(table):
    return np.array([table[name] for name in table.columns]).tobytes()


def told(run):
    return [event for event in run.events if event.kind == "localisation"]


@pytest.fixture(scope="module")
def flight():
    return flown()


class Eyes(PositionController):
    """Flies as the built-in one, and keeps what it was shown last."""

    def __call__(self, memory, observation, reference):
        uav = observation.uav
        Eyes.seen = (uav.position.copy(), uav.velocity.copy(), observation.attachment.copy())
        return super().__call__(memory, observation, reference)


def test_controllers_see_the_estimate_and_not_the_truth(flight):
    settings = flight.scenario.uav.controller
    eyes = Eyes(mass=flight.scenario.uav.robot.mass, acceleration_max=settings.acceleration_max)
    run = simulation(controller=eyes)
    for _ in range(600):  # 3 s
        run.step()
    position, velocity, attachment = Eyes.seen
    estimates = run.log.tables["estimates"]
    last = [[estimates[f"{axis}_m"][row] for axis in "xyz"] for row in (-3, -2, -1)]
    assert any(np.array_equal(attachment, place) for place in last)
    speeds = [[estimates[f"v{axis}_m_per_s"][row] for axis in "xyz"] for row in (-3, -2, -1)]
    assert any(np.array_equal(velocity, speed) for speed in speeds)
    arm = run.state.uav.rotation @ run.navigator.attachment
    assert np.allclose(attachment - position, arm, atol=0.005)  # it turns a little in a tick


class Shifted:
    """Says a place that is wrong by more and more, up to `shift` [m], (3,)."""

    def __init__(self, inner, shift):
        self.inner, self.shift = inner, np.array(shift)

    def update(self, measurement):
        estimate = self.inner.update(measurement)
        grown = min(max((estimate.time - 1.5) / 2.0, 0.0), 1.0)
        return replace(estimate, position=estimate.position + grown * self.shift)

    def stand(self, time, position):
        return self.inner.stand(time, position)


def test_an_estimate_that_is_off_leads_the_drone_as_far_to_the_other_side(flight):
    run = simulation({"on_fault": "continue"})
    run.navigator.estimator = Shifted(run.navigator.estimator, (0.0, 0.15, 0.0))
    run.run(until=UNTIL)
    right, wrong = flight.log.tables["uav"], run.log.tables["uav"]
    late = right["time_s"] > UNTIL - 0.5
    assert np.mean((wrong["y_m"] - right["y_m"])[late]) == pytest.approx(-0.15, abs=0.06)
    assert abs(np.mean((wrong["z_m"] - right["z_m"])[late])) < 0.03


def test_what_was_sensed_and_believed_is_in_the_log_and_survives_a_file(flight, tmp_path):
    log = flight.log
    measurements, estimates = log.tables["measurements"], log.tables["estimates"]
    # Of five sensors 100 a second, of the IMU 200.
    assert len(measurements) == pytest.approx(700 * UNTIL, rel=0.01)
    assert len(estimates) == pytest.approx(200 * UNTIL, rel=0.01)
    assert np.nanmax(measurements["length_m"]) > 1.0
    log.save(tmp_path / "run")
    again = tl.Log.load(tmp_path / "run")
    for name in ("measurements", "estimates"):
        assert again.tables[name].columns == log.tables[name].columns
        for column in log.tables[name].columns:
            np.testing.assert_allclose(again.tables[name][column], log.tables[name][column], rtol=1e-8)


def test_the_estimate_is_near_the_truth_while_it_is_flown_by(flight):
    """Within what the sensors of the paper allow: their smooth error alone is some centimetres."""
    estimates, uav = flight.log.tables["estimates"], flight.log.tables["uav"]
    flying = uav["time_s"] > 2.0
    for axis in ("x_m", "y_m"):
        believed = np.interp(uav["time_s"], estimates["time_s"], estimates[axis])
        assert np.sqrt(np.mean((believed - uav[axis])[flying] ** 2)) < 0.15
    assert not told(flight)


def test_the_same_seed_gives_the_same_bits_and_another_one_others(flight):
    same, other = flown(), flown(seed=8, until=2.0)
    for name in ("uav", "measurements", "estimates"):
        assert bits(same.log.tables[name]) == bits(flight.log.tables[name])
    length = other.log.tables["measurements"]["length_m"]
    assert not np.array_equal(length, flight.log.tables["measurements"]["length_m"][: len(length)])


def test_out_of_the_loop_it_flies_as_if_nobody_looked():
    """With an IMU at the pace of the clock; a faster one makes the ticks shorter, and other roundings."""
    looked_at = flown({"in_loop": False}, until=4.0, **{"localisation.sensors.imu.rate_hz": 100})
    alone = tl.Simulation("tether_inertial")
    alone.run(until=4.0)
    for name in ("uav", "ugv", "winch", "tether"):
        assert bits(looked_at.log.tables[name]) == bits(alone.log.tables[name])
    assert len(looked_at.log.tables["estimates"]) > 300
    assert "estimates" not in alone.log.tables


@pytest.mark.parametrize(
    ("sensor", "names"),
    [("length", "length"), ("base_angles", "base_azimuth, base_elevation")],
)
def test_a_sensor_that_falls_silent_is_told_and_the_drone_holds(sensor, names):
    fault = {"sensor": sensor, "kind": "drop_out", "start_s": FAULT_AT}
    run = flown({"faults": [fault]}, until=FAULT_AT + 3.0)
    (event,) = told(run)
    assert event.sentence == f"not believed: {names}"
    assert FAULT_AT + 0.4 < event.time < FAULT_AT + 0.7
    assert run.mission.phase is Phase.MANUAL
    assert run.outcome is None
    assert np.linalg.norm(run.state.uav.velocity) < 0.25  # on its way it had 0.35 m/s
    uav = run.log.tables["uav"]
    after = uav["time_s"] > FAULT_AT + 1.5
    assert np.ptp(uav["x_m"][after]) < 0.3


@pytest.mark.parametrize("method", ["ekf", "catenary"])
def test_an_imu_that_falls_silent_is_told_and_the_drone_stays_where_it_is(method):
    fault = {"sensor": "imu", "kind": "drop_out", "start_s": FAULT_AT}
    run = flown({"faults": [fault], "method": method}, until=FAULT_AT + 6.0)
    assert [event.sentence for event in told(run)] == ["not believed: imu"]
    assert FAULT_AT + 0.4 < told(run)[0].time < FAULT_AT + 0.7
    assert run.outcome is None
    uav = run.log.tables["uav"]
    away = uav.rows("x_m", "y_m", "z_m") - uav.rows("target_x_m", "target_y_m", "target_z_m")
    assert np.linalg.norm(away, axis=1)[uav["time_s"] > FAULT_AT].max() < 1.0  # it does not fly away


@pytest.mark.parametrize("sensor", ["tension", "drum"])
def test_a_sensor_that_is_not_needed_is_told_and_the_position_stays_good(sensor):
    kind = {"tension": "stuck", "drum": "stuck"}[sensor]
    run = flown({"faults": [{"sensor": sensor, "kind": kind, "start_s": FAULT_AT}]}, until=FAULT_AT + 4.0)
    assert [event.sentence for event in told(run)] == [f"not believed: {sensor}"]
    assert told(run)[0].time < FAULT_AT + 2.0
    assert run.outcome is None


def test_an_altimeter_is_flown_with():
    run = flown(**{"localisation.sensors.altimeter": {}}, until=3.0)
    assert np.isfinite(run.log.tables["measurements"]["altitude_m"]).sum() > 40
    assert told(run) == []


def test_a_length_at_the_end_of_its_range_is_not_flown_by():
    fault = {"sensor": "length", "kind": "saturated", "start_s": FAULT_AT}
    feed_forward = {"uav.controller.feed_forward": "catenary"}
    run = flown({"faults": [fault], "on_fault": "hold"}, until=FAULT_AT + 3.0, **feed_forward)
    assert run._believed.length < 5.0
    uav = run.log.tables["uav"]
    assert np.abs(uav["z_m"] - uav["target_z_m"])[uav["time_s"] > FAULT_AT].max() < 0.5


@pytest.mark.parametrize(
    ("answer", "phases"),
    [("land", (Phase.RETURN, Phase.LAND)), ("continue", (Phase.TAKE_OFF, Phase.TARGETS))],
)
def test_on_a_fault_it_does_what_the_scenario_says(answer, phases):
    fault = {"sensor": "length", "kind": "drop_out", "start_s": FAULT_AT}
    run = flown({"faults": [fault], "on_fault": answer}, until=FAULT_AT + 0.8)
    assert len(told(run)) == 1
    broke = [event for event in run.events if event.kind == "fault"]
    assert [event.sentence for event in broke] == ["from now on length says nothing"]
    assert broke[0].time == pytest.approx(FAULT_AT, abs=0.02)
    assert run.mission.phase in phases


def test_a_fault_out_of_the_loop_changes_nothing():
    fault = {"sensor": "length", "kind": "drop_out", "start_s": FAULT_AT}
    run = flown({"faults": [fault], "in_loop": False}, until=FAULT_AT + 0.8)
    assert not told(run)
    assert run.log.tables["estimates"]["faults"][-1] > 0  # but it is recorded


def test_a_run_with_localisation_is_not_written_to_a_checkpoint(tmp_path):
    run = simulation()
    with pytest.raises(tl.InputError, match="`localisation` cannot be written to a checkpoint"):
        run.checkpoint(tmp_path / "now")
    assert not (tmp_path / "now").exists()
