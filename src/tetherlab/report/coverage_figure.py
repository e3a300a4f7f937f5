"""A wall and how many pictures show each part of it."""

from __future__ import annotations

from matplotlib.figure import Figure

from tetherlab.metrics.wall_coverage import WallCoverage
from tetherlab.report.style import VERMILION, WIDTH


def draw_coverage(coverage: WallCoverage) -> Figure:
    """Seen from in front, in metres; what no picture shows is marked."""
    face = coverage.face
    figure = Figure(figsize=(WIDTH, 0.9 + WIDTH * face.height / face.width), layout="constrained")
    axes = figure.subplots()
    shown = axes.imshow(
        coverage.pictures.T,
        origin="lower",
        extent=(0.0, face.width, 0.0, face.height),
        cmap="viridis",
        vmin=0,
        aspect="equal",
    )
    for hole in coverage.holes():
        axes.plot(*hole.center, "x", color=VERMILION)
    axes.set_xlabel("along the wall [m]")
    axes.set_ylabel("up [m]")
    axes.grid(visible=False)
    figure.colorbar(shown, ax=axes, label="pictures", shrink=0.8)
    axes.set_title(f"{100.0 * coverage.seen_share:.1f} % seen", fontsize=10)
    return figure
