"""The file study: is there a file that crashes the process, or costs more than it may?

Each case is a good file that was spoiled at random. It is read and used in a process of its own, and shall
come to a good end or to one sentence: no other exception, no signal, at most 1 GB and 20 s of CPU time. Run

    python -m validation.file_fuzz --count 500 --kinds scenario --keep spoiled
    python -m validation.file_fuzz --kinds map --first 17 --count 1

Ctrl-C stops early. Files that failed are kept, their seeds printed.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from validation.file_mutations import KINDS, make_corpus, spoil

GOOD, REFUSED, FAILED = "good", "refused", "failed"
CPU_MAX = 20.0  # of a case [s]
MEMORY_MAX = 2**30  # of a case, beside what the process has [bytes]
ADDRESSES_MAX = 6 * 2**30  # beside what the process has [bytes]
WALL_MAX = 600.0  # after which a process that does nothing is given up [s]
SIMULATED, PLANNED = 0.25, 1.0  # [s]
SENTENCE_MAX = 20_000  # characters of all problems of a file
LINE_MAX = 1500  # and of one
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Verdict:
    """How a case ended."""

    kind: str
    seed: int
    end: str  # GOOD, REFUSED or FAILED
    said: str
    cpu: float = 0.0  # [s]
    memory: int = 0  # [bytes]

    def __str__(self) -> str:
        cost = f"{self.cpu:.1f} s, {self.memory / 2**20:.0f} MB"
        return f"{self.kind} {self.seed}: {self.end}, {cost}: {self.said}"


def use(kind: str, path: Path) -> None:
    """Read a file as the commands do, and use what is in it."""
    {
        "scenario": _use_scenario,
        "map": _use_map,
        "checkpoint": _use_checkpoint,
        "table": _use_table,
        "run": _use_run,
        "model": _use_model,
    }[kind](path)


def _use_scenario(path: Path) -> None:
    from tetherlab.assembly.runs import make_simulation

    simulation: Any = make_simulation(path)
    while simulation.time < SIMULATED and simulation.step():
        pass
    _ = simulation.log


def _use_map(path: Path) -> None:
    import numpy as np

    import tetherlab as tl

    if path.suffix == ".npy":
        relief = {
            "type": "relief",
            "file": path.name,
            "origin_m": [0, 0, 0],
            "spacing_m": 0.1,
            "thickness_m": 1,
        }
        world = tl.World.from_dict({"shapes": [relief]}, folder=path.parent)
    else:
        coarse = path.suffix in (".stl", ".obj", ".ply") and path.name != "text.ply"  # which goes by its size
        world = tl.World.load(path, resolution=0.1 if coarse else None)
    points = np.array([[0.0, 0.0, 0.0], [1.0, -2.0, 0.5], [1e6, 0.0, 0.0]])
    world.distance(points)
    world.gradient(points)
    world.raycast(points[1], (1.0, 0.2, -0.1), 50.0)


def _use_checkpoint(path: Path) -> None:
    import tetherlab as tl

    simulation = tl.Simulation.resume(path)
    if simulation.outcome is None:
        with suppress(tl.SimulationError):  # of a scene in a state that is allowed, yet cannot go on
            simulation.run(until=simulation.time + SIMULATED)
    _ = simulation.log


def _use_table(path: Path) -> None:
    import tetherlab as tl
    from tetherlab.contracts.csv_files import read_csv
    from tetherlab.contracts.measurement_rows import read_measurements
    from tetherlab.metrics import all_metrics
    from tetherlab.scenario.trajectory import load_trajectory
    from tetherlab.sensors.calibration_fit import fit_samples
    from tetherlab.sensors.calibration_samples import read_samples

    if path.name == "trajectory.csv":
        load_trajectory(path)
    elif path.name == "measurements.csv":
        with suppress(tl.InputError):  # which ends with the first bad line, while the command goes on
            list(read_measurements(path))
        _localize(path)
    elif path.name.endswith("_samples.csv"):
        for samples in read_samples(path, path.name.removesuffix("_samples.csv")):
            fit_samples(samples)
    else:
        with suppress(tl.InputError):  # it may still be the file of another program
            read_csv(path)
        all_metrics(tl.Log.from_csv({path.stem: path}))


def _localize(path: Path) -> None:
    """As the command does; exit code 1 is a good end: most lines were skipped."""
    from tetherlab.apps.localize import localize

    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            localize(path, out=path.with_name("estimates_found.csv"))
        except SystemExit as end:
            if end.code != 1:
                raise


def _use_run(path: Path) -> None:
    import tetherlab as tl
    from tetherlab.metrics import all_metrics
    from tetherlab.report import write_report

    log = tl.Log.load(path)
    all_metrics(log)
    log.save(path.with_name("again"))
    if path.name == "windy.run":
        write_report(log, path.with_name("report.html"))


def _use_model(path: Path) -> None:
    import numpy as np

    import tetherlab as tl
    from tetherlab.estimation.decision_tree import DecisionTree
    from tetherlab.estimation.sparse_gp import SparseGp
    from tetherlab.planning.automata.file import load_automaton
    from tetherlab.planning.cooperative import plan
    from tetherlab.scenario.team_problem import TeamProblem
    from tetherlab.sensors.calibration import Calibration

    if path.suffix == ".model":
        model: Any = (DecisionTree if path.stem == "tree" else SparseGp).load(path)
        model.predict(np.zeros(2) if path.stem == "tree" else np.zeros((1, 2)))
    elif path.name.endswith(".calibration.yaml"):
        calibration = Calibration.load(path)
        for law in calibration.sensors.values():
            law.value(3.0)
    elif path.name.endswith(".problem.yaml"):
        given = TeamProblem.load(path)
        plan(given.problem, automata=given.automata, cells=given.search.cells, time_limit=PLANNED)
    elif path.name.endswith(".columns.yaml"):
        good = path.with_name("uav.csv")
        good.write_text("time_s,x_m,z_m\n0,1,2\n1,2,3\n")
        tl.Log.from_csv({"uav": good}, path)
    else:
        load_automaton(path)


def _work(connection: Any) -> None:
    """The process that reads: takes (kind, path) and answers with how it ended."""
    import tetherlab as tl

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    limit = _status("VmSize") + ADDRESSES_MAX
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    connection.send("ready")
    while True:
        kind, path = connection.recv()
        with suppress(OSError):  # where it may not be done, the highest of all cases counts
            Path("/proc/self/clear_refs").write_text("5")  # the highest memory is that of now
        before, began = _status("VmRSS"), time.process_time()
        try:
            use(kind, path)
            end, said = GOOD, ""
        except tl.InputError as error:
            end, said = REFUSED, str(error)
            if not said.strip() or len(said) > SENTENCE_MAX or max(map(len, said.split("\n"))) > LINE_MAX:
                end, said = FAILED, f"a sentence of {len(said)} characters: {said[:300]}"
        except BaseException as error:
            frames = traceback.extract_tb(error.__traceback__)[-4:]
            where = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames))
            end, said = FAILED, f"{type(error).__name__}: {str(error)[:300]} at {where}"
        connection.send((end, said, time.process_time() - began, max(_status("VmHWM") - before, 0)))


def _status(name: str) -> int:
    """A line of the process's status [bytes]."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(name)


