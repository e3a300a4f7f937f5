"""Graphs say what happened when, what a tether bears, and write their numbers in full."""

import re
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

from synthetic_runs import SCENARIO, circling
from tetherlab.contracts.log import Event
from tetherlab.report.figure import inline_svg
from tetherlab.report.graphs import GRAPHS, draw_graph

EVENTS = [
    Event(0.5, "mission", "takes off"),
    Event(2.0, "mission", "target 1 of 5 reached"),
    Event(9.0, "mission", "has landed"),
    Event(9.9, "outcome", "After 9.9 s it was completed."),
]
TENSION = next(graph for graph in GRAPHS if graph.name == "tension")


@pytest.fixture(scope="module")
def log():
    return replace(circling(10.0), events=EVENTS)


def words(figure):
    legend = [text.get_text() for text in figure.legends[0].get_texts()] if figure.legends else []
    return legend, [text.get_text() for axes in figure.axes for text in axes.texts]


def test_the_end_is_named_rather_than_what_came_just_before(log):
    figure = draw_graph(GRAPHS[0], {"run": log})
    assert words(figure)[1] == ["completed", "takes off"]


def test_of_a_change_of_state_the_new_one_is_written():
    changed = Event(3.0, "mission", "pillar_1 south: approach, done (1.6 m from the wall): map")
    figure = draw_graph(GRAPHS[0], {"run": replace(circling(10.0), events=[changed])})
    assert words(figure)[1] == ["map"]


def test_every_target_that_was_reached_has_a_tick(log):
    figure = draw_graph(GRAPHS[0], {"run": log})
    (ticks,) = [line for line in figure.axes[-1].lines if line.get_label() == "target reached"]
    reached = log["targets"]["reached_s"]
    assert list(ticks.get_xdata()) == list(reached[np.isfinite(reached)])


@pytest.mark.parametrize(("strength", "drawn"), [(300.0, False), (5.0, True)])
def test_the_strength_of_the_tether_is_a_line_where_it_is_in_sight(log, strength, drawn):
    scenario = {**SCENARIO, "tether": {**SCENARIO["tether"], "strength_N": strength}}
    figure = draw_graph(TENSION, {"run": replace(log, scenario=scenario)})
    ending = "" if drawn else ", beyond the axis"
    assert f"strength {strength:g} N{ending}" in words(figure)[0]
    heights = [line.get_ydata()[0] for axes in figure.axes for line in axes.lines if len(line.get_ydata())]
    assert (strength in heights) == drawn


def test_where_only_one_of_two_runs_has_something_the_legend_says_which(log):
    bare = replace(log, tables={"ugv": log["ugv"]}, name="flight")
    figure = draw_graph(GRAPHS[0], {"run": log, "flight": bare})
    assert words(figure)[0] == ["run"]


def test_numbers_at_an_axis_keep_their_digits():
    figure = Figure()
    figure.subplots().set_yticks([0.005, 0.010, 0.015])
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        svg = inline_svg(figure, "small numbers")
    assert {"0.005", "0.015"} <= set(re.findall(r">([\d.]+)</text>", svg))
