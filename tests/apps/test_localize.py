"""`tetherlab localize` as a user types it: from a log, from the folder of a run, and live."""

import errno
import io
import math
import os
import re
import signal
import subprocess
import sys
import threading
from array import array
from pathlib import Path

import numpy as np
import pytest

import tetherlab as tl
from synthetic_runs import circling
from tetherlab.apps.cli import main
from tetherlab.apps.localize import localize
from tetherlab.apps.noise_options import parse_noise
from tetherlab.apps.raw_readings import READINGS, RawReadings
from tetherlab.apps.run_folder import sensing_of_run
from tetherlab.apps.sensor_log import SensorLog
from tetherlab.contracts.columns import COLUMNS, readable
from tetherlab.contracts.csv_files import read_csv
from tetherlab.contracts.documents import write_yaml
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.estimate import Estimate, EstimateStatus
from tetherlab.contracts.estimate_rows import STATUSES, estimate_row
from tetherlab.contracts.flags import SENSORS
from tetherlab.contracts.log import Log
from tetherlab.contracts.measurement import Measurement, unit_vector
from tetherlab.contracts.measurement_rows import RowReader, measurement_row, read_measurements
from tetherlab.contracts.measurement_text import EMPTY, PLACE
from tetherlab.contracts.table import Table
from tetherlab.estimation import build
from tetherlab.estimation.catenary import CatenaryLocalizer
from tetherlab.estimation.filter import FilterSpec
from tetherlab.estimation.residual import residual_inputs
from tetherlab.estimation.residual_training import train_residual
from tetherlab.estimation.sensing import Sensing, SensorNoise
from tetherlab.sensors.calibration import ADC, COUNTS, RATIO, Calibration, SensorLaw
from tetherlab.tether.catenary_batch import solve_many

# It suspects that a test which lets it read sys.argv does so by mistake; here that is what is tested.
pytestmark = pytest.mark.filterwarnings("ignore:Cyclopts application invoked without tokens")

PAGE = Path(__file__).parents[2] / "docs" / "localisation.md"
HEADER = (
    "time_s,length_m,azimuth_base_deg,elevation_base_deg,elevation_end_deg,truth_x_m,truth_y_m,truth_z_m\n"
)
DRONE = np.array([(6.0 + np.cos(k), np.sin(k), 3.0 + 0.2 * np.sin(0.3 * k)) for k in np.arange(40) / 10])


def tetherlab(monkeypatch, *words, stdin=""):
    """Runs the command; returns its exit code."""
    monkeypatch.setattr("sys.argv", ["tetherlab", *map(str, words)])
    monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code


def degrees(tangents):
    x, y, z = tangents.T
    return np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.hypot(x, y)))


def lines(error=0.0):
    """Lines of a log of an exact catenary; error: what is added to the truth along x [m]."""
    length = 1.01 * np.linalg.norm(DRONE, axis=1)
    curves = solve_many(np.zeros_like(DRONE), DRONE, length)
    azimuth, low = degrees(curves.tangent_base)
    high = degrees(curves.tangent_end)[1]
    truth = DRONE + np.array((error, 0.0, 0.0))
    columns = np.column_stack((np.arange(len(DRONE)) / 10, length, azimuth, low, high, truth))
    return [",".join(f"{value:.12g}" for value in row) + "\n" for row in columns]


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "flight.csv"
    path.write_text(HEADER + "".join(lines()))
    return path


def test_an_exact_log_gives_back_where_the_drone_was(log, monkeypatch, capsys):
    assert tetherlab(monkeypatch, "localize", log) == 0
    table = read_csv(log.with_name("flight_estimates.csv"))
    assert table.columns == COLUMNS["estimates"]
    np.testing.assert_allclose(table.rows("x_m", "y_m", "z_m"), DRONE, atol=1e-6)
    np.testing.assert_array_equal(table["status"], 0.0)
    out = capsys.readouterr().out
    assert "flight.csv: 40 rows in 3.9 s, method catenary" in out
    assert "100.0 %" in out and EstimateStatus.OK.value in out
    assert "RMSE 0.000 m" in out and "hold 95 %: 100 %" in out


def test_the_error_is_that_against_the_truth(tmp_path, monkeypatch, capsys):
    path = tmp_path / "flight.csv"
    path.write_text(HEADER + "".join(lines(error=0.5)))
    assert tetherlab(monkeypatch, "localize", path, "--out", tmp_path / "new" / "e.csv") == 0
    out = capsys.readouterr().out
    assert "RMSE 0.500 m, median 0.500 m, largest 0.500 m, over 40 usable rows" in out
    assert "hold 95 %: 0 %" in out
    assert (tmp_path / "new" / "e.csv").exists()


def test_deviations_are_those_of_the_covariance(log, monkeypatch, capsys):
    assert tetherlab(monkeypatch, "localize", log) == 0
    table = read_csv(log.with_name("flight_estimates.csv"))
    x, y, z = (np.median(np.sqrt(table[name])) for name in ("xx_m2", "yy_m2", "zz_m2"))
    assert f"median standard deviation: x {x:.3f} m, y {y:.3f} m, z {z:.3f} m" in capsys.readouterr().out


