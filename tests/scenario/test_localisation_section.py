"""The section `localisation` of a scenario: defaults, units, and the sensors and estimators it becomes."""

import math

import pytest

import tetherlab as tl
from tetherlab.contracts.estimate import Tracker
from tetherlab.estimation import Smoothed, TetherInertialFilter
from tetherlab.scenario.navigation import build_navigator, scenario_sensing
from tetherlab.sensors.faults import Fault
from tetherlab.sensors.suite import SuiteSpec

SECTION = {"sensors": "tether_inertial"}


def loaded(section=None, **overrides):
    return tl.Scenario.load("tether_inertial", {"localisation": SECTION | (section or {}), **overrides})


def test_without_the_section_everybody_knows_the_truth():
    scenario = tl.Scenario.load("vertical")
    assert scenario.localisation is None
    assert build_navigator(scenario) is None


def test_only_sensors_must_be_given():
    chosen = loaded().localisation
    assert (chosen.method, chosen.in_loop, chosen.on_fault, chosen.faults) == ("ekf", True, "hold", ())
    assert chosen.sensors.altimeter is None
    assert chosen.sensors.rate == 200.0  # of the IMU, the fastest


def test_sensors_that_are_not_described_are_those_that_the_simulator_has_by_itself():
    noise = {"azimuth_noise_rad": 0.001, "elevation_noise_rad": 0.002}
    sensors = {"base_angles": noise, "drone_angles": noise, "altimeter": {}}
    suite = loaded({"sensors": sensors}).localisation.sensors.suite(9.80665)
    plain = SuiteSpec()
    for part in ("length", "tension", "imu", "attitude"):
        assert vars(getattr(suite, part)) == pytest.approx(vars(getattr(plain, part)), rel=0.02), part
    assert suite.altimeter is not None
    assert suite.base_angles.azimuth_noise == 0.001 and suite.base_angles.elevation_noise == 0.002


@pytest.mark.parametrize(
    ("key", "written", "part", "name"),
    [
        ("length.noise_m", 0.004, "length", "noise"),
        ("tension.noise_N", 0.05, "tension", "noise"),
        ("imu.rate_hz", 100.0, "imu", "rate_hz"),
        ("imu.force_noise_m_per_s2", 0.2, "imu", "force_noise"),
        ("drone_angles.elevation_noise_rad", 0.03, "drone_angles", "elevation_noise"),
        ("drone_angles.delay_s", 0.03, "drone_angles", "delay"),
        ("attitude.tilt_wander_time_s", 5.0, "attitude", "tilt_wander_time"),
    ],
)
def test_a_number_of_the_file_reaches_its_sensor(key, written, part, name):
    scenario = loaded(**{f"localisation.sensors.{key}": written})
    suite = build_navigator(scenario).suite.spec
    assert getattr(getattr(suite, part), name) == pytest.approx(written)


def test_what_the_estimator_knows_beforehand_is_that_of_the_scenario():
    scenario = loaded(
        **{"tether.linear_density_kg_per_m": 0.03, "localisation.sensors.base_angles.friction_N": 0.05}
    )
    sensing = scenario_sensing(scenario, scenario.localisation)
    assert sensing.linear_density == 0.03
    assert sensing.friction == 0.05
    assert sensing.axial_stiffness == scenario.tether.axial_stiffness == 1000.0
    assert sensing.drone_mass == scenario.uav.robot.mass
    assert sensing.noise.elevation_base == scenario.localisation.sensors.base_angles.elevation_noise


@pytest.mark.parametrize(
    "method", ["ekf", "catenary", "taut_line", "thrust", "base_tension", "elevation", "selector"]
)
def test_every_method_becomes_an_estimator_that_goes_on_from_a_known_place(method):
    estimator = build_navigator(loaded({"method": method})).estimator
    assert isinstance(estimator, Tracker)
    assert isinstance(estimator, TetherInertialFilter if method == "ekf" else Smoothed)


def test_faults_reach_their_sensors():
    fault = {"sensor": "base_angles", "axis": "elevation", "kind": "offset", "start_s": 3, "value": 0.1}
    chosen = loaded({"faults": [fault, {"sensor": "imu", "kind": "drop_out", "start_s": 4, "end_s": 5}]})
    first, second = (fault.fault for fault in chosen.localisation.faults)
    assert first == Fault("offset", 3.0, math.inf, 0.1, "elevation")
    assert second == Fault("drop_out", 4.0, 5.0, 0.0, "both")
    sensors = build_navigator(chosen).suite._sensors
    assert [name for name, sensor in sensors.items() if sensor.faults] == ["base_angles", "imu"]


def test_an_offset_by_nothing_is_refused():
    with pytest.raises(tl.InputError, match=r"faults\[0\]\.value: an offset needs one other than 0"):
        loaded({"faults": [{"sensor": "length", "kind": "offset", "start_s": 3}]})
    with pytest.raises(tl.InputError, match="needs a value other than 0"):
        Fault("offset", 3.0)


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ({"sensor": "base_angles", "kind": "drop_out", "axis": "azimuth"}, "takes all of a message"),
        ({"sensor": "imu", "kind": "offset", "value": 0.1}, "numbers of different units"),
    ],
)
def test_a_fault_that_cannot_happen_is_refused(fault, sentence):
    with pytest.raises(tl.InputError, match=sentence):
        loaded({"faults": [fault | {"start_s": 3}]})


def test_a_model_that_is_not_there_is_named():
    scenario = loaded({"method": "learned", "model": "nowhere.npz"})
    with pytest.raises(tl.InputError, match=r"^nowhere\.npz: no such file$"):
        build_navigator(scenario)


def test_the_section_survives_being_written(tmp_path):
    scenario = loaded({"faults": [{"sensor": "length", "kind": "stuck", "start_s": 2}], "in_loop": False})
    scenario.save(tmp_path / "again.yaml")
    assert tl.Scenario.load(tmp_path / "again.yaml").localisation == scenario.localisation
