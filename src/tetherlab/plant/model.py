"""The arrays of a plant: a drone on a tether that a winch on a rover pays out.

All that changes lies in arrays, so that a plant is copied, saved and resumed by copying them.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.tether import model as M
from tetherlab.tether.model import Memory, copy_memory
from tetherlab.vehicles.lone import ELIMINATION
from tetherlab.world.field import Field
from tetherlab.world.wind_field import WindField

# command: what the controllers want until the next call
FORCE, YAW, DRIVE, REEL_MODE, REEL_WANTED, REEL_RATE, ARMED = slice(0, 3), 3, slice(4, 7), 7, 8, 9, 10
COMMAND_SIZE = 11

# rows of `place`
ORIGIN, EXIT, STAND, ATTACHMENT = 0, 1, 2, 3

# flags
FAILED, STEPS = 0, 1

# Nothing in it outlives a tick.
SCRATCH = np.dtype(
    [
        *ELIMINATION,
        ("wind", np.float64, (3,)),  # at the drone [m/s]
        ("tether_command", np.float64, (M.COMMAND_SIZE,)),
        ("hit_depth", np.float64),  # of a hull in the object that it hit [m]
        ("hit_object", np.int64),  # in `field`, whose first objects are those of `ground`
    ]
)


class Plant(NamedTuple):
    """A marsupial team and what surrounds it."""

    memory: Memory  # of the tether; its end carries the drone's body
    field: Field  # obstacles as tether and drone meet them: the world and what rides on the rover
    ground: Field  # as the rover meets them: without its own parts
    pose: NDArray[np.float64]  # of the objects of `field` at the start of a step, (objects, 12)
    wind: WindField
    drone: NDArray[np.void]  # (1,) of QUADROTOR
    rover: NDArray[np.void]  # (1,) of ROVER
    winch: NDArray[np.void]  # (1,) of WINCH
    platform: NDArray[np.void]  # (1,) of PLATFORM
    body: NDArray[np.void]  # of the rover, (1,) of BODY
    contact: NDArray[np.void]  # of its wheels, (1, POINTS_MAX) of CONTACT
    rover_origin: NDArray[np.float64]  # from the centre of mass to the rover's origin on the ground [m], (3,)
    # Both ride on the platform; here with its deck parallel to the rover, from the centre of mass.
    exit_B: NDArray[np.float64]  # where the tether leaves the winch, rover frame [m], (3,)
    stand_B: NDArray[np.float64]  # the drone's centre when it stands on the deck, rover frame [m], (3,)
    place: NDArray[np.float64]  # the three of these now, and the drone's attachment, world frame [m], (4, 3)
    deck: NDArray[np.int64]  # objects of `field` that ride on the platform, (n,)
    chassis: NDArray[np.int64]  # and those that ride on the rover itself, (n,)
    load: NDArray[np.float64]  # on the rover by tether and deck: force and torque about its centre, (6,)
    pull: NDArray[np.float64]  # of the tether on rover and drone, mean of the last step [N], (2, 3)
    acceleration: NDArray[np.float64]  # of rover and drone, mean of the last step [m/s^2], (2, 3)
    rover_hull: NDArray[np.float64]  # spheres that must not touch anything: x, y, z, radius [m], (n, 4)
    drone_hull: NDArray[np.float64]
    disc: NDArray[np.float64]  # rotors: centre and radius [m], (n, 4)
    limits: NDArray[np.float64]  # strength of the tether [N], how near it may come to a rotor [m]
    seen: NDArray[np.float64]  # clearance of rover and drone, exit to attachment [m], how long too short [s]
    clock: NDArray[np.float64]  # time [s], largest tension since it was last read [N]
    flag: NDArray[np.int64]
    scratch: NDArray[np.void]  # (1,) of SCRATCH
    supply: NDArray[np.void]  # of power through the tether, (1,) of SUPPLY, or (0,)


def copy_plant(plant: Plant) -> Plant:
    """An independent plant in the same state; what never changes is shared."""
    fresh: dict[str, Any] = {
        name: getattr(plant, name).copy()
        for name in plant._fields
        if name not in ("memory", "field", "ground", "wind")
    }
    return plant._replace(
        memory=copy_memory(plant.memory),
        field=plant.field._replace(pose=plant.field.pose.copy(), twist=plant.field.twist.copy()),
        **fresh,
    )
