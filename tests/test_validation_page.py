"""The page on validation says what is stored, and which of it an older engine gave."""

import json
from dataclasses import replace

import pytest
from validation import table
from validation.__main__ import LONG, STUDIES, main
from validation.engine import ROOMS, code_of, fingerprint
from validation.table import Study, age, load, page, reported, save

ORDER = (*STUDIES, *LONG)
STUDY = Study("Title", "a model", "a truth", [reported("number", "m", 1.0)])


@pytest.fixture
def docs(tmp_path, monkeypatch):
    """A folder in place of docs/."""
    monkeypatch.setattr(table, "STORE", tmp_path / "validation.json")
    monkeypatch.setattr(table, "PAGE", tmp_path / "validation.md")
    return tmp_path


def test_the_page_agrees_with_what_is_stored_and_with_the_engine():
    studies = load()
    assert set(studies) <= set(ORDER)
    expected = page([studies[name] for name in ORDER if name in studies], fingerprint())
    assert table.PAGE.read_text("utf-8") == expected, "write it again: python -m validation --page"


def test_every_study_of_the_page_says_how_old_it_is():
    text = table.PAGE.read_text("utf-8")
    for study in load().values():
        assert f"## {study.title}\n\n*{age(study, fingerprint())}*\n" in text


def test_a_study_is_present_until_the_engine_changes():
    assert age(STUDY, "abc") == "Measured before 2026-11-18, on an older engine."
    dated = replace(STUDY, measured="2026-11-20", engine="abc")
    assert age(dated, "abc") == "Measured 2026-11-20 on the present engine."
    assert age(dated, "abd") == "Measured 2026-11-20 on an older engine."
    assert "*Measured 2026-11-20 on an older engine.*" in page([dated], "abd")


def test_day_and_engine_are_stored_and_come_back(docs):
    dated = replace(STUDY, measured="2026-11-20", engine="abc")
    save({"speed": dated, "statics": STUDY}, ORDER)
    stored = json.loads((docs / "validation.json").read_text("utf-8"))
    assert (stored["speed"]["measured"], stored["speed"]["engine"]) == ("2026-11-20", "abc")
    assert load() == {"statics": STUDY, "speed": dated}
    del stored["statics"]["measured"], stored["statics"]["engine"]  # as they were stored before
    (docs / "validation.json").write_text(json.dumps(stored), "utf-8")
    assert load()["statics"] == STUDY


def test_a_study_that_is_run_gets_day_and_engine_and_the_page_alone_can_be_written(docs, monkeypatch):
    monkeypatch.setattr("validation.catenary.run", lambda say: STUDY)
    monkeypatch.setattr("sys.argv", ["validation", "--only", "catenary"])
    assert main() == 0
    found = load()["catenary"]
    assert found.engine == fingerprint() and found.measured.startswith("20") and len(found.measured) == 10
    text = (docs / "validation.md").read_text("utf-8")
    assert f"*Measured {found.measured} on the present engine.*" in text
    (docs / "validation.md").unlink()
    monkeypatch.setattr("sys.argv", ["validation", "--page"])
    assert main() == 0
    assert (docs / "validation.md").read_text("utf-8") == text


def engine(folder, source):
    """The fingerprint of a package with this in every room."""
    for room in ROOMS:
        (folder / room).mkdir(parents=True)
        (folder / room / "a.py").write_text(source)
    return fingerprint(folder)


def test_only_code_changes_the_engine(tmp_path):
    source = '"""Docs."""\n\n\ndef f(x):\n    """What it does."""\n    # why\n    return x + 1.0  # so\n'
    first = engine(tmp_path / "a", source)
    same = "def f(x):\n    return x + 1.0\n"
    assert engine(tmp_path / "b", same) == first
    assert engine(tmp_path / "c", source.replace("1.0", "1.5")) != first
    assert code_of("if x:\n    y()\nz()\n") != code_of("if x:\n    y()\n    z()\n")
    assert code_of('raise E(\n    "text"\n)\n') != code_of("raise E(\n)\n")
    assert code_of('x = "text"\n') != code_of("x = \n")


def test_another_room_does_not_change_it(tmp_path):
    first = engine(tmp_path / "a", "x = 1\n")
    (tmp_path / "b" / "report").mkdir(parents=True)
    (tmp_path / "b" / "report" / "page.py").write_text("y = 2\n")
    assert engine(tmp_path / "b", "x = 1\n") == first