def test_bad_lines_are_named_and_skipped(tmp_path, monkeypatch, capsys):
    good = lines()
    path = tmp_path / "flight.csv"
    path.write_text(HEADER + "".join(good[:3]) + "oops\n" + "".join(good[3:]) + good[0] + "9,1,2")
    assert tetherlab(monkeypatch, "localize", path) == 0
    out, err = capsys.readouterr()
    assert f"{path}: line 5: skipped: 1 cells, but the header has 8" in err
    assert "line 43: skipped: time_s must not decrease, got 3.9 and then 0" in err
    assert "40 rows in 3.9 s, method catenary, 3 of 43 lines skipped" in out
    assert len(read_csv(path.with_name("flight_estimates.csv"))) == 40


def test_settings_reach_the_estimator(log, monkeypatch, capsys):
    """With a ground at the base's height, a tether that leaves the base downwards lies on it."""
    text = (
        "time_s,length_m,azimuth_base_deg,elevation_base_deg,elevation_end_deg,tension_N\n0,10,0,-10,40,4\n"
    )
    log.write_text(text)
    assert (
        tetherlab(monkeypatch, "localize", log, "--ground-m", "0.0", "--linear-density-kg-per-m", "0.022")
        == 0
    )
    assert EstimateStatus.GROUND.value in capsys.readouterr().out
    # sin(turn) = w L cos(high)/T: 30 degrees at 4 N and 10 m need 0.261 N/m
    log.write_text(text.replace("-10,40", "10,40"))
    weight = 4.0 * 0.5 / 10.0 / np.cos(np.radians(40.0))
    for density, status in ((weight / 3.7, EstimateStatus.OK), (weight / 9.8, EstimateStatus.WRAPPED)):
        words = ("--linear-density-kg-per-m", f"{density:.6f}", "--gravity-m-per-s2", "3.7")
        assert tetherlab(monkeypatch, "localize", log, *words) == 0
        assert status.value[:40] in capsys.readouterr().out


@pytest.mark.parametrize("rows", [1, 7, 39])
def test_blocks_of_a_log_say_what_the_whole_of_it_says(rows, log, monkeypatch, capsys):
    log.write_text(HEADER + "".join(lines(error=0.05)))
    out = log.with_name("flight_estimates.csv")
    assert tetherlab(monkeypatch, "localize", log, "--figure", log.with_name("whole.svg")) == 0
    whole, said = out.read_bytes(), capsys.readouterr().out
    assert "largest 0.050 m" in said
    monkeypatch.setattr("tetherlab.apps.localize.ROWS_AT_ONCE", rows)
    assert tetherlab(monkeypatch, "localize", log, "--figure", log.with_name("parts.svg")) == 0
    assert out.read_bytes() == whole
    assert capsys.readouterr().out == said.replace("whole.svg", "parts.svg")


def test_what_is_kept_of_a_row_is_less_than_the_row(log, monkeypatch):
    kept = []
    monkeypatch.setattr(
        "tetherlab.apps.localize_summary.print_summary", lambda _, outcome: kept.append(outcome)
    )
    assert tetherlab(monkeypatch, "localize", log) == 0
    parts = [value for value in vars(kept[0]).values() if isinstance(value, array)]
    assert 0 < sum(len(part) for part in parts) <= 4 * len(DRONE)


@pytest.mark.parametrize("size", [0, 100, 3000])
def test_estimates_for_which_a_disk_has_no_room_are_saved_elsewhere(size, log, tmp_path, monkeypatch, capsys):
    """The lines that were written before are not lost, nor are those that follow."""
    assert tetherlab(monkeypatch, "localize", log) == 0
    whole = log.with_name("flight_estimates.csv").read_bytes()
    assert len(whole) > 5000
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    monkeypatch.setattr("tetherlab.apps.localize.ROWS_AT_ONCE", 3)
    monkeypatch.setattr("tetherlab.contracts.files.os.fsync", lambda _: None)
    target = tmp_path / "full" / "e.csv"
    capsys.readouterr()

    class Full(io.FileIO):
        """A file on a disk that has so much room."""

        def write(self, data):
            room = size - self.tell()
            if room <= 0 and len(data):
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(bytes(data)[:room])

    def opened(path, mode, **options):
        return (
            io.BufferedRandom(Full(path, "w+"))
            if target.parent in Path(path).parents
            else open(path, mode, **options)
        )

    monkeypatch.setattr("tetherlab.contracts.files.open", opened, raising=False)
    assert tetherlab(monkeypatch, "localize", log, "--out", target) == 0
    out, err = capsys.readouterr()
    assert "No space left on device; saved as" in err
    place = Path(re.search(r"estimates: (.*)", out)[1])
    assert elsewhere in place.parents and place.read_bytes() == whole
    assert not list(target.parent.iterdir())


