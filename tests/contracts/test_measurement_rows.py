"""Measurements go through rows, tables and files unharmed, and what cannot be read is said in a sentence."""

import math

import numpy as np
import pytest

from tetherlab.contracts.columns import COLUMNS, in_our_units, readable, unit_of
from tetherlab.contracts.csv_files import write_csv
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.estimate import Estimate, EstimateStatus
from tetherlab.contracts.estimate_rows import STATUSES, covariances, estimate_row, estimate_text
from tetherlab.contracts.flags import SENSORS, from_flags, to_flags
from tetherlab.contracts.log import Log
from tetherlab.contracts.measurement import LEVEL, ORIGIN, Measurement, unit_vector
from tetherlab.contracts.measurement_rows import (
    RowReader,
    measurement_from_row,
    measurement_row,
    read_measurements,
)
from tetherlab.contracts.measurement_text import PLACE, MeasurementText
from tetherlab.contracts.table import Table
from tetherlab.math.rotation import matrix_from_quaternion, quaternion_from_matrix

EXTRA = (math.nan,) * (len(readable("measurements")) - len(COLUMNS["measurements"]))
HANGING = "time_s,length_m,azimuth_base_rad,elevation_base_rad,elevation_end_rad\n"


def turned(random):
    q = random.normal(size=4)
    return matrix_from_quaternion(q / np.linalg.norm(q))


def full(random, time):
    """A measurement with something in every field."""
    return Measurement(
        time=time,
        length=random.uniform(1.0, 20.0),
        tangent_base=unit_vector(*random.uniform(-1.5, 1.5, 2)),
        tangent_end=unit_vector(*random.uniform(-1.5, 1.5, 2)),
        tension=3.5,
        rotation_base=turned(random),
        rotation=turned(random),
        base=random.normal(size=3),
        base_velocity=random.normal(size=3),
        specific_force=random.normal(size=3),
        angular_velocity=random.normal(size=3),
        thrust=12.0,
        altitude=4.0,
        saturated=("length", "tension"),
    )


def assert_same(one, other):
    for name, value in vars(one).items():
        found = getattr(other, name)
        if value is None or isinstance(value, tuple):
            assert found == value, name
        else:
            np.testing.assert_allclose(found, value, atol=1e-13, err_msg=name)


def test_a_row_has_a_number_for_every_column(random):
    assert len(measurement_row(2.0, full(random, 1.0))) == len(COLUMNS["measurements"])
    assert measurement_row(2.0, full(random, 1.0))[:2] == (2.0, 1.0)


def test_every_field_comes_back(random):
    for _ in range(50):
        measurement = full(random, 1.0)
        assert_same(measurement, measurement_from_row((*measurement_row(2.0, measurement), *EXTRA)))


def test_what_was_not_sensed_is_nan_and_comes_back_as_nothing():
    row = measurement_row(3.0, Measurement(time=2.5))
    assert np.isnan(row[2:-1]).all() and row[-1] == 0.0
    found = measurement_from_row((*row, *EXTRA))
    assert found.rotation is LEVEL and found.rotation_base is LEVEL
    assert found.base is ORIGIN and found.base_velocity is ORIGIN
    assert_same(Measurement(time=2.5), found)


def test_rotations_are_those_of_the_compiled_leaves(random):
    for _ in range(200):
        R = turned(random)
        row = measurement_row(0.0, Measurement(rotation=R))
        q = np.array(row[COLUMNS["measurements"].index("qw") :][:4])
        np.testing.assert_allclose(q, quaternion_from_matrix(R), atol=1e-14)
        np.testing.assert_allclose(measurement_from_row((*row, *EXTRA)).rotation, R, atol=1e-14)


@pytest.mark.parametrize("axis", range(3))
def test_half_turns_lose_nothing(axis):
    R = -np.eye(3)
    R[axis, axis] = 1.0
    found = measurement_from_row((*measurement_row(0.0, Measurement(rotation=R)), *EXTRA)).rotation
    np.testing.assert_allclose(found, R, atol=1e-15)


def test_a_table_and_its_file_give_the_measurements_again(random, tmp_path):
    sent = [full(random, time) for time in (0.3, 0.1, 0.7)]  # stamps may be out of order
    table = Table.from_rows(COLUMNS["measurements"], [measurement_row(k, m) for k, m in enumerate(sent)])
    write_csv(table, tmp_path / "measurements.csv")
    for source in (table, tmp_path / "measurements.csv"):
        found = list(read_measurements(source))
        assert [m.time for m in found] == [0.3, 0.1, 0.7]
        for one, other in zip(sent, found, strict=True):
            assert_same(one, other)


