"""What the colours mean, as HTML for the panel."""

from collections.abc import Sequence
from html import escape

from tetherlab.view import colors
from tetherlab.view.colors import Color


def _swatch(color: Color, text: str) -> str:
    box = "display:inline-block;width:0.8em;height:0.8em;border-radius:2px;margin-right:0.4em"
    return f'<div style="white-space:nowrap"><span style="{box};background:rgb{color}"></span>{text}</div>'


def legend_html(
    tension_max: float,
    names: Sequence[str] = (),
    catenary: bool = True,
    kinds: Sequence[Sequence[str]] = (("drone", "rover"),),
) -> str:
    """For one run, or two that lie over each other. tension_max: of the bright end of the scale [N].

    names: of two runs. catenary: whether one can be shown. kinds: what moves in each run.
    """
    rows = []
    pairs = ((colors.UAV, colors.UGV), (colors.OTHER_UAV, colors.OTHER_UGV))
    for k, (name, shades) in enumerate(zip(names or ("",), pairs, strict=False)):
        which = f"{escape(name)}: " if name else ""
        words = kinds[min(k, len(kinds) - 1)]
        rows += [_swatch(shade, f"{which}{word}") for shade, word in zip(shades, words, strict=False)]
    hangs, team = (any(("robot" in words) == kind for words in kinds) for kind in (True, False))
    rows += [
        *([_swatch(colors.THRUST, "thrust"), _swatch(colors.BRANCH, "branch")] if hangs else []),
        *([_swatch(colors.TARGET, "target")] if team else []),
        _swatch(colors.CONTACT, "contact"),
        *([_swatch(colors.CATENARY, "catenary")] if catenary and team else []),
    ]
    scale = (
        f"display:inline-block;width:6em;height:0.7em;border-radius:2px;background:{colors.gradient_css()}"
    )
    tension = (
        f'<div style="white-space:nowrap">tension of the tether 0 <span style="{scale}"></span> '
        f"{tension_max:.3g} N or more</div>"
    )
    style = "font-size:0.8em;padding:0.4em 0.8em;display:flex;flex-wrap:wrap;gap:0.2em 1em"
    return f'<div style="{style}">{"".join(rows)}{tension}</div>'