def test_ctrl_c_keeps_what_was_written(log, monkeypatch, capsys):
    class Stopping(CatenaryLocalizer):
        count = 0

        def update(self, measurement):
            self.count += 1
            if self.count > 10:
                raise KeyboardInterrupt
            return super().update(measurement)

    needs = build.METHODS["catenary"].needs
    monkeypatch.setitem(build.METHODS, "catenary", build.Method(lambda setup: Stopping(setup.sensing), needs))
    assert tetherlab(monkeypatch, "localize", log) == 130
    assert len(read_csv(log.with_name("flight_estimates.csv"))) == 10
    assert "stopped by Ctrl-C" in capsys.readouterr().out


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_figure_is_written(log, monkeypatch, ending):
    picture = log.with_name(f"f.{ending}")
    assert tetherlab(monkeypatch, "localize", log, "--figure", picture) == 0
    assert picture.stat().st_size > 20_000
    if ending == "svg":
        text = picture.read_text()
        for words in ("from above", "from the side", "truth", "error of the position [m]", "status"):
            assert words in text


def test_a_figure_of_nothing_known_is_drawn(tmp_path, monkeypatch):
    path = tmp_path / "empty.csv"
    path.write_text(HEADER + "0,,,,,,,\n1,,,,,,,\n")
    assert tetherlab(monkeypatch, "localize", path, "--figure", tmp_path / "f.svg") == 0


def test_sensors_that_never_spoke_are_named(tmp_path, monkeypatch, capsys):
    path = tmp_path / "flight.csv"
    path.write_text(HEADER + "0,9,,,,,,\n1,,,,20,,,\n")
    assert tetherlab(monkeypatch, "localize", path) == 0
    said = "Never heard of what catenary needs: azimuth_base_rad, elevation_base_rad."
    assert said in capsys.readouterr().out
    assert tetherlab(monkeypatch, "localize", "--live", stdin=path.read_text()) == 0
    assert said in capsys.readouterr().err
    path.write_text(HEADER + lines()[0])
    assert tetherlab(monkeypatch, "localize", path) == 0
    assert "Never heard" not in capsys.readouterr().out


def test_help_lists_no_option_that_makes_no_sense(monkeypatch, capsys):
    assert tetherlab(monkeypatch, "localize", "--help") == 0
    out = capsys.readouterr().out
    assert "--attachment-m" in out and "--empty" not in out


def test_sensors_may_speak_in_rows_of_their_own(tmp_path, monkeypatch, capsys):
    """Length and angles in turn: from the second row on there is a position, until one is silent too long."""
    (_, length, azimuth, low, high), path = lines()[0].split(",")[:5], tmp_path / "flight.csv"
    path.write_text(
        f"{HEADER}0,{length},,,,,,\n0.05,,{azimuth},{low},{high},,,\n0.1,{length},,,,,,\n0.4,{length},,,,,,\n"
    )
    assert tetherlab(monkeypatch, "localize", path) == 0
    names = [STATUSES[int(code)].name for code in read_csv(tmp_path / "flight_estimates.csv")["status"]]
    assert names == ["MISSING", "OK", "OK", "STALE"]
    assert "25.0 %" in capsys.readouterr().out
    assert tetherlab(monkeypatch, "localize", path, "--age-max-s", "0.5") == 0
    assert read_csv(tmp_path / "flight_estimates.csv")["x_m"][-1] == pytest.approx(DRONE[0, 0], abs=1e-6)


def test_angles_of_base_and_drone_may_come_apart_without_an_azimuth_at_the_drone(tmp_path, monkeypatch):
    (_, length, azimuth, low, high), path = lines()[0].split(",")[:5], tmp_path / "flight.csv"
    path.write_text(
        f"{HEADER}0,,,,{high},,,\n0.01,{length},,,,,,\n0.02,,{azimuth},{low},,,,\n0.03,,,,{high},,,\n"
    )
    assert tetherlab(monkeypatch, "localize", path) == 0
    table = read_csv(tmp_path / "flight_estimates.csv")
    assert [STATUSES[int(code)].name for code in table["status"]] == ["MISSING", "MISSING", "MISSING", "OK"]
    np.testing.assert_allclose(table.rows("x_m", "y_m", "z_m")[-1], DRONE[0], atol=1e-6)


def with_times(times):
    """Lines of a log with these times instead."""
    return [f"{time},{line.split(',', 1)[1]}" for time, line in zip(times, lines(), strict=False)]


@pytest.mark.parametrize("place", [0, 1, 7])
@pytest.mark.parametrize("stamp", ["1e12", "1e7"])
def test_one_wrong_time_does_not_silence_the_rest(place, stamp, monkeypatch, capsys):
    if place == 0 and stamp == "1e7":
        pytest.skip("it might be the time of a clock that is set later")
    times = [f"{k / 10}" for k in range(40)]
    times[place] = stamp
    text = HEADER + "".join(with_times(times))
    assert tetherlab(monkeypatch, "localize", "--live", stdin=text) == 0
    out, err = capsys.readouterr()
    assert out.count("\n") == 40 and "tetherlab: 39 estimates, 1 line skipped" in err
    assert f"line {place + 2}: skipped: " in err and ("leaps ahead" in err or "cannot be a time" in err)


