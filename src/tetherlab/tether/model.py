"""What a tether is (model) and how it is at one moment (state), as kernels see them.

Nodes run from the base (index 0, the reel end) to the end (index `count`); element j joins nodes j and j + 1.
Arrays have spare room, because reeling adds and removes nodes.

Passing an array from Python to a kernel costs about as much as stepping a node, so all of a tether lives in
the few arrays of a `Memory`; `open_model`, `open_state` and `open_work` give its parts their names, in
kernels and in Python alike.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import inlined, plain
from tetherlab.math.record import make_records
from tetherlab.math.rigid_body import BODY, POINTS_MAX
from tetherlab.tether.chain import LINK_COLUMNS
from tetherlab.tether.wrap import WRAP
from tetherlab.world.contact import CONTACT

BASE, END = 0, 1
# How an end is held; a point mass is a FREE end with extra mass. CARRIED: tied to a body of a graph (plant).
PRESCRIBED, FREE, RIGID, CARRIED = 0, 1, 2, 3

# state.number
COUNT, KIND_BASE, KIND_END, FAILED, EVENTS, FOLDED = 0, 1, 2, 3, 4, 5

REELED = 2  # state.number[FOLDED]: 0, 1 if it is folded somewhere, or this if the winch runs as well

# command: duration [s], speed of the reel [m/s], position and velocity to which a prescribed base and end go
DT, REEL_SPEED, TO_BASE, TO_END = 0, 1, 2, 8
COMMAND_SIZE = 14

# Where batches find them in `Memory`: row in ends, index in vectors.
IMPULSE, POSITIONS = 5, 0

# state.total: time [s], sums over the run [J], energy that contact owes [J]; then of the last call: how long
# it was [s], the largest tension [N] and the largest stretch; then, again sums over the run [J], the work of
# the winch and the potential energy that tether had when it left the winch
TIME, WORK, DISSIPATED, DEBT, DURATION, TENSION_PEAK, STRETCH_PEAK, WORK_WINCH, FED = range(9)


class TetherModel(NamedTuple):
    """What does not change in a run. SI units."""

    linear_density: float  # [kg/m]
    axial_stiffness: float  # EA [N]
    axial_damping: float  # c, tension = EA strain + c strain rate [N s]
    bending_stiffness: float  # EI [N m^2]
    bending_damping: float  # [N m^2 s]
    radius: float  # of the cross-section [m]
    friction: float  # Coulomb coefficient against obstacles that name none
    drag_normal: float  # 1/2 rho_air C d, so that force per length = -drag |w| w [kg/m^2]
    drag_tangential: float  # [kg/m^2]
    element_length: float  # wanted [m]
    gravity: float  # [m/s^2]
    step_max: float  # longest internal step [s]


class TetherState(NamedTuple):
    """What changes and lasts."""

    number: NDArray[np.int64]
    total: NDArray[np.float64]
    end_mass: NDArray[np.float64]  # point masses at base and end [kg], (2,)
    end_radius: NDArray[np.float64]  # of their spheres [m], (2,)
    end_force: NDArray[np.float64]  # external force on base and end [N], (2, 3)
    path: NDArray[np.float64]  # prescribed ends: position and velocity at start and finish, (2, 4, 3)
    impulse: NDArray[np.float64]  # of the tether on base and end in this call [N s], (2, 3)
    push: NDArray[np.float64]  # and in the last internal step, on the bodies that carry them [N s], (2, 3)
    x: NDArray[np.float64]  # positions [m], (room, 3)
    v: NDArray[np.float64]  # velocities [m/s], (room, 3)
    a: NDArray[np.float64]  # accelerations of the last step, the next guess [m/s^2], (room, 3)
    rest: NDArray[np.float64]  # unstretched lengths [m], (room,)
    offset: NDArray[np.float64]  # chord correction after a node came or went, fades [m], (room,)
    tension: NDArray[np.float64]  # mean of the last step [N], (room,)
    drift: NDArray[np.float64]  # rate of the offset [m/s], (room,)
    shared: NDArray[np.float64]  # mass that couples the nodes of an element, see mass.py [kg], (room,)
    free_bend: NDArray[np.float64]  # of each node: 1 - cosine up to which it does not resist, (room,)
    kink: NDArray[np.float64]  # of each node: 1 - cosine up to which bending is free, < 0: all, (room,)
    contact: NDArray[np.void]  # of each node, (room,) of CONTACT
    wrap: NDArray[np.void]  # of each element, (room,) of WRAP
    body: NDArray[np.void]  # the rigid bodies at base and end, (2,) of BODY
    body_contact: NDArray[np.void]  # of their spheres, (2, POINTS_MAX) of CONTACT
    reaction: NDArray[np.float64]  # impulse and angular impulse on each object in this call, (objects, 6)


class Workspace(NamedTuple):
    """Scratch; nothing in it outlives a step."""

    u: NDArray[np.float64]  # iterate: mean velocity over the step [m/s], (room, 3)
    load: NDArray[np.float64]  # forces known before the solve [N], (room, 3)
    force: NDArray[np.float64]  # of each element on its base-side node [N], (room, 3)
    rhs: NDArray[np.float64]  # (room, 3)
    solved: NDArray[np.float64]  # (room, 3)
    tension: NDArray[np.float64]  # of each element at the iterate [N], (room,)
    mass: NDArray[np.float64]  # of each node [kg], (room,)
    inertia: NDArray[np.float64]  # the same, halved where the step is backward Euler [kg], (room,)
    stretch: NDArray[np.float64]  # at the start of the step, length / rest length, (room,)
    span: NDArray[np.float64]  # chord at the start [m], (room,)
    rest_next: NDArray[np.float64]  # at the end of the step [m], (room,)
    rest_start: NDArray[np.float64]  # and at its start [m], (room,)
    stiff: NDArray[np.float64]  # couples changes of velocity: shared mass [kg], (room,)
    offset_next: NDArray[np.float64]  # offset at the end of the step [m], (room,)
    damping: NDArray[np.float64]  # numerical, of a step after failed ones, per stiffness [s], (1,)
    inflow: NDArray[np.float64]  # momentum per time that entering tether brings to node 1 [N], (3,)
    drag: NDArray[np.float64]  # normal, tangential - normal, tangent (3), wind (3), (room, 8)
    link: NDArray[np.float64]  # see chain.py
    diagonal: NDArray[np.float64]
    inverse: NDArray[np.float64]
    bend: NDArray[np.float64]  # forces of bending on the nodes at the iterate [N], (room, 3)
    band: NDArray[np.float64]  # see band.py


class Memory(NamedTuple):
    """All arrays of one tether."""

    constants: NDArray[np.float64]  # the model's numbers
    number: NDArray[np.int64]
    small: NDArray[np.float64]  # (17,)
    ends: NDArray[np.float64]  # (2, 7, 3)
    scalars: NDArray[np.float64]  # (16, room)
    vectors: NDArray[np.float64]  # (9, room, 3)
    blocks: NDArray[np.float64]  # (8, room, LINK_COLUMNS)
    contact: NDArray[np.void]  # (room,)
    wrap: NDArray[np.void]  # (room,)
    body: NDArray[np.void]
    body_contact: NDArray[np.void]
    reaction: NDArray[np.float64]  # (objects, 6)


@inlined
def open_model(memory):
    """The constants by name."""
    c = memory.constants
    return TetherModel(c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10], c[11])


@inlined
def open_state(memory):
    """The lasting part of the memory by name; views, no copies."""
    small, ends, scalars, vectors = memory.small, memory.ends, memory.scalars, memory.vectors
    return TetherState(
        memory.number,
        small[0:9],
        small[9:11],
        small[11:13],
        ends[:, 0],
        ends[:, 1:5],
        ends[:, IMPULSE],
        ends[:, 6],
        vectors[POSITIONS],
        vectors[1],
        vectors[2],
        scalars[0],
        scalars[1],
        scalars[2],
        scalars[11],
        scalars[13],
        scalars[14],
        scalars[15],
        memory.contact,
        memory.wrap,
        memory.body,
        memory.body_contact,
        memory.reaction,
    )


@inlined
def open_work(memory):
    """The scratch part of the memory by name; views, no copies."""
    scalars, vectors, blocks = memory.scalars, memory.vectors, memory.blocks
    return Workspace(
        vectors[3],
        vectors[4],
        vectors[5],
        vectors[6],
        vectors[7],
        scalars[3],
        scalars[4],
        scalars[5],
        scalars[6],
        scalars[7],
        scalars[8],
        scalars[9],
        scalars[10],
        scalars[12],
        memory.small[13:14],
        memory.small[14:17],
        blocks[0],
        blocks[1],
        blocks[2],
        blocks[3],
        vectors[8],
        blocks[4:8],
    )


@inlined
def touches(work, i):
    """Whether node i touches something and so steps by backward Euler: its inertia is halved."""
    return work.inertia[i] < 0.75 * work.mass[i]


@inlined
def memory_row(memories, i):
    """The memory of tether i, where those of several are stacked along a first axis; views, no copies."""
    return Memory(
        memories.constants[i],
        memories.number[i],
        memories.small[i],
        memories.ends[i],
        memories.scalars[i],
        memories.vectors[i],
        memories.blocks[i],
        memories.contact[i],
        memories.wrap[i],
        memories.body[i],
        memories.body_contact[i],
        memories.reaction[i],
    )


def stack_memories(memories: list[Memory], room: int) -> Memory:
    """Copies of several memories, with space for `room` nodes each, along a first axis."""
    grown = [grow_memory(memory, room) for memory in memories]
    arrays: list[Any] = [np.stack(parts).view(type(parts[0])) for parts in zip(*grown, strict=True)]
    return Memory(*arrays)


def make_memory(model: TetherModel, room: int, objects: int) -> Memory:
    """Empty memory with space for `room` nodes, in a world of so many objects."""
    return Memory(
        constants=np.array(model, dtype=np.float64),
        number=np.zeros(6, np.int64),
        small=np.zeros(17),
        ends=np.zeros((2, 7, 3)),
        scalars=np.zeros((16, room)),
        vectors=np.zeros((9, room, 3)),
        blocks=np.zeros((8, room, LINK_COLUMNS)),
        contact=make_records(room, CONTACT),
        wrap=make_records(room, WRAP),
        body=make_records(2, BODY),
        body_contact=make_records((2, POINTS_MAX), CONTACT),
        reaction=np.zeros((objects, 6)),
    )


def copy_memory(memory: Memory) -> Memory:
    """A deep copy."""
    arrays: list[Any] = [array.copy() for array in memory]
    return Memory(*arrays)


def grow_memory(memory: Memory, room: int) -> Memory:
    """A deep copy with space for `room` nodes."""
    grown = make_memory(plain(open_model)(memory), room, len(memory.reaction))
    for new, old in zip(grown, memory, strict=True):
        if old.ndim > 1:
            new[:, : old.shape[1]] = old
        else:
            new[: old.shape[0]] = old
    return grown
