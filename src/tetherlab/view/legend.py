"""What the colours mean, as HTML for the panel."""

from tetherlab.view import colors
from tetherlab.view.colors import Color


def _swatch(color: Color, text: str) -> str:
    box = "display:inline-block;width:0.8em;height:0.8em;border-radius:2px;margin-right:0.4em"
    return f'<div><span style="{box};background:rgb{color}"></span>{text}</div>'


def legend_html(tension_max: float, two: bool = False) -> str:
    """For one run, or two that lie over each other. tension_max: of the bright end of the scale [N]."""
    rows = [_swatch(colors.UAV, "drone and its way"), _swatch(colors.UGV, "rover and its way")]
    if two:
        rows += [_swatch(colors.OTHER_UAV, "drone of the other run"), _swatch(colors.OTHER_UGV, "its rover")]
    rows += [
        _swatch(colors.TARGET, "where they are to go"),
        _swatch(colors.CONTACT, "the tether touches something"),
        _swatch(colors.CATENARY, "catenary of the same length"),
    ]
    scale = f"height:0.7em;border-radius:2px;background:{colors.gradient_css()}"
    tension = (
        f'<div style="margin-top:0.5em">tension of the tether [N]</div><div style="{scale}"></div>'
        f'<div style="display:flex;justify-content:space-between"><span>0</span>'
        f"<span>{tension_max:.3g}</span></div>"
    )
    return f'<div style="font-size:0.85em;padding:0 0.8em 0.6em">{"".join(rows)}{tension}</div>'
