import json

import pytest

from tetherlab.apps.cli import app
from tetherlab.contracts.errors import InputError


def call(*arguments):
    app(arguments, exit_on_error=False, result_action="return_value")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_alone_it_prints_the_cable_of_the_paper_and_draws_it(tmp_path, capsys):
    call("power")
    text = capsys.readouterr().out
    for words in ("18.84 A", "6.56 V", "123.6 W", "1059 W", "one conductor counted", "AWG", "*"):
        assert words in text
    assert "Picture: runs/power.svg" in text
    assert (tmp_path / "runs" / "power.svg").stat().st_size > 10_000


def test_numbers_for_programs(tmp_path, capsys):
    call("power", "--json", "--picture", "cable.png", "--table-length-m", "15", "--table-awg", "16", "22")
    found = json.loads(capsys.readouterr().out)
    assert found["current_A"] == pytest.approx(18.84, rel=1e-3)
    assert found["voltage_drop_V"] == pytest.approx(6.56, rel=1e-3)
    assert found["loss_W"] == pytest.approx(123.6, rel=1e-3)
    assert found["return_conductor_counted"] is False
    assert len(found["table"]) == 3 * 1 * 2  # voltages, lengths, gauges
    thin = next(row for row in found["table"] if row["awg"] == 22 and row["voltage_V"] == 38.4)
    assert thin["total_W"] is None and "cannot be transferred" in thin["why_not"]
    assert (tmp_path / "cable.png").stat().st_size > 10_000


def test_the_way_back_may_be_counted(capsys):
    call("power", "--return-conductor", "--power-W", "500", "--json")
    found = json.loads(capsys.readouterr().out)
    assert found["resistance_ohm"] == pytest.approx(0.15 + 2 * 15 * 0.0132)
    assert found["return_conductor_counted"] is True


def test_a_gauge_is_computed_and_warm_copper_resists_more(capsys):
    call("power", "--awg", "14", "--temperature-C", "60", "--json")
    found = json.loads(capsys.readouterr().out)
    cold = 15 * 8.286e-3
    assert found["resistance_ohm"] == pytest.approx(0.15 + cold * (1 + 0.00393 * 40), rel=1e-3)


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (("--power-W", "1100"), r"1100 W cannot be transferred: .* at most 1059 W"),
        (("--power-W", "-1"), r"--power-W must be > 0"),
        (("--awg", "16", "--resistance-ohm-per-m", "0.01"), "give either --awg or --resistance-ohm-per-m"),
        (("--temperature-C", "-300"), r"--temperature-C must be at least -200, got -300"),
        (("--awg", "99"), "gauge must be a whole number"),
        (("--picture", "cable.bmp"), r"must end in \.svg"),
    ],
)
def test_wrong_input_gets_a_sentence(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        call("power", *arguments)
