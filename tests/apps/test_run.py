"""`tetherlab run` tells by its exit code how a run ended, and keeps what there is."""

import os
import re
import signal

import pytest

import tetherlab as tl
from tetherlab.apps import cli, run
from tetherlab.apps.run import undisturbed
from tetherlab.scenario.simulation import Simulation


def test_a_stopped_run_is_kept_and_ends_with_130(monkeypatch, tmp_path, capsys):
    def stopping(self, until=None, progress=None):
        for _ in range(20):
            self.step()
        raise_in = iter([KeyboardInterrupt])
        monkeypatch.setattr(self, "_go_on", lambda until: (_ for _ in ()).throw(next(raise_in)))
        original(self, until, progress)

    original = Simulation.run
    monkeypatch.setattr(Simulation, "run", stopping)
    with pytest.raises(SystemExit) as ending:
        run.run("vertical", folder=tmp_path / "kept", report=False)
    assert ending.value.code == 130
    log = tl.Log.load(tmp_path / "kept")
    assert log.outcome is tl.Outcome.STOPPED and len(log["uav"]) > 5
    assert "stopped" in capsys.readouterr().out


def test_ctrl_c_while_the_log_is_written_comes_after_it(tmp_path):
    with undisturbed() as pressed:
        os.kill(os.getpid(), signal.SIGINT)
        (tmp_path / "written").write_text("to its end")
    assert pressed and (tmp_path / "written").exists()
    with pytest.raises(KeyboardInterrupt):  # and it is as it was before
        os.kill(os.getpid(), signal.SIGINT)


def test_a_misspelt_command_is_answered_with_all_of_them(capsys):
    with pytest.raises(SystemExit):
        cli.app(["runn"])
    said = capsys.readouterr()
    words = set(re.findall(r"\w+", said.out + said.err))
    assert {"bench", "compare", "report", "reproduce", "run", "scenarios"} <= words


def test_ctrl_c_before_the_run_says_so_in_a_word(monkeypatch, capsys):
    def stopped():
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "app", stopped)
    with pytest.raises(SystemExit) as ending:
        cli.main()
    assert ending.value.code == 130
    assert capsys.readouterr().err == "tetherlab: stopped\n"
