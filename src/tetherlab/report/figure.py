"""A matplotlib figure as SVG that can stand inside a page."""

import io
import re
from html import escape

import matplotlib
from matplotlib.figure import Figure

HEAD = re.compile(r'^.*?<svg [^>]*?(viewBox="[^"]*")[^>]*>\s*(<metadata>.*?</metadata>)?', re.S)
GROUP_NAME = re.compile(r' id="[\w.]+_\d+"')
TAG = re.compile(r"<[^>]*>")
LONG_NUMBER = re.compile(r"(\d+\.\d\d)\d+")
FONT = "'DejaVu Sans'"


def inline_svg(figure: Figure, title: str) -> str:
    """The figure as an <svg> element that scales with the page and says what it shows."""
    buffer = io.StringIO()
    # Names of clip paths and markers follow from the title, so that no two figures of a page share one.
    with matplotlib.rc_context({"svg.hashsalt": title}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = HEAD.sub(
        rf'<svg \1 role="img" aria-label="{escape(title)}" xmlns:xlink="http://www.w3.org/1999/xlink">',
        buffer.getvalue(),
        count=1,
    )
    text = GROUP_NAME.sub("", text)  # those of groups repeat, and nothing refers to them
    # Hundredths of a point are finer than any screen; but what can be read stays as it is.
    text = TAG.sub(lambda tag: LONG_NUMBER.sub(r"\1", tag[0]), text)
    return text.replace(FONT, f"{FONT}, Verdana, sans-serif")  # Verdana is as wide
