"""A matplotlib figure as SVG that can stand inside a page."""

import io
import re
from html import escape

from matplotlib.figure import Figure

UNUSED_NAME = re.compile(r' id="[A-Za-z0-9]+_\d+"')
LONG_NUMBER = re.compile(r"(\d+\.\d\d)\d+")


def inline_svg(figure: Figure, title: str) -> str:
    """The figure as an <svg> element that scales with the page and says what it shows."""
    buffer = io.StringIO()
    figure.savefig(
        buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
    )
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    # Names of groups repeat from figure to figure, which a page must not, and nothing refers to them.
    text = UNUSED_NAME.sub("", text)
    text = LONG_NUMBER.sub(r"\1", text)  # hundredths of a point are finer than any screen
    size = re.compile(r'<svg [^>]*?(viewBox="[^"]*")[^>]*>', re.S)
    head = rf'<svg \1 role="img" aria-label="{escape(title)}" xmlns:xlink="http://www.w3.org/1999/xlink">'
    return size.sub(head, text, count=1)
