"""The command `tetherlab localize`: where a drone is, from a log of its tether's sensors or as they speak."""

from __future__ import annotations

import io
import math
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

if TYPE_CHECKING:
    from tetherlab.apps.estimate_file import EstimateFile
    from tetherlab.apps.localize_summary import Outcome
    from tetherlab.apps.raw_readings import RawReadings
    from tetherlab.apps.sensor_log import SensorLog
    from tetherlab.contracts.estimate import Estimator

ROWS_AT_ONCE = 4096


def localize(
    log: Path | None = None,
    /,
    *,
    live: bool = False,
    out: Path | None = None,
    method: str = "catenary",
    linear_density_kg_per_m: float | None = None,
    gravity_m_per_s2: float | None = None,
    drone_mass_kg: float | None = None,
    ground_m: float | None = None,
    tether_length_m: float | None = None,
    attachment_m: Annotated[tuple[float, float, float] | None, Parameter(negative=())] = None,
    age_max_s: float = 0.1,
    calibration: Path | None = None,
    noise: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    columns: Path | None = None,
    model: Path | None = None,
    figure: Path | None = None,
) -> None:
    """Tell where a drone is from its tether: length, and angles at both ends.

    Example: tetherlab localize flight.csv --linear-density-kg-per-m 0.022 --figure flight.svg

    Live: my_sensors | tetherlab localize --live

    The log is CSV with one row per message: time_s, length_m, azimuth_base_deg, elevation_base_deg,
    elevation_end_deg, and more; docs/localisation.md lists all. A line that cannot be read is named and
    skipped. Ctrl-C keeps what was written. The exit code is 0 if the log was read to its end, 1 if most of
    its lines were skipped, 2 if something is wrong with what was given, and 130 after Ctrl-C.

    Parameters
    ----------
    log
        CSV file, or the folder of a run with measurements.csv in it.
    live
        Read lines from standard input as they come and write one line per estimate to standard output.
    out
        CSV file to write; LOG_estimates.csv, or localized.csv in the folder of a run, unless given.
    method
        How to tell the position: catenary, ekf (with an IMU), selector, taut_line, taut_line_base,
        taut_line_mean, base_tension, elevation, thrust or fixed_length.
    linear_density_kg_per_m
        Of the tether; of a run as its scenario says, else 0.022.
    gravity_m_per_s2
        Of a run as its scenario says, else 9.80665.
    drone_mass_kg
        For thrust and elevation, and for ekf if the IMU fails; of a run as its scenario says.
    ground_m
        Height of the ground near the base; unless given, no tether is said to touch it.
    tether_length_m
        Of a tether that is not reeled, for fixed_length.
    attachment_m
        Where the tether is tied, from the drone's IMU, for ekf; of a run as its scenario says, else 0 0 0.
    age_max_s
        Where sensors send rows of their own: how old the last word of one may be; ekf has a rule of its own.
    calibration
        YAML file by which raw readings (base_azimuth_adc, length_counts ...) become angles and length.
        What it says of the noise of one reading is taken, too.
    noise
        Standard deviation of a sensor, KEY=VALUE, may be given several times: azimuth_deg,
        elevation_base_deg, azimuth_end_deg, elevation_end_deg, length_m, tension_N, attitude_deg ... Others
        as the calibration or the run says, else those of Table II of the paper.
    columns
        YAML file that says which column of the log is which of ours.
    model
        File of a learned correction (.npz), for catenary and ekf.
    figure
        Picture of the result to write: SVG, PNG or PDF.
    """
    from tetherlab.apps.noise_options import parse_noise
    from tetherlab.apps.raw_readings import RawReadings
    from tetherlab.apps.run_folder import sensing_of_run
    from tetherlab.apps.sensor_log import default_out, log_path
    from tetherlab.apps.written_files import refuse_overwriting
    from tetherlab.contracts import check
    from tetherlab.contracts.errors import InputError
    from tetherlab.estimation.build import Setup, build_estimator
    from tetherlab.estimation.filter import FilterSpec
    from tetherlab.estimation.sensing import Sensing

    if live == (log is not None):
        raise InputError("localize: give either a log, as in `tetherlab localize flight.csv`, or --live")
    if live and (out is not None or figure is not None):
        raise InputError("--live writes to standard output; leave out --out and --figure")
    given = {
        "linear_density": linear_density_kg_per_m,
        "gravity": gravity_m_per_s2,
        "drone_mass": drone_mass_kg,
        "ground": ground_m,
    }
    recorded = None if log is None or not log.is_dir() else log
    sensing, filter_spec = (Sensing(), FilterSpec()) if recorded is None else sensing_of_run(recorded)
    told = {name: check.number(name, value) for name, value in given.items() if value is not None}
    if attachment_m is not None:
        filter_spec = replace(filter_spec, attachment=attachment_m)
    raw = None if calibration is None else RawReadings.load(calibration)
    deviations = ({} if raw is None else raw.calibration.noise()) | parse_noise(noise)
    setup = Setup(
        sensing=replace(sensing, **told, noise=replace(sensing.noise, **deviations)),
        length=math.nan if tether_length_m is None else tether_length_m,
        filter=filter_spec,
        age_max=age_max_s,
        model=model,
    )
    estimator = build_estimator(method, setup)
    if log is None:
        _live(estimator, method, columns, raw)
    else:
        if figure is not None:
            from tetherlab.report.localisation_figure import check_ending

            check_ending(figure)
        path, place = log_path(log), out or default_out(log)
        refuse_overwriting(
            {"--out": place, "--figure": figure},
            {"the log": path, "--calibration": calibration, "--columns": columns, "--model": model},
        )
        _whole(log, path, place, estimator, method, columns, raw, figure)


