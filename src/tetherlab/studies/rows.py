"""What a study finds: rows of a paper's number beside ours."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tetherlab.contracts.documents import parse_yaml
from tetherlab.contracts.files import replacing
from tetherlab.scenario.library import packaged

LARGE = 0.15  # a row that differs by more than this says why


@dataclass(frozen=True)
class Row:
    """One quantity."""

    study: str
    quantity: str
    unit: str
    paper: float | None  # None: the paper prints no number
    here: float
    note: str = ""

    @property
    def difference(self) -> float | None:
        """Ours over the paper's, less one; None where there is nothing to divide by."""
        return None if not self.paper else self.here / self.paper - 1.0

    @property
    def differs(self) -> bool:
        """Whether it needs a note."""
        return self.difference is not None and abs(self.difference) > LARGE


def published(study: str) -> Any:
    """The printed numbers of a paper, packaged as YAML."""
    item = packaged("published")[study]
    return parse_yaml(item.read_text(encoding="utf-8"), f"published/{item.name}")


def write_json(rows: Sequence[Row], path: str | Path) -> None:
    """A list of {study, quantity, unit, paper, here, note}."""
    with replacing(Path(path)) as file:
        file.write(json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False) + "\n")
