"""`tetherlab scenarios`: names with descriptions, and a file that is a scenario of its own."""

import json

import pytest

import tetherlab as tl
from tetherlab.apps.cli import app
from tetherlab.scenario.library import packaged
from tetherlab.scenario.schema import scenario_schema


def call(*words):
    app(list(words), result_action="return_value")


def test_all_scenarios_are_listed(capsys):
    call("scenarios")
    printed = capsys.readouterr().out
    assert all(name in printed for name in packaged("scenarios"))
    assert "Ends timed out; ten seconds" in printed


def test_what_is_shown_is_a_scenario(capsys, tmp_path):
    call("scenarios", "show", "theatre")
    (tmp_path / "my.yaml").write_text(capsys.readouterr().out)
    assert tl.Scenario.load(tmp_path / "my.yaml").to_dict() == tl.Scenario.load("theatre").to_dict()


def test_the_schema_is_printed(capsys):
    call("scenarios", "schema")
    assert json.loads(capsys.readouterr().out) == scenario_schema()


def test_an_unknown_name_is_answered_with_a_guess():
    with pytest.raises(tl.InputError, match="Did you mean 'theatre'"):
        call("scenarios", "show", "theater")
