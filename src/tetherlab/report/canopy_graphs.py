"""The graphs of a robot in the canopy."""

import numpy as np
from matplotlib.figure import Figure

from tetherlab.contracts.log import Log
from tetherlab.metrics import canopy
from tetherlab.metrics.read import Array, MissingError, rows
from tetherlab.report.graphs import Graph, Panel, Read, column
from tetherlab.report.marks import draw_marks
from tetherlab.report.spans import spans
from tetherlab.report.style import BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION, WIDTH

COLORS = (BLUE, GREEN, ORANGE, PURPLE)
SHELL = "shell touches"


def _followed(name: str, wanted: bool) -> Read:
    """What the robot did, or was to do."""
    which = canopy.FOLLOWED.index(name)

    def read(log: Log) -> tuple[Array, Array]:
        time, done, reference = canopy.followed(log)
        return time, (reference if wanted else done)[:, which]

    return read


def _believed(which: int) -> Read:
    """What the robot's own estimator said; 1: theta, 2: heading."""

    def read(log: Log) -> tuple[Array, Array]:
        found = canopy.leaning(log, "believed")
        return found[0], found[which]

    return read


def _panel(name: str, unit: str, *context: tuple[str, Read]) -> Panel:
    return Panel(name, unit, _followed(name, False), (("reference", _followed(name, True)), *context))


def _strength(log: Log) -> float | None:
    robot = log.scenario.get("robot")
    strength = robot.get("tether_strength_N") if isinstance(robot, dict) else None
    return float(strength) if isinstance(strength, (int, float)) else None


def _touching(name: str) -> Read:
    """A column, unless the shell touched nothing."""

    def read(log: Log) -> tuple[Array, Array]:
        time, values = column("robot", name)(log)
        if not values.any():
            raise MissingError("the shell touched nothing")
        return time, values

    return read


CANOPY_GRAPHS = (
    Graph(
        "canopy_angles",
        "Tether angle and heading",
        (
            _panel("theta", "°", ("believed", _believed(1))),
            _panel("heading", "°", ("believed", _believed(2))),
        ),
    ),
    Graph(
        "canopy_pitch",
        "Robot against tether and horizon",
        (Panel("phi", "°", column("robot", "phi_deg")), Panel("pitch", "°", canopy.pitch)),
    ),
    Graph(
        "canopy_length",
        "Length of the tether",
        (
            _panel("length", "m"),
            Panel(
                "free part",
                "m",
                column("robot", "free_length_m"),
                (("believed", column("believed", "free_length_m")),),
            ),
        ),
    ),
    Graph(
        "canopy_thrust",
        "Thrust of the propellers",
        (
            Panel("left", "N", column("robot", "thrust_left_N")),
            Panel("right", "N", column("robot", "thrust_right_N")),
        ),
    ),
    Graph(
        "canopy_tension",
        "Tension at the robot",
        (Panel("tension", "N", column("robot", "tension_N"), limit=_strength),),
    ),
    Graph(
        "canopy_shell",
        "What the shell touches",
        (
            Panel("spheres", "–", _touching("shell_contacts")),
            Panel("force", "N", _touching("shell_N")),
        ),
    ),
)


def branch_graph(logs: list[Log]) -> Graph | None:
    """By how much each branch is bent, whatever the direction; None without branches."""
    names = [name for log in logs if "branches" in log for name in log["branches"].columns]
    branches = dict.fromkeys(name.removesuffix("_up_deg") for name in names if name.endswith("_up_deg"))
    panels = tuple(Panel(name, "°", _bent(name)) for name in branches)
    return Graph("canopy_branches", "Bending of the branches", panels) if panels else None


def _bent(name: str) -> Read:
    def read(log: Log) -> tuple[Array, Array]:
        time, sideways, up = rows(log, "branches", "time_s", f"{name}_sideways_deg", f"{name}_up_deg").T
        cosine = np.cos(np.radians(sideways)) * np.cos(np.radians(up))
        return time, np.degrees(np.arccos(np.minimum(cosine, 1.0)))

    return read


def draw_hanging(log: Log) -> Figure | None:
    """From when to when the robot hung from what, and when its shell touched something; None for a team."""
    try:
        time, hung = canopy.hangs_from(log)
    except MissingError:
        return None
    bars = [*hung, (SHELL, np.asarray(log["robot"]["shell_contacts"]) > 0.0)]
    if len(time) < 2:
        return None
    held = np.diff(time, append=2.0 * time[-1] - time[-2])
    figure = Figure(figsize=(WIDTH, 1.4 + 0.35 * len(bars)), layout="constrained")
    axes = figure.subplots()
    for k, (name, there) in enumerate(bars):
        color = VERMILION if name == SHELL else GREY if name == "anchor" else COLORS[k % len(COLORS)]
        axes.broken_barh(spans(time, held, there), (k - 0.32, 0.64), facecolors=color)
    axes.set_yticks(range(len(bars)), [name for name, _ in bars])
    axes.set_ylim(len(bars) - 0.5, -0.5)
    axes.set_xlim(time[0], time[-1])
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("time [s]")
    draw_marks([axes], log)
    return figure
