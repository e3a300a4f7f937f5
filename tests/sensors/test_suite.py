"""All sensors together: when they speak, when they are heard, what breaks, and that it can be repeated."""

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from sensor_scenes import flight, heard, make_truth

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.measurement import Measurement
from tetherlab.sensors.altimeter import AltimeterSpec
from tetherlab.sensors.angle_sensor import AngleSensorSpec
from tetherlab.sensors.camera import CameraSpec
from tetherlab.sensors.encoder import EncoderSpec
from tetherlab.sensors.faults import Fault
from tetherlab.sensors.gnss import GnssSpec
from tetherlab.sensors.suite import SensorSuite, SuiteSpec
from tetherlab.sensors.tension_sensor import TensionSpec
from tetherlab.sensors.uwb import UwbSpec

EVERYTHING = SuiteSpec(altimeter=AltimeterSpec(), gnss=GnssSpec(), uwb=UwbSpec(), camera=CameraSpec())


def same(a, b):
    """Bit for bit; works for measurements and readings."""
    if type(a) is not type(b):
        return False
    return all(
        np.array_equal(getattr(a, f.name), getattr(b, f.name), equal_nan=f.name not in ("saturated",))
        if getattr(a, f.name) is not None
        else getattr(b, f.name) is None
        for f in fields(a)
    )


def kind(m: Measurement) -> str:
    """Which sensor has sent it."""
    if m.tangent_base is not None:
        return "base_angles"
    if m.tangent_end is not None:
        return "drone_angles"
    if m.specific_force is not None:
        return "imu"
    for name in ("length", "tension", "altitude"):
        if not math.isnan(getattr(m, name)):
            return name
    raise AssertionError("an empty measurement")


def test_each_sensor_speaks_at_its_rate():
    spec = SuiteSpec(
        base_angles=AngleSensorSpec(rate_hz=50.0), length=EncoderSpec(rate_hz=30.0, delay=0.0),
        altimeter=AltimeterSpec(rate_hz=10.0, delay=0.0),
    )  # fmt: skip
    times = {}
    for m in heard(SensorSuite(spec, 1), flight(2000)):
        times.setdefault(kind(m), []).append(m.time)
    counts = {name: len(stamps) for name, stamps in times.items()}
    assert counts["imu"] == 2000 and counts["base_angles"] == 500 and counts["altitude"] == 100
    assert counts["length"] == 300  # which does not divide 200: at the next tick
    np.testing.assert_allclose(np.diff(times["base_angles"]), 0.02)
    np.testing.assert_array_less(np.diff(times["length"]), 0.0351)


def test_a_sensor_cannot_speak_more_often_than_it_is_asked():
    spec = SuiteSpec(length=EncoderSpec(rate_hz=1000.0, delay=0.0))
    lengths = [m for m in heard(SensorSuite(spec, 1), flight(100)) if kind(m) == "length"]
    assert len(lengths) == 100


def test_messages_arrive_after_their_delay_and_stamps_tell_when_they_were_sensed():
    spec = SuiteSpec(
        base_angles=AngleSensorSpec(delay=0.0), length=EncoderSpec(delay=0.1, delay_jitter=0.05)
    )  # fmt: skip
    suite = SensorSuite(spec, 3)
    late, stamps = [], []
    for truth in flight(1000):
        for m in suite.sense(truth):
            stamps.append(m.time)
            if kind(m) == "length":
                late.append(truth.time - m.time)
            if kind(m) == "base_angles":
                assert m.time == truth.time
    # it is heard at the first tick, every 5 ms, after it has arrived
    assert min(late) > 0.1 - 1e-9 and max(late) < 0.155 + 1e-9
    assert np.ptp(late) > 0.04
    assert np.any(np.diff(stamps) < 0.0)


def test_messages_of_one_call_come_in_order_of_arrival():
    spec = SuiteSpec(length=EncoderSpec(delay=0.03), base_angles=AngleSensorSpec(delay=0.01))
    suite = SensorSuite(spec, 1)
    suite.sense(make_truth(0.0))
    suite.sense(make_truth(0.01))
    found = [
        (kind(m), m.time) for m in suite.sense(make_truth(0.035)) if kind(m) in ("length", "base_angles")
    ]
    assert found == [("base_angles", 0.01), ("length", 0.0)]


