"""A hook of mkdocs: formulas between dollars become pictures, so that pages need no script from elsewhere."""

import base64
import io
import re
from functools import cache

from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.mathtext import MathTextParser

CODE = re.compile(r"(^```.*?^```|`[^`\n]*`)", re.M | re.S)
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$([^$]+?)\$", re.S)
TAG = re.compile(r"\\tag\{([^{}]*)\}")
POINTS = 12  # of the drawing; on the page one em is this high
ONE = r"\s*(\w|\\[A-Za-z]+)"  # an argument without braces: a letter, a digit or a symbol
# What LaTeX allows and matplotlib writes in full.
SPELLING = [
    (r"\\tfrac", r"\\frac"),
    (rf"\\frac{ONE}{ONE}", r"\\frac{\1}{\2}"),
    (rf"\\frac{ONE}\s*\{{", r"\\frac{\1}{"),
    (rf"\\sqrt{ONE}", r"\\sqrt{\1}"),
    (r"\\ge(?![a-z])", r"\\geq"),
    (r"\\le(?![a-z])", r"\\leq"),
    (r"\\[lr]vert", "|"),
    (r"\\!", ""),
    (r"\\[Bb]igg?[lr]?(?=[(\[|)\]])", ""),
]


@cache  # many stand on several pages
def draw(formula):
    """An <img> with the formula inside, set on the line of the text around it."""
    source = " ".join(formula.split())
    for pattern, replacement in SPELLING:
        source = re.sub(pattern, replacement, source)
    with rc_context({"mathtext.fontset": "stix", "svg.hashsalt": "tetherlab"}):
        font = FontProperties(size=POINTS)
        try:
            width, height, depth, _, _ = MathTextParser("path").parse(f"${source}$", dpi=72, prop=font)
        except ValueError as error:
            raise ValueError(f"matplotlib cannot draw ${formula}$: {error}") from None
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
    formula, tag = match.group(1), TAG.search(match.group(1))
    number = f'<span class="tag">({tag[1]})</span>' if tag else ""
    return f'\n\n<div class="display">{draw(TAG.sub("", formula))}{number}</div>\n\n'


def on_page_markdown(markdown, **_):
    """Called by mkdocs for every page; code is left alone."""
    parts = CODE.split(markdown)
    return "".join(part if CODE.fullmatch(part) else FORMULA.sub(replace, part) for part in parts)
