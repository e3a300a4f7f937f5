"""Bodies and tethers wired into a graph: all of a scene in a few arrays, for one compiled step.

A tether's end is prescribed, free, or tied to a body at any of its points; a body may carry any number of
tethers. Bodies and tethers that hang together form an island, which is solved as one. How its linear system
is eliminated is a list of operations (`program`, see elimination_plan.py), made anew when something is tied
or released: kernels know no scene, and nothing is compiled again.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.tether.model import Memory

TIE = np.dtype(
    [
        ("body", np.int64),  # -1: none, the end is prescribed or free
        ("r_B", np.float64, (3,)),  # where on it [m]
        ("slide_B", np.float64, (3,)),  # how fast that point moves on the body [m/s]
        ("arm_W", np.float64, (3,)),  # mean lever arm of the step at the iterate [m]
        ("response", np.float64, (6, 4)),  # of the body, where it is eliminated through this tie
    ]
)

# One operation of the elimination; see elimination.py.
OPERATION = np.dtype(
    [
        ("code", np.int64),
        ("what", np.int64),  # a tether, or the body of a PIVOT; joints count on from the last body
        ("end", np.int64),  # of the tether, that the operation is about
        ("first", np.int64),  # the links of a PIVOT to bodies that are eliminated later, borders of a DRAPE
        ("last", np.int64),  # one past them
    ]
)

# From the body of a PIVOT to another one.
BODY_LINK = np.dtype(
    [
        ("other", np.int64),
        ("row", np.int64),  # block (own, other) in `coupling`
        ("column", np.int64),  # block (other, own)
    ]
)

# Ranges in the lists of an island, and what its steps took.
ISLAND = np.dtype(
    [
        ("first_operation", np.int64),
        ("last_operation", np.int64),  # one past the last, as the others
        ("first_tether", np.int64),
        ("last_tether", np.int64),
        ("first_body", np.int64),
        ("last_body", np.int64),
        ("first_pair", np.int64),
        ("last_pair", np.int64),
        ("first_joint", np.int64),
        ("last_joint", np.int64),
        ("failed", np.int64),  # 1: it could not be advanced
        ("steps", np.int64),
        ("iterations", np.int64),
        ("discarded", np.int64),  # steps
    ]
)

# Beside those of its tethers: energy books of the bodies of a graph, sums over the run.
BODY_BOOKS = np.dtype(
    [
        ("time", np.float64),  # [s]
        ("work", np.float64),  # of external loads, moving obstacles and drives [J]
        ("dissipated", np.float64),  # in contact [J]
    ]
)

COMMAND = np.dtype(
    [
        ("reel_speed", np.float64),  # > 0 pays out [m/s]
        ("position_W", np.float64, (2, 3)),  # to which prescribed ends go within the call [m]
        ("velocity_W", np.float64, (2, 3)),  # that they then have [m/s]
    ]
)


# What a winch takes from the body that carries it, in one step.
FEED = np.dtype(
    [
        ("active", np.int64),  # 1: the winch runs, and its body has tether to give
        ("mass", np.float64),  # paid out in the step [kg]
        ("load", np.float64, (6,)),  # on the body for it: force and torque at the iterate
        ("lag", np.float64, (3,)),  # by how much its force differs from that at the iterate before [N]
    ]
)


# An obstacle that rides on a body, in its frame unless something turns it there; see rider.py.
RIDE = np.dtype(
    [
        ("object", np.int64),  # of the field
        ("body", np.int64),
        ("R_BO", np.float64, (3, 3)),  # how the object lies in the body's frame
        ("r_B", np.float64, (3,)),  # and where its origin is [m]
        ("twist_B", np.float64, (6,)),  # velocity of that origin and angular velocity on the body, its frame
        ("pose_W", np.float64, (12,)),  # at the start of the step or at the iterate, as in the field
        ("twist_W", np.float64, (6,)),  # as in the field
        ("kick", np.float64, (6,)),  # impulse beside the forces of contact, and its moment about the origin
    ]
)


# A body that a tether answers to, which may touch what rides on one; see drape_solve.py.
BORDER = np.dtype(
    [
        ("tether", np.int64),
        ("body", np.int64),
        ("low", np.int64),  # first and last node that answer directly
        ("high", np.int64),
    ]
)


class Program(NamedTuple):
    """How the islands of a graph are eliminated."""

    island: NDArray[np.void]  # (islands,) of ISLAND
    tether: NDArray[np.int64]  # tethers, island by island
    body: NDArray[np.int64]  # bodies, island by island
    pair: NDArray[np.int64]  # pairs of spheres, island by island
    joint: NDArray[np.int64]  # joints, island by island
    closing: NDArray[np.int64]  # 1: the joint closes a loop of joints, (joints,)
    operation: NDArray[np.void]  # (operations,) of OPERATION
    link: NDArray[np.void]  # (links,) of BODY_LINK
    slot: NDArray[np.int64]  # block of two bodies or joints in `coupling`, -1: none, (bodies + joints, same)
    coupling: NDArray[np.float64]  # blocks between bodies and joints, (slots, 6, 6)
    pivot: NDArray[np.float64]  # S^-1 times the block of a link, (links, 6, 6)
    border: NDArray[np.void]  # (borders,) of BORDER
    column: NDArray[np.float64]  # how nodes follow the body of a border, (borders, room, 18)
    row: NDArray[np.float64]  # and it them, (borders, room, 18)


class Graph(NamedTuple):
    """All bodies and tethers of a scene."""

    memories: Memory  # of the tethers, stacked: (tethers, ...)
    tie: NDArray[np.void]  # (tethers, 2) of TIE
    command: NDArray[np.void]  # (tethers,) of COMMAND
    near: NDArray[np.int64]  # 1: something may touch the tether in this step, (tethers,)
    flow: NDArray[np.float64]  # rates of the rest lengths at its winch [m/s], (tethers, 2)
    feed: NDArray[np.void]  # (tethers,) of FEED
    carry: NDArray[np.float64]  # see elimination.py, (tethers, room, 18)
    corner: NDArray[np.float64]  # (tethers, 8, 9)
    body: NDArray[np.void]  # (bodies,) of BODY
    body_contact: NDArray[np.void]  # (bodies, POINTS_MAX) of CONTACT
    pair: NDArray[np.void]  # spheres of two bodies that may touch, (pairs,) of PAIR
    rider: NDArray[np.int64]  # the body that an object of the field rides on, -1: none, (objects,)
    ride: NDArray[np.void]  # all objects that ride, (riders,) of RIDE
    meets: NDArray[np.int64]  # 1: feet of body i may touch riders of body k, -1: never, (bodies, bodies)
    drapes: NDArray[np.int64]  # 1: the tether may touch riders of the body, -1: never, (tethers, bodies)
    joint: NDArray[np.void]  # (joints,) of JOINT
    held: NDArray[np.int64]  # 1: the body is held where it is, see rest.py, (bodies,)
    stowed: NDArray[np.int64]  # 1: all of the tether lies on its drum, see rest.py, (tethers,)
    stock: NDArray[np.float64]  # mass that winches can take from a body [kg], (bodies,)
    correction: NDArray[np.float64]  # of Newton's method (bodies + joints, 6)
    load: NDArray[np.float64]  # force and torque of all ties and joints of a body (bodies, 6)
    reaction: NDArray[np.float64]  # impulse of bodies on obstacles in this call (objects, 6)
    books: NDArray[np.void]  # (1,) of BODY_BOOKS
    program: Program
    gravity: float  # [m/s^2]
    tolerance: float  # a step is solved when its last correction moves nothing farther than this [m]


Array = NDArray[Any]