def test_units_are_converted_and_gaps_are_nothing(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(
        "mode,time_ms,length_cm,azimuth_base_deg,elevation_base_deg,elevation_end_deg\n"
        "auto,1500,1000,90,30,45\nauto,2500,,,,\n"
    )
    first, second = read_measurements(path)
    assert first.time == 1.5 and first.length == pytest.approx(10.0)
    np.testing.assert_allclose(first.tangent_base, (0.0, math.cos(math.pi / 6), 0.5), atol=1e-15)
    # without an azimuth of its own the end leans as the base does
    np.testing.assert_allclose(first.tangent_end, (0.0, math.sqrt(0.5), math.sqrt(0.5)), atol=1e-15)
    assert second.time == 2.5 and math.isnan(second.length) and second.tangent_end is None


def test_other_names_are_read_by_a_map(tmp_path):
    path, names = tmp_path / "log.csv", tmp_path / "map.yaml"
    path.write_text('"t [s]",winch.len,az,el0,el1,length_m\n1,4000,0,10,20,7\n')
    names.write_text(
        "measurements:\n  time_s: t [s]\n  length_mm: winch.len\n  azimuth_base_deg: az\n"
        "  elevation_base_deg: el0\n  elevation_end_deg: el1\n"
    )
    (found,) = read_measurements(path, names)
    assert found.length == pytest.approx(4.0)  # the map says what is read; length_m is someone else's
    np.testing.assert_allclose(found.tangent_end, unit_vector(0.0, math.radians(20.0)))


def test_a_log_of_a_flight_may_hold_measurements_with_gaps(tmp_path):
    (tmp_path / "m.csv").write_text("time_s,stamp_s,length_m,truth_x_m\n10,9.5,4,\n11,,,1\n")
    table = Log.from_csv({"measurements": tmp_path / "m.csv"})["measurements"]
    np.testing.assert_array_equal(table["time_s"], [0.0, 1.0])
    np.testing.assert_array_equal(table["stamp_s"], [-0.5, math.nan])
    np.testing.assert_array_equal(table["length_m"], [4.0, math.nan])


WRONG = {
    "no time": ("length_m\n1\n", "there is no column 'time_s' in the header. Known: length_m."),
    "semicolons": ("time_s;length_m\n1;2\n", "Cells must be separated by commas."),
    "twice": (
        "time_s,length_m,length_mm\n1,2,3\n",
        "the columns 'length_m' and 'length_mm' say the same; keep one",
    ),
    "half a quaternion": ("time_s,qw,qx,qy\n1,1,0,0\n", "qw, qx, qy, qz belong together; there is no qz"),
    "no azimuth": (
        "time_s,elevation_end_rad,qw,qx,qy,qz\n1,0,1,0,0,0\n",
        "azimuth_end_rad is missing: an elevation in the frame of the drone needs it",
    ),
    "word": (HANGING + "1,far,0,0,0\n", "line 2: 'far' is not a number in column 'length_m'"),
    "infinite": (HANGING + "1,inf,0,0,0\n", "line 2: 'inf' is not finite in column 'length_m'"),
    "short": (HANGING + "1,2,0,0,0\n2\n", "line 3: 1 cells, but the header has 5"),
    "backwards": (HANGING + "2,2,0,0,0\n1,2,0,0,0\n", "line 3: time_s must not decrease, got 2 and then 1"),
    "timeless": (HANGING + ",2,0,0,0\n", "line 2: there is no time_s"),
    "degrees": (
        HANGING + "1,2,0,0.1,0\n2,2,30,0.1,0\n",
        "line 3: '30' in column 'azimuth_base_rad' is beyond one and a half turns; is it in degrees? "
        "Then call the column azimuth_base_deg",
    ),
    "many turns": (
        HANGING.replace("_rad", "_deg") + "1,2,541,0.1,0\n",
        "line 2: '541' in column 'azimuth_base_deg' is beyond one and a half turns",
    ),
    "over the top": (
        HANGING.replace("_rad", "_deg") + "1,2,0,0.1,370\n",
        "line 2: '370' in column 'elevation_end_deg' is beyond half a turn",
    ),
    "too long": (
        HANGING.replace("length_m", "length_mm") + "1,1e9,0,0,0\n",
        "line 2: '1e9' in column 'length_mm' is no length of a tether: it must be from 0 to 100 km",
    ),
    "overflow": (HANGING + "1,1e308,0,0,0\n", "line 2: '1e308' in column 'length_m' is no length"),
    "negative": (HANGING + "1,-0.1,0,0,0\n", "line 2: '-0.1' in column 'length_m' is no length"),
    "huge": ("time_s,altitude_m\n1,1e200\n", "line 2: '1e200' in column 'altitude_m' is too large to be"),
    "milliseconds": (
        "time_s,altitude_m\n1.7e12,1\n",
        "line 2: '1.7e12' in column 'time_s' cannot be a time in seconds; is it in ms, us or ns? "
        "Then call the column time_ms, time_us or time_ns",
    ),
    "quoted": ('time_s,altitude_m\n1,"' + 140_000 * "x" + '"\n', "line 2: cannot be read as CSV"),
    "long quaternion": ("time_s,qw,qx,qy,qz\n1,1,1,0,0\n", "must be a unit quaternion, its length is 1.414"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_log_is_answered_with_a_sentence(tmp_path, kind):
    text, message = WRONG[kind]
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        list(read_measurements(path))
    assert message in str(caught.value) and str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"measurements": {"time_s": "t", "lenght_m": "l"}},
            "columns.measurements.lenght_m: unknown column. Did",
        ),
        ({"measurements": {"time_s": "t", "length_m": "len"}}, "no column 'len' in the header."),
        ({"uav": {"time_s": "t"}}, "columns.measurements: missing; the map must say which"),
    ],
)
def test_a_wrong_map_of_a_log_is_answered_with_a_sentence(columns, message):
    with pytest.raises(InputError) as caught:
        MeasurementText("t,l\n", columns)
    assert message in str(caught.value)


