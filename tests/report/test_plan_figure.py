"""Pictures of plans and supercells: labels stand beside their ways, and panels tell what they show."""

import itertools

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from tetherlab.planning.cells import Cells
from tetherlab.planning.cooperative import Planner, plan
from tetherlab.planning.homotopy import taut_tethers
from tetherlab.planning.planar import PlanarWorld, box
from tetherlab.planning.supercells import Supercells
from tetherlab.report.homotopy_figure import draw_tethers
from tetherlab.report.label_places import LETTER, LINE, along, find_places
from tetherlab.report.plan_figure import draw_plan
from tetherlab.report.supercell_figure import draw_supercells
from tetherlab.scenario.team_problem import TeamProblem

BOUNDS = (0.0, 0.0, 4.0, 4.0)


@pytest.mark.parametrize("name", ["over_the_wall", "with_an_arm"])
def test_labels_of_a_plan_are_inside_and_apart(name: str) -> None:
    given = TeamProblem.load(name)
    found = plan(given.problem, automata=given.automata)
    axes = draw_plan(given.problem, found).axes[0]
    texts, lines = axes.texts, [line.get_label() for line in axes.lines]
    assert lines.count("hinge") == lines.count("tether") == 1
    assert ("object" in lines) is (name == "with_an_arm")
    words = [text for text in texts if text.get_text()]
    assert [word.get_text() for word in words] == [f"{n}. {label}" for n, label in enumerate(found.labels, 1)]
    x_min, z_min, x_max, z_max = given.problem.bounds
    for word in words:
        x, z = word.get_position()
        assert x_min < x < x_max and z_min < z < z_max
    for one, other in itertools.combinations(words, 2):
        d_x, d_z = np.abs(np.subtract(one.get_position(), other.get_position()))
        assert d_x > 0.2 or d_z > 0.09, (one.get_text(), other.get_text())


def test_a_word_covers_no_line_if_there_is_room() -> None:
    ways = [np.array([(0.5, 2.0), (3.5, 2.0)]), np.array([(0.5, 2.15), (3.5, 2.15)])]
    places = find_places(ways, ["1. a", "2. b"], [], BOUNDS, inch=0.7)
    half = 0.5 * 0.7 * LINE
    assert all(abs(z - line) >= half for _, z in places for line in (2.0, 2.15))
    assert abs(places[0][1] - places[1][1]) >= 2.0 * half or abs(places[0][0] - places[1][0]) > 0.2
    # A line in the middle moves the word along its way.
    wall = np.array([(2.0, 0.0), (2.0, 4.0)])
    (x, _), *_ = find_places(ways[:1], ["1. a"], [wall], BOUNDS, inch=0.7)
    assert abs(x - 2.0) >= 0.5 * 0.7 * LETTER * 4


def test_a_share_of_a_way_is_by_its_length() -> None:
    assert along(np.array([(0.0, 0.0), (3.0, 0.0), (3.0, 1.0)]), 0.875) == pytest.approx((3.0, 0.5))


def test_a_robot_that_stays_has_its_label_too() -> None:
    ((x, z),) = find_places([np.array([(2.0, 2.0), (2.0, 2.0)])], ["3. d"], [], BOUNDS, inch=0.7)
    assert 0.0 < abs(x - 2.0) + abs(z - 2.0) < 1.0


def test_supercells_have_a_panel_for_each_partition() -> None:
    given = TeamProblem.load("over_the_wall")
    planner = Planner(given.problem, automata=given.automata, cells=20)
    figure = draw_supercells(Supercells(planner.team, planner.table))
    titles = {axes.get_title() for axes in figure.axes if axes.get_title()}
    assert {"a, d, a', ugv: 4", "δ, γ', uav: 1", "β, uav: 4", "f', ugv on (0.2, 0.2): 1"} <= titles


def test_cells_at_hinges_are_filled() -> None:
    world = PlanarWorld(BOUNDS, [box(1.9, 0.0, 2.1, 2.05)])
    tethers = list(taut_tethers(world, (1.0, 1.0), (3.0, 2.5), windings=0.5))
    figure = draw_tethers(world, tethers, Cells(world, 20))
    squares = [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]
    corners = [tuple(np.round(square.get_xy(), 6)) for square in squares]
    assert sorted(corners) == [(1.8, 2.0), (3.0, 2.4)]  # the cell of the corner (1.9, 2.05), and the anchor's
