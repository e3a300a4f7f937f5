"""The arrays of a robot that hangs in a canopy: robot, spool, tether, branches, and what surrounds them.

The robot is the body at the base of the tether, since its spool is on board; the end is tied to the anchor.
All that changes lies in arrays, so that a canopy is copied by copying them.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.tether.model import Memory, copy_memory
from tetherlab.vehicles.avocado.record import RECORD
from tetherlab.world.field import Field
from tetherlab.world.wind_field import WindField

# command
REEL_SPEED, THRUST, TORQUE = 0, 1, 2
COMMAND_SIZE = 3

# flag
FAILED, STEPS, ITERATIONS, PASSES = 0, 1, 2, 3

# free: the part of the tether between its last contact and the robot
FREE_LENGTH, FREE_RATE, FREE_OBJECT = 0, 1, 2  # [m], [m/s], number of the object or -1 for the anchor
NEAREST = -2  # for that number, before the first step: the object next to the contact
FREE_POINT, FREE_ALONG, FREE_SPEED = 3, 6, 9  # contact [m], from there to P, velocity of the contact [m/s]

# seen
TENSION_PEAK, ANCHOR_DEPTH, SHELL_FORCE, SHELL_COUNT = 0, 1, 2, 3

SAVED = ("number", "small", "ends", "scalars", "vectors", "contact", "wrap", "body", "body_contact")

# Nothing in it outlives a tick.
SCRATCH = np.dtype(
    [
        ("wind", np.float64, (3,)),  # at the robot [m/s]
        ("rate", np.float64, (3,)),  # of the robot, world frame [rad/s]
        ("record", np.float64, (RECORD,)),  # of the analytic model
        ("frame", np.float64, (3, 3)),  # of the tether in the paper's axes
        ("turn", np.float64, (3,)),  # rate of the tether's line [rad/s]
        ("joint", np.float64, (3,)),  # axis of the joint
        ("across", np.float64, (3,)),  # square to that and to the tether
    ]
)


class Canopy(NamedTuple):
    """A robot on its tether among branches."""

    memory: Memory  # of the tether; its base carries the robot's body
    live: tuple[NDArray[np.int64], ...]  # windows on what a step changes in it, (parts, nodes, size)
    kept: tuple[NDArray[np.int64], ...]  # copies of these, from before the step
    field: Field
    pose: NDArray[np.float64]  # of its objects at the start of a step, (objects, 12)
    wind: WindField
    robot: NDArray[np.void]  # (1,) of ROBOT
    spool: NDArray[np.void]  # (1,) of WINCH
    branch: NDArray[np.void]  # (n,) of BRANCH
    anchor: NDArray[np.float64]  # [m], (3,)
    free: NDArray[np.float64]  # (12,)
    truth: NDArray[np.float64]  # the state in the paper's words, before and now, (2, 11)
    seen: NDArray[np.float64]  # (4,)
    limits: NDArray[np.float64]  # strength [N], depth of the anchor in a branch that ends a run [m]
    clock: NDArray[np.float64]  # time [s], pace of the coupling with the branches
    flag: NDArray[np.int64]
    scratch: NDArray[np.void]  # (1,) of SCRATCH
    tether_command: NDArray[np.float64]  # (14,), see tether/model.py


def windows(memory: Memory) -> tuple[NDArray[np.int64], ...]:
    """What a step changes in a tether's memory, as integers that share it: each (parts, nodes, size)."""
    shapes = {"scalars": (len(memory.scalars), -1, 1), "vectors": (len(memory.vectors), -1, 3)}
    shapes |= dict.fromkeys(("contact", "wrap"), (1, len(memory.contact), -1))
    return tuple(
        np.asarray(getattr(memory, name)).view(np.int64).reshape(shapes.get(name, (1, 1, -1)))
        for name in SAVED
    )


def copy_canopy(canopy: Canopy) -> Canopy:
    """An independent canopy in the same state; what never changes is shared."""
    fresh: dict[str, Any] = {
        name: getattr(canopy, name).copy()
        for name in canopy._fields
        if name not in ("memory", "live", "kept", "field", "wind")
    }
    memory = copy_memory(canopy.memory)
    return canopy._replace(
        memory=memory,
        live=windows(memory),
        kept=tuple(part.copy() for part in canopy.kept),
        field=canopy.field._replace(pose=canopy.field.pose.copy(), twist=canopy.field.twist.copy()),
        **fresh,
    )
