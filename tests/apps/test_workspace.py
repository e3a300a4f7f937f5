import json

import pytest

from tetherlab.apps.cli import app
from tetherlab.contracts.errors import InputError


def call(*arguments):
    app(arguments, exit_on_error=False, result_action="return_value")


def test_the_command_prints_numbers_and_writes_a_picture(tmp_path, capsys):
    picture = tmp_path / "cone.svg"
    call("workspace", "--mass-kg", "0.5", "--out", str(picture), "--json")
    found = json.loads(capsys.readouterr().out)
    assert found["theta_max_deg"] == pytest.approx(42.95, abs=0.01)  # of the geometry alone
    assert found["thrust_limit_N"] == pytest.approx(0.5 * 9.80665 * 0.154 / 0.19)
    assert len(found["thrust_N"]) == len(found["recovery_s"])
    assert picture.stat().st_size > 10_000


def test_without_json_it_says_it_in_sentences(capsys):
    call("workspace", "--thrust-max-N", "2")
    text = capsys.readouterr().out
    assert "The tether reaches 16.0 deg at 2.00 N" in text
    assert "No step of the thrust turns it over." in text


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (("--mass-kg", "-1"), r"--mass-kg must be > 0, got -1"),
        (("--length-m", "0"), r"--length-m must be > 0"),
        (("--out", "cone.bmp"), r"must end in \.svg"),
    ],
)
def test_wrong_input_gets_a_sentence(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        call("workspace", *arguments)


def test_recovery_beyond_what_the_controller_holds_is_left_out(capsys):
    call("workspace")
    rows = capsys.readouterr().out.splitlines()
    assert rows[-2].endswith(" –") and rows[-1].startswith("–: beyond 39.9 deg")
    call("workspace", "--json")
    found = json.loads(capsys.readouterr().out)
    for theta, time in zip(found["theta_deg"], found["recovery_s"], strict=True):
        assert (time is None) == (theta > found["recovery_up_to_deg"])
