"""All that is seen of one or two runs: the world, the teams, where they flew, and what they were to reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.assembly.scene import Scene
from tetherlab.scenario.canopy import CanopyScenario
from tetherlab.scenario.team_plan import TeamPlan
from tetherlab.view import colors
from tetherlab.view.canopy_record import CanopyRecord
from tetherlab.view.canopy_robot import CanopyRobot
from tetherlab.view.frame import Record
from tetherlab.view.surroundings import draw_world, show_wind
from tetherlab.view.team import OTHER, Livery, Team
from tetherlab.world import World

Vector = NDArray[np.float64]
PATH_POINTS = 1500
TEAM_SIZE, CANOPY_SIZE = 3.0, 2.2  # from so far at least they are looked at [m]
LIVERIES = (Livery(), OTHER)


class Stage:
    """Recorded runs in a viser scene."""

    def __init__(self, scene: Any, records: Sequence[Record]) -> None:
        scene.set_up_direction("+z")
        self.records, scenarios = records, [record.scenario for record in records]
        self.world = world = next((scenario.world for scenario in scenarios if scenario is not None), None)
        if world is not None:
            draw_world(scene, world)
        most = max(max(record.tension_max for record in records), 1.0)
        self.tension_max = most
        self.teams = [
            make_actor(scene, record, f"/run_{k + 1}", livery, most)
            for k, (record, livery) in enumerate(zip(records, LIVERIES, strict=False))
        ]
        for k, (record, livery) in enumerate(zip(records, LIVERIES, strict=False)):
            for who in record.followed.values():
                color = livery.ugv if who == "ugv" else livery.uav
                draw_path(scene, f"/run_{k + 1}/{who}_path", record.path(who), color)
        if world is not None and world.wind is not None:
            show_wind(scene, np.array(world.wind.velocity, float), self.bounds[1])
        self.frames: list[Any] = []

    def show(self, time: float) -> None:
        """The moment so long after the start of each run [s]."""
        self.frames = [record.at(record.start + time) for record in self.records]
        for team, frame in zip(self.teams, self.frames, strict=True):
            team.show(frame)

    @property
    def bounds(self) -> tuple[Vector, Vector]:
        """Lowest and highest corner of where the vehicles go [m], (3,) each."""
        points = [record.path(who) for record in self.records for who in record.followed.values()]
        points += [
            np.array([record.scenario.canopy.anchor])
            for record in self.records
            if isinstance(record.scenario, CanopyScenario)
        ]
        together = np.concatenate([path for path in points if len(path)] or [np.zeros((1, 3))])
        return together.min(axis=0), together.max(axis=0)

    def look_at_all(self, camera: Any) -> None:
        """Turn a camera so that all of the way is in view."""
        hangs = all(isinstance(record, CanopyRecord) for record in self.records)
        # The middle of a plan's ways may be inside a wall, and nothing hides what happens in a plane.
        planned = any(isinstance(record.scenario, TeamPlan) for record in self.records)
        world = None if planned else self.world
        place_camera(camera, *self.bounds, world, CANOPY_SIZE if hangs else TEAM_SIZE)


def make_actor(
    scene: Any, record: Record, path: str, livery: Livery, tension_max: float
) -> Team | CanopyRobot:
    """What moves in a record, drawn."""
    scenario = record.scenario
    if isinstance(record, CanopyRecord):
        known = scenario if isinstance(scenario, CanopyScenario) else None
        return CanopyRobot(scene, known, path, livery.uav, tension_max)
    return Team(
        scene, None if isinstance(scenario, CanopyScenario | Scene) else scenario, path, livery, tension_max
    )


def draw_path(scene: Any, name: str, points: Vector, color: colors.Color) -> None:
    """Where something was, as a thin line."""
    if len(points) < 2:
        return
    points = points[:: -(-len(points) // PATH_POINTS)]
    pieces = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)
    scene.add_line_segments(name, pieces, color, thickness=2.0, thickness_units="screen")


def place_camera(
    camera: Any, lower: Vector, upper: Vector, world: World | None, least: float = TEAM_SIZE
) -> None:
    """Look at the box between two corners [m] from where nothing hides it, the south-east if possible.

    least: from so far at least [m].
    """
    middle, size = 0.5 * (lower + upper), max(float(np.linalg.norm(upper - lower)), least)
    ways = _ways()
    free = np.full(len(ways), size)
    if world is not None:
        free = np.minimum(world.raycast(np.tile(middle, (len(ways), 1)), ways, size), size)
    best = int(np.argmax(free > 0.98 * size)) if (free > 0.98 * size).any() else int(np.argmax(free))
    camera.look_at = middle
    camera.position = middle + max(0.93 * free[best], 0.5) * ways[best]
    camera.up = (0.0, 0.0, 1.0)


def _ways() -> Vector:
    """Directions to look from, those that show most first, (n, 3)."""
    ways = []
    for climb in (0.45, 0.25, 0.8):
        for turn in (0, 30, -30, 60, -60, 90, -90, 120, -120, 150, -150, 180):
            angle = np.radians(turn - 62.0)
            ways.append((np.cos(angle) * np.cos(climb), np.sin(angle) * np.cos(climb), np.sin(climb)))
    return np.array(ways)
