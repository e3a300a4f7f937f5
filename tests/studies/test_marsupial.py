"""The study of the marsupial paper: rows say what it prints, what is found here, and why they differ."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.studies import marsupial_runs, marsupial_tether
from tetherlab.studies.rows import Row, published, write_json

PAPER = published("marsupial")


def test_the_printed_tables_are_complete():
    assert [line["element_m"] for line in PAPER["catenary_error"]] == [0.05, 0.10, 0.15, 0.20]
    assert [len(line) for line in PAPER["catenary_error"]] == [6] * 4
    assert list(PAPER["scenarios"]) == [
        "vertical", "horizontal", "opposite", "recorded_dynamic", "recorded_predefined",
    ]  # fmt: skip
    assert {len(line) for line in PAPER["scenarios"].values()} == {6}


@pytest.mark.parametrize("line", PAPER["catenary_error"], ids=lambda line: str(line["element_m"]))
def test_the_printed_means_are_those_of_the_printed_errors(line):
    errors = [line[f"error_{span}_m_percent"] for span in (5, 10, 15)]
    assert line["mean_percent"] == pytest.approx(np.mean(errors), abs=6e-4)  # three digits in the source


def test_a_difference_is_relative_to_the_paper_and_absent_without_it():
    assert Row("s", "q", "m", 10.0, 11.0).difference == pytest.approx(0.1)
    assert Row("s", "q", "m", None, 11.0).difference is None
    assert Row("s", "q", "m", 10.0, 11.6).differs and not Row("s", "q", "m", 10.0, 11.4).differs


def test_rows_are_written_as_json_with_null_where_the_paper_prints_nothing(tmp_path):
    write_json([Row("s", "q", "m", None, 1.0), Row("s", "r", "", 2.0, 3.0, "why")], tmp_path / "rows.json")
    first, second = json.loads((tmp_path / "rows.json").read_text())
    assert first == {"study": "s", "quantity": "q", "unit": "m", "paper": None, "here": 1.0, "note": ""}
    assert second["paper"] == 2.0 and second["note"] == "why"


def test_a_shape_that_slides_along_the_catenary_is_forgiven_by_the_nearest_point_alone():
    curve = tl.Catenary.between((0, 0, 0), (5, 0, 0), 6.0)
    exact = marsupial_tether.errors_of(curve.sample(31), curve)
    slid = marsupial_tether.errors_of(curve.sample(301)[1::10], curve)
    assert max(exact) < 1e-4
    assert slid.nearest < 1e-4 < 0.1 < slid.arc


def fake_fly(metrics, outcome=tl.Outcome.COMPLETED, variant_time=123.0):
    def fly(name, overrides, label, say, controller=None):
        say(label)
        found = dict(metrics)
        if "mission.uav_speed_m_per_s" in overrides:
            found["sim_time_s"] = variant_time
        return SimpleNamespace(metrics=found, outcome=outcome, outcome_sentence="After 9 s it stuck."), 50.0

    return fly


METRICS = {
    "sim_time_s": 504.0, "targets": 20.0, "targets_reached": 20.0, "dist_uav_m": 45.5, "dist_ugv_m": 0.25,
    "tether_released_m": 23.64, "tether_collected_m": 22.08, "cat_error_percent": 1.0,
    "cat_error_arc_percent": 1.1, "track_rmse_uav_m": 0.01, "tension_max_winch_N": 3.0,
}  # fmt: skip


def rows_of(metrics, monkeypatch, outcome=tl.Outcome.COMPLETED, variant_time=123.0):
    rows, kept = [], []
    monkeypatch.setattr(marsupial_runs, "fly", fake_fly(metrics, outcome, variant_time))
    table = {"vertical": PAPER["scenarios"]["vertical"]}
    marsupial_runs.run(table, rows.append, lambda text: None, lambda name, log: kept.append(name))
    assert kept == ["vertical"]
    return {row.quantity.split(": ")[1]: row for row in rows}


def test_a_run_that_agrees_needs_no_note(monkeypatch):
    rows = rows_of(METRICS, monkeypatch)
    assert not any(row.note for row in rows.values() if row.paper is not None)
    assert rows["cat_error_arc_percent"].paper is None
    assert rows["real-time factor"].here == 5000.0


def test_a_row_that_differs_quotes_what_the_variants_gave(monkeypatch):
    rows = rows_of({**METRICS, "sim_time_s": 354.0}, monkeypatch)
    assert "0.090 m/s" in rows["sim_time_s"].note and "123" in rows["sim_time_s"].note
    assert not rows["dist_uav_m"].note


@pytest.mark.parametrize(("variant_time", "begins"), [(123.0, "not explained; tried: "), (480.0, "input: ")])
def test_a_difference_is_explained_if_a_variant_comes_near_the_paper(variant_time, begins, monkeypatch):
    rows = rows_of({**METRICS, "sim_time_s": 354.0}, monkeypatch, variant_time=variant_time)
    assert rows["sim_time_s"].note.startswith(begins)


def test_a_drone_that_holds_its_velocity_is_slowed_by_what_pulls_at_it():
    drone = marsupial_runs.VelocityHold(speed=0.1, slow_down=0.5, gain=10.0)
    still = np.zeros(3)
    uav = SimpleNamespace(position=still, velocity=np.array((0.06, 0.0, 0.0)), mass=2.0)
    reference = SimpleNamespace(target=np.array((3.0, 0.0, 0.0)), yaw=0.0)
    _, command = drone(None, SimpleNamespace(uav=uav), reference)
    # It flies steadily against 0.8 N, 0.04 m/s slower than it was told to.
    assert command.force == pytest.approx((0.8, 0.0, 2.0 * 9.80665))


def test_a_variant_that_ended_early_says_so(monkeypatch):
    rows = rows_of({**METRICS, "sim_time_s": 354.0}, monkeypatch, tl.Outcome.TANGLED)
    assert "123 when it ended early (After 9 s it stuck.)" in rows["sim_time_s"].note


@pytest.mark.parametrize("span", marsupial_tether.SPANS)
def test_the_note_says_what_a_wrong_length_makes(span):
    assert marsupial_tether.length_error(span, 0.01).nearest == pytest.approx(0.46, abs=0.005)
    assert "0.46 %" in marsupial_tether.NOTE
