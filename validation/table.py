"""What a study found, how it is stored, and how it becomes a page."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from validation.engine import ROOMS, fingerprint

FOLDER = Path(__file__).parent.parent / "docs"
STORE = FOLDER / "validation.json"
PAGE = FOLDER / "validation.md"
FIGURES = FOLDER / "figures"
DAYS_KEPT = "2026-11-18"  # since then each study says when it was measured


@dataclass(frozen=True)
class Row:
    """One measured quantity; `met` is None where nothing was promised."""

    quantity: str
    unit: str
    target: str
    measured: str
    met: bool | None
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """A figure of a study."""

    file: str  # name in docs/figures
    caption: str


@dataclass
class Study:
    """One subject: what was modelled, what counts as true, and what came out."""

    title: str
    model: str
    truth: str
    rows: list[Row] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    text: str = ""  # Markdown that follows the table
    measured: str = ""  # day, as 2026-11-18; empty if it was before days were kept
    engine: str = ""  # fingerprint of the engine that was measured


def at_most(quantity: str, unit: str, limit: float, value: float, note: str = "") -> Row:
    """A row that is met when |value| does not exceed the limit."""
    return Row(quantity, unit, f"≤ {limit:g}", number(value), bool(abs(value) <= limit), note)


def at_least(quantity: str, unit: str, limit: float, value: float, note: str = "") -> Row:
    """A row that is met when the value reaches the limit."""
    return Row(quantity, unit, f"≥ {limit:g}", number(value), bool(value >= limit), note)


def within(quantity: str, unit: str, target: float, margin: float, value: float, note: str = "") -> Row:
    """A row that is met when the value is no farther than the margin from the target."""
    met = bool(abs(value - target) <= margin)
    return Row(quantity, unit, f"{target:g} ± {margin:g}", number(value), met, note)


def holds(quantity: str, met: bool, measured: str, note: str = "") -> Row:
    """A row that is simply true or not."""
    return Row(quantity, "", "yes", measured, bool(met), note)


def reported(quantity: str, unit: str, value: float | str, note: str = "") -> Row:
    """A row without a target."""
    return Row(quantity, unit, "", value if isinstance(value, str) else number(value), None, note)


def number(value: float) -> str:
    """Three significant digits, and a plain zero."""
    if not math.isfinite(value):
        return str(value)
    if value == 0.0:
        return "0"
    if 1e-3 <= abs(value) < 1e4:
        return f"{value:.{max(1, 2 - math.floor(math.log10(abs(value))))}f}"
    return f"{value:.1e}"


def markdown(header: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    header = list(header)
    rows = [header, ["---"] * len(header), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"


def load() -> dict[str, Study]:
    """The studies found so far, by name."""
    if not STORE.exists():
        return {}
    stored: dict[str, Any] = json.loads(STORE.read_text(encoding="utf-8"))
    return {name: _study(data) for name, data in stored.items()}


def _study(data: dict[str, Any]) -> Study:
    data["rows"] = [Row(**row) for row in data["rows"]]
    data["pictures"] = [Picture(**picture) for picture in data["pictures"]]
    return Study(**data)


def save(studies: Mapping[str, Study], order: Iterable[str]) -> None:
    """Store the studies and rewrite the page; called after every study, so an interrupted run loses one."""
    names = [name for name in order if name in studies]
    stored = {name: asdict(studies[name]) for name in names}
    STORE.parent.mkdir(parents=True, exist_ok=True)
    STORE.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    write_page(studies, names)


def write_page(studies: Mapping[str, Study], order: Iterable[str]) -> None:
    """Rewrite the page from what is stored."""
    PAGE.write_text(
        page([studies[name] for name in order if name in studies], fingerprint()), encoding="utf-8"
    )


def age(study: Study, engine: str) -> str:
    """When a study was measured, and whether on this engine."""
    if not study.measured:
        return f"Measured before {DAYS_KEPT}, on an older engine."
    return f"Measured {study.measured} on {'the present' if study.engine == engine else 'an older'} engine."


def page(studies: Iterable[Study], engine: str) -> str:
    """The whole page. engine: fingerprint of the present one."""
    studies = list(studies)
    judged = [row for study in studies for row in study.rows if row.met is not None]
    met = sum(row.met is True for row in judged)
    parts = [
        "# Validation\n",
        "Written by `make validation`; every number below was measured by the code in `validation/`. Each "
        "study names its model and its source of truth. Settings are the defaults of `tl.Tether` "
        "unless a line says otherwise.\n",
        "A study says when it was measured, and whether on the present engine: the code of "
        f"{', '.join(f'`{room}`' for room in ROOMS)}. What was measured on an older engine may come out "
        "differently now.\n",
        f"**{met} of {len(judged)} targets are met.**"
        + (" The others are marked **no**.\n" if met < len(judged) else "\n"),
    ]
    for study in studies:
        parts += [f"## {study.title}\n", f"*{age(study, engine)}*\n"]
        parts += [f"**Model.** {study.model}\n", f"**Truth.** {study.truth}\n"]
        parts.append(
            markdown(("quantity", "unit", "target", "measured", "met", "note"), map(_cells, study.rows))
        )
        if study.text:
            parts.append(study.text.strip() + "\n")
        parts += [f"![{picture.caption}](figures/{picture.file})\n" for picture in study.pictures]
    return "\n".join(parts)


def _cells(row: Row) -> list[str]:
    met = {True: "yes", False: "**no**", None: ""}[row.met]
    cells = (row.quantity, row.unit, row.target, row.measured, met, row.note)
    return [cell.replace("|", "\\|") for cell in cells]
