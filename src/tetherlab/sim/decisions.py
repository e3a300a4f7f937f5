"""Compiled laws in the place of controllers: which machine of a plant each commands, and when."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import kernel
from tetherlab.math.record import make_records
from tetherlab.plant.laws import DRIVE, FLIGHT, REEL, drive_law, flight_law, reel_law
from tetherlab.tether.model import COUNT, memory_row, open_state

# Of each rotorcraft.
FLYING = np.dtype(
    [
        ("by_law", np.int64),  # 1: the law decides, 0: the command is written in Python
        ("every", np.int64),  # ticks from one decision to the next
        ("path", np.int64),  # row of its reference point
        ("yaw", np.float64),  # wanted [rad]
        # what the law remembers
        ("integral", np.float64, (3,)),  # [m s]
        ("pull", np.float64, (3,)),  # tether force that is fed forward [N]
        ("force", np.float64, (3,)),  # wanted last [N]
    ]
)

# Of each rover.
DRIVING = np.dtype(
    [
        ("by_law", np.int64),
        ("every", np.int64),
        ("path", np.int64),
        ("yaw", np.float64),  # wanted [rad]
        ("integral", np.float64, (2,)),  # what the law remembers [m s]
    ]
)

# Of each winch.
REELING = np.dtype(
    [
        ("by_law", np.int64),
        ("every", np.int64),
        ("path", np.int64),  # reference point of the robot at the far end of its tether; -1: none
        ("slack", np.float64),  # length over distance that the target asks for, or NaN
    ]
)


class Laws(NamedTuple):
    """Settings of the laws of all machines of a plant, and what each of them is for."""

    flight: NDArray[Any]  # (rotorcraft,) of FLIGHT
    flying: NDArray[Any]  # of FLYING
    drive: NDArray[Any]  # (rovers,) of DRIVE
    driving: NDArray[Any]  # of DRIVING
    reel: NDArray[Any]  # (winches,) of REEL
    reeling: NDArray[Any]  # of REELING


KINDS = (FLIGHT, FLYING, DRIVE, DRIVING, REEL, REELING)  # of records, in the order of `Laws`


def make_laws(rotorcraft: int, rovers: int, winches: int) -> Laws:
    """None decides until `by_law` says so."""
    counts = (rotorcraft, rotorcraft, rovers, rovers, winches, winches)
    laws = Laws(*[make_records(n, kind) for n, kind in zip(counts, KINDS, strict=True)])
    for rows in (laws.flying, laws.driving, laws.reeling):
        rows["every"] = 1
    return laws


@kernel
def decide(plant, laws, command, paths, tick):
    """Write the commands of those laws whose turn it is."""
    for i in range(laws.flying.shape[0]):
        flying = laws.flying[i]
        if flying.by_law == 1 and tick % flying.every == 0 and command.flight[i].armed == 1:
            _decide_flight(plant, i, laws.flight[i], flying, command.flight[i], paths)
    for i in range(laws.driving.shape[0]):
        driving = laws.driving[i]
        if driving.by_law == 1 and tick % driving.every == 0:
            _decide_drive(plant, i, laws.drive[i], driving, command.drive[i], paths)
    for i in range(laws.reeling.shape[0]):
        reeling = laws.reeling[i]
        if reeling.by_law == 1 and tick % reeling.every == 0:
            _decide_reel(plant, i, laws.reel[i], reeling, command.reel[i], paths)


@kernel
def carry_points(plant, laws, command, paths):
    """The reference points of drones whose rotors stand still are where these are carried."""
    for i in range(laws.flying.shape[0]):
        if command.flight[i].armed == 0:
            body, r = plant.graph.body[plant.rotorcraft[i].body], laws.flying[i].path
            for k in range(3):
                paths.position[r, k] = paths.target[r, k] = body.p_W[k]
                paths.velocity[r, k], paths.acceleration[r, k] = body.v_W[k], 0.0
                paths.cruise[r, k] = math.nan


@kernel
def _decide_flight(plant, i, law, flying, command, paths):
    b, r = plant.rotorcraft[i].body, flying.path
    body = plant.graph.body[b]
    flight_law(
        law, body.p_W, body.v_W, plant.part[b].pull_W,
        paths.position[r], paths.velocity[r], paths.acceleration[r],
        flying.integral, flying.pull, flying.force,
    )  # fmt: skip
    for k in range(3):
        command.force_W[k] = flying.force[k]
    command.yaw = flying.yaw


@kernel
def _decide_drive(plant, i, law, driving, command, paths):
    b, r = plant.rover[i].body, driving.path
    command.forward, command.left, command.turn = drive_law(
        law, plant.part[b].origin_W, plant.graph.body[b].R_WB, paths.position[r], paths.velocity[r],
        driving.yaw, driving.integral,
    )  # fmt: skip


@kernel
def _decide_reel(plant, i, law, reeling, command, paths):
    t, graph, r = plant.winch[i].tether, plant.graph, reeling.path
    line, state, b = plant.line[t], open_state(memory_row(graph.memories, t)), graph.tie[t, 0].body
    # The wanted velocity of the far end: the winch would answer to the trembling of the true one.
    far = paths.velocity[r] if r >= 0 else state.v[state.number[COUNT]]
    own = (state.v[0, 0], state.v[0, 1], state.v[0, 2])
    if b >= 0:
        v = graph.body[b].v_W
        own = (v[0], v[1], v[2])
    command.mode, command.wanted, command.rate = reel_law(
        law, line.base_W, line.end_W, own, far, reeling.slack
    )  # fmt: skip
