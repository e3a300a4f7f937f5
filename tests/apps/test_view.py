"""`tetherlab view` says in a sentence why there is nothing to see."""

import json
import socket
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest

from synthetic_runs import circling
from tetherlab.apps.cli import main
from tetherlab.apps.view import _names as names_of
from tetherlab.contracts.log import Log
from tetherlab.view.watching import comes_true

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


def test_ctrl_c_writes_the_recording_and_tells_where(monkeypatch, capsys, tmp_path):
    pages = []

    def start(page):
        pages.append(page)
        page.flight.start()
        page.flight.ask(lambda simulation: simulation.start_recording())

    def press(_):
        assert comes_true(lambda: pages[0].flight.simulation.recording)
        recorded_from = pages[0].flight.simulation.time
        assert comes_true(lambda: pages[0].flight.simulation.time > recorded_from + 0.2)
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tetherlab.view.live_page.LivePage.start", start)
    monkeypatch.setattr("tetherlab.apps.view.time", SimpleNamespace(sleep=press))
    monkeypatch.setattr("sys.argv", ["tetherlab", "view", "vertical", "--port", "0"])
    with warnings.catch_warnings(), pytest.raises(SystemExit) as ending:
        warnings.simplefilter("error", UserWarning)  # viser's about a server that has stopped
        main()
    assert not ending.value.code
    told = capsys.readouterr()
    folder = Path("runs") / "flown-vertical-1"
    assert f"open {pages[0].server.address('localhost')} in a browser" in told.out
    assert "can fly" not in told.out  # nobody else reaches it
    assert f"recorded: {folder}" in told.out and told.err == ""
    assert (folder / "report.html").exists()
    assert Log.load(folder).duration > 0.1


def test_a_misspelt_scenario_is_told(monkeypatch, capsys):
    assert "Did you mean 'theatre'" in refused(monkeypatch, capsys, "theater", "--port", 0)


@pytest.mark.parametrize("others", [(), ("runs/another",)])
def test_a_path_that_leads_nowhere_is_told(monkeypatch, capsys, others):
    said = refused(monkeypatch, capsys, "runs/nosuch", *others, "--port", 0)
    assert said == "tetherlab: runs/nosuch: there is no such folder or file\n"


def test_a_name_to_allow_that_is_none_is_told(monkeypatch, capsys):
    said = refused(monkeypatch, capsys, "vertical", "--port", 0, "--allow-host", "http://robot.local/")
    assert said.endswith("as in robot.local or localhost:9000, got http://robot.local/\n")


def test_the_names_under_which_a_page_is_reached():
    assert names_of("127.0.0.1") == names_of("::1") == names_of("localhost") == ["localhost"]
    assert names_of("192.168.1.5") == ["192.168.1.5"]
    assert names_of("fe80::1") == ["[fe80::1]"]
    assert names_of("robot.local") == ["robot.local"]
    first, *others = names_of("0.0.0.0")
    assert first == "localhost" and "0.0.0.0" not in others
