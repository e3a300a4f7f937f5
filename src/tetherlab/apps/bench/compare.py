"""All engines on the same scenes in one process, in turn, so that a busy machine slows them alike."""

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tetherlab.apps.bench.engine import Engine, EngineKind
from tetherlab.apps.bench.measure import Errors, measure_errors, measure_speed
from tetherlab.apps.bench.ours import OURS
from tetherlab.apps.bench.peer_chain import CHAIN
from tetherlab.apps.bench.peer_flex import FLEX
from tetherlab.apps.bench.peer_moordyn import MOORDYN
from tetherlab.apps.bench.reference import reference
from tetherlab.apps.bench.scene import Scene
from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.extras import MissingExtraError

KINDS = {kind.name: kind for kind in (OURS, FLEX, MOORDYN, CHAIN)}
ERROR_LINE = 0.1  # an engine takes its fastest setting whose shape error is no larger [% of length]
LENGTHS = (12.0, 18.45)
ELEMENTS = (0.20, 0.15, 0.10, 0.05)

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Row:
    """One engine at one element length; None where there is nothing to say."""

    length_m: float
    element_m: float
    engine: str
    setting: str = ""
    shape_error_percent: float | None = None
    tension_error_N: float | None = None
    tension_noise_N: float | None = None
    covered_s: float | None = None
    speed: float | None = None  # simulated seconds per CPU second, median
    speed_min: float | None = None
    speed_max: float | None = None
    ratio: float | None = None  # our speed over this one's, median of the rounds
    ratio_min: float | None = None
    ratio_max: float | None = None
    note: str = ""


def run_tether_bench(
    lengths: Iterable[float] = LENGTHS,
    elements: Iterable[float] = ELEMENTS,
    repeats: int = 5,
    engines: Iterable[str] = tuple(KINDS),
    progress: Progress | None = None,
    rows: list[Row] | None = None,
) -> list[Row]:
    """Measure every engine at every length and element [m]; `rows` fills as results arrive.

    Raises InputError for an unknown engine, before anything is run.
    """
    say = progress or (lambda message: None)
    kinds = [_kind(name) for name in engines]
    cases = [
        (check.positive("length", length), check.positive("element", element))
        for length in lengths
        for element in list(elements)
    ]
    if repeats < 1:
        raise InputError(f"repeats must be >= 1, got {repeats}")
    rows = [] if rows is None else rows
    for length, element in cases:
        rows += _compare(Scene(length), element, kinds, repeats, say)
    return rows


def _kind(name: str) -> EngineKind:
    if name not in KINDS:
        raise InputError(f"engine {name!r} is unknown.{check.did_you_mean(name, KINDS)}")
    return KINDS[name]


def _compare(
    scene: Scene, element: float, kinds: Sequence[EngineKind], repeats: int, say: Progress
) -> list[Row]:
    here = f"{scene.length:g} m, element {element:g} m"
    say(f"{here}: reference")
    reference(scene)
    chosen: dict[str, tuple[Engine, Any, Errors]] = {}
    notes: dict[str, str] = {}
    # Ours comes last, because its error may not be larger than that of the peer it is measured against.
    for kind in sorted(kinds, key=lambda kind: kind is OURS):
        line = ERROR_LINE
        if kind is OURS and FLEX.name in chosen:
            line = min(line, chosen[FLEX.name][2].shape)
        say(f"{here}: errors of {kind.name}")
        try:
            found = choose_setting(kind, scene, element, line)
        except MissingExtraError as missing:
            notes[kind.name] = str(missing)
            continue
        if found is None:
            notes[kind.name] = "no stable setting"
            continue
        chosen[kind.name] = found
        if not meets(found[2].shape, line):
            notes[kind.name] = f"misses the error line of {line:.3f} %"
        elif found[2].covered < scene.duration:
            notes[kind.name] = f"errors over the first {found[2].covered:.1f} s"

    speeds: dict[str, list[float]] = {name: [] for name in chosen}
    for round_number in range(repeats):
        for name, (engine, _, _) in chosen.items():
            say(f"{here}: speed of {name}, {round_number + 1} of {repeats}")
            speeds[name].append(measure_speed(engine, scene))
    return [
        _row(scene, element, kind.name, chosen.get(kind.name), speeds, notes.get(kind.name, ""))
        for kind in kinds
    ]


def meets(error: float, line: float) -> bool:
    """Compared as printed, to a thousandth of a per cent: finer differences are not of the time step."""
    return round(error, 3) <= round(line, 3)


def choose_setting(
    kind: EngineKind, scene: Scene, element: float, line: float = ERROR_LINE
) -> tuple[Engine, Any, Errors] | None:
    """The first setting on the ladder that meets the line, else the most accurate; None if all break."""
    best: tuple[Engine, Any, Errors] | None = None
    for setting in kind.ladder(element):
        engine = kind.build(scene, scene.element_count(element), setting)
        errors = measure_errors(engine, scene, reference(scene))
        if errors.shape < (best[2].shape if best else float("inf")):
            best = engine, setting, errors
        if meets(errors.shape, line):
            break
    return best


def _row(
    scene: Scene,
    element: float,
    name: str,
    found: tuple[Engine, Any, Errors] | None,
    speeds: dict[str, list[float]],
    note: str,
) -> Row:
    if found is None:
        return Row(scene.length, element, name, note=note)
    _, setting, errors = found
    mine = speeds[name]
    ratios = [ours / peer for ours, peer in zip(speeds.get(OURS.name, []), mine, strict=False)]
    return Row(
        length_m=scene.length,
        element_m=element,
        engine=name,
        setting=str(setting),
        shape_error_percent=errors.shape,
        tension_error_N=errors.tension,
        tension_noise_N=None if errors.noise != errors.noise else errors.noise,
        covered_s=errors.covered,
        speed=statistics.median(mine),
        speed_min=min(mine),
        speed_max=max(mine),
        ratio=statistics.median(ratios) if ratios else None,
        ratio_min=min(ratios, default=None),
        ratio_max=max(ratios, default=None),
        note=note,
    )
