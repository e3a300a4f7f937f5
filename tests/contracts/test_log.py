"""The log of a run: saved and loaded without loss; a folder that is not a run says why."""

import json
import math
import re

import numpy as np
import pytest

import tetherlab as tl
from synthetic_runs import SCENARIO, circling
from tetherlab.contracts.cloud import Cloud
from tetherlab.contracts.log import FORMAT, Event, Log
from tetherlab.contracts.outcome import Outcome
from tetherlab.contracts.table import Table


@pytest.fixture
def folder(tmp_path):
    log = circling(duration=2.0)
    log.metrics = {"dist_uav_m": 1.25, "own_percent": math.nan}
    return log.save(tmp_path / "runs" / "circle-1")


def test_a_run_comes_back_as_it_was_saved(folder):
    saved, log = circling(duration=2.0), Log.load(folder)
    assert list(log.tables) == list(saved.tables)
    for name, table in saved.tables.items():
        assert log[name].columns == table.columns
        for column in table.columns:
            np.testing.assert_array_equal(log[name][column], table[column])
    assert log.outcome is Outcome.COMPLETED
    assert log.outcome_sentence == "After 2.0 s the mission was completed."
    assert log.events == saved.events and isinstance(log.events[0], Event)
    assert log.scenario == SCENARIO and log.seed == 7
    assert log.name == "circle" and log.version == tl.__version__
    assert log.metrics["dist_uav_m"] == 1.25 and math.isnan(log.metrics["own_percent"])


def test_a_saved_run_is_a_folder_of_files_that_people_can_read(folder):
    names = sorted(path.name for path in folder.iterdir())
    tables = ["targets.csv", "tether.csv", "uav.csv", "ugv.csv", "winch.csv"]
    assert names == sorted([*tables, "log.json", "metrics.json", "scenario.yaml"])
    assert (
        (folder / "scenario.yaml")
        .read_text()
        .startswith(f"# tetherlab {tl.__version__}, seed 7\nschema: 1\n")
    )
    assert (folder / "uav.csv").read_text().startswith("time_s,x_m,y_m,z_m,qw,")
    assert json.loads((folder / "metrics.json").read_text()) == {"dist_uav_m": 1.25, "own_percent": None}


WALL = Cloud(np.eye(3), np.eye(3), np.array([1, 2, 3]))


def test_maps_come_back_and_are_listed(folder):
    log = circling(duration=1.0)
    log.maps = {"pillar_1 south": WALL}
    log.save(folder)
    assert json.loads((folder / "log.json").read_text())["maps"] == {
        "pillar_1 south": "map_pillar_1_south.ply"
    }
    back = Log.load(folder).maps["pillar_1 south"]
    np.testing.assert_array_equal(back.points, WALL.points)
    circling(duration=1.0).save(folder)  # another run, without maps
    assert not list(folder.glob("*.ply")) and Log.load(folder).maps == {}


def test_a_run_from_before_there_were_maps_is_read(folder):
    head = json.loads((folder / "log.json").read_text())
    del head["maps"]
    (folder / "log.json").write_text(json.dumps(head))
    assert Log.load(folder).maps == {}


def test_a_run_saved_over_another_leaves_nothing_of_it(folder):
    short = Log(tables={"uav": Table({"time_s": [0.0, 1.0]})}, outcome=Outcome.STOPPED)
    short.save(folder)
    assert list(Log.load(folder).tables) == ["uav"]
    assert not (folder / "winch.csv").exists()