def test_one_wrong_stamp_does_not_silence_the_rest(monkeypatch, capsys):
    good = [line.split(",", 1) for line in lines()]
    stamped = [f"{time},{'1e7' if k == 7 else time},{rest}" for k, (time, rest) in enumerate(good)]
    text = HEADER.replace("time_s", "time_s,stamp_s") + "".join(stamped)
    assert tetherlab(monkeypatch, "localize", "--live", stdin=text) == 0
    out, err = capsys.readouterr()
    assert "line 9: skipped: stamp_s leaps ahead" in err and "39 estimates, 1 line skipped" in err
    assert all(row.split(",")[-2] == "0" for row in out.splitlines()[1:])


def test_a_clock_that_is_set_is_believed_when_lines_agree(monkeypatch, capsys):
    times = [k / 10 if k < 5 else 1.7e9 + k / 10 for k in range(40)]
    assert tetherlab(monkeypatch, "localize", "--live", stdin=HEADER + "".join(with_times(times))) == 0
    out, err = capsys.readouterr()
    assert "38 estimates, 2 lines skipped" in err
    assert out.splitlines()[-1].startswith("1700000003.9,")


def test_rows_hours_apart_are_read(tmp_path, monkeypatch, capsys):
    path = tmp_path / "flight.csv"
    path.write_text(HEADER + "".join(with_times([7200.0 * k for k in range(40)])))
    assert tetherlab(monkeypatch, "localize", path) == 0
    assert "38 rows" in capsys.readouterr().out


def test_a_log_of_which_most_is_left_out_is_no_success(tmp_path, monkeypatch, capsys):
    path = tmp_path / "flight.csv"
    path.write_text(HEADER + "".join(lines()[::-1]))
    assert tetherlab(monkeypatch, "localize", path) == 1
    out, _ = capsys.readouterr()
    assert "39 of 40 lines skipped" in out
    assert "Most lines were left out, 39 of 40" in out and "in the order of their times" in out


