"""A figure of the page."""

from typing import NamedTuple

from markupsafe import Markup
from matplotlib.figure import Figure

from tetherlab.report.figure import inline_svg


class Picture(NamedTuple):
    """A figure of the page."""

    name: str
    title: str
    svg: Markup


def picture(name: str, title: str, figure: Figure) -> Picture:
    """The figure, drawn; no two of a page may share a name or a title."""
    return Picture(name, title, Markup(inline_svg(figure, title)))
