"""A hook of mkdocs: formulas between dollars become pictures, so that pages need no script from elsewhere."""

import base64
import io
import re

from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.mathtext import MathTextParser

CODE = re.compile(r"(^```.*?^```|`[^`\n]*`)", re.M | re.S)
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$([^$]+?)\$", re.S)
POINTS = 12  # of the drawing; on the page one em is this high
# What LaTeX allows and matplotlib writes in full.
SPELLING = [
    (r"\\tfrac", r"\\frac"),
    (r"\\frac\s*(\w)\s*(\w)", r"\\frac{\1}{\2}"),
    (r"\\frac\s*(\w)\s*\{", r"\\frac{\1}{"),
    (r"\\sqrt\s+(\w)", r"\\sqrt{\1}"),
    (r"\\ge(?![a-z])", r"\\geq"),
    (r"\\le(?![a-z])", r"\\leq"),
    (r"\\[lr]vert", "|"),
    (r"\\!", ""),
    (r"\\[Bb]igg?[lr]?(?=[(\[|)\]])", ""),
]


def draw(formula):
    """An <img> with the formula inside, set on the line of the text around it."""
    source = " ".join(formula.split())
    for pattern, replacement in SPELLING:
        source = re.sub(pattern, replacement, source)
    with rc_context({"mathtext.fontset": "stix", "svg.hashsalt": "tetherlab"}):
        font = FontProperties(size=POINTS)
        width, height, depth, _, _ = MathTextParser("path").parse(f"${source}$", dpi=72, prop=font)
        figure = Figure(figsize=(width / 72, height / 72))
        FigureCanvasSVG(figure)
        figure.text(0, depth / height, f"${source}$", fontproperties=font)
        picture = io.BytesIO()
        figure.savefig(picture, format="svg", transparent=True, metadata={"Date": None})
    data = base64.b64encode(picture.getvalue()).decode()
    style = f"height:{height / POINTS:.3f}em;vertical-align:{-depth / POINTS:.3f}em"
    words = formula.replace("\n", " ").replace("&", "&amp;").replace('"', "&quot;").replace("|", "&#124;")
    words = words.replace("<", "&lt;").replace(">", "&gt;")
    return f'<img class="formula" alt="{words}" style="{style}" src="data:image/svg+xml;base64,{data}">'


def replace(match):
    """A displayed or an inline formula."""
    if match.group(1) is None:
        return draw(match.group(2))
    return f'\n\n<div class="display">{draw(match.group(1))}</div>\n\n'


def on_page_markdown(markdown, **_):
    """Called by mkdocs for every page; code is left alone."""
    parts = CODE.split(markdown)
    return "".join(part if CODE.fullmatch(part) else FORMULA.sub(replace, part) for part in parts)
