"""`tetherlab calibrate` as a stranger types it: tables, files that add up, and sentences for mistakes."""

import re

import numpy as np
import pytest

from tetherlab.apps.cli import main
from tetherlab.sensors.calibration import Calibration

pytestmark = pytest.mark.filterwarnings("ignore:Cyclopts application invoked without tokens")


@pytest.fixture
def tetherlab(monkeypatch, capsys, tmp_path):
    """Runs the command in an empty folder; returns exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def call(*words):
        monkeypatch.setattr("sys.argv", ["tetherlab", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            main()
        said = capsys.readouterr()
        return left.value.code, said.out, said.err

    return call


def write_angles(path="angles.csv", *, gain=298.0, axis=None, outlier=5, seed=0, count=25):
    """Samples of a sensor whose supply wanders; line 2 + outlier is wrong."""
    random = np.random.default_rng(seed)
    rows = ["adc,reference_adc,angle_deg" + (",axis" if axis else "")]
    for row, ratio in enumerate(np.linspace(0.2, 0.8, count)):
        reference = random.uniform(20_000, 26_000)
        angle = gain * (ratio - 0.5) + 0.3 * random.standard_normal() + (20.0 if row == outlier else 0.0)
        rows.append(f"{ratio * reference:.0f},{reference:.0f},{angle:.3f}" + (f",{axis}" if axis else ""))
    with open(path, "w") as file:
        file.write("\n".join(rows) + "\n")


def test_angles_are_calibrated_shown_and_written(tetherlab, tmp_path):
    write_angles()
    words = ("--axis", "base_elevation", "--out", "my.yaml", "--figure", "fit.svg")
    code, out, _ = tetherlab("calibrate", "angles", "angles.csv", *words)
    assert code == 0 and "warning" not in out
    gain = re.search(r"gain +([\d.]+) +± ([\d.]+) +deg", out)
    assert abs(float(gain[1]) - 298.0) <= 2.0 * float(gain[2])
    assert re.search(r"outliers rejected +1 +line 7", out) and re.search(r"samples used +24 of 25", out)
    assert "calibration: my.yaml: wrote base_elevation\n" in out and "figure:      fit.svg\n" in out
    found = Calibration.load("my.yaml")
    assert np.rad2deg(found.apply("base_elevation", 12_500, 25_000)) == pytest.approx(0.0, abs=0.3)
    assert found.sensors["base_elevation"].rejected_lines == (7,)
    assert found.sensors["base_elevation"].file == "angles.csv"
    assert "<svg" in (tmp_path / "fit.svg").read_text()


def test_many_outliers_leave_the_numbers_readable(tetherlab, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    name = "samples_of_the_elevation_at_the_base_taken_on_the_roof.csv"
    write_angles(name, outlier=None, count=31)
    rows = (tmp_path / name).read_text().splitlines()
    for line in range(2, 30, 2):
        adc, reference, angle = rows[line].split(",")
        rows[line] = f"{adc},{reference},{float(angle) + 40.0 + 3 * line}"
    (tmp_path / name).write_text("\n".join(rows) + "\n")
    code, out, _ = tetherlab("calibrate", "angles", name, "--axis", "base_elevation")
    assert code == 0 and max(map(len, out.split("warning")[0].splitlines())) <= 80
    assert re.search(r"gain +29\d\.\d+ +± [\d.]+ +deg", out) and "…" not in out
    assert re.search(r"outliers rejected +14 +lines 3, 5, 7, 9,\s+11\s+and\s+9\s+more", out)


def test_another_sensor_joins_the_same_file(tetherlab, tmp_path):
    write_angles(axis="base_elevation")
    write_angles("drone.csv", gain=-250.0, axis="drone_elevation")
    (tmp_path / "length.csv").write_text(
        "counts,length_mm\n" + "".join(f"{n},{n / 10}\n" for n in range(0, 40_000, 2000))
    )
    (tmp_path / "pull.csv").write_text(
        "adc,tension_N\n" + "".join(f"{n},{n * n / 1e5}\n" for n in range(100, 700, 25))
    )
    for quantity, file in (
        ("angles", "angles"),
        ("angles", "drone"),
        ("length", "length"),
        ("tension", "pull"),
    ):
        code, out, _ = tetherlab("calibrate", quantity, f"{file}.csv", "--out", "my.yaml")
        assert code == 0
    assert "wrote tension; kept base_elevation, drone_elevation, length" in out
    first = Calibration.load("my.yaml")
    assert list(first.sensors) == ["base_elevation", "drone_elevation", "length", "tension"]
    assert first.apply("length", 20_000) == pytest.approx(2.0) and first.apply(
        "tension", 300
    ) == pytest.approx(0.9)
    _, out, _ = tetherlab("calibrate", "angles", "drone.csv", "--out", "my.yaml")
    assert "wrote drone_elevation (replaced); kept base_elevation, length, tension" in out
    assert Calibration.load("my.yaml") == first


def test_axes_of_one_file_are_told_apart(tetherlab, tmp_path):
    write_angles("a.csv", axis="base_azimuth")
    write_angles("b.csv", gain=-250.0, axis="drone_azimuth", outlier=None)
    both = (tmp_path / "a.csv").read_text() + (tmp_path / "b.csv").read_text().split("\n", 1)[1]
    (tmp_path / "both.csv").write_text(both)
    code, out, _ = tetherlab("calibrate", "angles", "both.csv", "--out", "my.yaml", "--figure", "both.png")
    assert code == 0 and "base_azimuth = " in out and "drone_azimuth = " in out
    laws = Calibration.load("my.yaml").sensors
    gains = [np.rad2deg(law.coefficients[1]) for law in laws.values()]
    assert gains == pytest.approx([298.0, -250.0], rel=0.01)
    assert laws["base_azimuth"].rejected_lines == (7,) and laws["drone_azimuth"].samples == 25


def test_without_out_nothing_is_written(tetherlab, tmp_path):
    write_angles()
    code, out, _ = tetherlab("calibrate", "angles", "angles.csv", "--axis", "drone_azimuth")
    assert code == 0 and "not written; add --out" in out
    assert [path.name for path in tmp_path.iterdir()] == ["angles.csv"]


BAD = {
    "adc,reference_adc,angel_deg\n1,2,3\n": "no column 'angle_deg'. Did you mean 'angel_deg'?",
    "ADC,reference_adc,angle_deg\n1,2,3\n": "no column 'adc'. Did you mean 'ADC'?",
    "adc,reference_adc,angle_deg\n1,2,3\n2,x,4\n": "line 3: 'x' is not a number in column 'reference_adc'",
    "adc,reference_adc,angle_deg\n1,2,3\n\n2,,4\n": "line 4: there is nothing in column 'reference_adc'",
    "adc,reference_adc,angle_deg\n1,2,nan\n": "line 2: 'nan' is not finite",
    "adc,reference_adc,angle_deg\n1,0,3\n": "line 2: reference_adc must be > 0, got 0",
    "adc,reference_adc,angle_deg\n1,2,3\n2,2,4\n": "2 samples, but a linear law needs at least 3",
    "adc,reference_adc,angle_deg\n1,2\n": "line 2: 2 cells, but the first line has 3",
    "adc,reference_adc,angle_deg,angle_rad\n1,2,3,4\n": "angle_deg and angle_rad say the same; keep one",
    "adc,adc,angle_deg\n1,2,3\n": "the column 'adc' is there twice",
    "adc;reference_adc;angle_deg\n1;2;3\n": "not separated by commas",
    "adc,reference_adc,angle_deg\n": "there are no samples",
    "adc,reference_adc,angle_deg\n1,9,30\n2,9,30\n3,9,30\n4,9,30\n": "all true angles are the same, 30 deg",
    "": "the file is empty",
}


@pytest.mark.parametrize("text", BAD)
def test_a_bad_file_is_one_sentence_and_exit_code_2(tetherlab, tmp_path, text):
    (tmp_path / "bad.csv").write_text(text)
    code, _, err = tetherlab("calibrate", "angles", "bad.csv", "--axis", "base_azimuth", "--out", "my.yaml")
    assert code == 2 and BAD[text] in err and err.startswith("tetherlab: bad.csv: ") and err.count("\n") == 1
    assert not (tmp_path / "my.yaml").exists()


def test_negative_lengths_are_refused(tetherlab, tmp_path):
    (tmp_path / "length.csv").write_text("counts,length_cm\n0,0\n100,10\n200,-20\n300,30\n")
    code, _, err = tetherlab("calibrate", "length", "length.csv", "--out", "my.yaml")
    assert code == 2 and err == "tetherlab: length.csv: line 4: length_cm must be >= 0, got -20\n"


def test_axes_that_are_missing_misspelt_or_said_twice(tetherlab, tmp_path):
    write_angles()
    write_angles("named.csv", axis="base_elevaton")
    for words, sentence in (
        (("angles.csv",), "say with --axis which sensor it is: base_azimuth"),
        (("angles.csv", "--axis", "base_elevaton"), "Did you mean 'base_elevation'"),
        (("named.csv",), "line 2: unknown axis 'base_elevaton'. Did you mean 'base_elevation'"),
        (("named.csv", "--axis", "base_azimuth"), "leave out --axis"),
        (("nowhere.csv", "--axis", "base_azimuth"), "nowhere.csv: no such file"),
    ):
        code, _, err = tetherlab("calibrate", "angles", *words)
        assert code == 2 and sentence in err


def test_a_file_that_is_no_calibration_is_never_replaced(tetherlab, tmp_path):
    write_angles()
    before = (tmp_path / "angles.csv").read_text()
    for out, sentence in (
        ("angles.csv", "must have the keys version, sensors"),
        ("no/where.yaml", "no folder"),
    ):
        code, _, err = tetherlab("calibrate", "angles", "angles.csv", "--axis", "base_azimuth", "--out", out)
        assert code == 2 and sentence in err
    code, _, err = tetherlab(
        "calibrate", "angles", "angles.csv", "--axis", "base_azimuth", "--figure", "angles.csv"
    )
    assert code == 2 and "a figure must end in .svg, .png, .pdf" in err
    assert (tmp_path / "angles.csv").read_text() == before


def test_a_tension_that_turns_back_is_drawn_and_not_written(tetherlab, tmp_path):
    rows = "".join(f"{n},{(n - 300) ** 2 / 1e4}\n" for n in range(100, 900, 25))
    (tmp_path / "pull.csv").write_text("adc,tension_N\n" + rows)
    code, _, err = tetherlab("calibrate", "tension", "pull.csv", "--out", "my.yaml", "--figure", "pull.pdf")
    assert code == 2 and "the parabola turns back at adc = 300" in err
    assert (tmp_path / "pull.pdf").exists() and not (tmp_path / "my.yaml").exists()


def test_the_lightest_tether_here_and_on_mars(tetherlab):
    words = ("--friction-N", "0.029", "--length-min-m", "0.2", "--gravity-m-per-s2", "3.71")
    code, out, _ = tetherlab("calibrate", "tether", *words)
    assert code == 0
    assert "Earth (9.81 m/s²): at least 14.8 g/m" in out and "(3.71 m/s²): at least 39.1 g/m" in out
    assert "asks for more than is needed" in out and "hold a sensor back by 0.47 deg" in out


def test_the_budget_names_the_sensor_to_improve(tetherlab, tmp_path):
    code, out, _ = tetherlab("calibrate", "budget", "--length-m", 4, "--figure", "budget.svg")
    assert code == 0 and "Improve elevation_end first" in out and "figure: budget.svg\n" in out
    assert (tmp_path / "budget.svg").stat().st_size > 10_000
    code, out, _ = tetherlab("calibrate", "budget", "--length-m", 4, "--noise", "elevation_end_deg=0.1")
    assert code == 0 and "Improve elevation_base first" in out
    write_angles(axis="drone_elevation")
    tetherlab("calibrate", "angles", "angles.csv", "--out", "my.yaml")
    code, out, _ = tetherlab("calibrate", "budget", "--length-m", 4, "--calibration", "my.yaml")
    deviation = np.rad2deg(Calibration.load("my.yaml").noise()["elevation_end"])
    assert re.search(rf"elevation_end +{deviation:.3g} deg", out)


@pytest.mark.parametrize("noise, sentence", [
    ("elevation_end=1", "Did you mean 'elevation_end_"),
    ("elevation_end_deg", "must be KEY=VALUE"),
    ("length_m=short", "must be a number, got 'short'"),
    ("length_m=-1", "must be >= 0"),
])  # fmt: skip
def test_noise_that_makes_no_sense_is_refused(tetherlab, noise, sentence):
    code, _, err = tetherlab("calibrate", "budget", "--length-m", 4, "--noise", noise)
    assert code == 2 and sentence in err
