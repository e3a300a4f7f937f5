"""What controllers want of a plant until they speak again: records by kind."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.record import make_records
from tetherlab.vehicles.winch import HOLD

FLIGHT_COMMAND = np.dtype(
    [
        ("force_W", np.float64, (3,)),  # that the rotors shall exert [N]
        ("yaw", np.float64),  # [rad]
        ("armed", np.int64),  # 1: the rotors turn
    ]
)

DRIVE_COMMAND = np.dtype(
    [
        ("forward", np.float64),  # [m/s]
        ("left", np.float64),  # [m/s]
        ("turn", np.float64),  # [rad/s]
    ]
)

THRUST_COMMAND = np.dtype(
    [
        ("thrust", np.float64),  # of both propellers of a hanging robot [N]
        ("torque", np.float64),  # > 0 turns to the right [N m]
    ]
)

REEL_COMMAND = np.dtype(
    [
        ("mode", np.int64),  # what the servo of the winch controls, see vehicles/winch.py
        ("wanted", np.float64),  # speed [m/s], length [m] or tension [N]
        ("rate", np.float64),  # of a wanted length, or at which the ends part [m/s]
    ]
)


class Command(NamedTuple):
    """Of all that can be commanded."""

    flight: NDArray[Any]  # (rotorcraft,) of FLIGHT_COMMAND
    drive: NDArray[Any]  # (rovers,) of DRIVE_COMMAND
    thrust: NDArray[Any]  # (hanging robots,) of THRUST_COMMAND
    reel: NDArray[Any]  # (winches,) of REEL_COMMAND


def make_command(rotorcraft: int, rovers: int, winches: int, hanging: int = 0) -> Command:
    """Rotors off, wheels still, winches that hold."""
    command = Command(
        make_records(rotorcraft, FLIGHT_COMMAND),
        make_records(rovers, DRIVE_COMMAND),
        make_records(hanging, THRUST_COMMAND),
        make_records(winches, REEL_COMMAND),
    )
    command.reel["mode"] = HOLD
    return command
