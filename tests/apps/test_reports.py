"""`tetherlab report` and `tetherlab compare` as a user types them."""

import pytest

from synthetic_runs import circling
from tetherlab.apps.cli import main

# It suspects that a test which lets it read sys.argv does so by mistake; here that is what is tested.
pytestmark = pytest.mark.filterwarnings("ignore:Cyclopts application invoked without tokens")


@pytest.fixture
def folders(tmp_path):
    return circling(2.0).save(tmp_path / "a"), circling(2.0, radius=2.2).save(tmp_path / "b")


def tetherlab(monkeypatch, *words):
    """Runs the command; returns its exit code."""
    monkeypatch.setattr("sys.argv", ["tetherlab", *map(str, words)])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code


def test_report_writes_its_page_beside_the_run(folders, monkeypatch, capsys):
    assert tetherlab(monkeypatch, "report", folders[0]) == 0
    assert (folders[0] / "report.html").exists()
    assert str(folders[0] / "report.html") in capsys.readouterr().out.replace("\n", "")


def test_report_lays_another_run_over_the_first(folders, monkeypatch, tmp_path):
    page = tmp_path / "both.html"
    assert tetherlab(monkeypatch, "report", folders[0], "--compare", folders[1], "--html", page) == 0
    assert "Deviation along the way" in page.read_text()


def test_compare_prints_metrics_side_by_side(folders, monkeypatch, capsys, tmp_path):
    assert tetherlab(monkeypatch, "compare", *folders, "--html", tmp_path / "c.html") == 0
    lines = {
        line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines() if line.strip()
    }
    assert lines["outcome"] == ["COMPLETED", "COMPLETED"]
    assert lines["dist_uav_m"] == ["0.8", "0.88", "+10.0", "%"]
    assert (tmp_path / "c.html").exists()


def test_a_folder_without_a_run_is_one_sentence_and_exit_code_2(tmp_path, monkeypatch, capsys):
    assert tetherlab(monkeypatch, "report", tmp_path) == 2
    assert capsys.readouterr().err == f"tetherlab: {tmp_path}: not a complete run: log.json is missing\n"
