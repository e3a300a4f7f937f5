"""The closed-form curves in extreme cases, and a million of them at once."""

import time
from collections.abc import Callable

import numpy as np

import tetherlab as tl
from validation.table import Row, Study, at_most, reported

# name: end [m], length [m]; the base is the origin
CASES = {
    "20 % slack": ((10.0, 0.0, 3.0), 12.5),
    "a millionth of slack": ((10.0, 0.0, 0.0), 10.00001),
    "1e-12 of slack": ((10.0, 0.0, 0.0), 10.0 * (1.0 + 1e-12)),
    "ends 1 mm apart, 100 m of tether": ((1e-3, 0.0, 0.0), 100.0),
    "one straight above the other": ((0.0, 0.0, 5.0), 8.0),
    "almost straight above": ((1e-9, 0.0, 5.0), 8.0),
    "steep and almost taut": ((1e-3, 0.0, 100.0), 100.0001),
    "one millimetre": ((6e-4, 0.0, 3e-4), 1e-3),
    "ten kilometres": ((6e3, 5e3, 2e3), 1e4),
}
COUNT = 1_000_000
NEARLY = 1e-10  # of the length


def run(say: Callable[[str], None]) -> Study:
    """Closure and length of single curves, residuals and time of a large batch."""
    study = Study(
        title="Catenary",
        model=(
            "`tl.Catenary` between two points in extreme cases, and a random batch of a million (spans "
            "and heights to 30 m, slack from 0.001 % to tenfold)."
        ),
        truth=(
            "The curve must end at its end, and its chords must add up to its length; in the batch, √(L² "
            "− h²) = 2a sinh(d/2a), in double precision."
        ),
    )
    say("extreme cases")
    closure, excess = {}, {}
    for name, (end, length) in CASES.items():
        curve = tl.Catenary.between((0.0, 0.0, 0.0), end, length)
        # The end itself is given, so look just before it: no farther away than the arc that is left.
        gap = float(np.linalg.norm(curve.position(length * (1.0 - NEARLY)) - end)) / length
        closure[name] = max(0.0, gap - NEARLY)
        points = curve.sample(20_001)
        excess[name] = abs(float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum()) / length - 1.0)
    worst, longest = (max(found, key=found.__getitem__) for found in (closure, excess))
    study.rows += [
        at_most("largest closure error of extreme cases", "of length", 1e-12, closure[worst], worst),
        at_most("largest error of the length of 20 000 chords", "of length", 1e-6, excess[longest], longest),
    ]
    say("a million")
    study.rows += batch()
    return study


def batch() -> list[Row]:
    """Residual of the defining equation, and CPU time."""
    random = np.random.default_rng(1)
    ends = random.uniform(-30.0, 30.0, (COUNT, 3))
    lengths = np.linalg.norm(ends, axis=1) * (1.0 + 10.0 ** random.uniform(-5.0, 1.0, COUNT))
    tl.Catenary.batch((0.0, 0.0, 0.0), ends[:2], lengths[:2])  # compiled
    begin = time.process_time()
    curves = tl.Catenary.batch((0.0, 0.0, 0.0), ends, lengths)
    spent = time.process_time() - begin
    span = np.hypot(ends[:, 0], ends[:, 1])
    wanted = np.sqrt((lengths - ends[:, 2]) * (lengths + ends[:, 2]))
    with np.errstate(over="ignore"):
        found = 2.0 * curves.parameter * np.sinh(0.5 * span / curves.parameter)
    usable = np.isfinite(found)
    residual = np.abs(found[usable] / wanted[usable] - 1.0)
    return [
        at_most("a million: largest residual", "", 1e-12, float(residual.max()), f"{usable.sum()} rows"),
        reported("a million: CPU time of one thread", "s", spent, "depends on the machine"),
    ]