def test_delays_change_when_a_message_is_heard_not_what_it_says():
    prompt = SuiteSpec(length=EncoderSpec(delay=0.0))
    slow = SuiteSpec(length=EncoderSpec(delay=0.03, delay_jitter=0.02))
    values = []
    for spec in (prompt, slow):
        said = {m.time: m.length for m in heard(SensorSuite(spec, 5), flight(400)) if kind(m) == "length"}
        values.append(said)
    assert set(values[1]) <= set(values[0])
    assert all(values[0][time] == value for time, value in values[1].items())


def test_same_seed_same_bits_other_seed_others():
    runs = [heard(SensorSuite(EVERYTHING, seed), flight(300)) for seed in (4, 4, 5)]
    assert len(runs[0]) == len(runs[1])
    assert all(same(a, b) for a, b in zip(runs[0], runs[1], strict=True))
    assert not all(same(a, b) for a, b in zip(runs[0], runs[2], strict=False))


def test_sensors_err_independently():
    spec = SuiteSpec(length=EncoderSpec(counts_per_metre=1e6), tension=TensionSpec(adc_bits=24))
    errors = {"length": [], "tension": []}
    for m in heard(SensorSuite(spec, 1), (make_truth(k / 100.0) for k in range(400))):
        if kind(m) in errors:
            errors[kind(m)].append(getattr(m, kind(m)))
    assert abs(np.corrcoef(errors["length"], errors["tension"])[0, 1]) < 5.0 / math.sqrt(400)


def test_one_more_sensor_leaves_the_others_as_they_were():
    few = heard(SensorSuite(SuiteSpec(), 4), flight(200))
    many = [m for m in heard(SensorSuite(EVERYTHING, 4), flight(200)) if kind(m) != "altitude"]
    assert all(same(a, b) for a, b in zip(few, many, strict=True))


def test_a_fault_is_told_once_when_it_begins():
    suite = SensorSuite(SuiteSpec(), 1)
    suite.inject("length", Fault("stuck", 2.0, 5.0))
    suite.inject("base_angles", Fault("offset", 1.0, value=0.1, axis="azimuth"))
    told = {}
    for time in (0.5, 1.0, 1.5, 2.5, 3.0):
        suite.sense(make_truth(time))
        told[time] = suite.begun()
    assert told[1.0] == ["from now on the azimuth of base_angles reads 0.1 rad too much"]
    assert told[2.5] == ["for 3 s length repeats its last reading"]
    assert told[0.5] == told[1.5] == told[3.0] == []


def test_faults_that_mean_nothing_are_refused():
    suite = SensorSuite(SuiteSpec(), 1)
    with pytest.raises(InputError, match="different units: an offset needs an axis"):
        suite.inject("imu", Fault("offset", 1.0, value=0.1))
    suite.inject("imu", Fault("offset", 1.0, value=0.1, axis="angular_velocity_z"))
    with pytest.raises(InputError, match="takes all of a message"):
        Fault("drop_out", 1.0, axis="azimuth")


def test_time_must_increase():
    suite = SensorSuite(SuiteSpec(), 1)
    suite.sense(make_truth(1.0))
    with pytest.raises(InputError, match="time must increase"):
        suite.sense(make_truth(1.0))


@pytest.mark.parametrize("seed", [-1, 1.5, True])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(InputError, match="seed must be a whole number"):
        SensorSuite(SuiteSpec(), seed)