DAMAGED = {
    "return": b'0.1,a"b\r,3\n',
    "long": b'0.1,"' + b"x" * 140_000 + b'",3,4,5,6,7,8\n',
    "long word": b"0.1," + b"x" * 140_000 + b",3,4,5,6,7,8\n",
    "byte": b"0.1,\xff,3,4,5,6,7,8\n",
    "zero": b'0.1,"\0",3,4,5,6,7,8\n',
    "zeros": b"\0\0\0\0\n",
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damaged_bytes_are_named_and_skipped(kind, tmp_path):
    good = [line.encode() for line in lines()[:4]]
    text = HEADER.encode() + b"".join(good[:2]) + DAMAGED[kind] + b"".join(good[2:])
    (tmp_path / "log.csv").write_bytes(text)
    command = [sys.executable, "-c", "from tetherlab.apps.cli import main; main()", "localize"]
    strict = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    live = subprocess.run([*command, "--live"], input=text, capture_output=True, env=strict, check=False)
    assert live.returncode == 0 and b"Traceback" not in live.stderr
    said = [line for line in live.stderr.splitlines() if not line.startswith(b"tetherlab: compiling")]
    assert said[0].startswith(b"tetherlab: line 4: skipped: ") and len(b"".join(said)) < 400
    assert live.stdout.count(b"\n") == 5
    if kind == "return":  # a file may end its lines so
        return
    whole = subprocess.run([*command, "log.csv"], cwd=tmp_path, capture_output=True, check=False)
    assert whole.returncode == 0 and b"log.csv: line 4: skipped: " in whole.stderr
    assert len(read_csv(tmp_path / "log_estimates.csv")) == 4


def saved_run(folder, flown=False):
    """A run as the simulator would leave it, with measurements; the tether is tied 0.1 m below the drone."""
    log = circling(2.0)
    base, end = (log[name].rows("x_m", "y_m", "z_m") for name in ("ugv", "uav"))
    lengths = 1.02 * np.linalg.norm(end - base, axis=1)
    curves = solve_many(base, end, lengths)
    sensed = [
        Measurement(
            time=time,
            length=lengths[k],
            tangent_base=curves.tangent_base[k],
            tangent_end=curves.tangent_end[k],
            tension=0.067 * 9.80665 * curves.tension_base[k],
            base=base[k],
        )
        for k, time in enumerate(log["uav"]["time_s"])
    ]
    rows = [measurement_row(each.time + 0.02, each) for each in sensed]
    log.tables["measurements"] = Table.from_rows(COLUMNS["measurements"], rows)
    if flown:
        flown_by = [estimate_row(k, Estimate.nothing(k, EstimateStatus.OK)) for k in range(7)]
        log.tables["estimates"] = Table.from_rows(COLUMNS["estimates"], flown_by)
    uav = log["uav"]
    log.tables["uav"] = Table({name: uav[name] + 0.1 * (name == "z_m") for name in uav.columns})
    log.scenario = {
        "tether": {"linear_density_kg_per_m": 0.067},
        "uav": {"robot": {"attachment_m": [0.0, 0.0, -0.1], "mass_kg": 1.5}},
    }
    return log.save(folder)


def test_a_run_is_compared_with_where_its_tether_was_tied(tmp_path, monkeypatch, capsys):
    folder = saved_run(tmp_path / "run")
    assert tetherlab(monkeypatch, "localize", folder) == 0
    out = capsys.readouterr().out
    assert "101 rows in 2.0 s" in out
    assert "RMSE 0.000 m" in out  # by the stamp, which is 0.02 s before the arrival
    assert "WRAPPED" not in out  # so would say the density that is the default
    assert len(read_csv(folder / "localized.csv")) == 101


def test_a_run_stays_as_it_was_flown(tmp_path, monkeypatch, capsys):
    folder = saved_run(tmp_path / "run", flown=True)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert tetherlab(monkeypatch, "localize", folder) == 0
    assert set(Log.load(folder).tables) >= {"measurements", "estimates"}
    for name in ("estimates.csv", "uav.csv", "measurements.csv", "log.json", "scenario.yaml"):
        place = folder / ".." / "run" / name
        said = wrong(monkeypatch, capsys, folder, "--out", place)
        assert f"--out {place}: " in said and ("belongs to the run" in said or "same file as the log" in said)
    assert {name: (folder / name).read_bytes() for name in before} == before


def test_no_input_is_written_over(log, monkeypatch, capsys):
    before = log.read_bytes()
    linked = log.with_name("linked.csv")
    linked.symlink_to(log)
    map_file = log.with_name("map.yaml")
    map_file.write_text("x")
    for place in (log, log.parent / "." / ".." / log.parent.name / log.name, linked):
        said = wrong(monkeypatch, capsys, log, "--out", place)
        assert said == f"tetherlab: --out {place}: is the same file as the log; name another\n"
    monkeypatch.chdir(log.parent)
    assert "same file as the log" in wrong(monkeypatch, capsys, log, "--out", log.name)
    assert "same file as --columns" in wrong(
        monkeypatch, capsys, log, "--columns", map_file, "--out", map_file
    )
    assert "is a folder" in wrong(monkeypatch, capsys, log, "--out", log.parent)
    picture = log.rename(log.with_name("flight.svg"))
    assert "--figure flight.svg: is the same file as the log" in wrong(
        monkeypatch, capsys, picture, "--figure", "flight.svg"
    )
    assert "same file as --out" in wrong(monkeypatch, capsys, picture, "--figure", "f.svg", "--out", "f.svg")
    assert picture.read_bytes() == before


def test_other_names_are_mapped(log, monkeypatch, capsys):
    log.write_text("t,L,az,b0,b1\n0,9000,0,10,20\n")
    names = {"time_s": "t", "length_mm": "L", "azimuth_base_deg": "az", "elevation_base_deg": "b0"}
    write_yaml({"measurements": {**names, "elevation_end_deg": "b1"}}, log.with_name("map.yaml"))
    assert tetherlab(monkeypatch, "localize", log, "--columns", log.with_name("map.yaml")) == 0
    assert read_csv(log.with_name("flight_estimates.csv"))["x_m"][0] == pytest.approx(8.68, abs=0.02)


def law(input, unit, gain, top):
    return SensorLaw(
        input=input, unit=unit, coefficients=(0.0, gain), residual_deviation=0.01, input_range=(0.0, top)
    )


CALIBRATION = Calibration(
    {
        **{name: law(RATIO, "rad", 2.0, 0.5) for name in READINGS if name not in ("length", "tension")},
        "length": law(COUNTS, "m", 0.001, 8000.0),
        "tension": law(ADC, "N", 0.001, 4000.0),
    }
)
RAW = (
    "time_s,length_counts,base_azimuth_adc,base_elevation_adc,base_reference_adc,"
    "drone_elevation_adc,drone_azimuth_adc,drone_reference_adc,tension_adc\n"
)


def raw_log(text):
    complaints = []
    raw = RawReadings(CALIBRATION)
    return SensorLog(io.StringIO(text), "catenary", raw=raw, complain=complaints.append), complaints


def test_raw_readings_become_angles_length_and_tension():
    source, complaints = raw_log(RAW + "1,9000,100,200,1000,400,100,2000,3500\n2,9000,,,,,,,\n3,,1,1,,,,,\n")
    first, second = list(source)
    expected = Measurement.from_angles(9.0, 0.2, 0.4, 0.4, azimuth_end=0.1)
    np.testing.assert_allclose(first.measurement.tangent_base, expected.tangent_base)
    np.testing.assert_allclose(first.measurement.tangent_end, expected.tangent_end)
    assert first.measurement.length == 9.0 and first.measurement.tension == 3.5
    assert second.measurement.length == 9.0 and second.measurement.tangent_base is None
    assert complaints == ["line 4: skipped: there is nothing in base_reference_adc, which base_azimuth needs"]


def test_raw_readings_that_cannot_be_true_are_named_and_skipped():
    rows = ("1,1e11,,,,,,,\n", "2,,1e6,200,1000,,,,\n", "3,-1,,,,,,,\n", "4,9000,,,,,,,\n")
    source, complaints = raw_log(RAW + "".join(rows))
    assert [each.time for each in source] == [3.0, 4.0]
    assert [each.removesuffix(", which cannot be true") for each in complaints] == [
        "line 2: skipped: by the calibration length_counts gives length_m = 1e+08",
        "line 3: skipped: by the calibration base_azimuth_adc gives azimuth_base_rad = 2000",
    ]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (RAW.replace("base_reference_adc,", ""), "the log needs base_reference_adc"),
        (
            RAW.replace("time_s", "time_s,length_m"),
            "the log has both length_counts and length_m; leave one out",
        ),
        (HEADER, "--calibration is given, but the log has no raw readings (base_azimuth_adc"),
    ],
)
def test_raw_readings_that_do_not_fit_are_answered_with_a_sentence(header, message):
    with pytest.raises(InputError) as caught:
        raw_log(header)
    assert message in str(caught.value)


