"""The report: one page that holds everything, asks nobody else, and shows what the log holds."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from synthetic_runs import circling
from tetherlab.contracts.cloud import Cloud
from tetherlab.contracts.columns import COLUMNS
from tetherlab.contracts.log import Log
from tetherlab.contracts.outcome import Outcome
from tetherlab.contracts.table import Table
from tetherlab.metrics import all_metrics
from tetherlab.report import write_report
from tetherlab.report.graphs import GRAPHS, draw_graph
from tetherlab.report.thin import POINTS

PAPER = ("pos_3D", "uav_pos", "ugv_pos", "uav_vel", "ugv_vel", "tether_len", "min_dist")  # Table II


class Page(HTMLParser):
    """Names, addresses and visible text of a page; complains about tags that do not match."""

    def __init__(self, html):
        super().__init__()
        self.names, self.addresses, self.words, self.open, self.tags = [], [], [], [], set()
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.addresses += [value for key, value in attributes if key in ("src", "href", "xlink:href", "data")]
        self.names += [value for key, value in attributes if key == "id"]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def runs():
    log, other = circling(6.0), circling(5.0, radius=2.3, name="wider")
    log.metrics = all_metrics(log)
    return log, other


@pytest.fixture(scope="module")
def single(runs, tmp_path_factory):
    return write_report(runs[0], tmp_path_factory.mktemp("report") / "new" / "report.html").read_text()


@pytest.fixture(scope="module")
def double(runs, tmp_path_factory):
    return write_report(*[runs[0], tmp_path_factory.mktemp("report") / "r.html"], compare=runs[1]).read_text()


def test_the_page_shows_outcome_metrics_events_scenario_version_and_seed(single):
    text = Page(single).text
    assert "After 6.0 s the mission was completed." in text and "A drone circles over a rover." in text
    assert "seed 7" in text and "tetherlab 0." in text
    assert "tether_released" in text and "track_rmse_uav" in text
    assert "12.50 warning" in text and "record_hz: 50" in text


def test_every_graph_of_the_paper_and_ours_is_there(single):
    names = Page(single).names
    assert [name for name in names if name in PAPER] == list(PAPER)
    assert set(names) >= {graph.name for graph in GRAPHS}


@pytest.mark.parametrize("which", ["single", "double"])
def test_nothing_is_asked_from_outside(which, request):
    html = request.getfixturevalue(which)
    page = Page(html)
    assert not page.tags & {"script", "link", "img", "iframe", "object"}
    assert all(address.startswith("#") for address in page.addresses)
    assert not re.findall(r"url\((?!#)", html) and "@import" not in html
    assert "default-src 'none'" in html


@pytest.mark.parametrize("which", ["single", "double"])
def test_names_are_unique_and_every_reference_is_met(which, request):
    page = Page(html := request.getfixturevalue(which))
    assert len(page.names) == len(set(page.names))
    used = set(re.findall(r"url\(#([^)]+)\)", html)) | {address[1:] for address in page.addresses}
    assert used <= set(page.names)


def test_axes_carry_units_as_text(single):
    for label in ("time [s]", "x [m]", "vx [m/s]", "length [m]", "at the winch [N]", "power [W]"):
        assert f">{label}<" in single


def test_text_of_users_is_shown_and_not_obeyed(single, tmp_path):
    assert "Wind &lt;b&gt;rises&lt;/b&gt; &amp; falls." in single
    log = circling(1.0, name="$a_1$ <script>alert(1)</script>")
    log.scenario = {"description": "<img src=x>"}
    other = circling(1.0, name="__b__")
    html = write_report(log, tmp_path / "r.html", compare=other).read_text()
    assert not Page(html).tags & {"script", "img"}
    assert re.search(r"<text[^>]*>\$a_1\$ &lt;script", html)  # in a legend, and not as a formula


def test_maps_of_walls_are_listed_with_their_files(single, tmp_path):
    log = circling(1.0)
    log.maps = {"<b>north</b> wall": Cloud(np.zeros((1234, 3)), np.zeros((1234, 3)), np.ones(1234, int))}
    html = write_report(log, tmp_path / "r.html").read_text()
    assert "map_b_north_b_wall.ply" in html and "1234" in html and "<b>north" not in html
    assert "Maps of walls" not in single


def test_each_wall_of_an_inspection_has_a_row(single, tmp_path):
    log = circling(1.0)
    columns = COLUMNS["walls"]
    rows = np.full((2, len(columns)), np.nan)
    rows[:, 0], rows[:, 1], rows[:, 3] = (0.0, 200.0), (0.0, 1.0), (1.0, 0.0)
    rows[0, columns.index("seen_share")], rows[0, columns.index("map_rms_m")] = 0.875, 0.0125
    log.tables["walls"] = Table.from_rows(columns, rows)
    html = write_report(log, tmp_path / "r.html").read_text()
    first, second = re.findall(r"<tr><td>\d</td><td>(.*)</tr>", html)
    assert first.startswith("yes<") and ">87.5<" in first and ">0.0125<" in first
    assert second.startswith("no<") and ">200<" in second and second.count(">–<") == 5
    assert "<h2>Walls</h2>" in html and "<h2>Walls</h2>" not in single


def test_many_events_are_folded_away(single, tmp_path):
    log = circling(1.0)
    log.events *= 20
    html = write_report(log, tmp_path / "r.html").read_text()
    assert '<details class="card wide"><summary>40 events' in html
    assert '<details class="card wide" open><summary>2 events' in single


def test_a_failed_run_says_so(tmp_path):
    log = Log(
        tables=circling(2.0).tables,
        outcome=Outcome.COLLISION,
        outcome_sentence="At 1.9 s the UAV hit the wall.",
    )
    html = write_report(log, tmp_path / "r.html").read_text()
    assert 'class="outcome bad"' in html and "At 1.9 s the UAV hit the wall." in html


def test_two_runs_stand_side_by_side(double):
    text = Page(double).text
    assert "circle compared with wider" in text and "Deviation along the way" in text
    assert "UAV, to the nearest point of the other path" in text and "UGV, at equal times" in text
    assert "-16.7 %" in text  # of the duration


def test_two_runs_of_one_name_are_told_apart(tmp_path):
    html = write_report(circling(1.0), tmp_path / "r.html", compare=circling(1.0)).read_text()
    assert "circle (this)" in html and "circle (other)" in html


def test_a_real_flight_with_few_columns_is_laid_over_a_simulated_run(runs, tmp_path):
    uav = runs[0]["uav"]
    flight = Log(
        tables={"uav": Table({name: uav[name] for name in ("time_s", "x_m", "y_m", "z_m")})}, name="field"
    )
    names = Page(write_report(flight, tmp_path / "alone.html").read_text()).names
    assert "uav_pos" in names and "uav_vel" not in names and "tension" not in names
    html = write_report(runs[0], tmp_path / "both.html", compare=flight).read_text()
    assert "UAV, at equal times" in Page(html).text and "UGV, at equal times" not in Page(html).text


def test_a_log_without_a_position_still_gives_a_page(tmp_path):
    log = Log(tables={"winch": Table({"time_s": [0.0, 1.0], "length_m": [1.0, 2.0]})})
    names = Page(write_report(log, tmp_path / "r.html").read_text()).names
    assert "tether_len" in names and "pos_3D" not in names


def test_a_long_run_does_not_make_a_large_page(tmp_path):
    time = np.arange(200_000) / 50.0
    noise = np.random.default_rng(1).normal(size=(len(time), 3))
    columns = {"time_s": time, "x_m": noise[:, 0], "y_m": noise[:, 1], "z_m": noise[:, 2]}
    log = Log(tables={"uav": Table(columns)})
    figure = draw_graph(next(graph for graph in GRAPHS if graph.name == "uav_pos"), {"noise": log})
    assert all(len(axes.lines[0].get_xdata()) <= POINTS for axes in figure.axes)
    assert write_report(log, tmp_path / "r.html").stat().st_size < 500_000


def test_the_same_log_gives_the_same_page(runs, tmp_path):
    pages = [write_report(runs[1], tmp_path / f"{i}.html").read_text() for i in range(2)]
    assert pages[0] == pages[1]


def test_assumed_values_are_listed_with_their_reasons(runs, tmp_path):
    assumed = {"tether.diameter_m": "a <thin> one", "run.nothing": ""}
    log = replace(runs[0], scenario={**runs[0].scenario, "assumed": assumed})
    text = Page(write_report(log, tmp_path / "page.html").read_text()).text
    assert "2 values were assumed" in text and "tether.diameter_m 0.008 a <thin> one" in text
