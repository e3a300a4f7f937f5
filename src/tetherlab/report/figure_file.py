"""A figure as a file of its own, complete or not there."""

from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.files import replacing, why_not

KINDS = (".svg", ".png", ".pdf")


def check_figure_path(path: str | Path) -> Path:
    """The path, if a figure can be written there."""
    path = Path(path)
    if path.suffix.lower() not in KINDS:
        raise InputError(f"{path}: a figure must end in {', '.join(KINDS)}")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
    return path


def write_figure(figure: Figure, path: str | Path) -> Path:
    """Write it as SVG, PNG or PDF, by the ending of the name; the same figure gives the same SVG."""
    path = check_figure_path(path)
    kind = path.suffix.lower()[1:]
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
    style = matplotlib.rc_context({"svg.hashsalt": path.name, "svg.fonttype": "path"})
    try:
        with style, replacing(path, binary=True) as file:
            figure.savefig(file, format=kind, dpi=150, facecolor="white", metadata=metadata)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {why_not(error)}") from None
    return path
