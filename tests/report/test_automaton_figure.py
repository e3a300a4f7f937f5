"""Pictures of automata: nothing covers anything, and what can never happen is dashed."""

import itertools
import math

import numpy as np
import pytest
from matplotlib.patches import Circle, FancyArrowPatch

from tetherlab.planning.automata import Event, FiniteAutomaton, join
from tetherlab.planning.dual_ugv import walking_ugv, wheeled_ugv
from tetherlab.planning.team_models import paper_arm, paper_uav, paper_ugv
from tetherlab.report.automaton_figure import draw_automata
from tetherlab.report.automaton_layout import LETTER, LINE, RADIUS, bezier, lay_out, loop, merged, middle
from tetherlab.report.style import GREY
from tetherlab.studies.cooperative_pictures import minimal_example

TEAMS = {
    "minimal": minimal_example(),
    "UAV and UGV": [paper_uav(), paper_ugv()],
    "with an arm": [paper_uav(), paper_ugv(with_arm=True), paper_arm()],
    "two UGVs": [walking_ugv(), wheeled_ugv()],
}


@pytest.mark.parametrize("name", TEAMS)
def test_locations_and_labels_stand_apart(name: str) -> None:
    team: FiniteAutomaton = join(*TEAMS[name])
    layout = lay_out(team)
    assert set(layout.places) == team.locations
    for a, b in itertools.combinations(layout.places.values(), 2):
        assert math.dist(a, b) > 3.0 * RADIUS
    texts = {pair: ", ".join(labels) for pair, labels in merged(team).items() if labels}
    for (one, text), (other, more) in itertools.combinations(texts.items(), 2):
        d_x, d_z = np.abs(np.subtract(layout.arrows[one].label_at, layout.arrows[other].label_at))
        assert d_x > 0.5 * LETTER * (len(text) + len(more)) or d_z > LINE - 1e-9, (one, other)
    for pair, text in texts.items():
        for place in layout.places.values():
            d_x, d_z = np.abs(np.subtract(layout.arrows[pair].label_at, place))
            assert d_x > 0.5 * LETTER * len(text) + 0.9 * RADIUS or d_z > 0.5 * LINE + 0.9 * RADIUS, pair


@pytest.mark.parametrize("name", TEAMS)
def test_arrows_pass_no_other_location(name: str) -> None:
    layout = lay_out(join(*TEAMS[name]))
    for (source, target), arrow in layout.arrows.items():
        start, end = np.array(layout.places[source]), np.array(layout.places[target])
        points = loop(start, arrow.bend) if source == target else [start, middle(start, end, arrow.bend), end]
        curve = bezier(np.array(points))
        for location, place in layout.places.items():
            if location not in (source, target):
                assert np.hypot(*(curve - place).T).min() > RADIUS, (source, target, location)


def test_a_loop_comes_back_to_its_location() -> None:
    curve = bezier(loop(np.array((1.0, 2.0)), 0.3))
    ends = np.hypot(*(curve[[0, -1]] - (1.0, 2.0)).T)
    assert ends == pytest.approx([RADIUS, RADIUS]) and np.hypot(*(curve - (1.0, 2.0)).T).max() > 2 * RADIUS


def test_what_never_happens_is_dashed_and_grey() -> None:
    figure = draw_automata(minimal_example())
    dashed = []
    for axes in figure.axes:
        arrows = [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]
        dashed.append(sum(arrow.get_linestyle() not in ("-", "solid") for arrow in arrows))
        circles = [patch for patch in axes.patches if isinstance(patch, Circle)]
        assert sum(circle.radius < RADIUS for circle in circles) == 1  # the inner ring of the final one
    assert dashed == [0, 3, 0]  # d, e and the end after them need the first robot
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["A  first", "B  second", "C  first ⊔ second"]
    grey = [text.get_text() for text in figure.axes[1].texts if text.get_color() == GREY]
    assert sorted(grey) == ["3", "4", "5", "d", "e"]


def test_locations_stand_where_they_stand_in_the_join() -> None:
    figure = draw_automata(minimal_example())
    places: dict[str, set[tuple[float, float]]] = {}
    for axes in figure.axes:
        for text in axes.texts:
            if text.get_text().isdigit():
                places.setdefault(text.get_text(), set()).add(text.get_position())
    assert set(places) == {"1", "2", "3", "4", "5", "6"} and all(len(spots) == 1 for spots in places.values())


def test_labels_of_parallel_events_are_merged() -> None:
    one = FiniteAutomaton(
        name="one",
        locations=[1, 2],
        events=[Event(1, "a", 2), Event(1, "b", 2), Event(2, "c", 2)],
        initial=1,
        final=2,
        labels={"a", "b", "c"},
    )
    assert merged(one) == {(1, 2): ["a", "b"], (2, 2): ["c"]}
    figure = draw_automata([one])
    assert {text.get_text() for text in figure.axes[0].texts} == {"1", "2", "a, b", "c"}
