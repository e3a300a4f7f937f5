"""A thousand random runs, some of them against the same in fine steps: about forty minutes on two cores."""

import os
from collections.abc import Callable

import numpy as np

from validation.fuzz import DEPTH_MAX, GAIN_MAX, STRAIN_RATIO_MAX, run_all
from validation.table import Row, Study, at_most, reported

SEEDS = 1000
REFERENCE_EVERY = 25


def run(say: Callable[[str], None]) -> Study:
    """All seeds, and the worst of each measure."""
    say(f"{SEEDS} runs")
    seeds = list(range(SEEDS))
    results = run_all(seeds, set(seeds[::REFERENCE_EVERY]), os.cpu_count() or 1, verbose=False)
    compared = [r for r in results if "strain_ratio" in r]
    study = Study(
        title="Random runs",
        model=(
            "Each seed draws a tether (EA 1 to 100 kN, damping none to strong, elements of 0.05 to 0.2 m),"
            " obstacles still and moving, and 3 s of violence: ends at up to 10 m/s with steps in velocity, "
            "reeling at up to 3 m/s, wind of 20 m/s. In 2 s of quiet that follow nothing does work, once the "
            "elements at the winch have taken up what it wound last."
        ),
        truth=(
            "In the quiet energy may only fall. Strain: a shadow in a tenth of the step that starts from the "
            f"run's own state every 0.1 s, for every {REFERENCE_EVERY}th seed; a run that is in fine steps"
            " from the start soon goes another way, as violent contact is chaotic."
        ),
    )
    failing = [int(r["seed"]) for r in results if r["reasons"]]
    study.rows = [
        reported("runs", "", str(len(results)), f"{len(compared)} of them with a shadow"),
        at_most("runs that break any of the limits below", "", 0, len(failing), _some(failing)),
        at_most("stopped, or NaN", "", 0, sum(bool(r["error"]) for r in results)),
        _worst(results, "gain", "energy that appears in the quiet", "J", GAIN_MAX),
        _worst(results, "depth", "a node inside an obstacle", "m", DEPTH_MAX),
        at_most("runs in which the tether passes a pole", "", 0, sum(r["crossings"] > 0 for r in results)),
        _worst(compared, "strain_ratio", "largest strain over that of the shadow", "", STRAIN_RATIO_MAX),
        reported("the same, median", "", float(np.median([r["strain_ratio"] for r in compared]))),
        reported("real-time factor, median", "", float(np.median([r["real_time_factor"] for r in results]))),
    ]
    return study


def _some(seeds: list[int]) -> str:
    return f"seeds {', '.join(map(str, seeds[:12]))}" if seeds else ""


def _worst(results: list[dict], key: str, quantity: str, unit: str, limit: float) -> Row:
    worst = max(results, key=lambda r: float(r[key]))
    over = sum(r[key] > limit for r in results)
    return at_most(
        f"{quantity}, largest", unit, limit, float(worst[key]), f"seed {worst['seed']}; above: {over}"
    )
