"""The commands take scenes as they take scenarios: run, report, compare, scenarios."""

import re

import pytest

import tetherlab as tl
from tetherlab.apps.cli import app

SHORT = ("--set", "run.duration_max_s=3", "--set", "commands=[]")


def call(*words):
    app(list(words), result_action="return_value")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for name, seed in (("one", "1"), ("two", "2")):
        call("run", "load_on_two_drones", *SHORT, "--seed", seed, "--folder", str(folder / name))
    return folder


def test_a_run_of_a_scene_leaves_its_log_and_a_report_with_units(runs):
    log = tl.Log.load(runs / "two")
    assert log.outcome is tl.Outcome.COMPLETED and log.seed == 2 and log.duration == pytest.approx(3.0)
    page = (runs / "two" / "report.html").read_text(encoding="utf-8")
    expected = (
        "Position of load", "Largest tension in a tether", "Length of a tether", "peak_tension_left_sling",
        "distance travelled by load", "Two drones lift a load",
    )  # fmt: skip
    for words in expected:
        assert words in page
    shown = re.findall(r"<(?:figure|img|svg)", page)
    assert len(shown) >= 5


def test_two_runs_of_a_scene_are_compared(runs, capsys):
    call("compare", str(runs / "one"), str(runs / "two"))
    said = capsys.readouterr().out
    assert "peak_tension_right_sling_N" in said and "+0.0 %" in said


def test_a_report_lays_one_run_over_the_other(runs):
    page = runs / "both.html"
    call("report", str(runs / "one"), "--compare", str(runs / "two"), "--html", str(page))
    assert "Deviation of load" in page.read_text(encoding="utf-8")


def test_a_mistake_of_a_scene_ends_before_a_folder_is_made(tmp_path):
    with pytest.raises(tl.InputError, match="Did you mean 'mass_kg'"):
        call("run", "load_on_two_drones", "--set", "bodies.load.mas_kg=1", "--folder", str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


def test_a_shown_scene_is_a_file_to_start_from(tmp_path, capsys):
    call("scenarios", "show", "drone_on_two_winches")
    (tmp_path / "my.yaml").write_text(capsys.readouterr().out, encoding="utf-8")
    assert tl.Scene.load(tmp_path / "my.yaml").to_dict() == tl.Scene.load("drone_on_two_winches").to_dict()
