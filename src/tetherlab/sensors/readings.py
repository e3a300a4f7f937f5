"""What sensors say beside the `Measurement`s of a tethered drone.

To GNSS, UWB and camera no estimator listens yet.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import DepthImage

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class GnssReading:
    """Where a satellite receiver believes the drone to be."""

    time: float  # when it was sensed [s]
    position: Vector  # world frame [m], (3,)


@dataclass(frozen=True)
class RangeReading:
    """How far the drone is from the base, by radio."""

    time: float  # [s]
    range: float  # [m]
    saturated: tuple[str, ...] = ()


@dataclass(frozen=True)
class VerticalReading:
    """How far it is straight up or down, by a range finder and the autopilot's attitude."""

    time: float  # [s]
    distance: float  # [m]; NaN: nothing within range
    saturated: tuple[str, ...] = ()


@dataclass(frozen=True)
class OdometryReading:
    """Where a tracking camera believes to be: in a frame of its own, level, that began with it."""

    time: float  # [s]
    position: Vector  # [m], (3,)
    velocity_H: Vector  # in the level frame along the drone's heading [m/s], (3,)
    yaw: float  # [rad]
    tracking: bool  # False: it knows that it has lost its way


@dataclass(frozen=True)
class InertialReading:
    """How fast the autopilot believes to be by its accelerometers alone: only changes of it count."""

    time: float  # [s]
    velocity: Vector  # in the level frame that the autopilot takes for the world's [m/s], (3,)
    yaw: float  # of the drone in that frame [rad]


@dataclass(frozen=True)
class ScanReading:
    """What a lidar saw: rows from top to bottom, columns as they were taken."""

    time: float  # when it was complete [s]
    ranges: NDArray[np.float32]  # [m], (rows, columns); NaN: nothing
    times: Vector  # when each column was taken [s], (columns,)
    directions: Vector = field(repr=False)  # unit, in the frame of the lidar at that time, (rows, columns, 3)

    @property
    def points(self) -> Vector:
        """All that was met, in the frame of the lidar at its time [m], (n, 3)."""
        met = np.isfinite(self.ranges)
        return self.ranges[met][:, None].astype(float) * self.directions[met]


@dataclass(frozen=True)
class PixelReading:
    """Where a landmark is in the picture."""

    time: float  # [s]
    pixel: Vector  # from the upper left corner: to the right, down [pixels], (2,)
    landmark: Vector  # which one: its place in the world [m], (3,)


@dataclass(frozen=True)
class AvocadoReading:
    """What one sensor of AVOCADO says; the others' fields are None. World ENU, body FLU.

    The body's x is along the thrust, its z from the centre of mass to P, where the tether is tied.
    """

    time: float  # when it was sensed [s]
    rotation: Vector | None = None  # R_WB, body to world, by the tracking camera, (3, 3)
    position: Vector | None = None  # of P from the anchor, by the tracking camera, world frame [m], (3,)
    angular_velocity: Vector | None = None  # by the gyroscope, body frame [rad/s], (3,)
    phi: float | None = None  # of the joint [rad]
    length: float | None = None  # of tether that is out, by the wheel [m]
    saturated: tuple[str, ...] = ()  # sensors at the end of their range


Reading = (
    GnssReading
    | RangeReading
    | VerticalReading
    | OdometryReading
    | InertialReading
    | ScanReading
    | DepthImage
    | PixelReading
    | AvocadoReading
)
