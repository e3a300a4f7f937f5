"""A coverage flight along a rough wall with the sensors of an inspection drone, whose truth is known.

The flight is kinematic: rows at a distance from the wall, strayed from as a drone strays that is blown about.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
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
from tetherlab.sensors.depth_camera import DepthCameraSpec
from tetherlab.sensors.inspection_suite import InspectionSpec, InspectionSuite
from tetherlab.sensors.inspection_truth import InspectionTruth
from tetherlab.sensors.readings import VerticalReading
from tetherlab.studies.oxpecker_tether import hang
from tetherlab.studies.oxpecker_wall import RoughWall
from tetherlab.world import World

Array = NDArray[np.float64]
RATE, IMAGE_EVERY = 20.0, 4  # of the mission [Hz]; a picture at every fourth of its steps
# The cable of section 3.2.1; what calibration leaves of the angles is assumed.
TETHER = Sensing(linear_density=0.038, ground=0.0, angle_bias=0.02)
LIGHT = 100.0  # so bright that odometry sees [lx]


@dataclass(frozen=True, kw_only=True)
class SurveySpec:
    """How it is flown; speed and distance are those of Table 3, the rest is assumed."""

    speed: float = 0.35  # [m/s]
    distance: float = 1.5  # from the wall [m]
    row_spacing: float = 1.0  # [m]
    base: tuple[float, float, float] = (-4.5, 0.0, 0.6)  # where the tether leaves the rover [m]
    tension: float = 3.0  # that the winch holds [N]
    stray: float = 0.03  # from the path, standard deviation [m]
    tilt_error: float = 0.005  # of the autopilot's roll and pitch, as of `AttitudeSpec` [rad]
    floor_deviation: float = 0.06  # of the floor's height [m]
    floor_length: float = 1.0  # along which it changes [m]
    camera: DepthCameraSpec = field(default_factory=DepthCameraSpec)


class Survey:
    """One flight, by its seed."""

    def __init__(self, wall: RoughWall, spec: SurveySpec, seed: int) -> None:
        self.wall, self.spec, self.seed = wall, spec, seed
        random = np.random.default_rng([seed, 0])
        self.position = _path(wall, spec, random)
        self.yaw = 0.03 * _coloured(random, len(self.position), 1, 3.0 * RATE)[:, 0]
        self.time = np.arange(len(self.position)) / RATE
        self._tilt = spec.tilt_error * _coloured(random, len(self.time), 2, 10.0 * RATE)
        # The floor is read along the way.
        length = spec.floor_length / spec.speed * RATE
        self._floor = spec.floor_deviation * _coloured(random, len(self.time), 1, length)[:, 0]

    @cached_property
    def messages(self) -> list[tuple[str, Any]]:
        """What all sensors but the camera say, with the name of each."""
        heard = []
        suite = InspectionSuite(InspectionSpec(depth_camera=None, ceiling=None), self.seed)
        world = World.ground()
        base, velocity = np.array(self.spec.base), np.gradient(self.position, 1.0 / RATE, axis=0)
        pull = self.spec.tension / TETHER.weight
        away = self.position - base
        length, low, high = hang(away, pull, self.spec.base[2])
        azimuth = np.arctan2(away[:, 1], away[:, 0])
        tangents = [_units(azimuth, slope) for slope in (low, high)]
        for k, time in enumerate(self.time.tolist()):
            suite.read(
                InspectionTruth(
                    time=time,
                    length=float(length[k]),
                    tangent_base_W=tangents[0][k],
                    tangent_end_W=tangents[1][k],
                    tension_base=self.spec.tension,
                    tension_end=self.spec.tension + TETHER.weight * float(away[k, 2]),
                    rotation_base=np.eye(3),
                    rotation=Rotation.from_euler("z", self.yaw[k]).as_matrix(),
                    base=base,
                    base_velocity=np.zeros(3),
                    attachment=self.position[k],
                    velocity=velocity[k],
                    angular_velocity=np.zeros(3),
                    field=world.field,
                    pose=world.field.pose,
                    ambient_light=LIGHT,
                )
            )
            for sender, message in suite.messages:
                if isinstance(message, VerticalReading):
                    message = replace(message, distance=message.distance - float(self._floor[k]))
                heard.append((sender, message))
        return heard

    def images(self) -> Iterator[DepthImage]:
        """What the depth camera saw."""
        camera, random = self.spec.camera, np.random.default_rng([self.seed, 1])
        shape = camera.rows, camera.columns
        halves = math.tan(0.5 * camera.width_angle), math.tan(0.5 * camera.height_angle)
        for k in range(0, len(self.time), IMAGE_EVERY):
            # What the autopilot believes to be level is tilted by its error.
            tilted = Rotation.from_rotvec([*self._tilt[k], 0.0]) * Rotation.from_euler("z", self.yaw[k])
            R = tilted.as_matrix()
            image = self.wall.look(
                float(self.time[k]), self.position[k] + R @ np.array(camera.position), R, shape, halves
            )
            depth = image.depth
            noise = random.standard_normal(shape, np.float32)
            depth = depth + (camera.noise + camera.noise_per_metre * depth) * noise
            depth[random.random(shape, np.float32) < camera.random_loss] = np.nan
            yield image._replace(depth=depth.astype(np.float32), rotation=np.eye(3))

    def fuse(self, *, alone: bool = False) -> OdometryFilter:
        """Odometry held by all other sensors, or alone."""
        spec = OdometrySpec(base=self.spec.base)
        filter = OdometryFilter(spec, self.position[0], float(self.yaw[0]), CatenaryLocalizer(TETHER))
        for sender, message in self.messages:
            if not alone or sender == "odometry":
                filter.hear(sender, message)
        return filter

    def at(self, times: Array) -> Array:
        """Where it truly was [m], (n, 3)."""
        return np.stack([np.interp(times, self.time, self.position[:, i]) for i in range(3)], axis=1)


def _units(azimuth: Array, elevation: Array) -> Array:
    flat = np.cos(elevation)
    return np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)], axis=1)


def _path(wall: RoughWall, spec: SurveySpec, random: np.random.Generator) -> Array:
    """Positions of a lawnmower flight that begins above the base, from the lowest row upwards."""
    rows = max(1, round(wall.height / spec.row_spacing))
    heights = (np.arange(rows) + 0.5) * wall.height / rows
    half = 0.5 * wall.width
    corners = [np.array([spec.base[0], spec.base[1], spec.base[2] + 0.3])]
    for i, z in enumerate(heights):
        ends = (-half, half) if i % 2 == 0 else (half, -half)
        corners += [np.array([-spec.distance, y, z]) for y in ends]
    marks = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))])
    along = np.arange(0.0, marks[-1], spec.speed / RATE)
    path = np.stack([np.interp(along, marks, np.array(corners)[:, i]) for i in range(3)], axis=1)
    path = gaussian_filter1d(path, 0.5 * RATE, axis=0, mode="nearest")
    return path + spec.stray * _coloured(random, len(path), 3, 2.0 * RATE)


def _coloured(random: np.random.Generator, count: int, columns: int, length: float) -> Array:
    """Smooth noise of unit deviation that changes within `length` samples, (count, columns)."""
    margin = int(4 * length)
    rough = random.standard_normal((count + 2 * margin, columns))
    smooth = gaussian_filter1d(rough, length, axis=0)[margin : margin + count]
    return smooth * math.sqrt(2.0 * math.sqrt(math.pi) * length)
