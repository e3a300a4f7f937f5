"""All that is seen of one or two runs: the world, what moves in it, its paths, and what it was to reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.view import colors
from tetherlab.view.actors import Actors
from tetherlab.view.frame import Frame
from tetherlab.view.parts import TEAM_SIZE, Inventory, Point
from tetherlab.view.record import Record
from tetherlab.view.surroundings import draw_world, show_wind
from tetherlab.world import World

Vector = NDArray[np.float64]
PATH_POINTS = 1500


class Stage:
    """Recorded runs in a viser scene."""

    def __init__(self, scene: Any, records: Sequence[Record]) -> None:
        scene.set_up_direction("+z")
        self.records, worlds = records, [record.inventory.world for record in records]
        self.world = world = next((world for world in worlds if world is not None), None)
        if world is not None:
            draw_world(scene, world)
        most = max(max(record.tension_max for record in records), 1.0)
        self.tension_max = most
        self.actors = [
            Actors(scene, record.inventory, f"/run_{k + 1}", most, k) for k, record in enumerate(records)
        ]
        for k, (record, actors) in enumerate(zip(records, self.actors, strict=True)):
            for name in record.followed.values():
                draw_path(scene, f"/path_{k + 1}/{name}", record.path(name), actors.colors[name])
        if world is not None and world.wind is not None:
            show_wind(scene, np.array(world.wind.velocity, float), self.bounds[1])
        self.frames: list[Frame] = []

    def show(self, time: float) -> None:
        """The moment so long after the start of each run [s]."""
        self.frames = [record.at(record.start + time) for record in self.records]
        for actors, frame in zip(self.actors, self.frames, strict=True):
            actors.show(frame)

    @property
    def bounds(self) -> tuple[Vector, Vector]:
        """Lowest and highest corner of where all goes [m], (3,) each."""
        points = [record.path(name) for record in self.records for name in record.followed.values()]
        points += [points_of(record.inventory) for record in self.records]
        together = np.concatenate([path for path in points if len(path)] or [np.zeros((1, 3))])
        return together.min(axis=0), together.max(axis=0)

    def look_at_all(self, camera: Any) -> None:
        """Turn a camera so that all of the way is in view."""
        # The middle of a plan's ways may be inside a wall, and nothing hides what happens in a plane.
        world = None if any(record.inventory.planar for record in self.records) else self.world
        place_camera(camera, *self.bounds, world, max(record.inventory.size for record in self.records))


def points_of(inventory: Inventory) -> Vector:
    """Where hands and anchors are at the start [m], (n, 3)."""
    places = [part.look.position for part in inventory.parts if isinstance(part.look, Point)]
    return np.array(places).reshape(len(places), 3)


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
