"""Laws of sensors: there and back, from readings to values and from memory to file, and clear refusals."""

import dataclasses

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.estimation import SensorNoise
from tetherlab.sensors.calibration import ADC, COUNTS, RATIO, Calibration, SensorLaw

ANGLE = SensorLaw(
    input=RATIO,
    unit="rad",
    coefficients=(-2.6, 5.2),
    residual_deviation=0.005,
    input_range=(0.2, 0.8),
    standard_errors=(0.002, 0.004),
    file="angles.csv",
    samples=40,
    rejected_lines=(12, 30),
)
LENGTH = SensorLaw(
    input=COUNTS, unit="m", coefficients=(0.01, 9.4e-5), residual_deviation=0.003, input_range=(0.0, 4e4)
)
TENSION = SensorLaw(
    input=ADC,
    unit="N",
    coefficients=(0.1, -0.0026, 1.2e-5),
    residual_deviation=0.06,
    input_range=(160.0, 760.0),
)


@pytest.fixture
def calibration():
    return Calibration({"base_elevation": ANGLE, "length": LENGTH, "tension": TENSION})


def test_laws_are_what_their_coefficients_say(calibration):
    # 5.2 * 0.5 - 2.6 = 0 whatever the supply; 1.2e-5 * 500² - 0.0026 * 500 + 0.1 = 1.8
    assert calibration.apply("base_elevation", 500.0, 1000.0) == pytest.approx(0.0, abs=1e-15)
    assert calibration.apply("base_elevation", 450.0, 900.0) == pytest.approx(0.0, abs=1e-15)
    assert calibration.apply("length", 10_000) == pytest.approx(0.95)
    assert calibration.apply("tension", [500.0, 600.0]) == pytest.approx([1.8, 2.86])


@pytest.mark.parametrize("name", ["base_elevation", "length", "tension"])
def test_invert_is_the_way_back(calibration, name):
    law = calibration.sensors[name]
    reference = 1000.0 if name == "base_elevation" else None
    readings = np.linspace(*law.input_range, 50) * (reference or 1.0)
    values = calibration.apply(name, readings, reference)
    assert calibration.invert(name, values, reference) == pytest.approx(readings, rel=1e-9)
    assert isinstance(calibration.invert(name, float(values[3]), reference), float)


@pytest.mark.parametrize("gain, curvature", [(0.01, 1e-17), (0.01, -4e-6), (-0.01, 4e-6), (-0.0001, -1e-5)])
def test_parabolas_are_inverted_on_the_side_that_was_sampled(gain, curvature):
    law = dataclasses.replace(TENSION, coefficients=(1.0, gain, curvature))
    inputs = np.linspace(160.0, 760.0, 30)
    assert law.input_of(law.value(inputs)) == pytest.approx(inputs, rel=1e-9)


def test_a_value_beyond_the_turning_point_has_no_reading(calibration):
    # the least tension is 0.1 - 0.0026² / (4 * 1.2e-5) = -0.0408 N
    with pytest.raises(tl.InputError, match=r"-0\.0408333 N at least; no reading stands for -0\.1"):
        calibration.invert("tension", -0.1)


def test_it_tells_where_it_was_sampled(calibration):
    assert calibration.covers("tension", [100.0, 160.0, 500.0, 800.0]).tolist() == [False, True, True, False]
    assert calibration.covers("base_elevation", 300.0, 1000.0)


def test_residuals_are_the_noise_of_an_estimator(calibration):
    noise = SensorNoise(**calibration.noise())
    assert (noise.elevation_base, noise.length, noise.tension) == (0.005, 0.003, 0.06)
    assert noise.elevation_end == SensorNoise().elevation_end


def test_a_saved_calibration_comes_back_bit_for_bit(calibration, tmp_path):
    calibration.save(tmp_path / "a.yaml")
    assert Calibration.load(tmp_path / "a.yaml") == calibration


def test_another_sensor_is_added_and_an_old_law_replaced(calibration):
    more = calibration.having({"drone_azimuth": ANGLE, "length": dataclasses.replace(LENGTH, samples=7)})
    assert list(more.sensors) == ["base_elevation", "drone_azimuth", "length", "tension"]
    assert more.sensors["tension"] == TENSION and more.sensors["length"].samples == 7


MISTAKES = {
    "law: linear": ("lw: linear", r"sensors\.base_elevation\.lw: unknown key\. Did you mean 'law'"),
    "gain: 5.2": ("gian: 5.2", r"coefficients\.gian: unknown key\. Did you mean 'gain'"),
    "offset: -2.6": ("offset: steep", r"coefficients\.offset must be a number, got 'steep'"),
    "version: 1": ("version: 2", r"version: must be 1, got 2"),
    "base_elevation:": ("base_elevaton:", r"unknown sensor\. Did you mean 'base_elevation'"),
    "unit: rad": ("unit: deg", r"base_elevation: unit must be rad, got 'deg'"),
    "input: counts": ("input: adc", r"length: input must be counts, got 'adc'"),
    "residual_deviation: 0.005": ("residual_deviation: -1", r"residual_deviation must be >= 0"),
    "[0.2, 0.8]": ("[0.8, 0.2]", r"input_range: must rise, got 0\.8 and 0\.2"),
    "[12, 30]": ("[12, x]", r"rejected_lines: must be a list of line numbers"),
    "gain: -0.0026": ("gain: -0.012", r"tension: the parabola turns back at adc = 500"),
}


@pytest.mark.parametrize("right", MISTAKES)
def test_a_mistake_in_the_file_is_one_sentence_with_its_place(calibration, tmp_path, right):
    path = tmp_path / "a.yaml"
    calibration.save(path)
    wrong, sentence = MISTAKES[right]
    assert right in path.read_text()
    path.write_text(path.read_text().replace(right, wrong, 1))
    with pytest.raises(tl.InputError, match=sentence):
        Calibration.load(path)


def test_calls_that_make_no_sense_are_refused(calibration):
    for call, sentence in (
        (lambda: calibration.apply("base_elevaton", 1.0, 2.0), "Did you mean 'base_elevation'"),
        (lambda: calibration.apply("base_elevation", 1.0), "give reference_adc, too"),
        (lambda: calibration.apply("length", 1.0, 2.0), "by counts alone; leave out reference_adc"),
        (lambda: calibration.apply("base_elevation", 1.0, 0.0), "reference_adc must be > 0"),
        (lambda: calibration.apply("length", "ten"), "must be a number or an array of numbers, got 'ten'"),
        (lambda: Calibration({"drum": LENGTH}), "unknown sensor 'drum'"),
    ):
        with pytest.raises(tl.InputError, match=sentence):
            call()