def test_plausible_extremes_are_read():
    text = MeasurementText(HANGING.replace("\n", ",saturated,reeled_m\n"))
    row = text.row("1700000000.5,0,9.42,-3.14,3.14,512,-50")
    assert row[: PLACE["elevation_base_rad"]] == pytest.approx(
        [1700000000.5, math.nan, 0.0, 9.42], nan_ok=True
    )
    assert row[PLACE["reeled_m"]] == -50.0


def test_the_drone_takes_the_last_azimuth_of_the_base():
    text = MeasurementText(HANGING)
    reader = RowReader(text.columns)
    lines = ("0,,,,0.2", "1,,0.3,0.1,", "2,,,,0.4", "3,,0.5,0.1,0.4", "4,,,,0.6")
    found = [reader.read(text.row(line)).measurement.tangent_end for line in lines]
    assert found[0] is None and found[1] is None
    for tangent, angles in zip(found[2:], ((0.3, 0.4), (0.5, 0.4), (0.5, 0.6)), strict=True):
        np.testing.assert_allclose(tangent, unit_vector(*angles))


def test_a_bad_line_leaves_the_reader_as_it_was():
    text = MeasurementText("time_s,qw,qx,qy,qz\n")
    reader = RowReader(text.columns)
    with pytest.raises(InputError):
        reader.read(text.row("9,3,0,0,0"))
    assert reader.read(text.row("1,1,0,0,0")).time == 1.0


def test_new_units_are_known():
    assert in_our_units("azimuth_base_deg") == ("azimuth_base_rad", math.pi / 180.0)
    assert in_our_units("wx_deg_per_s") == ("wx_rad_per_s", math.pi / 180.0)
    assert (unit_of("xx_m2"), unit_of("heading_rad"), unit_of("wx_rad_per_s")) == ("m²", "rad", "rad/s")


def test_flags_are_told_apart_and_a_strange_name_is_not_lost():
    for name in SENSORS:
        assert from_flags(to_flags((name, name))) == (name,)
    assert from_flags(to_flags(("tension", "length"))) == ("length", "tension")
    assert to_flags(("length", "tension")) == 16.0 + 32.0  # as the page says
    assert from_flags(to_flags(("barometer",))) == ("other",)


def test_an_estimate_is_a_row_of_its_table(random):
    root = random.normal(size=(3, 3))
    estimate = Estimate(
        1.25,
        random.normal(size=3),
        root @ root.T,
        EstimateStatus.GROUND,
        random.normal(size=3),
        0.1,
        0.2,
        ("base_azimuth",),
    )
    row = estimate_row(1.5, estimate)
    table = Table.from_rows(COLUMNS["estimates"], [row])
    assert (table["time_s"][0], table["stamp_s"][0], table["faults"][0]) == (1.5, 1.25, 1.0)
    assert STATUSES[int(table["status"][0])] is EstimateStatus.GROUND
    np.testing.assert_array_equal(table.rows("x_m", "y_m", "z_m")[0], estimate.position)
    np.testing.assert_array_equal(table.rows("vx_m_per_s", "vy_m_per_s", "vz_m_per_s")[0], estimate.velocity)
    np.testing.assert_allclose(covariances(table)[0], estimate.covariance)
    assert (table["heading_rad"][0], table["heading_deviation_rad"][0]) == (0.1, 0.2)
    back = [float(cell) for cell in estimate_text(row).split(",")]
    np.testing.assert_allclose(back, row, rtol=1e-8)


def test_times_are_written_in_full():
    row = estimate_row(1700000000.123456, Estimate.nothing(1700000000.1, EstimateStatus.MISSING))
    assert estimate_text(row).startswith("1700000000.123456,1700000000.1,nan,")
