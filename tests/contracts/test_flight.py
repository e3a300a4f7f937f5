"""Other people's CSV files become a log, and what does not fit is said with file, line and column."""

import numpy as np
import pytest

from synthetic_runs import circling
from tetherlab.contracts.columns import in_our_units, unit_of, without_unit
from tetherlab.contracts.csv_files import write_csv
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.log import Log

DRONE = (
    "mode,stamp,pose.x,pose.y,alt_mm,gyro\nauto,1700000001.0,1,2,3000,90\nland,1700000001.5,1.5,2,2500,-90\n"
)
COLUMNS = {
    "uav": {
        "x_m": "pose.x",
        "y_m": "pose.y",
        "z_mm": "alt_mm",
        "wz_deg_per_s": "gyro",
        "time_s": "stamp",
    }
}


@pytest.fixture
def drone(tmp_path):
    path = tmp_path / "drone.csv"
    path.write_text(DRONE)
    return path


def test_columns_are_renamed_and_converted_and_time_starts_at_zero(drone):
    log = Log.from_csv({"uav": drone}, COLUMNS, name="field")
    uav = log["uav"]
    assert uav.columns == ("time_s", "x_m", "y_m", "z_m", "wz_rad_per_s")
    np.testing.assert_allclose(uav["time_s"], [0.0, 0.5])
    np.testing.assert_allclose(uav["z_m"], [3.0, 2.5])
    np.testing.assert_allclose(uav["wz_rad_per_s"], [np.pi / 2, -np.pi / 2])
    assert log.outcome is None and log.name == "field"
    assert log.outcome_sentence == "After 0.5 s the record ends."


def test_the_map_may_stand_in_a_file(drone, tmp_path):
    (tmp_path / "columns.yaml").write_text("uav:\n  time_s: stamp\n  x_m: pose.x\n")
    log = Log.from_csv({"uav": drone}, tmp_path / "columns.yaml")
    np.testing.assert_allclose(log["uav"]["x_m"], [1.0, 1.5])


def test_a_problem_of_the_map_names_its_file(drone, tmp_path):
    path = tmp_path / "columns.yaml"
    path.write_text("uav:\n  time_s: stamp\n  x: pose.x\n")
    with pytest.raises(InputError, match=r"columns\.yaml: uav\.x: unknown column\."):
        Log.from_csv({"uav": drone}, path)
    path.write_text("hello")
    with pytest.raises(InputError, match=r"columns\.yaml: must map tables to columns, got 'hello'$"):
        Log.from_csv({"uav": drone}, path)


def test_tables_share_one_clock(drone, tmp_path):
    (tmp_path / "winch.csv").write_text("t_ms,length\n1700000000500,4\n")
    columns = {**COLUMNS, "winch": {"time_ms": "t_ms", "length_m": "length"}}
    log = Log.from_csv({"uav": drone, "winch": tmp_path / "winch.csv"}, columns)
    assert log["winch"]["time_s"][0] == 0.0
    np.testing.assert_allclose(log["uav"]["time_s"], [0.5, 1.0])


def test_a_file_with_our_names_needs_no_map(tmp_path):
    table = circling(duration=1.0)["winch"]
    write_csv(table, tmp_path / "w.csv")
    log = Log.from_csv({"winch": tmp_path / "w.csv"})
    assert log["winch"].columns == table.columns
    np.testing.assert_array_equal(log["winch"]["length_m"], table["length_m"])


def test_a_file_with_some_of_our_names_gives_these(tmp_path):
    (tmp_path / "w.csv").write_text("note,length_m,time_s\na,4,0\nb,5,1\n")
    assert Log.from_csv({"winch": tmp_path / "w.csv"})["winch"].columns == ("time_s", "length_m")


WRONG_MAPS = {
    "table": ({"wich": {}}, "columns.wich: unknown table. Did you mean 'winch'?"),
    "column": (
        {"uav": {"time_s": "stamp", "xx_m": "pose.x"}},
        "columns.uav.xx_m: unknown column. Did you mean",
    ),
    "no time": ({"uav": {"x_m": "pose.x"}}, "columns.uav.time_s: missing; every table needs its time"),
    "twice": (
        {"uav": {"time_s": "stamp", "z_m": "alt_mm", "z_mm": "alt_mm"}},
        "columns.uav.z_mm: fills z_m, which another line fills already",
    ),
    "no name": ({"uav": {"time_s": 3}}, "columns.uav.time_s: must be the name of a column, got 3"),
    "no map": ({"uav": "stamp"}, "columns.uav: must map our columns to the file's, got 'stamp'"),
    "no file": ({**COLUMNS, "ugv": {"time_s": "t"}}, "columns.ugv: files has no file for this table"),
    "not there": (
        {"uav": {"time_s": "stamp", "x_m": "pose.z", "y_m": "pos.y"}},
        "drone.csv: no column 'pose.z'. Did you mean",
    ),
}


@pytest.mark.parametrize("kind", WRONG_MAPS)
def test_a_wrong_map_is_answered_with_a_sentence(drone, kind):
    columns, message = WRONG_MAPS[kind]
    with pytest.raises(InputError) as caught:
        Log.from_csv({"uav": drone}, columns)
    assert message in str(caught.value)


def test_all_problems_are_told_at_once(drone):
    with pytest.raises(InputError) as caught:
        Log.from_csv({"uav": drone}, {"uav": {"time_s": "when", "x_m": "where"}})
    assert str(caught.value).count("no column") == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no rows"),
        ("stamp,pose.x\n", "has no rows"),
        ("stamp,pose.x\n1,2\n2\n", "line 3: 1 cells, but the header has 2"),
        ("stamp,pose.x\n1,2\n2,far\n", "line 3: 'far' is not a number in column 'pose.x'"),
        ("stamp,pose.x\nnan,1\n", "time_s must be finite, got nan in row 0"),
        ("stamp,pose.x\n1,\n", "line 2: there is nothing in column 'pose.x'"),
        ("stamp,pose.x\n2,0\n1,0\n", "time_s must not decrease, got 2 and then 1 in row 1"),
    ],
)
def test_a_wrong_file_is_answered_with_its_line(tmp_path, text, message):
    path = tmp_path / "drone.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        Log.from_csv({"uav": path}, {"uav": {"time_s": "stamp", "x_m": "pose.x"}})
    assert str(caught.value) == f"{path}: {message}"


def test_missing_files_and_no_files_are_named(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.csv: no such file$"):
        Log.from_csv({"uav": tmp_path / "nowhere.csv"})
    with pytest.raises(InputError, match=r"^files: must name at least one CSV file$"):
        Log.from_csv({})


@pytest.mark.parametrize(
    ("name", "word", "unit"),
    [
        ("dist_uav_m", "dist_uav", "m"),
        ("motor_torque_N_m", "motor_torque", "N m"),
        ("ax_m_per_s2", "ax", "m/s²"),
        ("cat_error_percent", "cat_error", "%"),
        ("targets", "targets", ""),
        ("qw", "qw", ""),
    ],
)
def test_a_name_ends_with_its_unit(name, word, unit):
    assert (without_unit(name), unit_of(name)) == (word, unit)


def test_foreign_units_are_told_by_the_name():
    assert in_our_units("x_mm") == ("x_m", 1e-3)
    assert in_our_units("vx_cm_per_s") == ("vx_m_per_s", 1e-2)
    assert in_our_units("time_ms") == ("time_s", 1e-3)
    assert in_our_units("x_m") == ("x_m", 1.0)
