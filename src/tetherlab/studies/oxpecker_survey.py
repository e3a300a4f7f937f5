"""A coverage flight along a rough wall, with what its sensors say: visual odometry, radio, altimeter, tether, depth.

The flight is kinematic: rows at a distance from the wall, followed as closely as the reactive controller does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d
from scipy.spatial.transform import Rotation

from tetherlab.contracts.autonomy import DepthImage, Readings
from tetherlab.contracts.estimate import Estimate
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.catenary import CatenaryLocalizer
from tetherlab.estimation.odometry import OdometryFilter, OdometrySpec
from tetherlab.estimation.sensing import Sensing, SensorNoise
from tetherlab.studies.oxpecker_tether import hang
from tetherlab.studies.oxpecker_wall import RoughWall

Array = NDArray[np.float64]
TETHER = Sensing(linear_density=0.038, ground=0.0, noise=SensorNoise(azimuth=0.02))  # section 3.2 of paper 003
RATE, IMAGE_EVERY = 20.0, 4  # of odometry [Hz]; an image at every fourth: 5 Hz


@dataclass(frozen=True, kw_only=True)
class SurveySpec:
    """How it is flown, and how good the sensors are; assumed unless it says otherwise."""

    speed: float = 0.35  # Table 3 of paper 003 [m/s]
    distance: float = 1.5  # from the wall, Table 3 [m]
    row_spacing: float = 1.0  # [m]
    base: tuple[float, float, float] = (-4.5, 0.0, 0.6)  # where the tether leaves the rover [m]
    tension: float = 3.0  # that the winch holds [N]
    unsteady: float = 0.03  # by which the drone strays from its path, standard deviation [m]
    tilt_error: float = 0.004  # of the autopilot's roll and pitch [rad]
    # VIO: walks such that the mean errors of a flight of eight minutes are those of Table 2, visual row.
    walk: tuple[float, float, float] = (0.0150, 0.0344, 0.0081)  # [m/√s]
    yaw_walk: float = 0.0005  # [rad/√s]
    range_noise: float = 0.05  # of the radio [m]
    range_wrong: float = 0.02  # share of its readings that took a detour
    detour: float = 1.0  # by up to so much [m]
    height_noise: float = 0.02  # of the altimeter [m]
    floor_deviation: float = 0.06  # of the floor below it [m]
    floor_length: float = 1.0  # along which it changes [m]
    depth_noise: float = 0.0034  # of a pixel at 1.5 m, growing with the depth [m]
    depth_offset: float = 0.003  # of all pixels of a flight, standard deviation [m]
    drop_out: float = 0.02  # share of pixels without a reading


class Survey:
    """One flight: its true motion, and its sensors' readings by a seed."""

    def __init__(self, wall: RoughWall, spec: SurveySpec, seed: int) -> None:
        self.wall, self.spec = wall, spec
        self._random = np.random.default_rng(seed)
        self.time, self.position, self.yaw = _fly(wall, spec, self._random)
        count = len(self.time)
        self.vio_position, self.vio_yaw = self._drift()
        tilt = _coloured(self._random, count, 2, 2.0 * RATE)
        self._tilt = spec.tilt_error * tilt
        self._offset = spec.depth_offset * self._random.standard_normal()
        self._seed = seed
        self.height, self.distance = self._ranges()

    def readings(self) -> Iterator[tuple[Readings, float, Estimate]]:
        """What odometry, altimeter, radio [m] and tether say at each time."""
        localizer, base = CatenaryLocalizer(TETHER), np.array(self.spec.base)
        away = self.position - base
        length, low, high = hang(away, self.spec.tension / TETHER.weight, self.spec.base[2])
        noise, draw = TETHER.noise, np.random.default_rng([self._seed, 1]).standard_normal((4, len(away)))
        lengths = length + noise.length * draw[0]
        azimuths = np.arctan2(away[:, 1], away[:, 0]) + noise.azimuth * draw[1]
        low, high = low + noise.elevation_base * draw[2], high + noise.elevation_end * draw[3]
        for k, time in enumerate(self.time.tolist()):
            told = Readings(
                time=time,
                height=float(self.height[k]),
                position=self.vio_position[k],
                yaw=float(self.vio_yaw[k]),
            )
            angles = float(azimuths[k]), float(low[k]), float(high[k])
            measured = Measurement.from_angles(
                float(lengths[k]), *angles, tension=self.spec.tension, base=base, time=time
            )
            yield told, float(self.distance[k]), localizer.update(measured)

    def images(self) -> Iterator[DepthImage]:
        """What the depth camera saw, five times a second."""
        spec, random = self.spec, np.random.default_rng([self._seed, 2])
        for k in range(0, len(self.time), IMAGE_EVERY):
            about = Rotation.from_euler("z", self.yaw[k])
            # The camera's attitude differs from what is believed by the tilt of the autopilot.
            tilted = Rotation.from_rotvec([*self._tilt[k], 0.0])
            image = self.wall.look(float(self.time[k]), self.position[k], (tilted * about).as_matrix())
            depth = image.depth
            noise = random.standard_normal(depth.shape, np.float32)
            depth = depth + np.float32(self._offset) + np.float32(spec.depth_noise / 1.5) * depth * noise
            depth[random.random(depth.shape, np.float32) < spec.drop_out] = np.nan
            yield image._replace(depth=depth, rotation=np.eye(3))

    def odometry_spec(self) -> OdometrySpec:
        """What a fusion is told of it."""
        return OdometrySpec(base=self.spec.base, walk=self.spec.walk, yaw_walk=self.spec.yaw_walk)

    def start(self) -> OdometryFilter:
        """A filter that knows where the drone stood."""
        return OdometryFilter(self.odometry_spec(), self.position[0], float(self.yaw[0]))

    def _drift(self) -> tuple[Array, Array]:
        """VIO's position and yaw, starting with the truth."""
        spec, count, root = self.spec, len(self.time), math.sqrt(1.0 / RATE)
        turned = np.cumsum(spec.yaw_walk * root * self._random.standard_normal(count))
        turned -= turned[0]
        steps = np.diff(self.position, axis=0)
        c, s = np.cos(turned[:-1]), np.sin(turned[:-1])
        steps = np.stack([c * steps[:, 0] - s * steps[:, 1], s * steps[:, 0] + c * steps[:, 1], steps[:, 2]], 1)
        steps += root * np.array(spec.walk) * self._random.standard_normal(steps.shape)
        return np.vstack([self.position[0], self.position[0] + np.cumsum(steps, axis=0)]), self.yaw + turned

    def _ranges(self) -> tuple[Array, Array]:
        """Of altimeter and radio [m], (n,) each."""
        spec, random, count = self.spec, self._random, len(self.time)
        # The floor is read along the way: its length in samples is that of the flight's speed.
        floor = _coloured(random, count, 1, spec.floor_length / spec.speed * RATE)[:, 0]
        height = self.position[:, 2] - spec.floor_deviation * floor
        height += spec.height_noise * random.standard_normal(count)
        distance = np.linalg.norm(self.position - np.array(spec.base), axis=1)
        distance += spec.range_noise * random.standard_normal(count)
        wrong = random.random(count) < spec.range_wrong
        return height, distance + np.where(wrong, spec.detour * random.random(count), 0.0)