def test_a_calibration_from_its_file_and_readings_beyond_it(log, monkeypatch, capsys):
    CALIBRATION.save(log.with_name("calibration.yaml"))
    log.write_text(RAW + "1,9000,100,200,1000,500,200,2000,3500\n2,7000,100,200,1000,500,200,2000,3500\n")
    assert tetherlab(monkeypatch, "localize", log, "--calibration", log.with_name("calibration.yaml")) == 0
    assert "readings beyond what was calibrated: 1 of length" in capsys.readouterr().out
    table = read_csv(log.with_name("flight_estimates.csv"))
    expected = CatenaryLocalizer().update(Measurement.from_angles(9.0, 0.2, 0.4, 0.5)).position
    np.testing.assert_allclose(table.rows("x_m", "y_m", "z_m")[0], expected, rtol=1e-8)


def test_the_noise_of_ones_own_sensors_is_in_the_covariance(log, monkeypatch):
    """Of the calibration, or as told, which counts more."""
    CALIBRATION.save(log.with_name("calibration.yaml"))
    log.write_text(RAW + "1,9000,100,200,1000,500,200,2000,3500\n")
    calibrated = "localize", log, "--calibration", log.with_name("calibration.yaml")
    deviations = CALIBRATION.noise()
    told = "--noise", "elevation_end_deg=2", "--noise", "length_mm=40"
    for words, changes in (((), {}), (told, {"elevation_end": math.radians(2.0), "length": 0.04})):
        assert tetherlab(monkeypatch, *calibrated, *words) == 0
        sensing = Sensing(noise=SensorNoise(**(deviations | changes)))
        expected = CatenaryLocalizer(sensing).update(Measurement.from_angles(9.0, 0.2, 0.4, 0.5))
        found = read_csv(log.with_name("flight_estimates.csv"))
        spread = found.rows("xx_m2", "yy_m2", "zz_m2")[0]
        np.testing.assert_allclose(spread, np.diag(expected.covariance), rtol=1e-6)


def test_the_folder_of_a_run_is_localised_by_what_flew_it(tmp_path, monkeypatch):
    changes = {
        "localisation": {"sensors": "tether_inertial"},
        "localisation.sensors.drone_angles.elevation_noise_rad": 0.02,
        "tether.axial_stiffness_N": 500.0,
    }
    flown = tl.Simulation("tether_inertial", changes, seed=2)
    flown.run(until=4.0)
    flown.log.save(tmp_path / "run")
    sensing, filter_spec = sensing_of_run(tmp_path / "run")
    used = flown.navigator.estimator
    assert (
        sensing == used.sensing and sensing.noise.elevation_end == 0.02 and sensing.axial_stiffness == 500.0
    )
    assert repr(filter_spec) == repr(used.spec)
    assert tetherlab(monkeypatch, "localize", tmp_path / "run", "--method", "ekf") == 0
    again, then = read_csv(tmp_path / "run" / "localized.csv"), flown.log["estimates"]
    late = again["stamp_s"] > 3.0
    for axis in ("x_m", "y_m", "z_m"):
        believed = np.interp(again["stamp_s"][late], then["stamp_s"], then[axis])
        assert again[axis][late] == pytest.approx(believed, abs=0.05)  # it had begun on the deck
    assert sensing_of_run(tmp_path / "nowhere") == (Sensing(), FilterSpec())


