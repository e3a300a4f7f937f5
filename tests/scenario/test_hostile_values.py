"""Overrides and files with values that nobody means: one sentence each, and none takes long."""

import pytest

import tetherlab as tl
from tetherlab.scenario.document import parse_assignments
from tetherlab.scenario.problems import starting

DIGITS = "9" * 5000


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (DIGITS, "tether.length_m: must be finite, got inf"),
        (f"1e{DIGITS}", "tether.length_m: must be finite, got inf"),
        ("!!int x", "override: tether.length_m: line 1: !!int cannot be 'x'"),
        ("!!python/name:os.system", "could not determine a constructor for the tag"),
        ("{[1]: 2}", "a key must be a word, not a list or mapping"),
        ("[" * 10_000, "more than 50 lists and mappings in each other"),
        ("&a [*a]", "*a stands for something that it is part of"),
        ("x" * 5000, "a text has 5000 characters; at most 2000 are read"),
        ("\udcff", "holds bytes that are no text; write it in UTF-8"),
        ("-1e308", "tether.length_m: must be > 0, got -1e+308"),
    ],
)
def test_an_override_that_nobody_means_is_one_sentence(value, message):
    with pytest.raises(tl.InputError) as caught:
        tl.Scenario.load("vertical", parse_assignments([f"tether.length_m={value}"]))
    assert message in str(caught.value) and len(str(caught.value)) < 500


def test_a_seed_beyond_64_bits_is_no_whole_number():
    with pytest.raises(tl.InputError, match=r"run\.seed: must be a whole number, got 1e\+20"):
        tl.Scenario.load("vertical", parse_assignments([f"run.seed={10**20}"]))


def test_of_very_many_unknown_keys_some_are_told(tmp_path):
    text = "".join(f"key{index}: 1\n" for index in range(100_000))
    (tmp_path / "many.yaml").write_text(text)
    with pytest.raises(tl.InputError) as caught:
        tl.Scenario.load(tmp_path / "many.yaml")
    assert len(str(caught.value).split("\n")) == 50
    (tmp_path / "world.yaml").write_text(text)
    with pytest.raises(tl.InputError) as caught:
        tl.World.load(tmp_path / "world.yaml")
    assert len(str(caught.value).split("\n")) == 50


def test_of_very_many_impossible_targets_some_are_told():
    targets = [{"uav_m": [0, 0, 2000], "ugv_m": [0, 0, 0]}] * 100
    with pytest.raises(tl.InputError) as caught:
        tl.Scenario.load("vertical", {"mission.targets": targets})
    lines = str(caught.value).split("\n")
    assert len(lines) == 51 and lines[-1].endswith("and 50 more problems")


def test_a_start_that_does_not_come_to_rest_is_said():
    said = "^the run cannot start from the values of this scenario: the step did not converge$"
    with pytest.raises(tl.InputError, match=said), starting():
        raise tl.SimulationError("the step did not converge. This is a bug in tetherlab.")


def test_names_that_cannot_be_files_are_said(tmp_path):
    for name in ("x" * 1000 + ".yaml", "a\0.yaml", "/dev/zero.yaml"):
        with pytest.raises(tl.InputError):
            tl.Scenario.load(name)
        with pytest.raises(tl.InputError):
            tl.Scenario.load("vertical", {"world": {"shapes": [{"type": "map", "file": name[:-4] + "stl"}]}})
