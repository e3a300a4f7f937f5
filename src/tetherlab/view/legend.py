"""What the colours mean, as HTML for the panel."""

from collections.abc import Sequence
from html import escape

from tetherlab.view import colors
from tetherlab.view.actors import part_colors
from tetherlab.view.colors import Color
from tetherlab.view.parts import Inventory

PARTS_MAX = 12  # that are told


def _swatch(color: Color, text: str) -> str:
    box = "display:inline-block;width:0.8em;height:0.8em;border-radius:2px;margin-right:0.4em"
    return f'<div style="white-space:nowrap"><span style="{box};background:rgb{color}"></span>{text}</div>'


def legend_html(
    tension_max: float, runs: Sequence[Inventory], names: Sequence[str] = (), catenary: bool = True
) -> str:
    """For one run, or two that lie over each other. tension_max: of the bright end of the scale [N].

    runs: what is drawn of each. names: of two runs. catenary: whether one can be shown.
    """
    rows = []
    for k, (name, run) in enumerate(zip(names or ("",), runs, strict=False)):
        which, shades = f"{escape(name)}: " if name else "", part_colors(run, k)
        told = [part for part in run.parts if part.moves][:PARTS_MAX]
        rows += [_swatch(shades[part.name], f"{which}{escape(run.called(part))}") for part in told]
    words = {part.word for run in runs for part in run.parts}
    rows += [
        *([_swatch(colors.THRUST, "thrust")] if "robot" in words else []),
        *([_swatch(colors.BRANCH, "branch")] if "branch" in words else []),
        *([_swatch(colors.TARGET, "target")] if any(not run.named for run in runs) else []),
        _swatch(colors.CONTACT, "contact"),
        *([_swatch(colors.CATENARY, "catenary")] if catenary else []),
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