def test_an_error_that_nothing_allows_for_is_outside_every_ellipsoid(log, monkeypatch, capsys):
    log.write_text(HEADER + "".join(lines(error=0.04)))
    nothing = [
        f"{name}=0" for name in ("elevation_end_deg", "azimuth_base_deg", "elevation_base_deg", "length_cm")
    ]
    words = [word for each in nothing for word in ("--noise", each)]
    assert tetherlab(monkeypatch, "localize", log, *words) == 0
    out = capsys.readouterr().out
    assert "should hold 95 %: 0 %" in out and "larger than this method claims" in out


def test_a_place_where_nothing_can_be_written_is_told(log, monkeypatch, capsys):
    blocked = log.with_name("file")
    blocked.write_text("")
    assert "cannot be written" in wrong(monkeypatch, capsys, log, "--out", blocked / "e.csv")


@pytest.mark.parametrize(
    ("assignment", "name", "value"),
    [
        ("azimuth_base_deg=1", "azimuth", math.pi / 180.0),
        ("angular_velocity_deg_per_s=180", "angular_velocity", math.pi),
        ("length_cm=3", "length", 0.03),
        ("tension_N=0.2", "tension", 0.2),
    ],
)
def test_noise_is_told_in_the_unit_of_its_key(assignment, name, value):
    assert parse_noise([assignment]) == {name: pytest.approx(value)}
    with pytest.raises(InputError, match=">= 0"):
        parse_noise([assignment.replace("=", "=-")])


def test_noise_of_a_sensor_that_does_not_exist_is_refused(log, monkeypatch, capsys):
    assert tetherlab(monkeypatch, "localize", log, "--noise", "elevation_edn_deg=2") == 2
    assert (
        "--noise elevation_edn_deg: unknown sensor or unit. Did you mean 'elevation_end_deg'"
        in capsys.readouterr().err
    )


def test_raw_readings_without_a_calibration_are_told_of(log, monkeypatch, capsys):
    log.write_text(RAW)
    assert tetherlab(monkeypatch, "localize", log) == 2
    assert "give --calibration FILE as well" in capsys.readouterr().err


def wrong(monkeypatch, capsys, *words):
    assert tetherlab(monkeypatch, "localize", *words) == 2
    return capsys.readouterr().err


def test_what_is_missing_is_named_with_a_guess(log, monkeypatch, capsys):
    log.write_text("time_s,lenght_m,azimuth_base_deg,elevation_base_deg\n1,2,3,4\n")
    assert wrong(monkeypatch, capsys, log) == (
        f"tetherlab: {log}: catenary needs length_m, azimuth_base_rad, elevation_base_rad, "
        "elevation_end_rad; the log has no length_m, elevation_end_rad, but time_s, lenght_m, "
        "azimuth_base_deg, elevation_base_deg. Did you mean length_m by 'lenght_m'? "
        "Other names are mapped with --columns MAP.yaml.\n"
    )


def test_wrong_words_are_answered_with_a_sentence(log, monkeypatch, capsys, tmp_path):
    say = lambda *words: wrong(monkeypatch, capsys, *words)  # noqa: E731
    assert "either a log, as in `tetherlab localize flight.csv`, or --live" in say()
    assert "either a log" in say(log, "--live")
    assert "leave out --out and --figure" in say("--live", "--out", "e.csv")
    assert "method: unknown name 'catenry'. Did you mean 'catenary'?" in say(log, "--method", "catenry")
    assert "must end with .svg, .png, .pdf" in say(log, "--figure", "f.doc")
    assert "no such file" in say(tmp_path / "nowhere.csv")
    assert "has no measurements.csv" in say(tmp_path)
    assert "linear_density must be > 0" in say(log, "--linear-density-kg-per-m", "-1")
    log.write_text("")
    assert "there is no header" in say(log)
    log.write_text(HEADER)
    assert "no row could be read" in say(log)
    log.write_text(HEADER + "a,b\n")
    assert "no row could be read; 1 line was skipped" in say(log)
    assert not log.with_name("flight_estimates.csv").exists()


def test_live_gives_the_lines_that_a_log_gives(log, monkeypatch, capsys):
    assert tetherlab(monkeypatch, "localize", log) == 0
    capsys.readouterr()
    good = lines()
    text = HEADER + good[0] + "noise\n" + "".join(good[1:])
    assert tetherlab(monkeypatch, "localize", "--live", stdin=text) == 0
    out, err = capsys.readouterr()
    assert out == log.with_name("flight_estimates.csv").read_text()
    skipped = "tetherlab: line 3: skipped: 1 cells, but the header has 8\n"
    assert err == skipped + "tetherlab: 40 estimates, 1 line skipped\n"


def test_a_line_without_end_costs_itself_only(monkeypatch, capsys):
    good = lines()
    stdin = HEADER + good[0] + "1" * 5_000_000 + "\n" + "".join(good[1:])
    assert tetherlab(monkeypatch, "localize", "--live", stdin=stdin) == 0
    said = capsys.readouterr().err
    assert "line 3: skipped: has more than 1000000 characters" in said
    assert "40 estimates, 1 line skipped" in said


