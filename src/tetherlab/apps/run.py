"""The command `tetherlab run`: a scenario from file to report."""

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

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
    run ended otherwise, 2 if the scenario has a mistake, and 130 after Ctrl-C.

    Parameters
    ----------
    scenario
        A packaged scenario by its name, or a YAML file: a scenario, or what `tetherlab plan --out` wrote.
    set
        Change a value: KEY=VALUE, such as tether.length_m=12. May be given several times.
    seed
        Of the random numbers; a plan has none.
    folder
        Where the run is written; runs/SCENARIO-N unless given.
    report
        Write report.html as well.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from tetherlab.contracts.cloud_files import file_names
    from tetherlab.contracts.extras import MissingExtraError
    from tetherlab.contracts.outcome import Outcome
    from tetherlab.scenario.document import parse_assignments
    from tetherlab.scenario.runs import make_simulation

    console = Console()
    with console.status("reading the scenario"):
        simulation = make_simulation(scenario, parse_assignments(set), seed=seed)
    place = folder or next_folder(simulation.name)
    with console.status("compiling (the first time takes a minute)"):
        simulation.step()
    began, from_time = time.process_time(), simulation.time
    columns = (
        TextColumn(simulation.name),
        BarColumn(),
        TextColumn("{task.fields[text]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=1.0, text="")
        simulation.run(progress=lambda share, text: bar.update(task, completed=share, text=text))
    spent = max(time.process_time() - began, 1e-9)
    with undisturbed():
        log = simulation.log
        log.save(place)
    console.print(_metrics_table(log.metrics))
    console.print(log.outcome_sentence)
    console.print(f"simulated at {(simulation.time - from_time) / spent:.0f} times real time")
    console.print(f"log:    {place}")
    for file in file_names(log.maps).values():
        console.print(f"map:    {place / file}")
    if report:
        try:
            from tetherlab.apps.report_page import write_page

            with console.status("drawing the report"):
                page = write_page(log, place / "report.html")
            console.print(f"report: {page}")
        except MissingExtraError as error:  # the run counts, and its report can be drawn later
            print(f"tetherlab: no report: {error}", file=sys.stderr)
    if log.outcome is not Outcome.COMPLETED:
        sys.exit(130 if log.outcome is Outcome.STOPPED else 1)


@contextmanager
def undisturbed() -> Iterator[None]:
    """What is written here is written to its end: Ctrl-C comes afterwards."""
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt


def next_folder(name: str) -> Path:
    """runs/NAME-1, or the first number that is free."""
    number = 1
    while (place := Path("runs") / f"{name}-{number}").exists():
        number += 1
    return place


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