def _fly(wall: RoughWall, spec: SurveySpec, random: np.random.Generator) -> tuple[Array, Array, Array]:
    """Times, positions and yaws of a lawnmower flight, beginning and ending above the base."""
    rows = max(1, round(wall.height / spec.row_spacing))
    heights = (np.arange(rows) + 0.5) * wall.height / rows
    half = 0.5 * wall.width
    corners = [np.array([spec.base[0], 0.0, spec.base[2] + 0.3])]
    for i, z in enumerate(heights):
        ends = (-half, half) if i % 2 == 0 else (half, -half)
        corners += [np.array([-spec.distance, y, z]) for y in ends]
    legs = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    along = np.arange(0.0, legs.sum(), spec.speed / RATE)
    marks = np.concatenate([[0.0], np.cumsum(legs)])
    path = np.stack([np.interp(along, marks, np.array(corners)[:, i]) for i in range(3)], axis=1)
    path = gaussian_filter1d(path, 0.5 * RATE, axis=0, mode="nearest")
    path += spec.unsteady * _coloured(random, len(path), 3, 2.0 * RATE)
    yaw = 0.03 * _coloured(random, len(path), 1, 3.0 * RATE)[:, 0]
    return np.arange(len(path)) / RATE, path, yaw


def _coloured(random: np.random.Generator, count: int, columns: int, length: float) -> Array:
    """Smooth noise of unit deviation that changes within `length` samples, (count, columns)."""
    rough = random.standard_normal((count + int(8 * length), columns))
    smooth = gaussian_filter1d(rough, length, axis=0)[int(4 * length) :][:count]
    return smooth * math.sqrt(2.0 * math.sqrt(math.pi) * length)
