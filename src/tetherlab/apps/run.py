"""The command `tetherlab run`: a scenario from file to report."""

import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

SHOWN = (
    "sim_time_s", "targets_reached", "targets", "walls_mapped", "walls", "wall_seen_m2", "wall_seen_percent",
    "row_overlap_min_percent", "wall_hole_max_m2", "map_error_rms_m", "map_error_max_m", "dist_uav_m",
    "dist_ugv_m", "tether_released_m", "tether_collected_m", "cat_error_percent",
    "cat_error_arc_percent", "track_rmse_uav_m", "track_rmse_ugv_m", "slack_mean_percent",
    "tension_max_winch_N", "tension_max_uav_N", "winch_energy_in_J", "min_dist_m", "energy_Wh",
    "loss_share_percent", "voltage_min_V", "theta_error_max_deg", "theta_error_sigma_deg",
    "theta_error_rms_deg", "heading_error_max_deg", "heading_error_sigma_deg", "heading_error_rms_deg",
    "length_error_max_m", "length_error_sigma_m", "length_error_rms_m",
    "tension_max_robot_N", "pitch_min_deg", "pitch_max_deg", "shell_contacts", "shell_force_max_N",
    "thrust_impulse_N_s", "thrust_energy_J", "steps", "steps_carried_out", "step_error_max_m", "perch_max_N",
)  # fmt: skip


def run(
    scenario: str,
    /,
    *,
    set: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    seed: int | None = None,
    folder: Path | None = None,
    report: bool = True,
) -> None:
    """Run a scenario, or carry out a plan, and write its log and report.

    Example: tetherlab run theatre --set tether.element_length_m=0.1 --seed 3

    Ctrl-C stops the run and keeps what there is. The exit code is 0 if the mission was completed, 1 if the
    run ended otherwise or could not be saved where it should, 2 if the scenario or the folder has a mistake,
    and 130 after Ctrl-C.

    Parameters
    ----------
    scenario
        A packaged scenario by its name, or a YAML file: a scenario, or what `tetherlab plan --out` wrote.
    set
        Change a value: KEY=VALUE, such as tether.length_m=12. May be given several times.
    seed
        Of the random numbers; a plan has none.
    folder
        Where the run is written, a folder that holds no run yet; runs/SCENARIO-N unless given, with the first
        number that is free.
    report
        Write report.html as well.
    """
    from rich.console import Console

    from tetherlab.assembly.runs import load_scenario, make_simulation
    from tetherlab.contracts.cloud_files import file_names
    from tetherlab.contracts.extras import MissingExtraError
    from tetherlab.contracts.files import why_not
    from tetherlab.contracts.outcome import Outcome
    from tetherlab.contracts.run_folders import RunFolder
    from tetherlab.scenario.document import parse_assignments

    console = Console(markup=False)
    with console.status("reading the scenario"):
        loaded = load_scenario(scenario, parse_assignments(set))
    name = os.fsencode(Path(scenario).stem).decode(errors="replace")  # text, whatever the file is called
    with RunFolder.numbered(name) if folder is None else RunFolder.at(folder) as claimed:
        with console.status("building the scenario") as status, announcing(status.update):
            simulation = make_simulation(loaded, seed=seed)
        simulation.name, simulation.failure_folder = name, claimed.path
        with console.status("compiling (the first time takes a minute)"):
            simulation.step()
        try:
            speed = _run(console, simulation)
        finally:  # also if the terminal has gone: what was computed is kept
            with undisturbed() as pressed:
                log = simulation.log
                place = claimed.save(log)
        console.print(_metrics_table(log.metrics))
        console.print(log.outcome_sentence, soft_wrap=True)
        console.print(speed, soft_wrap=True)
        if claimed.trouble:
            print(f"tetherlab: {claimed.trouble}; the run was saved in {place}", file=sys.stderr)
        console.print(f"log:    {place}", soft_wrap=True)
        for file in file_names(log.maps).values():
            console.print(f"map:    {place / file}", soft_wrap=True)
        if pressed:
            raise KeyboardInterrupt
        if report:
            try:
                from tetherlab.apps.report_page import write_page

                with console.status("drawing the report"):
                    page = write_page(log, place / "report.html")
                console.print(f"report: {page}", soft_wrap=True)
            except MissingExtraError as error:  # the run counts, and its report can be drawn later
                print(f"tetherlab: no report: {error}", file=sys.stderr)
            except OSError as error:
                reason = f"{error.filename or place}: {why_not(error)}"
                later = f"the run is in {place}, and `tetherlab report` draws it"
                print(f"tetherlab: no report: {reason}; {later}", file=sys.stderr)
                sys.exit(1)
    if log.outcome is not Outcome.COMPLETED:
        sys.exit(130 if log.outcome is Outcome.STOPPED else 1)
    if claimed.trouble:
        sys.exit(1)


def _run(console: Any, simulation: Any) -> str:
    """Run to the end, with a bar; returns how fast it was, a sentence."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[text]}", markup=False),
        TimeElapsedColumn(),
    )
    began, from_time = time.perf_counter(), simulation.time
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(simulation.name, total=1.0, text="")
        simulation.run(progress=lambda share, text: bar.update(task, completed=share, text=text))
        spent = time.perf_counter() - began
    simulated = simulation.time - from_time
    if simulated <= 0.0:
        return "the run ended in its first step, which is too short to be timed"
    return (
        f"simulated {simulated:.1f} s in {spent:.1f} s: {simulated / max(spent, 1e-9):.3g} times real time "
        "by the wall clock, without compiling and saving"
    )


@contextmanager
def announcing(say: Callable[[str], None]) -> Iterator[None]:
    """Show what the package has to say meanwhile, such as that something takes long."""

    from rich.markup import escape

    class Shown(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            say(escape(record.getMessage()))

    logger, handler = logging.getLogger("tetherlab"), Shown()
    logger.addHandler(handler)
    propagates, logger.propagate = logger.propagate, False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagates


@contextmanager
def undisturbed() -> Iterator[list[int]]:
    """Defers Ctrl-C until the file is complete: then the yielded list is not empty."""
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


def _metrics_table(metrics: dict[str, float]) -> object:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from tetherlab.metrics import NAMED

    table = Table("metric", "value", box=SIMPLE_HEAD)
    table.columns[1].justify = "right"
    for name in (*SHOWN, *(name for name in metrics if name.startswith(tuple(NAMED)))):
        if name in metrics:
            table.add_row(name, f"{metrics[name]:.4g}")
    return table
