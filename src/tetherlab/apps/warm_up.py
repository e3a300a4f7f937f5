"""The command `tetherlab warm-up`: compile what runs need before somebody waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

BRIEF = 1.0  # s of each scenario, by which it has called nearly all of its compiled functions
WHOLE = "theatre"  # flown to its end, which calls the rest
ON_BOARD = {"controller.type": "model", "sensing": "on_board"}  # of a robot in the canopy


def warm_up() -> None:
    """Compile the engine now, so that later runs start at once.

    Example: tetherlab warm-up

    Each packaged scenario is begun, one is flown to its end, and all are saved to a folder that is thrown
    away. What is compiled is kept in a cache, which lasts until the package is updated.
    """
    import time

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from tetherlab.contracts.extras import MissingExtraError
    from tetherlab.math.compile_notice import COUNT

    console = Console(markup=False)
    COUNT.said = True  # the bar says it
    began, skipped = time.process_time(), dict[str, list[str]]()
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as bar:
        work = list(_work())
        task = bar.add_task("", total=len(work))
        for name, do in work:
            bar.update(task, description=f"compiling what {name} needs")
            try:
                do()
            except MissingExtraError as error:
                skipped.setdefault(str(error), []).append(name)
            bar.advance(task)
        bar.update(task, description="done")
    for sentence, names in skipped.items():
        console.print(f"left out {', '.join(names)}: {sentence}", soft_wrap=True, markup=False)
    spent = time.process_time() - began
    if COUNT.functions == 0:
        console.print(f"nothing to compile: all was in the cache ({spent:.0f} s of CPU time to look)")
    else:
        console.print(
            f"compiled {COUNT.functions} functions in {COUNT.seconds:.0f} s of {spent:.0f} s CPU time; "
            "runs read them from the cache"
        )


def _work() -> Iterator[tuple[str, Callable[[], None]]]:
    """What is to be done, each with a name."""
    from tetherlab.scenario.library import packaged

    yield "a tether in Python", _tether
    for name in packaged("scenarios"):
        yield name, partial(_begin, name, {})
    yield "canopy_outdoor, on board,", partial(_begin, "canopy_outdoor", ON_BOARD)
    yield "localisation", _localise
    for name in packaged("plans"):
        yield f"the plan {name}", partial(_carry_out, name)


def _tether() -> None:
    import tetherlab as tl

    spec = tl.TetherSpec(linear_density=0.03, diameter=0.006)
    for world in (None, tl.World.ground()):
        tether = tl.Tether(spec, base=(0, 0, 1), end=(3, 0, 2), length=4.0, world=world)
        tether.step(0.01)
        tl.TetherBatch([tether, tether]).step(0.01)


def _localise() -> None:
    from tetherlab.estimation import CatenaryLocalizer, Measurement

    CatenaryLocalizer().update(Measurement.from_angles(10.0, 0.5, 0.26, 0.44))
    _begin("tether_inertial", {"localisation": {"sensors": "tether_inertial", "method": "ekf"}})


def _begin(name: str, changes: dict[str, Any]) -> None:
    from tetherlab.assembly.runs import make_simulation

    simulation: Any = make_simulation(name, changes)
    simulation.run(until=None if name == WHOLE else BRIEF)
    with TemporaryDirectory() as folder:
        simulation.log.save(Path(folder) / "run")


def _carry_out(name: str) -> None:
    from tetherlab.assembly.team_simulation import TeamSimulation
    from tetherlab.planning.cooperative import plan
    from tetherlab.scenario.team_plan import TeamPlan
    from tetherlab.scenario.team_problem import TeamProblem

    given = TeamProblem.load(name)
    found = plan(given.problem, automata=given.automata, cells=given.search.cells, explain=False)
    simulation = TeamSimulation(TeamPlan.of(given, found))
    simulation.run()
    with TemporaryDirectory() as folder:
        simulation.log.save(Path(folder) / "run")
