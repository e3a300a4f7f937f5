"""Figures of landings: what is plotted is what was flown."""

import math

import numpy as np
import pytest

from tetherlab.report.landing_figure import draw_fields, draw_landing, draw_landings


def trace(count=40):
    columns = np.linspace(0.0, 1.0, count)[:, None] * np.arange(1.0, 12.0)
    columns[:, 5] = math.radians(60.0)
    return columns


def test_a_landing_shows_its_variables_over_its_actions():
    flown = trace()
    actions = ["the tether is pulled taut"] * 10 + ["45° ascent"] * 20 + ["XY approach"] * 10
    figure = draw_landing(flown, actions)
    elevation, ranges, tension, speeds = figure.axes
    assert elevation.lines[0].get_ydata() == pytest.approx(np.full(40, 60.0))
    assert ranges.lines[1].get_ydata() == pytest.approx(flown[:, 7])
    assert tension.lines[0].get_ydata() == pytest.approx(flown[:, 6])
    assert speeds.lines[0].get_ydata() == pytest.approx(np.hypot(flown[:, 8], flown[:, 9]))
    shades = [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in elevation.patches]
    assert shades == [pytest.approx((flown[i, 0], flown[j, 0])) for i, j in ((0, 10), (10, 30), (30, 39))]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(dict.fromkeys(actions))


def test_ways_of_landings_end_where_they_ended():
    side, above = draw_landings([trace(), 2.0 * trace()]).axes
    ends = [
        [line.get_xydata()[-1] for line in axes.lines if len(line.get_xydata()) > 1] for axes in (side, above)
    ]
    far = math.hypot(2.0, 3.0)
    assert np.array(ends[0]) == pytest.approx(np.array(((far, 4.0), (2.0 * far, 8.0))))
    assert np.array(ends[1]) == pytest.approx(np.array(((2.0, 3.0), (4.0, 6.0))))


def test_fields_are_mirrored_about_the_base():
    figure = draw_fields({"inwards": lambda x, z: (-1.0, 0.0)}, reach=3.0)
    arrows = [patch for patch in figure.axes[0].patches]
    assert len(arrows) > 5
    for arrow in arrows:
        (x0, _), (x1, _) = arrow._posA_posB
        assert (x1 - x0) * x0 < 0.0
