"""Random runs, ordinary ones and ones at the edges of what a tether accepts: about an hour on two cores."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from validation.fuzz import DIAMETERS_MAX, GAIN_MAX, LEDGER_MAX, STRAIN_RATIO_MAX, Result, run_all
from validation.table import Row, Study, at_most, reported

ORDINARY, WIDE = range(1000), range(74_000, 76_000)  # seeds; none of the wide ones was developed on
REFERENCE_EVERY = 25
ROOT = Path(__file__).parents[1]
KEPT = ROOT / ".cache" / "random_runs"  # results, by what computed them: a study that was stopped goes on


def fingerprint() -> str:
    """Of the sources that decide what a run does."""
    digest = hashlib.sha256()
    for folder in ("math", "world", "tether"):
        for path in sorted((ROOT / "src" / "tetherlab" / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    for name in ("fuzz.py", "fuzz_scene.py"):
        digest.update((ROOT / "validation" / name).read_bytes())
    return digest.hexdigest()[:16]


def run(say: Callable[[str], None]) -> Study:
    """All seeds, and the worst of each measure."""
    study = Study(
        title="Random runs",
        model=(
            "Ordinary: each seed draws a tether (EA 1 to 100 kN, damping none to strong, elements of 0.05 to "
            "0.2 m), obstacles still and moving, and 3 s of violence: ends at up to 10 m/s with steps in "
            "velocity, reeling at up to 3 m/s, wind of 20 m/s. Wide: EA 0.1 to 10 000 kN, EI to 0.3 N m^2, "
            "elements of 0.02 to 1 m, calls and internal steps of 0.1 ms to 0.1 s, point masses and rigid "
            "bodies of 1 g to 100 kg at both ends, ends released and attached while they fly, meshes, "
            "voxels, boxes with holes, wind of 40 m/s, gravity of Earth, Mars and none. In the quiet phase "
            "that follows, 2 s or shorter where steps are short, nothing does work, once the elements at "
            "the winch have taken up what it wound last. Wide runs that take very many iterations end both "
            "phases early."
        ),
        truth=(
            "In the quiet phase energy may only fall. Ledger: total + dissipated - work - work of the winch "
            "against its start, over the sum of all changes of its terms. Strain: a shadow in a tenth of the "
            f"step that starts from the run's own state every 0.1 s, for every {REFERENCE_EVERY}th ordinary "
            "seed; a run that is in fine steps from the start soon goes another way, as violent contact is "
            "chaotic."
        ),
    )
    jobs = os.cpu_count() or 1
    folder = KEPT / fingerprint()
    folder.mkdir(parents=True, exist_ok=True)
    say(f"{len(ORDINARY)} ordinary runs; their results are kept in {folder.relative_to(KEPT.parent.parent)}")
    references = set(ORDINARY[::REFERENCE_EVERY])
    ordinary = run_all(list(ORDINARY), references, jobs, verbose=False, path=folder / "ordinary.jsonl")
    say(f"{len(WIDE)} wide runs")
    wide = run_all(list(WIDE), set(), jobs, verbose=False, wide=True, path=folder / "wide.jsonl")
    compared = [r for r in ordinary if "strain_ratio" in r]
    study.rows = [
        *_rows("ordinary", ordinary),
        _worst("ordinary", compared, "strain_ratio", "strain over that of the shadow", "", STRAIN_RATIO_MAX),
        reported(
            "ordinary: strain over that of the shadow, median",
            "",
            float(np.median([r["strain_ratio"] for r in compared])),
            f"{len(compared)} runs",
        ),
        *_rows("wide", wide),
    ]
    return study


def _rows(kind: str, results: list[Result]) -> list[Row]:
    failing = [int(r["seed"]) for r in results if r["reasons"]]
    depths = [{"seed": r["seed"], "diameters": r["depth"] / r["diameter"]} for r in results]
    speeds = [r["real_time_factor"] for r in results]
    crossed = sum(r["crossings"] > r["unclear"] for r in results)
    return [
        reported(f"{kind}: runs", "", str(len(results))),
        at_most(f"{kind}: runs that break any of the limits below", "", 0, len(failing), _some(failing)),
        at_most(f"{kind}: stopped, or NaN", "", 0, sum(bool(r["error"]) for r in results)),
        _worst(kind, results, "gain", "energy that appears in the quiet phase", "J", GAIN_MAX),
        _worst(kind, results, "ledger", "share of the energy exchanged that is missing", "", LEDGER_MAX),
        _worst(kind, depths, "diameters", "a node inside an obstacle", "diameters", DIAMETERS_MAX),
        at_most(f"{kind}: runs in which the tether passes a pole", "", 0, crossed),
        reported(f"{kind}: real-time factor, median", "", float(np.median(speeds))),
    ]


def _some(seeds: list[int]) -> str:
    return f"seeds {', '.join(map(str, seeds[:12]))}" if seeds else ""


def _worst(kind: str, results: list[Result], key: str, quantity: str, unit: str, limit: float) -> Row:
    worst = max(results, key=lambda r: float(r[key]))
    over = sum(r[key] > limit for r in results)
    note = f"seed {worst['seed']}; above: {over}"
    return at_most(f"{kind}: {quantity}, largest", unit, limit, float(worst[key]), note)
