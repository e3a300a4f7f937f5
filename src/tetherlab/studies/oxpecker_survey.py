"""A coverage flight along a face of a mine pillar, with all sensors of the inspection drone.

The flight itself is prescribed: rows at a distance from the rock, strayed from as a drone strays that is
blown about. So its truth is known, and thousands of pictures are made in half a minute.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d
from scipy.spatial.transform import Rotation

from tetherlab.contracts.autonomy import DepthImage
from tetherlab.estimation.catenary import CatenaryLocalizer
from tetherlab.estimation.odometry import OdometryFilter, OdometrySpec
from tetherlab.estimation.sensing import Sensing
from tetherlab.sensors.inspection_suite import InspectionSpec, InspectionSuite
from tetherlab.sensors.inspection_truth import InspectionTruth
from tetherlab.studies.oxpecker_tether import hang
from tetherlab.world import World
from tetherlab.world.mine import Mine
from tetherlab.world.mine_face import Face

Array = NDArray[np.float64]
RATE = 20.0  # of the mission [Hz]
# The cable of section 3.2.1; what calibration leaves of the angles is assumed.
TETHER = Sensing(linear_density=0.038, ground=0.0, angle_bias=0.02)


@dataclass(frozen=True, kw_only=True)
class SurveySpec:
    """How it is flown; speed and distance are those of Table 3, the rest is assumed."""

    speed: float = 0.35  # [m/s]
    distance: float = 1.5  # from the rock [m]
    row_spacing: float = 1.0  # [m]
    rows: int | None = None  # None: as many as cover the face
    stand_off: float = 4.5  # of the rover from the middle of the face [m]
    base_height: float = 0.6  # where the tether leaves the rover [m]
    tension: float = 3.0  # that the winch holds [N]
    stray: float = 0.03  # from the path, standard deviation [m]
    lean: float = 0.02  # of the drone to all sides, standard deviation [rad]
    sensors: InspectionSpec = field(default_factory=lambda: InspectionSpec(ceiling=None))


class Survey:
    """One flight along a face, by its seed."""

    def __init__(self, mine: Mine, face: Face, spec: SurveySpec, seed: int) -> None:
        self.face, self.spec, self.seed = face, spec, seed
        self.world = World(mine.shapes)
        self.base = face.corner + 0.5 * face.width * face.along + spec.stand_off * face.normal
        self.base[2] = float(mine.floor_height(self.base[0], self.base[1])) + spec.base_height
        random = np.random.default_rng([seed, 0])
        self.position = self._path(random)
        count = len(self.position)
        self.time = np.arange(count) / RATE
        forward = math.atan2(-face.normal[1], -face.normal[0])
        self.yaw = forward + 0.03 * _coloured(random, count, 1, 3.0 * RATE)[:, 0]
        tilt = spec.lean * _coloured(random, count, 2, 1.0 * RATE)
        leaned = Rotation.from_rotvec(np.hstack([tilt, np.zeros((count, 1))]))
        self._rotation = (leaned * Rotation.from_euler("z", self.yaw[:, None])).as_matrix()

    @cached_property
    def messages(self) -> list[tuple[str, Any]]:
        """What all sensors say, with the name of each, in the order of arrival."""
        suite = InspectionSuite(self.spec.sensors, self.seed)
        heard = []
        for truth in self._truths():
            suite.read(truth)
            heard += suite.messages
        return heard

    @property
    def images(self) -> list[DepthImage]:
        """What the depth camera saw."""
        return [message for _, message in self.messages if isinstance(message, DepthImage)]

    def fuse(self, *, alone: bool = False) -> OdometryFilter:
        """Odometry held by all other sensors, or alone."""
        floor = float(self.base[2]) - self.spec.base_height
        spec = OdometrySpec(base=tuple(self.base.tolist()), floor=floor)
        filter = OdometryFilter(spec, self.position[0], float(self.yaw[0]), CatenaryLocalizer(TETHER))
        for sender, message in self.messages:
            if not alone or sender == "odometry":
                filter.hear(sender, message)
        return filter

    def at(self, times: Array) -> Array:
        """Where it truly was [m], (n, 3)."""
        return np.stack([np.interp(times, self.time, self.position[:, i]) for i in range(3)], axis=1)

    def _truths(self) -> Iterator[InspectionTruth]:
        velocity = np.gradient(self.position, 1.0 / RATE, axis=0)
        away = self.position - self.base
        length, low, high = hang(away, self.spec.tension / TETHER.weight, self.spec.base_height)
        azimuth = np.arctan2(away[:, 1], away[:, 0])
        tangent_base, tangent_end = (_units(azimuth, slope) for slope in (low, high))
        for k, time in enumerate(self.time.tolist()):
            yield InspectionTruth(
                time=time,
                length=float(length[k]),
                tangent_base_W=tangent_base[k],
                tangent_end_W=tangent_end[k],
                tension_base=self.spec.tension,
                tension_end=self.spec.tension + TETHER.weight * float(away[k, 2]),
                rotation_base=np.eye(3),
                rotation=self._rotation[k],
                base=self.base,
                base_velocity=np.zeros(3),
                attachment=self.position[k],
                velocity=velocity[k],
                angular_velocity=np.zeros(3),
                field=self.world.field,
                pose=self.world.field.pose,
            )

    def _path(self, random: np.random.Generator) -> Array:
        """A lawnmower flight that begins above the base, from the lowest row upwards [m], (n, 3)."""
        spec, face = self.spec, self.face
        count = spec.rows or math.ceil(face.height / spec.row_spacing - 1e-9)
        start = face.in_face(self.base + np.array([0.0, 0.0, 0.3]))
        corners = [start]
        for i in range(count):
            ends = (0.0, face.width) if i % 2 == 0 else (face.width, 0.0)
            corners += [np.array([u, (i + 0.5) * face.height / count, spec.distance]) for u in ends]
        marks = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))])
        along = np.arange(0.0, marks[-1], spec.speed / RATE)
        path = np.stack([np.interp(along, marks, np.array(corners)[:, i]) for i in range(3)], axis=1)
        u, v = (np.clip(path[:, i], 0.0, top) for i, top in ((0, face.width), (1, face.height)))
        # It keeps its distance from what the camera sees, not from the undisturbed face.
        near = np.clip((start[2] - path[:, 2]) / (start[2] - spec.distance), 0.0, 1.0)
        path[:, 2] += near * gaussian_filter1d(face.surface(u, v), RATE)
        path = gaussian_filter1d(path, 0.5 * RATE, axis=0, mode="nearest")
        path += spec.stray * _coloured(random, len(path), 3, 2.0 * RATE)
        return face.corner + path @ np.stack([face.along, face.up, face.normal])


def _units(azimuth: Array, elevation: Array) -> Array:
    """Unit vectors, (n, 3)."""
    flat = np.cos(elevation)
    return np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)], axis=1)


def _coloured(random: np.random.Generator, count: int, columns: int, length: float) -> Array:
    """Smooth noise of unit deviation that changes within `length` samples, (count, columns)."""
    margin = int(4 * length)
    rough = random.standard_normal((count + 2 * margin, columns))
    smooth = gaussian_filter1d(rough, length, axis=0)[margin : margin + count]
    return smooth * math.sqrt(2.0 * math.sqrt(math.pi) * length)