def test_what_is_kept_does_not_change_with_the_callers_arrays():
    suite = SensorSuite(SuiteSpec(base_angles=AngleSensorSpec(delay=0.0)), 1)
    truth = make_truth(base=np.array([1.0, 2.0, 3.0]))
    (m,) = [m for m in suite.sense(truth) if kind(m) == "base_angles"]
    truth.base[:] = 9.0
    truth.rotation_base[:] = 9.0
    np.testing.assert_array_equal(m.base, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(m.rotation_base, np.eye(3))


class TestFaults:
    """Between 1 s and 2 s of a flight of 3 s."""

    PLAIN = SuiteSpec(base_angles=AngleSensorSpec(delay=0.0), length=EncoderSpec(delay=0.0))

    def both(self, sensor, name, fault):
        """(time, measurement without, measurement with the fault) of one sensor."""
        runs = []
        for faulty in (False, True):
            suite = SensorSuite(self.PLAIN, 2)
            if faulty:
                suite.inject(sensor, fault)
            found = heard(suite, flight(600))
            runs.append({m.time: m for m in found if kind(m) == name})
        return runs

    def test_drop_out(self):
        sound, faulty = self.both("length", "length", Fault("drop_out", 1.0, 2.0))
        assert sorted(set(sound) - set(faulty)) == [t for t in sorted(sound) if 1.0 <= t < 2.0]
        assert all(same(sound[t], m) for t, m in faulty.items())

    def test_offset(self):
        sound, faulty = self.both("length", "length", Fault("offset", 1.0, 2.0, 0.5))
        for t, m in faulty.items():
            shift = 0.5 if 1.0 <= t < 2.0 else 0.0
            assert m.length - sound[t].length == pytest.approx(shift, abs=1e-9)

    def test_stuck(self):
        sound, faulty = self.both("length", "length", Fault("stuck", 1.0, 2.0))
        last = sound[max(t for t in sound if t < 1.0)].length
        for t, m in faulty.items():
            assert m.length == (last if 1.0 <= t < 2.0 else sound[t].length)

    def test_saturated(self):
        sound, faulty = self.both("tension", "tension", Fault("saturated", 1.0, 2.0))
        for t, m in faulty.items():
            if 1.0 <= t < 2.0:
                assert m.tension == 6.0 and m.saturated == ("tension",)
            else:
                assert same(m, sound[t])

    @pytest.mark.parametrize(("axis", "moved"), [("azimuth", (0,)), ("elevation", (1,)), ("both", (0, 1))])
    def test_one_axis_or_both_of_an_angle_sensor(self, axis, moved):
        sound, faulty = self.both("base_angles", "base_angles", Fault("offset", 1.0, 2.0, 0.2, axis))
        t = 1.5
        angles = [
            (math.atan2(v[1], v[0]), math.asin(v[2])) for v in (sound[t].tangent_base, faulty[t].tangent_base)
        ]
        np.testing.assert_allclose(
            np.subtract(angles[1], angles[0]), [0.2 if k in moved else 0.0 for k in (0, 1)], atol=3e-4
        )  # steps of the converter

    def test_a_stuck_axis_leaves_the_other_free(self):
        sound, faulty = self.both("base_angles", "base_angles", Fault("stuck", 1.0, axis="elevation"))
        stuck = [m.tangent_base[2] for t, m in faulty.items() if t >= 1.0]
        assert np.ptp(stuck) == 0.0
        for t in (1.3, 2.5):
            a, b = sound[t].tangent_base, faulty[t].tangent_base
            assert math.atan2(a[1], a[0]) == pytest.approx(math.atan2(b[1], b[0]), abs=1e-12)

    def test_a_saturated_axis_is_named(self):
        spec = replace(SuiteSpec(), base_angles=AngleSensorSpec(delay=0.0, elevation_range=(0.0, 1.5)))
        suite = SensorSuite(spec, 1)
        suite.inject("base_angles", Fault("saturated", 0.0, axis="elevation"))
        suite.inject("base_angles", Fault("offset", 0.0, value=2 * math.pi, axis="azimuth"))
        (m,) = [m for m in suite.sense(make_truth()) if kind(m) == "base_angles"]
        assert m.saturated == ("base_elevation",)
        assert m.tangent_base[2] == pytest.approx(math.sin(1.5))
        suite.inject("base_angles", Fault("saturated", 1.0, axis="azimuth"))
        (m,) = [m for m in suite.sense(make_truth(1.0)) if kind(m) == "base_angles"]
        assert m.saturated == ("base_azimuth", "base_elevation")

    def test_an_axis_of_the_imu(self):
        suite = SensorSuite(SuiteSpec(), 1)
        suite.inject("imu", Fault("offset", 0.0, value=100.0, axis="angular_velocity_z"))
        (m, *_) = [m for m in suite.sense(make_truth()) if kind(m) == "imu"]
        assert m.saturated == ("imu",) and abs(m.specific_force[2] - 9.8) < 1.0

    def test_wrong_ones_are_explained(self):
        suite = SensorSuite(EVERYTHING, 1)
        with pytest.raises(InputError, match="Did you mean 'drop_out'"):
            Fault("dropout", 1.0)
        with pytest.raises(InputError, match=r"end of a fault must be after its start 2 s, got 1.0"):
            Fault("stuck", 2.0, 1.0)
        with pytest.raises(InputError, match="value belongs to a fault of kind 'offset'"):
            Fault("stuck", 1.0, value=0.1)
        with pytest.raises(InputError, match=r"no sensor 'lenght' on board. Did you mean 'length'"):
            suite.inject("lenght", Fault("stuck", 1.0))
        with pytest.raises(InputError, match=r"has no axis 'elevaton'. Did you mean 'elevation'"):
            suite.inject("base_angles", Fault("stuck", 1.0, axis="elevaton"))
        with pytest.raises(InputError, match="gnss has no end of its range"):
            suite.inject("gnss", Fault("saturated", 1.0))
