"""The command `tetherlab`. Commands import what they need themselves, so that help is quick."""

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, NoReturn

from cyclopts import App, Parameter

from tetherlab import __version__
from tetherlab.apps.calibrate import calibrate
from tetherlab.apps.localize import localize
from tetherlab.apps.plan import plan
from tetherlab.apps.power import power
from tetherlab.apps.replay_failure import replay_failure
from tetherlab.apps.reports import compare, report
from tetherlab.apps.reproduce import reproduce
from tetherlab.apps.run import run
from tetherlab.apps.scenarios import scenarios
from tetherlab.apps.view import view
from tetherlab.apps.warm_up import warm_up
from tetherlab.apps.workspace import workspace
from tetherlab.contracts.errors import InputError, SimulationError
from tetherlab.contracts.files import why_not

app = App(
    name="tetherlab",
    help="Simulate robots on a tether.",
    version=__version__,
    suppress_keyboard_interrupt=False,  # `main` has a word for it
)
bench = App(name="bench", help="Time this engine: beside its peers on the same work, and in a whole run.")
app.command(bench)
for command in (
    run,
    view,
    report,
    compare,
    reproduce,
    scenarios,
    calibrate,
    localize,
    workspace,
    power,
    plan,
    replay_failure,
    warm_up,
):
    app.command(command)

MANY = Parameter(consume_multiple=True, negative=())


@bench.command
def tether(
    *,
    length_m: Annotated[tuple[float, ...], MANY] = (12.0, 18.45),
    element_m: Annotated[tuple[float, ...], MANY] = (0.20, 0.15, 0.10, 0.05),
    engine: Annotated[tuple[str, ...], MANY] = ("tetherlab", "mujoco-flex", "moordyn", "mujoco-chain"),
    repeats: int = 5,
    quick: bool = False,
    json: Path | None = None,
    markdown: Path | None = None,
    tune: Path | None = None,
) -> None:
    """Run the tether and its peers on one scene; print errors, speeds and ratios.

    Example: tetherlab bench tether --element-m 0.2 0.1 --json bench.json

    A tether hangs between a fixed base and an end that flies a smooth path for ten seconds. Every engine
    takes its fastest setting with a shape error below 0.1 % of the length; ours may not exceed that of
    MuJoCo's flex. The first run of a length computes its reference solution, which takes half a minute.
    Ctrl-C prints the rows so far.

    Parameters
    ----------
    length_m
        Lengths of the tether.
    element_m
        Lengths of its elements.
    engine
        Engines to run.
    repeats
        Rounds of timing; the median is reported.
    quick
        One length, two elements, one round.
    json
        Write the rows to this file as well.
    markdown
        Write the table to this file as well.
    tune
        Instead of the bench, try many settings of the peers and write what was found to this JSON file.
    """
    from rich.console import Console

    from tetherlab.apps.bench import Row, run_tether_bench
    from tetherlab.apps.bench.table import markdown as as_markdown
    from tetherlab.apps.bench.table import rich_table, write_json

    if quick:
        length_m, element_m, repeats = length_m[:1], element_m[:1] + element_m[-2:-1], 1
    console = Console(markup=False)
    if tune is not None:
        from tetherlab.apps.bench.tune import run_tuning

        with console.status("") as status:
            run_tuning(tune, length_m[0], element_m, engine, status.update)
        console.print(f"wrote {tune}")
        return
    rows: list[Row] = []
    try:
        with console.status("") as status:
            run_tether_bench(length_m, element_m, repeats, engine, status.update, rows)
    except KeyboardInterrupt:
        console.print("stopped; the rows so far:")
    console.print(rich_table(rows))
    if json is not None:
        write_json(rows, json)
    if markdown is not None:
        markdown.write_text(as_markdown(rows), encoding="utf-8")


@bench.command(name="run")
def whole_run(*, repeats: int = 5, quick: bool = False) -> None:
    """Time a whole run, saving included; print times real time and where the time goes.

    Example: tetherlab bench run --quick

    The scenario `opposite` with elements of 0.10 m and all tables at 50 Hz, with the built-in controllers
    and with one in plain Python at 100 Hz. Ctrl-C prints the rows so far.

    Parameters
    ----------
    repeats
        Rounds of timing; the median is reported.
    quick
        One minute of the scenario, one round.
    """
    from rich.console import Console

    from tetherlab.apps.bench.whole_run import Row, rich_table, run_bench

    console, rows = Console(markup=False), list[Row]()
    try:
        with console.status("") as status:
            run_bench(1 if quick else repeats, quick, status.update, rows)
    except KeyboardInterrupt:
        console.print("stopped; the rows so far:")
    console.print(rich_table(rows))


def main() -> None:
    """Run the command; what a user can mend is said in one sentence."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whatever started us
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    if isinstance(sys.stdout, TextIOWrapper):  # names of files may hold what is no text
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except InputError as error:
        _end(f"tetherlab: {error}", 2)
    except SimulationError as error:
        _end(f"tetherlab: {error}", 1)
    except KeyboardInterrupt:  # where there is nothing to keep yet
        _end("tetherlab: stopped", 130)
    except BrokenPipeError:  # nobody listens any more, as after `| head`
        _close_stdout()
        sys.exit(141)
    except OSError as error:  # a disk that is full, a folder that has gone, ...
        paths = [str(path) for path in (error.filename, error.filename2) if path is not None]
        _end(f"tetherlab: {' -> '.join(paths) or 'standard output'}: {why_not(error)}", 1)


def _end(sentence: str, code: int) -> NoReturn:
    """Say it, if anyone can hear it, and leave."""
    with suppress(OSError):
        print(sentence, file=sys.stderr, flush=True)
    try:
        sys.stdout.flush()
    except OSError:
        _close_stdout()
    sys.exit(code)


def _close_stdout() -> None:
    """Let Python flush to nowhere when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