class Reader:
    """A process that reads files, started again when it dies."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._start()

    def _start(self) -> None:
        self._pipe, theirs = self._context.Pipe()
        self._process = self._context.Process(target=_work, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._pipe.recv()

    def read(self, kind: str, seed: int, path: Path) -> Verdict:
        """Let it read and use a file."""
        began, cpu = time.monotonic(), self._cpu()
        self._pipe.send((kind, path))
        said = ""
        while not said:
            try:
                if self._pipe.poll(0.2):
                    end, text, used, memory = self._pipe.recv()
                    verdict = Verdict(kind, seed, end, text, used, memory)
                    if used > CPU_MAX:
                        return _failed(verdict, f"took {used:.1f} s of CPU time")
                    if memory > MEMORY_MAX:
                        return _failed(verdict, f"took {memory / 2**20:.0f} MB")
                    return verdict
            except (EOFError, ConnectionResetError):
                self._process.join()
                said = f"ended by signal {-(self._process.exitcode or 0)}"
                break
            if self._cpu() - cpu > 1.5 * CPU_MAX:
                said = f"takes more than {1.5 * CPU_MAX:g} s of CPU time"
            elif time.monotonic() - began > WALL_MAX:
                said = f"does nothing for {WALL_MAX:g} s"
        self.stop()
        self._start()
        return Verdict(kind, seed, FAILED, said)

    def _cpu(self) -> float:
        """CPU time that the process has taken so far [s]."""
        try:
            words = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(words[11]) + int(words[12])) / TICKS

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()


def _failed(verdict: Verdict, why: str) -> Verdict:
    said = f"{why}; {verdict.end}: {verdict.said}"
    return Verdict(verdict.kind, verdict.seed, FAILED, said, verdict.cpu, verdict.memory)


def prepare(corpus: Path) -> None:
    """Write the good files, unless they are there."""
    if not (corpus / "complete").exists():
        make_corpus(corpus)
        (corpus / "complete").touch()


def fuzz(
    cases: Iterable[tuple[str, int]],
    corpus: Path,
    keep: Path,
    *,
    seconds: float = float("inf"),
    say: Callable[[Verdict], None] = lambda verdict: None,
) -> list[Verdict]:
    """Read the cases (kind, seed) one after another; bad files are kept.

    seconds: of CPU time after which no other case is begun; nor is one after four times as long by the clock.
    """
    verdicts: list[Verdict] = []
    prepare(corpus)
    reader = Reader()
    clock, own = time.monotonic(), time.process_time()
    try:
        for kind, seed in cases:
            used = time.process_time() - own + sum(verdict.cpu for verdict in verdicts)
            if used > seconds or time.monotonic() - clock > 4.0 * seconds:
                break
            with tempfile.TemporaryDirectory() as folder:
                path = spoil(corpus, kind, seed, Path(folder))
                verdict = reader.read(kind, seed, path)
                if verdict.end == FAILED:
                    kept = keep / f"{kind}-{seed}" / path.name
                    shutil.rmtree(kept.parent, ignore_errors=True)
                    kept.parent.mkdir(parents=True)
                    (shutil.copytree if path.is_dir() else shutil.copy)(path, kept)
            verdicts.append(verdict)
            say(verdict)
    finally:
        reader.stop()
    return verdicts


def summary(verdicts: Sequence[Verdict]) -> str:
    """How many of each kind ended how, one line each."""
    lines = []
    for kind in dict.fromkeys(verdict.kind for verdict in verdicts):
        mine = [verdict for verdict in verdicts if verdict.kind == kind]
        ends = Counter(verdict.end for verdict in mine)
        most = max(verdict.memory for verdict in mine) / 2**20
        lines.append(
            f"{kind}: {len(mine)} files, {ends[GOOD]} good, {ends[REFUSED]} refused, {ends[FAILED]} failed; "
            f"at most {max(verdict.cpu for verdict in mine):.1f} s and {most:.0f} MB"
        )
    return "\n".join(lines)


def main() -> int:
    """Run what was asked for; the exit code is 1 if a case failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS), metavar="KIND")
    parser.add_argument("--first", type=int, default=0, help="seed")
    parser.add_argument("--count", type=int, default=200, help="of each kind")
    parser.add_argument("--keep", type=Path, default=Path("spoiled"), help="folder for files that failed")
    parser.add_argument("--corpus", type=Path, help="folder of good files, made if it is not there")
    parser.add_argument("--verbose", action="store_true", help="say how every case ended")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        seeds = range(chosen.first, chosen.first + chosen.count)
        verdicts: list[Verdict] = []

        def say(verdict: Verdict) -> None:
            verdicts.append(verdict)
            if chosen.verbose or verdict.end == FAILED:
                print(verdict, flush=True)

        try:
            cases = ((kind, seed) for kind in chosen.kinds for seed in seeds)
            fuzz(cases, chosen.corpus or Path(folder), chosen.keep, say=say)
        except KeyboardInterrupt:
            print("stopped")
    print(summary(verdicts))
    return int(any(verdict.end == FAILED for verdict in verdicts))


if __name__ == "__main__":
    sys.exit(main())
