"""How an inspection went, wall by wall, and what of a mine's faces its pictures truly show."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import DepthImage, Readings
from tetherlab.contracts.columns import COLUMNS
from tetherlab.contracts.table import Table
from tetherlab.metrics.wall_coverage import Face, WallCoverage
from tetherlab.missions.inspection import COMPLETED, MAP, Inspection
from tetherlab.missions.map_wall import Leg, MapWall
from tetherlab.sim.observation import Observed
from tetherlab.world.mine import Mine

Vector = NDArray[np.float64]
PIXELS = 64  # of a picture's width that are looked at: finer than a cell at every distance of a sweep


class WallRecord:
    """Watches the mission of a run; the mission never sees it."""

    def __init__(self, mission: Inspection, camera: Vector, mine: Mine | None) -> None:
        """camera: its place from the tether's attachment, in the drone's frame [m], (3,)."""
        self._mission, self._camera = mission, camera
        faces = () if mine is None else mine.faces
        self._faces = {f"{face.pillar} {face.side}": face for face in faces}
        self._began: list[float] = []  # when each wall was taken up [s]
        self._ended: list[float] = []
        self._coverage: dict[int, WallCoverage] = {}  # by the wall's number
        self._now = math.nan  # [s]
        self._poses: dict[float, tuple[Vector, Vector, int]] = {}  # by time: camera, attitude, row
        self._seen = -math.inf  # time of the last picture [s]

    def __call__(self, readings: Readings, state: Observed) -> None:
        """At each step of the mission, before it."""
        mission = self._mission
        self._now = readings.time
        while len(self._ended) < len(mission.results):
            self._ended.append(self._now)
        if mission.done:
            return
        if len(self._began) == mission.index:
            self._began.append(readings.time)
        if mission.machine.state == MAP:
            self._look(readings, state)

    def _look(self, readings: Readings, state: Observed) -> None:
        """Count what a picture shows, from where it was taken."""
        mission, image = self._mission, readings.depth
        task = mission.machine.states[MAP].task
        if not isinstance(task, MapWall) or mission.stops[mission.index].name not in self._faces:
            return
        camera = state.attachment + state.uav.rotation @ self._camera
        row = task.row if task.leg is Leg.SWEEP else -1
        self._poses[readings.time] = camera, state.uav.rotation.copy(), row
        if image is None or image.time <= self._seen or image.time not in self._poses:
            return
        self._seen = image.time
        place, rotation, row = self._poses[image.time]
        if row >= 0:
            self._cover(mission.index).add(place + camera_points(image, PIXELS) @ rotation.T, row)
        self._poses = {time: pose for time, pose in self._poses.items() if time > image.time}

    def _cover(self, index: int) -> WallCoverage:
        if index not in self._coverage:
            side = self._faces[self._mission.stops[index].name]
            face = Face(side.corner, side.along, side.up, side.width, side.height)
            self._coverage[index] = WallCoverage(face)
        return self._coverage[index]

    def table(self, map_errors: Mapping[int, float]) -> Table:
        """One row for each wall that was taken up. map_errors: of their maps, by the wall's number [m]."""
        ended = [*self._ended, *[self._now] * (len(self._mission.results) - len(self._ended))]
        ended += [math.nan] * (len(self._began) - len(ended))
        rows = [
            (began, index, ended[index], *self._found(index), map_errors.get(index, math.nan))
            for index, began in enumerate(self._began)
        ]
        columns = COLUMNS["walls"]
        return Table.from_rows(columns, np.array(rows, float).reshape(-1, len(columns)))

    def _found(self, index: int) -> tuple[float, ...]:
        """Mapped or not, width, height, and what of it was seen."""
        mission = self._mission
        mapped = index < len(mission.results) and mission.results[index][1] == COMPLETED
        side = self._faces.get(mission.stops[index].name)
        if side is None:
            return (float(mapped), *[math.nan] * 5)
        cover = self._coverage.get(index)
        if cover is None:
            return float(mapped), side.width, side.height, 0.0, math.nan, side.width * side.height
        holes, overlap = cover.holes(), cover.overlap
        return (
            float(mapped),
            side.width,
            side.height,
            cover.seen_share,
            float(overlap.min()) if len(overlap) else math.nan,
            holes[0].area if holes else 0.0,
        )


def camera_points(image: DepthImage, pixels: int | None = None) -> Vector:
    """What the pixels see, in the camera's frame [m], (n, 3); NaN: nothing. pixels: of its width, about."""
    thin = 1 if pixels is None else max(1, image.depth.shape[1] // pixels)
    return (image.rays[::thin, ::thin] * image.depth[::thin, ::thin, None]).reshape(-1, 3)