def _whole(
    log: Path,
    path: Path,
    place: Path,
    estimator: Estimator,
    method: str,
    columns: Path | None,
    raw: RawReadings | None,
    figure: Path | None,
) -> None:
    """A log from its first to its last line."""
    from rich.console import Console
    from rich.progress import Progress

    from tetherlab.apps.estimate_file import EstimateFile
    from tetherlab.apps.localize_summary import Outcome, print_summary
    from tetherlab.apps.run_folder import truth_of_run
    from tetherlab.apps.sensor_log import SensorLog, few, lines_of
    from tetherlab.apps.written_files import make_room, save_file
    from tetherlab.contracts.errors import InputError
    from tetherlab.contracts.file_reading import naming
    from tetherlab.contracts.files import replacing

    console = Console(markup=False)
    outcome = Outcome(log.name, method, truth_of_run(log) if log.is_dir() else None, figure is not None)
    stopped, written = False, None
    aside = Console(stderr=True, markup=False)
    with Progress(console=aside, transient=True, disable=not aside.is_terminal) as bar, naming(path):
        task = bar.add_task(path.name, total=1.0)
        lines = lines_of(path, lambda share: bar.update(task, completed=share))
        complain = few(lambda sentence: bar.console.print(f"{path}: {sentence}", soft_wrap=True))
        source = SensorLog(lines, method, columns=columns, raw=raw, complain=complain)
        make_room(place)
        try:
            with replacing(place, binary=True) as file:
                written = EstimateFile(file)
                stopped = _answer(source, estimator, written, outcome)
                if not outcome.count:
                    bad = source.skipped
                    lost = f"; {bad} line{'s were' if bad > 1 else ' was'} skipped" if bad else ""
                    raise InputError(f"no row could be read{lost}")
                if written.trouble is not None:
                    raise written.trouble
        except OSError:
            if written is None or not outcome.count:
                raise
            place = save_file(place, written.save)
    outcome.end_with(source)
    print_summary(console, outcome)
    if raw is not None and raw.warning:
        console.print(raw.warning, highlight=False, soft_wrap=True)
    console.print(f"estimates: {place}", soft_wrap=True)
    if figure is not None:
        from tetherlab.report.localisation_figure import write_figure

        table, truth, base = outcome.kept
        picture = write_figure(table, figure, truth, base)
        console.print(f"figure:    {picture}", soft_wrap=True)
    if stopped:
        console.print("stopped by Ctrl-C; what was read so far is written")
        sys.exit(130)
    if outcome.most_skipped:
        sys.exit(1)


def _answer(source: SensorLog, estimator: Estimator, written: EstimateFile, outcome: Outcome) -> bool:
    """Estimates of all rows, a block at a time; whether Ctrl-C was pressed."""
    import numpy as np

    from tetherlab.apps.run import undisturbed
    from tetherlab.contracts.estimate_rows import estimate_row, estimate_text
    from tetherlab.contracts.measurement import ORIGIN

    unknown = (math.nan,) * 3
    rows: list[tuple[float, ...]] = []
    places: list[tuple[float, ...]] = []

    def keep() -> bool:
        with undisturbed() as pressed:
            if rows:
                written.write("".join(map(estimate_text, rows)))
                outcome.add(np.array(rows), np.array(places[: len(rows)]))
            rows.clear()
            places.clear()
        return bool(pressed)

    try:
        for arrival in source:
            row = estimate_row(arrival.time, estimator.update(arrival.measurement))
            base, truth = arrival.measurement.base, arrival.truth
            places.append((*(unknown if truth is None else truth), *(unknown if base is ORIGIN else base)))
            rows.append(row)
            if len(rows) == ROWS_AT_ONCE and keep():
                return True
    except KeyboardInterrupt:
        keep()
        return True
    return keep()


def _live(estimator: Estimator, method: str, columns: Path | None, raw: RawReadings | None) -> None:
    """Line by line from standard input to standard output."""
    from tetherlab.apps.sensor_log import SensorLog
    from tetherlab.contracts.columns import COLUMNS
    from tetherlab.contracts.estimate_rows import estimate_row, estimate_text
    from tetherlab.contracts.file_reading import text_lines
    from tetherlab.contracts.measurement import Measurement

    def complain(sentence: str) -> None:
        print(f"tetherlab: {sentence}", file=sys.stderr, flush=True)

    count, source, stopped = 0, None, False
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # a damaged byte costs its line only
    try:
        # What must be compiled is compiled before the first message comes.
        estimator.update(Measurement.from_angles(10.0, 0.0, 0.4, 0.5))
        estimator.reset()
        source = SensorLog(text_lines(sys.stdin), method, columns=columns, raw=raw, complain=complain)
        print(",".join(COLUMNS["estimates"]), flush=True)
        write, flush = sys.stdout.write, sys.stdout.flush
        for arrival in source:
            line = estimate_text(estimate_row(arrival.time, estimator.update(arrival.measurement)))
            count += 1
            write(line)
            flush()
    except KeyboardInterrupt:
        stopped = True
    except BrokenPipeError:  # nobody listens any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if raw is not None and raw.warning:
        complain(raw.warning)
    if source is not None and source.unheard and count:
        complain(source.unheard)
    bad = 0 if source is None else source.skipped
    lost = f", {bad} line{'s' * (bad > 1)} skipped" if bad else ""
    print(f"tetherlab: {count} estimates{lost}", file=sys.stderr)
    if stopped:
        sys.exit(130)
