"""Pictures of a localisation study: what is drawn is what was handed over."""

import numpy as np
import pytest

from tetherlab.report.localisation_study import (
    CELL,
    draw_distribution,
    draw_error_map,
    draw_methods,
    draw_tension,
)


def test_a_cell_of_the_map_has_the_mean_of_the_errors_in_it():
    position = np.array([[0.05, 0.05, 2.0], [0.06, 0.04, 2.0], [-0.93, 0.42, 2.0]])
    figure = draw_error_map({"low": (position, np.array([0.1, 0.3, 0.5]))})
    image = figure.axes[0].get_images()[0]
    shown = np.ma.filled(image.get_array(), np.nan)
    low = image.get_extent()[0]
    row, column = (int((value - low) / CELL) for value in (0.05, 0.05))
    assert shown[row, column] == pytest.approx(0.2)
    assert np.count_nonzero(np.isfinite(shown)) == 2
    assert image.get_clim() == (0.0, 0.5)


def test_distributions_have_a_bar_for_each_axis_and_name_both():
    rng = np.random.default_rng(1)
    figure = draw_distribution(rng.normal(size=(500, 3)), rng.normal(size=(500, 3)))
    assert [axis.get_xlabel() for axis in figure.axes] == [f"error of {name} [m]" for name in "xyz"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["observed", "predicted"]


def test_the_band_of_the_tension_is_where_it_should_be():
    trace = np.column_stack([np.linspace(0.0, 9.0, 50), np.full(50, 3.4)])
    figure = draw_tension({"circle": trace, "triangle": trace}, 3.5, 1.0)
    band = figure.axes[0].patches[0].get_extents().transformed(figure.axes[0].transData.inverted())
    assert (band.y0, band.y1) == pytest.approx((2.5, 4.5))


def test_every_method_has_a_mark_in_every_row():
    errors = np.array([[0.1, 0.2], [0.3, np.nan]])
    axis = draw_methods(("catenary", "ekf"), ("plain", "Mars"), errors).axes[0]
    assert [tick.get_text() for tick in axis.get_yticklabels()] == ["plain", "Mars"]
    drawn = np.array([line.get_xdata() for line in axis.lines]).T
    assert np.array_equal(drawn, errors, equal_nan=True)
    axis.figure.draw_without_rendering()
    shown = [tick.get_text() for tick in axis.get_xticklabels() if tick.get_text()]
    assert {"0.1", "0.2"} <= set(shown)
