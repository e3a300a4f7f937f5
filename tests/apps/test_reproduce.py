"""`tetherlab reproduce` keeps what it has found, whatever happens; `tetherlab bench run` prints a table."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

from tetherlab.apps import reproduce
from tetherlab.apps.bench import whole_run
from tetherlab.studies import marsupial
from tetherlab.studies.rows import Row


def study(ending):
    def run(add, say, keep, picture):
        say("working")
        add(Row("marsupial", "way", "m", 10.0, 12.0))
        add(Row("marsupial", "error", "%", None, 0.1))
        add(Row("marsupial", "way", "m", 10.0, 12.0, "longer legs"))
        if ending is not None:
            raise ending

    return run


@pytest.mark.parametrize("ending", [None, KeyboardInterrupt()], ids=["complete", "stopped"])
def test_rows_are_printed_and_written_with_their_notes(ending, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(marsupial, "run", study(ending))
    reproduce.reproduce("marsupial", json=tmp_path / "rows.json")
    printed = capsys.readouterr().out
    assert "way" in printed and "+20.0 %" in printed and "[1] longer legs" in printed
    assert ("stopped; the rows so far" in printed) == (ending is not None)
    rows = json.loads((tmp_path / "rows.json").read_text())
    assert [row["quantity"] for row in rows] == ["way", "error"]
    assert rows[0]["note"] == "longer legs" and rows[1]["paper"] is None


def test_a_study_that_breaks_has_written_its_rows(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(marsupial, "run", study(RuntimeError("broken")))
    with pytest.raises(RuntimeError, match="broken"):
        reproduce.reproduce("marsupial", json=tmp_path / "rows.json")
    assert "way" in capsys.readouterr().out
    assert len(json.loads((tmp_path / "rows.json").read_text())) == 2


def test_the_plain_controller_carries_weight_and_tether_where_it_should_be():
    at, still = np.array((0.0, 0.0, 2.0)), np.zeros(3)
    uav = SimpleNamespace(position=at, velocity=still, mass=2.0, tether_force=np.array((0.0, 0.0, -3.0)))
    reference = SimpleNamespace(position=at, velocity=still, acceleration=still, yaw=0.5)
    controller = whole_run.PlainController()
    _, command = controller(controller.init(), SimpleNamespace(uav=uav), reference)
    assert command.force == pytest.approx((0.0, 0.0, 2.0 * 9.80665 + 3.0)) and command.yaw == 0.5


def test_the_bench_of_a_run_takes_the_median_and_counts_everything(monkeypatch):
    rounds = iter([(5.0, 1.0, 0.0), (1.0, 0.5, 0.5), (2.0, 1.0, 1.0), (8.0, 1.0, 1.0)] * 2)
    monkeypatch.setattr(whole_run, "measure", lambda controller, until: whole_run.Spent(40.0, *next(rounds)))
    rows = []
    whole_run.run_bench(3, False, lambda text: None, rows)
    assert [row.spent.speed for row in rows] == [10.0, 10.0]
    assert (rows[0].low, rows[0].high) == (4.0, 20.0)
    console = Console(width=120, record=True)
    console.print(whole_run.rich_table(rows))
    assert "built-in" in console.export_text()
