"""The graphs of a scene: where its bodies were, how its tethers pulled, and how long they were."""

from collections.abc import Callable, Sequence

from tetherlab.contracts.log import Log
from tetherlab.metrics.scene import is_scene, scene_bodies, scene_joints, scene_tethers
from tetherlab.report.graphs import Graph, Panel, column, panel_of


def scene_graphs(logs: Sequence[Log]) -> tuple[Graph, ...] | None:
    """The graphs for these runs; None if none of them is a scene."""
    scenes = [log for log in logs if is_scene(log)]
    if not scenes:
        return None
    bodies, tethers, joints = (
        list(dict.fromkeys(name for log in scenes for name in names(log)))
        for names in (scene_bodies, scene_tethers, scene_joints)
    )
    positions = (
        Graph(
            f"position_{name}",
            f"Position of {name}",
            tuple(panel_of(name, f"{axis}_m", axis) for axis in "xyz"),
        )
        for name in bodies
    )
    return (
        *positions,
        Graph(
            "tension",
            "Largest tension in a tether",
            tuple(Panel(name, "N", column(name, "tension_max_N"), limit=_strength(name)) for name in tethers),
        ),
        Graph(
            "length",
            "Length of a tether, unstretched",
            tuple(panel_of(name, "length_m", name) for name in tethers),
        ),
        Graph(
            "angle",
            "Angle of a joint, about its first axis",
            tuple(panel_of(name, "angle_1_rad", name) for name in joints),
        ),
    )


def _strength(name: str) -> Callable[[Log], float | None]:
    """Reads the strength of a tether of a scene [N]."""

    def read(log: Log) -> float | None:
        tethers = log.scenario.get("tethers")
        tether = tethers.get(name) if isinstance(tethers, dict) else None
        strength = tether.get("strength_N") if isinstance(tether, dict) else None
        return float(strength) if isinstance(strength, (int, float)) else None

    return read
