"""The report: one HTML page with everything in it, which opens without a network."""

import re
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
import matplotlib
import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure

from tetherlab.contracts.cloud_files import file_names
from tetherlab.contracts.documents import format_yaml
from tetherlab.contracts.files import replacing
from tetherlab.contracts.log import Log
from tetherlab.contracts.outcome import Outcome
from tetherlab.metrics.comparison import metric_rows, number, percent
from tetherlab.metrics.deviation import Deviation, deviation
from tetherlab.metrics.read import MissingError
from tetherlab.metrics.scene import is_scene, scene_bodies
from tetherlab.report.canopy_graphs import CANOPY_GRAPHS, branch_graph, draw_hanging
from tetherlab.report.carried_out_figure import CarriedOutPlan
from tetherlab.report.graphs import GRAPHS, Graph, Panel, draw_graph
from tetherlab.report.inspection_graphs import READINGS_GRAPH, WALL_COLUMNS, draw_mission, wall_rows
from tetherlab.report.localisation_section import localisation_section
from tetherlab.report.paths import draw_paths
from tetherlab.report.picture import Picture, picture
from tetherlab.report.power_graph import POWER_GRAPH
from tetherlab.report.scene_graphs import scene_graphs
from tetherlab.report.step_table import STEP_HEADS, step_rows
from tetherlab.report.style import STYLE

VEHICLES = {"uav": "UAV", "ugv": "UGV", "robot": "robot"}  # tables of scenarios, and what they are called


class Replay(NamedTuple):
    """A page that shows the run in three dimensions, and what was left out of it, in a sentence."""

    html: str
    note: str
    legend: str  # what its colours mean, as HTML


def write_report(
    log: Log,
    path: str | Path,
    compare: Log | None = None,
    replay: Replay | None = None,
    plan: CarriedOutPlan | None = None,
) -> Path:
    """Write the report of a run, laid over another one if `compare` is given, to an HTML file.

    replay: goes into the page as it is. plan: that the run carried out.
    """
    path = Path(path)
    runs = _named(log, compare)
    with matplotlib.rc_context(STYLE):
        wide = [
            _picture("plan", "The plan, dashed, and what came of it", plan and plan.draw(log)),
            _picture("pos_3D", "Paths", draw_paths(runs)),
            _picture("mission", "The mission: states that it was in are filled", draw_mission(log)),
        ]
        graphs = [
            *_hanging(runs),
            *(_picture(graph.name, graph.title, draw_graph(graph, runs)) for graph in _graphs(runs)),
        ]
        localisation = localisation_section(runs)
        deviations = {} if compare is None else _deviations(log, compare)
        apart = [_deviation_picture(word, found) for word, found in deviations.items()]
    template = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(resources.files("tetherlab.report").joinpath("page.html").read_text(encoding="utf-8"))
    html = template.render(
        log=log,
        names=list(runs),
        compare=compare,
        good=log.outcome in (None, Outcome.COMPLETED),
        metrics=metric_rows(log, compare),
        wide=[picture for picture in wide if picture],
        graphs=[graph for graph in graphs if graph],
        deviations=[row for word, found in deviations.items() for row in _summary(word, found)],
        apart=[graph for graph in apart if graph],
        localisation=localisation,
        steps=step_rows(log),
        step_heads=STEP_HEADS,
        walls=wall_rows(log),
        wall_heads=[head for head, _ in WALL_COLUMNS.values()],
        maps=[(name, file, len(log.maps[name].points)) for name, file in file_names(log.maps).items()],
        assumed=_assumed(log.scenario),
        scenario=format_yaml(log.scenario) if log.scenario else "",
        replay=replay and replay._replace(legend=Markup(replay.legend)),
        number=number,
        percent=percent,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(html)
    return path


def _assumed(scenario: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Key, value and reason of what was assumed rather than measured or published."""
    found = []
    reasons = scenario.get("assumed")
    for key, reason in reasons.items() if isinstance(reasons, Mapping) else ():
        value: Any = scenario
        for part in re.findall(r"[^.\[\]]+", str(key)):
            if isinstance(value, list):
                value = value[int(part)] if part.isdigit() and int(part) < len(value) else None
            else:
                value = value.get(part) if isinstance(value, Mapping) else None
        text = format_yaml(value).strip().removesuffix("\n...")
        found.append((str(key), text if "\n" not in text else "see below", str(reason)))
    return found


def _named(log: Log, compare: Log | None) -> dict[str, Log]:
    """The runs by the names that legends show."""
    if compare is None:
        return {log.name: log}
    if log.name != compare.name:
        return {log.name: log, compare.name: compare}
    return {f"{log.name} (this)": log, f"{compare.name} (other)": compare}


def _graphs(runs: dict[str, Log]) -> tuple[Graph, ...]:
    """All that a run of any kind may have; what it does not hold is left out when it is drawn."""
    scene = scene_graphs(list(runs.values()))
    if scene is not None:
        return scene
    branches = branch_graph(list(runs.values()))
    return (*CANOPY_GRAPHS, *((branches,) if branches else ()), *GRAPHS, READINGS_GRAPH, POWER_GRAPH)


def _hanging(runs: dict[str, Log]) -> list[Picture | None]:
    """One picture for each run: their objects differ."""
    which = ["", "_other"] if len(runs) > 1 else [""]
    return [
        _picture(
            f"canopy_hanging{ending}",
            f"What the robot hangs from{f', {name}' if len(runs) > 1 else ''}",
            draw_hanging(log),
        )
        for ending, (name, log) in zip(which, runs.items(), strict=True)
    ]


def _picture(name: str, title: str, figure: Figure | None) -> Picture | None:
    return None if figure is None else picture(name, title, figure)


def _deviations(log: Log, compare: Log) -> dict[str, Deviation]:
    found = {}
    words = {name: name for name in scene_bodies(log)} if is_scene(log) else VEHICLES
    for vehicle, word in words.items():
        try:
            found[word] = deviation(log, compare, vehicle)
        except MissingError:
            continue
    return found


def _deviation_picture(word: str, found: Deviation) -> Picture | None:
    known = np.isfinite(found.at_equal_time)
    panels = (
        Panel("from the path", "m", lambda log: (found.time, found.from_path)),
        Panel("at equal time", "m", lambda log: (found.time[known], found.at_equal_time[known])),
    )
    graph = Graph(
        f"deviation_{word.lower()}",
        f"Deviation of {'the ' if word in VEHICLES.values() else ''}{word}",
        panels,
    )
    return _picture(graph.name, graph.title, draw_graph(graph, {word: Log(tables={})}))


def _summary(word: str, found: Deviation) -> list[tuple[Any, ...]]:
    """Rows of the table: what, mean, root mean square, largest [m]."""
    result: list[tuple[Any, ...]] = []
    for label, values in (
        ("to the nearest point of the other path", found.from_path),
        ("at equal times", found.at_equal_time[np.isfinite(found.at_equal_time)]),
    ):
        if len(values):
            figures = (values.mean(), np.sqrt(np.mean(values**2)), values.max())
            result.append((f"{word}, {label}", *map(float, figures)))
    return result