def test_live_answers_each_line_before_the_next_comes_and_ends_by_ctrl_c():
    command = [sys.executable, "-c", "from tetherlab.apps.cli import main; main()", "localize", "--live"]
    surroundings = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, **pipes, text=True, env=surroundings) as live:
        patience = threading.Timer(60.0, live.kill)  # if an answer never comes, reading ends
        patience.start()
        live.stdin.write(HEADER)
        live.stdin.flush()
        assert live.stdout.readline() == ",".join(COLUMNS["estimates"]) + "\n"
        for position, line in zip(DRONE[:3], lines()[:3], strict=True):
            live.stdin.write(line)
            live.stdin.flush()
            found = [float(cell) for cell in live.stdout.readline().split(",")[2:5]]
            np.testing.assert_allclose(found, position, atol=1e-6)
        live.send_signal(signal.SIGINT)
        assert live.stderr.read().splitlines()[-1] == "tetherlab: 3 estimates"
        assert live.wait() == 130
        patience.cancel()


SETUP = build.Setup(Sensing(drone_mass=1.5), length=9.0)


@pytest.mark.parametrize("name", build.METHODS)
def test_a_method_needs_what_it_says(name):
    """With a hover that holds all that it needs there is a position; without any of it there is none."""
    whole = Measurement(
        length=9.0,
        tangent_base=unit_vector(0.3, 0.4),
        tangent_end=unit_vector(0.3, 0.5),
        tension=4.0,
        rotation=tilted(),
        specific_force=tilted().T @ (0.0, 0.0, 9.80665),
        angular_velocity=np.zeros(3),
        thrust=1.0,
    )

    def answer(names):
        """The status and the position if the log has these columns."""
        row = list(EMPTY)
        for column, value in zip(COLUMNS["measurements"], measurement_row(0.0, whole), strict=True):
            if column in (*names, "time_s"):
                row[PLACE[column]] = value
        return build.build_estimator(name, SETUP).update(RowReader(names).read(row).measurement)

    needs = build.METHODS[name].needs
    found = answer(needs)
    assert np.isfinite(found.position).all(), found.status
    for group in (build.LENGTH, build.BASE, build.END, build.FORCE, build.THRUST, build.TENSION):
        if set(group) <= set(needs) and (name, group) != ("ekf", build.FORCE):  # it can start without
            assert np.isnan(answer([each for each in needs if each not in group]).position).all()


def tilted():
    """A drone that leans away from its base."""
    c, s = math.cos(0.2), math.sin(0.2)
    turn, lean = np.eye(3), np.array(((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c)))
    turn[:2, :2] = ((math.cos(0.3), -math.sin(0.3)), (math.sin(0.3), math.cos(0.3)))
    return turn @ lean


def test_settings_that_a_method_cannot_do_without_are_asked_for(log, monkeypatch, capsys):
    for method, option in (("thrust", "--drone-mass-kg"), ("fixed_length", "--tether-length-m")):
        assert f"the method {method} needs" in (said := wrong(monkeypatch, capsys, log, "--method", method))
        assert option in said
    words = ("--method", "fixed_length", "--tether-length-m", "7")
    assert tetherlab(monkeypatch, "localize", log, *words) == 0
    assert np.linalg.norm(read_csv(log.with_name("flight_estimates.csv")).rows("x_m", "y_m", "z_m")[0]) < 7.0


def test_a_learned_correction_is_added(log, monkeypatch, capsys):
    """What is learned here is the same error everywhere."""
    localizer = CatenaryLocalizer()
    sensed = list(read_measurements(log))
    inputs = [residual_inputs(each, localizer.update(each).position) for each in sensed]
    errors = np.tile((0.1, 0.05, -0.05), (len(inputs), 1))
    model = log.with_name("residual.npz")
    train_residual(inputs, errors, inducing=8).save(model)
    assert tetherlab(monkeypatch, "localize", log, "--model", model) == 0
    found = read_csv(log.with_name("flight_estimates.csv")).rows("x_m", "y_m", "z_m")
    np.testing.assert_allclose(np.mean(found - DRONE, axis=0), (0.1, 0.05, -0.05), atol=0.01)
    said = wrong(monkeypatch, capsys, log, "--method", "taut_line", "--model", model)
    assert "the method taut_line takes no learned model; these do: catenary, ekf" in said


def test_command_and_page_tell_of_all_methods():
    page = PAGE.read_text(encoding="utf-8")
    for name in build.METHODS:
        assert re.search(rf"\b{name}\b", localize.__doc__)
        assert f"| `{name}` |" in page


def test_codes_of_statuses_are_those_of_the_page():
    page = PAGE.read_text(encoding="utf-8")
    for code, status in enumerate(STATUSES):
        assert f"| {code} | `{status.name}` | {status.value} |" in page
    for name in (*readable("measurements"), *COLUMNS["estimates"]):
        assert f"`{name}`" in page
    assert ", ".join(SENSORS) in page.replace("\n", " ")
