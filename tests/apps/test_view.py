"""`tetherlab view` says in a sentence why there is nothing to see."""

import json
import socket

import pytest

from synthetic_runs import circling
from tetherlab.apps.cli import main

# It suspects that a test which lets it read sys.argv does so by mistake; here that is what is tested.
pytestmark = pytest.mark.filterwarnings("ignore:Cyclopts application invoked without tokens")


def refused(monkeypatch, capsys, *words):
    """What the command says before it ends with 2."""
    monkeypatch.setattr("sys.argv", ["tetherlab", "view", *map(str, words)])
    with pytest.raises(SystemExit) as ending:
        main()
    assert ending.value.code == 2
    return capsys.readouterr().err


def test_a_port_in_use_is_told(monkeypatch, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = refused(monkeypatch, capsys, "vertical", "--port", port)
    assert f"port {port} of 127.0.0.1 cannot be used" in said
    assert "choose another one with --port" in said


def test_a_folder_that_is_no_run_is_told(monkeypatch, capsys, tmp_path):
    assert str(tmp_path) in refused(monkeypatch, capsys, tmp_path, "--port", 0)


def test_a_damaged_run_is_told(monkeypatch, capsys, tmp_path):
    folder = circling(2.0).save(tmp_path / "run")
    (folder / "uav.csv").write_text("time_s,x_m\n0.0\n")
    assert "uav.csv" in refused(monkeypatch, capsys, folder, "--port", 0)


def test_a_run_of_a_newer_version_is_told(monkeypatch, capsys, tmp_path):
    folder = circling(2.0).save(tmp_path / "run")
    head = json.loads((folder / "log.json").read_text())
    (folder / "log.json").write_text(json.dumps({**head, "format": head["format"] + 1}))
    assert "newer" in refused(monkeypatch, capsys, folder, "--port", 0)


def test_an_empty_log_is_told(monkeypatch, capsys, tmp_path):
    log = circling(2.0)
    log.tables = {name: table.mask(table["time_s"] < 0.0) for name, table in log.tables.items()}
    assert "the log is empty" in refused(monkeypatch, capsys, log.save(tmp_path / "run"), "--port", 0)


def test_a_misspelt_scenario_is_told(monkeypatch, capsys):
    assert "Did you mean 'theatre'" in refused(monkeypatch, capsys, "theater", "--port", 0)
