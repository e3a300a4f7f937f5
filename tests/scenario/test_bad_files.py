"""Every mistake of a file is answered with where, what, and what is allowed; all of them together."""

from pathlib import Path

import pytest

import tetherlab as tl
from tetherlab.assembly.runs import load_scenario

BAD = Path(__file__).parent / "bad"
FILES = sorted(BAD.glob("*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_bad_file_is_answered_with_the_message_beside_it(path, monkeypatch):
    monkeypatch.chdir(BAD)
    with pytest.raises(tl.InputError) as caught:
        load_scenario(path.name)
    assert str(caught.value) + "\n" == path.with_suffix(".txt").read_text(encoding="utf-8")


def test_every_message_belongs_to_a_file():
    assert {path.stem for path in BAD.glob("*.txt")} == {path.stem for path in FILES}
