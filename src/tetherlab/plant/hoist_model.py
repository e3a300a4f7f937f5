"""The arrays of a team of which one pulls itself up where the other holds on: rover, winch, tether, drone.

The rover is the body at the base of the tether, since its winch is on board and it may hang on it; the drone
is the body at the end, apart until it is latched. Fields that a `Plant` has as well have the same names, so
that what looks at one looks at both. All that changes lies in arrays.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.tether import model as M
from tetherlab.tether.model import Memory, copy_memory
from tetherlab.vehicles.lone import ELIMINATION
from tetherlab.world.field import Field
from tetherlab.world.wind_field import WindField

ROVER, DRONE = 0, 1  # in memory.body, body_contact, pull, ...

# command: what the controllers want until the next call
FORCE, YAW, DRIVE, TURN, REEL_MODE, REEL_WANTED, REEL_RATE, ARMED = slice(0, 3), 3, 4, 5, 6, 7, 8, 9
COMMAND_SIZE = 10

# flag; the first two as in a canopy
FAILED, STEPS, LINK, LOST = 0, 1, 2, 3

APART, LATCHED, PERCHED = 0, 1, 2  # flag[LINK]

# seen, from the third on: the first two are clearances
DISTANCE, GAP, SHELL_FORCE, SHELL_COUNT, PERCH_PEAK = 2, 3, 4, 5, 6

# limits
STRENGTH, ROTOR_CLOSE, PERCH_FORCE = 0, 1, 2

HOOK = np.dtype(
    [
        ("damping_phi", np.float64),  # of the joint where the tether is tied to the rover [N m s]
        ("damping_roll", np.float64),  # across it [N m s]
        ("damping_spin", np.float64),  # about the tether [N m s]
    ]
)

# Nothing in it outlives a step.
SCRATCH = np.dtype(
    [
        *ELIMINATION,
        ("velocity", np.float64, (2, 3)),  # of rover and drone before the step [m/s]
        ("wind", np.float64, (3,)),  # at the drone [m/s]
        ("centre", np.float64, (3,)),  # of a body from its centre: zero
        ("rate", np.float64, (3,)),  # of the rover, world frame [rad/s]
        ("tether_command", np.float64, (M.COMMAND_SIZE,)),
    ]
)


class Hoist(NamedTuple):
    """Rover, tether and drone, and what surrounds them."""

    memory: Memory  # of the tether, with the rover's body at its base and the drone's at its end
    body: NDArray[np.void]  # memory.body
    field: Field
    pose: NDArray[np.float64]  # of the objects of `field`, (objects, 12)
    wind: WindField
    drone: NDArray[np.void]  # (1,) of QUADROTOR
    rover: NDArray[np.void]  # (1,) of ROVER
    winch: NDArray[np.void]  # (1,) of WINCH
    platform: NDArray[np.void]  # (1,) of PLATFORM: there is none
    hook: NDArray[np.void]  # (1,) of HOOK
    rover_origin: NDArray[np.float64]  # from the centre of mass to the middle of the hull [m], (3,)
    drone_origin: NDArray[np.float64]  # the same of the drone [m], (3,)
    place: NDArray[np.float64]  # rover, exit, drone and attachment now, in the order of a plant's [m], (4, 3)
    perch: NDArray[np.float64]  # where the tether ends while the drone holds on [m], (3,)
    free: NDArray[np.float64]  # part of the tether between its last contact and the rover, see canopy_model
    pull: NDArray[np.float64]  # of the tether on rover and drone, mean of the last step [N], (2, 3)
    acceleration: NDArray[np.float64]  # of rover and drone, mean of the last step [m/s^2], (2, 3)
    rover_hull: NDArray[np.float64]  # spheres that must not touch the drone: x, y, z, radius [m], (n, 4)
    drone_hull: NDArray[np.float64]  # spheres that must not touch anything [m], (n, 4)
    limits: NDArray[np.float64]  # strength of the tether [N], how near it may come to a rotor [m], perch [N]
    seen: NDArray[np.float64]  # (7,)
    clock: NDArray[np.float64]  # time [s], largest tension since it was last read [N]
    flag: NDArray[np.int64]  # (4,)
    scratch: NDArray[np.void]  # (1,) of SCRATCH
    supply: NDArray[np.void]  # (0,): no power comes through this tether


def copy_hoist(hoist: Hoist) -> Hoist:
    """An independent hoist in the same state; what never changes is shared."""
    fresh: dict[str, Any] = {
        name: getattr(hoist, name).copy()
        for name in hoist._fields
        if name not in ("memory", "body", "field", "wind")
    }
    memory = copy_memory(hoist.memory)
    return hoist._replace(
        memory=memory,
        body=memory.body,
        field=hoist.field._replace(pose=hoist.field.pose.copy(), twist=hoist.field.twist.copy()),
        **fresh,
    )
