"""`tetherlab run` and `tetherlab view` take a robot in the canopy as they take a team."""

import pytest

import tetherlab as tl
from tetherlab.apps import view
from tetherlab.apps.cli import app


def call(*words):
    app(list(words), result_action="return_value")


def test_a_scenario_is_run_from_the_command_line(tmp_path, capsys):
    words = ("run", "canopy_branch", "--set", "run.duration_s=0.5", "--set", "controller.type=model")
    call(*words, "--seed", "4", "--folder", str(tmp_path / "r"))
    said = capsys.readouterr().out
    assert "theta_error_rms_deg" in said and "hung_from_anchor_s" in said and "targets" not in said
    log = tl.Log.load(tmp_path / "r")
    assert log.seed == 4 and log.scenario["controller"]["type"] == "model"
    assert (tmp_path / "r" / "report.html").exists()


def test_a_file_of_ones_own_is_run(tmp_path, capsys):
    call("scenarios", "show", "canopy_branch")
    text = capsys.readouterr().out.replace("tether_m: 1.5", "tether_m: 1.2")
    (tmp_path / "mine.yaml").write_text(text)
    call(
        "run",
        str(tmp_path / "mine.yaml"),
        "--set",
        "run.duration_s=0.2",
        "--folder",
        str(tmp_path / "r"),
        "--no-report",
    )
    assert tl.Log.load(tmp_path / "r")["robot"]["length_m"][0] == pytest.approx(1.2)


def test_a_mistake_says_where(tmp_path):
    with pytest.raises(tl.InputError, match=r"override: robot.mass_g: unknown key. Write 'mass_kg'"):
        call("run", "canopy_branch", "--set", "robot.mass_g=3", "--folder", str(tmp_path / "r"))
    assert not (tmp_path / "r").exists()


def test_it_is_watched_live(monkeypatch):
    shown = []
    monkeypatch.setattr(view, "_serve", lambda console, page, host: (shown.append(page), page.stop()))
    call("view", "canopy_branch", "--port", "0")
    assert isinstance(shown[0].flight.simulation, tl.CanopySimulation)
