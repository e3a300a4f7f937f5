"""The report of a robot in the canopy shows its graphs, and none of a team's."""

import re

import pytest

import tetherlab as tl
from tetherlab.report import write_report
from tetherlab.report.canopy_graphs import CANOPY_GRAPHS, branch_graph, draw_hanging
from tetherlab.report.graphs import GRAPHS

FLIES = {"run.duration_s": 8.0, "run.record_hz": 20.0, "references[2].time_s": 5.0}


@pytest.fixture(scope="module")
def log():
    return tl.run("canopy_branch", FLIES)


@pytest.fixture(scope="module")
def page(log, tmp_path_factory):
    return write_report(log, tmp_path_factory.mktemp("report") / "report.html").read_text(encoding="utf-8")


def pictures(page):
    return re.findall(r'<figure class="card" id="(\w+)"', page)


def test_it_has_its_own_graphs_and_no_others(page):
    own = [graph.name for graph in CANOPY_GRAPHS if graph.name != "canopy_shell"]  # which touched nothing
    assert pictures(page) == ["pos_3D", "canopy_hanging", *own, "canopy_branches"]
    assert not {graph.name for graph in GRAPHS} & set(pictures(page))
    assert "UAV" not in page and "Localisation" not in page


def test_it_tells_metrics_events_and_what_was_assumed(page):
    for words in (
        "how long it hung from branch",
        "tether angle to its reference, root mean square (E_a)",
        "the robot hangs from branch",
        "canopy.branches[0].stiffness_N_m_per_rad",
        "branches at rest",
    ):
        assert words in page
    value = re.search(r"<code>canopy.branches\[0\].radius_m</code></td><td>(.*?)</td>", page)
    assert value is not None and value[1] == "0.015"


def test_a_shell_that_touches_has_its_graph(log, tmp_path):
    columns = {name: log["robot"][name] for name in log["robot"].columns}
    columns["shell_contacts"], columns["shell_N"] = columns["time_s"] > 3.0, columns["time_s"] * 0.1
    scraped = tl.Log(tables={**log.tables, "robot": tl.Table(columns)}, scenario=log.scenario)
    page = write_report(scraped, tmp_path / "report.html").read_text(encoding="utf-8")
    assert "canopy_shell" in pictures(page)


def test_two_runs_are_laid_over_each_other(log, tmp_path):
    other = tl.run("canopy_branch", {**FLIES, "controller": {"type": "model"}})
    page = write_report(log, tmp_path / "report.html", compare=other).read_text(encoding="utf-8")
    assert {"canopy_hanging", "canopy_hanging_other", "deviation_robot"} <= set(pictures(page))
    assert "at equal times" in page


def test_every_branch_has_its_panel():
    names = [
        panel.label for panel in branch_graph([tl.run("canopy_outdoor", {"run.duration_s": 0.1})]).panels
    ]
    assert names == ["upper", "middle", "lower"]


def test_a_team_hangs_from_nothing():
    assert draw_hanging(tl.Log(tables={})) is None
