"""Where the nodes of a chain hang at rest between two held points: exactly, not on a sampled curve.

The force in the first element decides everything: each node adds its weight, each element points along its
force and stretches by it, so the far end follows by summing. Two unknowns in the vertical plane are left.
They minimise the complementary energy, which is convex, so Newton's method finds them wherever it starts.

The exception is a tether that hangs down and comes back almost along itself. The element at the turn may then
have no room, is pushed instead of pulled, and spreads the two legs; its tension and slope are the unknowns.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Gap = Callable[[Vector], tuple[Vector, Vector]]  # unknowns -> miss of the far end [m] and its derivative

ROUNDING = 1e-14  # of the length: how far the last node may miss the far end
ITERATIONS_MAX = 60


def hanging_chain(
    base: Vector, end: Vector, rest: Vector, linear_density: float, axial_stiffness: float, gravity: float
) -> Vector | None:
    """Nodes at rest, (n + 1, 3), of elements of unstretched lengths `rest` (n,); None if there is no rest.

    There is none for a slack tether without gravity, nor for a taut one so steep that it cannot carry its own
    weight without being pushed from below.
    """
    across = end[:2] - base[:2]
    span, rise, length = float(np.hypot(*across)), float(end[2] - base[2]), float(rest.sum())
    heading = across / span if span > 0.0 else np.array([1.0, 0.0])
    weights = 0.5 * linear_density * gravity * (rest[1:] + rest[:-1])
    # Vertical force in each element relative to the first.
    added = np.concatenate([[0.0], np.cumsum(weights)])
    goal = np.array([span, rise])
    taut = length <= math.hypot(span, rise)
    if gravity == 0.0 and not taut:
        return None
    if span == 0.0 and taut:
        pull = math.copysign(1.0, rise)
        vertical = axial_stiffness * (abs(rise) / length - 1.0) - pull * float(rest @ added) / length
        chords = np.stack(
            [0.0 * rest, pull * rest * (1.0 + (vertical + pull * added) / axial_stiffness)], axis=1
        )
    else:
        found = None
        narrow = span < rest.max()
        for solve in (_pulled,) if taut else (_turned, _pulled) if narrow else (_pulled, _turned):
            found = solve(goal, rest, added, axial_stiffness)
            if found is not None:
                break
        if found is None:
            return None
        chords = found
    nodes = np.empty((len(rest) + 1, 3))
    nodes[0] = base
    nodes[1:, :2] = base[:2] + np.cumsum(chords[:, :1], axis=0) * heading
    nodes[1:, 2] = base[2] + np.cumsum(chords[:, 1])
    nodes[-1] = end
    return nodes


def _pulled(goal: Vector, rest: Vector, added: Vector, stiffness: float) -> Vector | None:
    """Chords (n, 2), across and up, if every element is pulled."""
    length = float(rest.sum())
    weight = added[-1] / (length - 0.5 * (rest[0] + rest[-1]))  # per length [N/m]
    span, rise = goal
    apart = math.hypot(span, rise)
    # Irvine's estimate for the catenary, and Hooke's law where that is taut.
    slack = (length**2 - rise**2) / max(span, 1e-6 * length) ** 2 - 1.0
    sag = math.sqrt(3.0 * slack) if slack > 0.02 else 0.2
    strained = stiffness * max(apart / length - 1.0, 0.0) / max(apart, 1e-300)
    across = max(0.5 * weight * span / sag, strained * span)
    up = 0.5 * weight * (rise / math.tanh(sag) - length + rest[0]) + strained * rise

    def gap(force: Vector) -> tuple[Vector, Vector]:
        return _reach(force, rest, added, stiffness, goal)

    force = _newton(np.array([across, up]), gap, ROUNDING * length)
    return None if force is None else _chords(force, rest, added, stiffness)


def _turned(goal: Vector, rest: Vector, added: Vector, stiffness: float) -> Vector | None:
    """The same, if the element at the turn may be pushed."""
    # The turn is where the two legs, hanging straight down from the ends, leave the least to bridge.
    before = np.cumsum(rest) - rest
    length = float(rest.sum())
    bridge = goal[1] + 2.0 * before + rest - length - (float(rest @ added) - added * length) / stiffness
    turn = int(np.argmin(np.abs(bridge) / rest))
    others = np.arange(len(rest)) != turn
    legs, hung = rest[others], added[others] - added[turn]
    slope = math.asin(min(max(bridge[turn] / rest[turn], -1.0), 1.0))
    across = (goal[0] - rest[turn] * math.cos(slope)) / float(np.sum(legs / np.abs(hung)))

    def gap(unknown: Vector) -> tuple[Vector, Vector]:
        tension, angle = unknown
        along, turned = (
            np.array([math.cos(angle), math.sin(angle)]),
            np.array([-math.sin(angle), math.cos(angle)]),
        )
        miss, compliance = _reach(tension * along, legs, hung, stiffness, goal)
        span = rest[turn] * (1.0 + tension / stiffness)
        derivative = compliance @ np.stack([along, tension * turned], axis=1)
        derivative[:, 0] += rest[turn] / stiffness * along
        derivative[:, 1] += span * turned
        return miss + span * along, derivative

    start = np.array([across / max(math.cos(slope), 1e-3), slope])
    unknown = _newton(start, gap, ROUNDING * length)
    if unknown is None:
        return None
    tension, angle = unknown
    along = np.array([math.cos(angle), math.sin(angle)])
    chords = np.empty((len(rest), 2))
    chords[others] = _chords(tension * along, legs, hung, stiffness)
    chords[turn] = rest[turn] * (1.0 + tension / stiffness) * along
    return chords


def _chords(force: Vector, rest: Vector, added: Vector, stiffness: float) -> Vector:
    forces = np.stack([np.full(len(rest), force[0]), force[1] + added], axis=1)
    tension = np.hypot(forces[:, 0], forces[:, 1])
    return (rest * (1.0 / tension + 1.0 / stiffness))[:, None] * forces


def _reach(
    force: Vector, rest: Vector, added: Vector, stiffness: float, goal: Vector
) -> tuple[Vector, Vector]:
    """How far pulled elements miss the goal, (2,) [m], and the derivative to the force, (2, 2) [m/N]."""
    across, up = force[0], force[1] + added
    tension = np.hypot(across, up)
    sway = rest / tension**3
    soft = float(rest.sum()) / stiffness
    mixed = -across * float(sway @ up)
    per_force = rest / tension + rest / stiffness
    miss = np.array([across * float(per_force.sum()) - goal[0], float(per_force @ up) - goal[1]])
    derivative = np.array(
        [[soft + float(sway @ up**2), mixed], [mixed, soft + across**2 * float(sway.sum())]]
    )
    return miss, derivative


def _newton(unknown: Vector, gap: Gap, tolerance: float) -> Vector | None:
    """The unknowns that leave no gap, to rounding; None if they are not found."""
    with np.errstate(all="ignore"):
        miss, derivative = gap(unknown)
        size = float(np.hypot(*miss))
        for _ in range(ITERATIONS_MAX):
            determinant = derivative[0, 0] * derivative[1, 1] - derivative[0, 1] * derivative[1, 0]
            change = np.array(
                [
                    derivative[1, 1] * miss[0] - derivative[0, 1] * miss[1],
                    derivative[0, 0] * miss[1] - derivative[1, 0] * miss[0],
                ]
            )
            change /= determinant
            share = 1.0
            while share > 1e-6:
                trial = unknown - share * change
                trial_miss, trial_derivative = gap(trial)
                trial_size = float(np.hypot(*trial_miss))
                if trial_size < size:
                    break
                share *= 0.5
            else:
                break
            unknown, miss, derivative, size = trial, trial_miss, trial_derivative, trial_size
            if size < 0.1 * tolerance:
                break
    return unknown if size < tolerance else None