def test_a_run_that_cannot_be_saved_leaves_the_older_one_as_it_was(folder, monkeypatch):
    def crash(*_, **__):
        raise OSError("disk full")

    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    monkeypatch.setattr("tetherlab.contracts.log.write_yaml", crash)
    with pytest.raises(OSError, match=r"disk full"):
        circling(duration=1.0).save(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_run_of_which_the_last_file_is_missing_does_not_look_complete(folder):
    (folder / "log.json").unlink()
    with pytest.raises(tl.InputError, match=r"not a complete run: log.json is missing$"):
        Log.load(folder)


def change(path, **entries):
    head = json.loads(path.read_text())
    path.write_text(json.dumps({**head, **entries}))


DAMAGE = {
    "missing table": (
        lambda folder: (folder / "winch.csv").unlink(),
        "{folder}/winch.csv: missing, although log.json names this table",
    ),
    "two problems": (
        lambda folder: [(folder / name).write_text("") for name in ("uav.csv", "ugv.csv")],
        "{folder}/uav.csv: damaged: the file is empty\n{folder}/ugv.csv: damaged: the file is empty",
    ),
    "rows lost": (
        lambda folder: (folder / "targets.csv").write_text("time_s\n0\n"),
        "{folder}/targets.csv: damaged: 1 rows, but log.json says 5",
    ),
    "newer format": (
        lambda folder: change(folder / "log.json", format=FORMAT + 1, tetherlab="9.9"),
        f"{{folder}}/log.json: written in format {FORMAT + 1} by tetherlab 9.9; this version reads up to "
        f"format {FORMAT}: update tetherlab",
    ),
    "half a json": (
        lambda folder: (folder / "log.json").write_text('{"format": 1,'),
        "{folder}/log.json: damaged, or not valid JSON (Expecting property name enclosed in double quotes: "
        "line 1 column 14 (char 13))",
    ),
    "no json object": (
        lambda folder: (folder / "log.json").write_text("[]"),
        "{folder}/log.json: damaged, or not valid JSON (must be a mapping, got a list)",
    ),
    "no rows at all": (
        lambda folder: change(folder / "log.json", rows={"uav": 0}),
        "{folder}: the log is empty: no table has a row",
    ),
    "key lost": (
        lambda folder: change(folder / "log.json", rows=None),
        "{folder}/log.json: damaged: 'rows' is missing or not a dict",
    ),
    "path as table": (
        lambda folder: change(folder / "log.json", rows={"../uav": 3}),
        "{folder}/log.json: damaged: 'rows' must map tables to counts, got '../uav': 3",
    ),
    "path as map": (
        lambda folder: change(folder / "log.json", maps={"north": "../wall.ply"}),
        "{folder}/log.json: damaged: 'maps' must give each map a file map_….ply, got "
        "{{'north': '../wall.ply'}}",
    ),
    "map lost": (
        lambda folder: change(folder / "log.json", maps={"north": "map_north.ply"}),
        "{folder}/map_north.ply: no such file",
    ),
    "unknown outcome": (
        lambda folder: change(folder / "log.json", outcome="COMPLETE"),
        "{folder}/log.json: outcome: unknown word 'COMPLETE'. Did you mean 'COMPLETED'? Known: ANCHOR_HIT, "
        "BRANCH_OVERBENT, BROKEN_OFF, COLLISION, COMPLETED, CONTROLLER_FAILED, DIVERGED, PERCH_LOST, "
        "POWER_LOST, REELED_IN, STOPPED, TANGLED, TETHER_OVERLOAD, TETHER_TOO_SHORT, TIMED_OUT, TURNED_OVER.",
    ),
    "bad event": (
        lambda folder: change(folder / "log.json", events=[{"time_s": 1}]),
        "{folder}/log.json: damaged: event 0 must have time_s, kind and sentence",
    ),
    "bad metric": (
        lambda folder: (folder / "metrics.json").write_text('{"dist_uav_m": "far"}'),
        "{folder}/metrics.json: damaged: dist_uav_m must be a number, got 'far'",
    ),
    "no scenario": (
        lambda folder: (folder / "scenario.yaml").write_text("hello"),
        "{folder}/scenario.yaml: damaged: must be a mapping, got 'hello'",
    ),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_run_is_answered_with_a_sentence(folder, kind):
    damage, message = DAMAGE[kind]
    damage(folder)
    with pytest.raises(tl.InputError) as caught:
        Log.load(folder)
    assert str(caught.value) == message.format(folder=folder)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(tl.InputError, match=rf"^{re.escape(str(tmp_path / 'none'))}: no such folder$"):
        Log.load(tmp_path / "none")


def test_a_run_is_not_saved_where_a_file_stands_or_under_a_path_as_name(tmp_path):
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(tl.InputError, match=r"taken: is a file; a run needs a folder$"):
        circling(duration=1.0).save(tmp_path / "taken")
    with pytest.raises(tl.InputError, match=r"letters, digits and _, got '\.\./uav'$"):
        Log(tables={"../uav": Table({"time_s": [0.0]})})


def test_a_misspelt_table_gets_a_guess():
    with pytest.raises(tl.InputError, match=r"the log has no table 'uaw'. Did you mean 'uav'"):
        circling(duration=1.0)["uaw"]


def test_every_outcome_owns_a_sentence_and_a_given_one_wins():
    tables = {"uav": Table({"time_s": [2.0, 5.5]})}
    for outcome in Outcome:
        assert Log(tables=tables, outcome=outcome).outcome_sentence == f"After 3.5 s {outcome.value}."
    assert Log(tables=tables).outcome_sentence == "After 3.5 s the record ends."
    told = Log(tables=tables, outcome=Outcome.COLLISION, outcome_sentence="At 3.2 s the UAV hit the wall.")
    assert told.outcome_sentence == "At 3.2 s the UAV hit the wall."


def test_a_log_shows_itself():
    log = circling(duration=1.0)
    assert repr(log).startswith(
        "Log(circle: After 1.0 s the mission was completed. uav: 51 rows; ugv: 51 rows;"
    )
    log.name, log.metrics = "<i>", {"dist_uav_m": 2.0}
    assert "&lt;i&gt;" in log._repr_html_() and "dist_uav_m" in log._repr_html_()
    assert "<th>table</th>" in log._repr_html_() and "<th>metric</th>" in log._repr_html_()
    log.metrics = {}
    assert "<th>metric</th>" not in log._repr_html_()
