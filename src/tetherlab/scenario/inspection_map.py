"""Maps of an inspection: what was heard and seen at a wall is fused and mapped when the drone is home."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import DepthImage, Readings
from tetherlab.contracts.cloud import Cloud
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.track import Track
from tetherlab.estimation.catenary import CatenaryLocalizer
from tetherlab.estimation.odometry import OdometryFilter, OdometrySpec
from tetherlab.estimation.sensing import Sensing
from tetherlab.mapping import MapSpec, WallMap, build_map, map_error
from tetherlab.missions.inspection import MAP, OUT_THERE, Inspection
from tetherlab.sensors.inspection_suite import InspectionSuite
from tetherlab.sim.observation import Observed
from tetherlab.world.mine_face import Face

Array = NDArray[np.float64]
KEPT_EVERY = 0.1  # of the way is a picture kept, three for a keyframe: more of them cost and tell no more [m]
TURNED = 0.1  # or of a turn [rad]
RIM = 0.1  # of a face, where it meets floor, ceiling and other faces, that is not judged [m]
BEFORE = 1.0  # and behind the plane of a face: what still belongs to it [m]


class WallFlight:
    """One flight along a wall, from take-off to the end of the sweep, begun where the rover knows to be."""

    def __init__(self, state: Observed, tether: Sensing) -> None:
        """tether: what is known of it; its ground is that below the rover."""
        floor, (x, y, z) = float(state.ugv_origin[2]), state.exit.tolist()
        self.filter = OdometryFilter(
            OdometrySpec(base=(x, y, z), floor=floor),
            state.attachment.copy(),
            state.uav.yaw,
            CatenaryLocalizer(replace(tether, ground=floor)),
        )
        self.images: list[DepthImage] = []
        self._kept = np.full(4, math.inf)  # where the last one was heard of: place [m], yaw [rad]
        self.track: Track | None = None  # these two are known in the end
        self.map: WallMap | None = None

    def hear(self, messages: Sequence[tuple[str, Any]], *, sweeps: bool) -> None:
        """What sensors said, each with its sender; some pictures are kept while it sweeps."""
        for sender, message in messages:
            if not isinstance(message, DepthImage):
                self.filter.hear(sender, message)
            elif sweeps and self._elsewhere():
                self.images.append(message)

    def _elsewhere(self) -> bool:
        """Whether it has gone on since the last picture, so that hovering fills no memory."""
        known = self.filter.estimate
        here = np.array([*known.position, known.heading])
        near = math.dist(here[:3], self._kept[:3]) < KEPT_EVERY and abs(here[3] - self._kept[3]) < TURNED
        if not near:
            self._kept = here
        return not near

    def build(self, spec: MapSpec, say: Callable[[str], None] = lambda text: None) -> WallMap:
        """The map; pictures are forgotten with it."""
        self.track = self.filter.track()
        self.map = build_map(self.images, self.track, spec, say=say)
        self.images = []
        return self.map


@dataclass
class WallMapper:
    """Watches the mission of a run, which never sees it; keeps pictures of one wall at a time."""

    mission: Inspection
    suite: InspectionSuite
    tether: Sensing
    spec: MapSpec
    faces: Mapping[str, Face]  # of a mine, by the names of walls
    distance: Callable[[Array], Any]  # to the true surface, as `World.distance`
    tell: Callable[[str], None]  # gets a sentence of each map
    say: Callable[[str], None] = lambda text: None  # what it does just now

    def __post_init__(self) -> None:
        self.maps: dict[str, Cloud] = {}
        self.errors: dict[int, float] = {}  # of maps, by the number of the wall, RMS distance to the rock [m]
        self.flight: WallFlight | None = None  # the newest
        self._wall = -1  # that it is of
        self._open = False  # not mapped yet

    @property
    def listens(self) -> bool:
        """Whether the drone is out there, so that a flight goes on."""
        return not self.mission.done and self.mission.machine.state in OUT_THERE

    def __call__(self, readings: Readings, state: Observed) -> None:
        """At each step of the mission, before it."""
        mission = self.mission
        if self._open and self._wall < len(mission.results):
            self.finish()
        if not self.listens:
            return
        if not self._open:
            self.flight, self._wall, self._open = WallFlight(state, self.tether), mission.index, True
        assert self.flight is not None
        self.flight.hear(self.suite.messages, sweeps=mission.machine.state == MAP)

    def finish(self) -> None:
        """Map what was seen of the newest wall, if that was not done."""
        if not self._open or self.flight is None:
            return
        flight, name = self.flight, self.mission.stops[self._wall].name
        try:
            cloud = flight.build(self.spec, lambda text: self.say(f"map of {name}: {text}")).cloud
        except (InputError, np.linalg.LinAlgError) as failure:  # a run of hours does not end by this
            self.drop()
            self.tell(f"{name}: no map: {failure}")
            return
        self._open = False
        self.maps[self._free(name)] = cloud
        error = self.errors[self._wall] = self._error(cloud, name)
        known = "" if math.isnan(error) else f", {error:.3f} m RMS from the rock"
        self.tell(f"{name}: a map of {len(cloud.points)} points{known}")

    def drop(self) -> None:
        """Leave the newest wall without a map."""
        self._open, self.flight = False, None

    def _error(self, cloud: Cloud, name: str) -> float:
        """Of the face alone if it is one of a mine's; NaN where the truth is not known."""
        judged = of_face(cloud, self.faces[name]) if name in self.faces else cloud
        try:
            return map_error(judged, self.distance).rms
        except InputError:
            return math.nan

    def _free(self, name: str) -> str:
        """A wall that is visited again has another map."""
        number, free = 1, name
        while free in self.maps:
            number += 1
            free = f"{name} {number}"
        return free


def of_face(cloud: Cloud, face: Face) -> Cloud:
    """The points of a cloud that lie on a face, floor, ceiling and other faces apart."""
    u, v, h = face.in_face(cloud.points).T
    inside = (u > RIM) & (u < face.width - RIM) & (v > RIM) & (v < face.height - RIM) & (np.abs(h) < BEFORE)
    return Cloud(cloud.points[inside], cloud.normals[inside], cloud.counts[inside])
