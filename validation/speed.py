"""What a user waits for: import, first compile, cached start, and many tethers at once."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import tetherlab as tl
from validation.table import Row, Study, at_least, at_most, reported

START = """
import numpy as np, tetherlab as tl
world = tl.World([tl.shapes.Box(lower=(-1.0, -1.0, -2.0), upper=(0.0, 1.0, 0.0))])
tether = tl.Tether(tl.TetherSpec(linear_density=0.0667, diameter=0.008), base=(1.0, 0.0, 1.0),
                   end=(6.0, 0.0, 1.0), length=6.0, world=world)
tether.step(0.01)
"""
RUN = """
import tetherlab as tl
from tetherlab.math.compile_notice import COUNT
tl.run("theatre", folder="run")
print(COUNT.functions)
"""


def run(say: Callable[[str], None]) -> Study:
    """Each start in a process of its own."""
    study = Study(
        title="Speed of starting",
        model=(
            "A fresh Python process each time. First start: an empty compile cache, a tether is made "
            "beside a box and stepped once. `tetherlab warm-up` starts from another empty cache and leaves "
            "what a run of `theatre` then finds. Times depend on the machine; the targets are for two cores "
            "of a shared one."
        ),
        truth=("CPU time (user and system) of the process; the median of three for the short ones."),
    )
    with tempfile.TemporaryDirectory() as cache:
        say("first start")
        first = _cpu(cache, "-c", START)
        say("later starts")
        later = sorted(_cpu(cache, "-c", START) for _ in range(3))[1]
        imported = sorted(_cpu(cache, "-c", "import tetherlab") for _ in range(3))[1]
        helped = sorted(_cpu(cache, "-m", "tetherlab", "--help") for _ in range(3))[1]
    with tempfile.TemporaryDirectory() as cache:
        say("warm-up")
        warmed = _cpu(cache, "-m", "tetherlab", "warm-up")
        left = int(_start(cache, "-c", RUN).split()[-1])
    study.rows += [
        at_most("`import tetherlab`", "CPU s", 1.0, imported),
        at_most("`tetherlab --help`", "CPU s", 1.0, helped),
        reported("`tetherlab warm-up`, everything compiled", "CPU s", warmed),
        at_most("functions that a run of `theatre` compiles after it", "", 0, left),
        at_most("first start, everything compiled", "CPU s", 30.0, first),
        at_most("later start, from the cache", "CPU s", 2.0, later),
    ]
    if hasattr(tl, "TetherBatch"):
        say("batch")
        study.rows.append(batch())
    return study


def batch(count: int = 64, calls: int = 200) -> Row:
    """Wall time of many tethers one after the other over that of a batch."""
    spec = tl.TetherSpec(linear_density=0.0667, diameter=0.008)
    world = tl.World()
    tethers = [
        tl.Tether(spec, base=(0.0, 0.0, 0.0), end=(10.0, 0.0, 0.0), length=11.0 + 0.02 * i, world=world)
        for i in range(count)
    ]
    together = tl.TetherBatch(tethers)
    together.step(0.01)  # compiled
    ratios = []
    for _ in range(5):
        begin = time.perf_counter()
        for tether in tethers:
            for _ in range(calls):
                tether.step(0.01)
        middle = time.perf_counter()
        for _ in range(calls):
            together.step(0.01)
        ratios.append((middle - begin) / (time.perf_counter() - middle))
    # Wall time: with other work on these cores there is nothing to be gained, and a reader should see that.
    load = f"load average {os.getloadavg()[0]:.1f}"
    note = f"{count} tethers of 11 to 12 m, {os.cpu_count()} cores, median of five, {load}"
    return at_least(
        "tl.TetherBatch: wall time one by one over that of the batch", "×", 1.7, sorted(ratios)[2], note
    )


def _cpu(cache: str, *arguments: str) -> float:
    """CPU seconds of a Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _start(cache, *arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _start(cache: str, *arguments: str) -> str:
    """Run Python in a folder for temporary files; what it prints."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        cwd=cache,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout
