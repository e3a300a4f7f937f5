"""The picture of taut tethers shows what it is given."""

import matplotlib
import numpy as np

from tetherlab.planning.homotopy import taut_tethers
from tetherlab.planning.planar import PlanarWorld, box
from tetherlab.report.figure_file import write_figure
from tetherlab.report.homotopy_figure import draw_tethers

WORLD = PlanarWorld((0.0, 0.0, 10.0, 5.0), [box(4.0, 2.0, 6.0, 3.0)])


def test_every_class_has_a_line_and_a_name(tmp_path):
    found = taut_tethers(WORLD, (1.0, 2.4), (9.0, 2.5))
    figure = draw_tethers(WORLD, found.tethers)
    (axes,) = figure.axes
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["8.07 m, none", "8.10 m, +1"]
    lines = [line for line in axes.lines if line.get_label() in names]
    for line, tether in zip(lines, found, strict=True):
        drawn = line.get_xydata()
        assert np.abs(drawn - tether.points).max() < 0.1
        assert WORLD.free(drawn).all()
    dots = [line.get_xydata() for line in axes.lines if line.get_marker() == "o"]
    assert [len(d) for d in dots] == [0, 2, 1]  # hinges but the anchor, then the start
    assert write_figure(figure, tmp_path / "tethers.svg").stat().st_size > 1000


def test_a_world_without_tethers_is_drawn():
    with matplotlib.rc_context():
        (axes,) = draw_tethers(WORLD, []).axes
    assert len(axes.patches) == 1 and axes.get_legend() is None
