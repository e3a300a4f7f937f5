"""The arrays of a plant: bodies and tethers in a graph, and what moves them, by kind, wired by integers.

All that changes lies in arrays, so that a plant is copied, saved and resumed by copying them.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.plant.graph import Graph, Program
from tetherlab.plant.graph_build import copy_graph, parted
from tetherlab.world.field import Field
from tetherlab.world.wind_field import WindField

# What is known of a body beside its motion.
PART = np.dtype(
    [
        ("robot", np.int64),  # 1: its hull must not touch anything, 2: it may, 0: it is none
        ("group", np.int64),  # bodies of one group are held together by joints, and may touch each other
        ("origin_B", np.float64, (3,)),  # of what it is the body of, from its centre of mass [m]
        ("origin_W", np.float64, (3,)),  # where that is now [m]
        ("first_sphere", np.int64),  # of its hull, in `hull`
        ("last_sphere", np.int64),  # one past the last
        ("clearance", np.float64),  # of its hull from the world, without what rides on bodies [m]
        ("pull_W", np.float64, (3,)),  # of all tethers, mean of the last step [N]
        ("acceleration_W", np.float64, (3,)),  # mean of the last step [m/s^2]
        ("before_W", np.float64, (3,)),  # velocity at its start [m/s]
    ]
)

# What is known of a tether beside its motion.
LINE = np.dtype(
    [
        ("strength", np.float64),  # [N]
        ("rotor_gap", np.float64),  # how near it may come to a rotor [m]
        ("tension_peak", np.float64),  # at its ends, largest mean of a step since the last tick [N]
        ("end_peak", np.float64),  # the same of its end alone [N]
        ("base_W", np.float64, (3,)),  # where its ends are [m]
        ("end_W", np.float64, (3,)),
        ("distance", np.float64),  # of its ends [m]
        ("taut_for", np.float64),  # with nothing left on the drum [s]
    ]
)

# Where a drone stands on a body, and a tether leaves it; `platform` may turn both.
BERTH = np.dtype(
    [
        ("body", np.int64),
        ("tether", np.int64),  # whose base is tied there
        ("deck", np.int64),  # object of the field, -1: none
        ("ride", np.int64),  # the same among those that ride on bodies
        # While the deck is parallel to the body, from its centre of mass [m].
        ("exit_B", np.float64, (3,)),
        ("stand_B", np.float64, (3,)),  # the drone's centre when it stands on the deck
        ("stand_W", np.float64, (3,)),  # that point now [m]
    ]
)

CLOCK = np.dtype(
    [
        ("time", np.float64),  # [s]
        ("steps", np.int64),
        ("failed", np.int64),  # 1: a step could not be taken
        ("apart", np.int64),  # 1: in the last step nothing was near to what rides on bodies
    ]
)

# Nothing in it outlives a tick.
SCRATCH = np.dtype(
    [
        ("wind", np.float64, (3,)),  # at a robot [m/s]
        # what ends the run
        ("body", np.int64),
        ("tether", np.int64),
        ("hit_depth", np.float64),  # of the hull of that body in what it hit [m]
        ("hit_object", np.int64),  # of the field; -1: the hull of another body
        ("hit_body", np.int64),  # which one
    ]
)


class Plant(NamedTuple):
    """Robots, bodies, tethers and what surrounds them: any number of each, also none."""

    graph: Graph
    parted: Program  # for steps in which nothing is near to what rides on bodies; empty: not looked for
    field: Field  # obstacles: the world, and what rides on bodies
    pose: NDArray[np.float64]  # of the objects of `field` between two steps, (objects, 12)
    wind: WindField
    rotorcraft: NDArray[np.void]  # (n,) of QUADROTOR
    rover: NDArray[np.void]  # (n,) of ROVER
    thrusters: NDArray[np.void]  # of robots that hang on their tethers, (n,) of ROBOT
    hanging: NDArray[np.void]  # and what each hangs from, (n,) of HANGING
    winch: NDArray[np.void]  # (n,) of WINCH
    berth: NDArray[np.void]  # (n,) of BERTH
    platform: NDArray[np.void]  # (n,) of PLATFORM: of each berth, whether it levels itself or not
    supply: NDArray[np.void]  # of power through a tether, (n,) of SUPPLY
    hook: NDArray[np.void]  # joints of tethers with robots that are damped, (n,) of HOOK
    hooked: NDArray[np.void]  # what the robot of each of these hangs from, (n,) of HANGING
    part: NDArray[np.void]  # of each body, (bodies,) of PART
    line: NDArray[np.void]  # of each tether, (tethers,) of LINE
    hull: NDArray[
        np.float64
    ]  # spheres of robots, and of bodies that these may hit: x, y, z, radius (n, 4) [m]
    clock: NDArray[np.void]  # (1,) of CLOCK
    scratch: NDArray[np.void]  # (1,) of SCRATCH


SHARED = ("graph", "parted", "field", "wind")  # that are no arrays


def copy_plant(plant: Plant) -> Plant:
    """An independent plant in the same state; what never changes is shared."""
    fresh: dict[str, Any] = {
        name: getattr(plant, name).copy() for name in plant._fields if name not in SHARED
    }
    return plant._replace(
        graph=copy_graph(plant.graph),
        parted=parted(plant.graph) if len(plant.parted.island) else plant.parted,
        field=plant.field._replace(pose=plant.field.pose.copy(), twist=plant.field.twist.copy()),
        **fresh,
    )
