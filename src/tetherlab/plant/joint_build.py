"""Joints of a graph from what the user says of them; their angles, rates, energy and locks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.plant.joint import BALL, FREE, HELD, SETTLING

Vector = NDArray[np.float64]
Pair = Sequence[float] | Vector  # for the first and the second axis
KINDS = ("ball", "universal", "hinge", "fixed")  # as they are numbered in joint.py
FREE_AXES = {"ball": 0, "universal": 2, "hinge": 1, "fixed": 0}


@dataclass(frozen=True)
class JointStart:
    """A joint as it is assembled; arrays of two are for the first and the second axis."""

    kind: str  # one of KINDS
    body: tuple[int, int]  # parent and child; parent -1: the world
    r_B: tuple[Vector, Vector]  # the point in both, or in the world [m], (3,)
    axes: Vector  # at angles of zero, world frame, (2, 3): orthonormal
    angle: Pair = (0.0, 0.0)  # as it is assembled [rad]
    stiffness: Pair = (0.0, 0.0)  # [N m/rad]
    rest: Pair = (0.0, 0.0)  # angle at which the spring is relaxed [rad]
    damping: Pair = (0.0, 0.0)  # [N m s/rad]
    torque_max: Pair = (np.inf, np.inf)  # [N m]
    lower: Pair = (-np.inf, -np.inf)  # end stops [rad]
    upper: Pair = (np.inf, np.inf)
    held: tuple[bool, bool] = (False, False)
    release_time: Pair = (np.inf, np.inf)  # of held axes [s]


def fill_joint(row: Any, start: JointStart, body: NDArray[Any]) -> None:
    """The record of a joint between bodies (records of BODY)."""
    row["kind"], row["body"], row["r_B"] = KINDS.index(start.kind), start.body, start.r_B
    first, second = start.axes
    at_zero = np.array([first, second, np.cross(first, second)])
    turned = at_zero.T @ _turn(0, start.angle[0]) @ _turn(1, start.angle[1])
    for side, axes in enumerate((at_zero, turned.T)):
        b = start.body[side]
        row["axes_B"][side] = axes if b < 0 else axes @ body[b]["R_WB"]
    for name in ("angle", "stiffness", "rest", "damping", "torque_max", "release_time"):
        row[name] = getattr(start, name)
    row["limit"] = np.array([start.lower, start.upper]).T
    row["held_angle"] = start.angle
    row["lock"] = [HELD if held else FREE for held in start.held]
    for axis in range(FREE_AXES[start.kind], 2):
        if start.kind != "ball":
            row["lock"][axis], row["held_angle"][axis], row["release_time"][axis] = HELD, 0.0, np.inf


def _turn(axis: int, angle: float) -> Vector:
    """A turn about the first or the second of three axes, (3, 3)."""
    c, s = np.cos(angle), np.sin(angle)
    if axis == 0:
        return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def settle_velocities(joint: NDArray[Any], body: NDArray[Any]) -> None:
    """Give bodies that start moving against their joints the velocities that impulses of the joints leave."""
    if not len(joint):
        return
    G = _velocity_constraints(joint, body)
    answer = np.zeros((6 * len(body), 6 * len(body)))  # inverse inertia
    speed = np.zeros(6 * len(body))
    for i, row in enumerate(body):
        R, at = row["R_WB"], 6 * i
        answer[at : at + 3, at : at + 3] = np.eye(3) / row["mass"]
        answer[at + 3 : at + 6, at + 3 : at + 6] = R @ np.linalg.inv(row["inertia_B"]) @ R.T
        speed[at : at + 3] = row["v_W"]
        speed[at + 3 : at + 6] = answer[at + 3 : at + 6, at + 3 : at + 6] @ row["L_W"]
    wrong = G @ speed
    if np.abs(wrong).max(initial=0.0) < 1e-14:
        return
    impulse = -G.T @ (np.linalg.pinv(G @ answer @ G.T, rcond=1e-12) @ wrong)
    for i, row in enumerate(body):
        row["v_W"] += impulse[6 * i : 6 * i + 3] / row["mass"]
        row["L_W"] += impulse[6 * i + 3 : 6 * i + 6]


def _velocity_constraints(joint: NDArray[Any], body: NDArray[Any]) -> Vector:
    """How the constraints change with the velocities of all bodies, (rows, 6 bodies)."""
    rows = []
    for row in joint:
        arms = [
            np.zeros(3) if b < 0 else body[b]["R_WB"] @ r
            for b, r in zip(row["body"], row["r_B"], strict=True)
        ]
        blocks = [np.hstack([np.eye(3), -_skew(arm)]) for arm in arms]
        if row["kind"] != BALL:
            (a1, _, _), (_, b2, _) = axes_now(row, body)
            turns = [
                np.cross(b2, a1),
                *(axis for axis, lock in zip((a1, b2), row["lock"], strict=True) if lock),
            ]
            blocks = [np.vstack([block, *(np.r_[np.zeros(3), turn] for turn in turns)]) for block in blocks]
        own = np.zeros((len(blocks[0]), 6 * len(body)))
        for side, b in enumerate(row["body"]):
            if b >= 0:
                own[:, 6 * b : 6 * b + 6] += (2 * side - 1) * blocks[side]
        rows.append(own)
    return np.vstack(rows)


def _skew(r: Vector) -> Vector:
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def axes_now(row: Any, body: NDArray[Any]) -> tuple[Vector, Vector]:
    """Axes of a joint in the world, as its parent and as its child have them, each (3, 3) by rows."""
    parent, child = (
        axes if b < 0 else axes @ body[b]["R_WB"].T
        for b, axes in zip(row["body"], row["axes_B"], strict=True)
    )
    return parent, child


def joint_rates(row: Any, body: NDArray[Any]) -> Vector:
    """Rates of both angles [rad/s], (2,)."""
    if row["kind"] == BALL:
        return np.zeros(2)
    turning = np.zeros(3)
    for b, sign in zip(row["body"], (-1.0, 1.0), strict=True):
        if b >= 0:
            R = body[b]["R_WB"]
            turning += sign * R @ np.linalg.solve(body[b]["inertia_B"], R.T @ body[b]["L_W"])
    parent, child = axes_now(row, body)
    return np.array([turning @ parent[0], turning @ child[1]])


def joint_energy(joint: NDArray[Any]) -> float:
    """Energy in the springs of all joints [J]."""
    return float(0.5 * (joint["stiffness"] * (joint["angle"] - joint["rest"]) ** 2).sum())


def joint_gaps(joint: NDArray[Any], body: NDArray[Any]) -> Vector:
    """How far the two points of each joint are apart [m], (joints,)."""
    places = [
        [
            r if b < 0 else body[b]["p_W"] + body[b]["R_WB"] @ r
            for b, r in zip(row["body"], row["r_B"], strict=True)
        ]
        for row in joint
    ]
    return np.array([np.linalg.norm(child - parent) for parent, child in places])


def lock_joint(row: Any) -> None:
    """Hold the axes of a joint where they are; what moved stops at once."""
    for axis in range(FREE_AXES[KINDS[row["kind"]]]):
        row["lock"][axis], row["held_angle"][axis] = HELD, row["angle"][axis]
        row["held_rate"][axis], row["release_time"][axis] = 0.0, np.inf
    row["settling"] = SETTLING


def unlock_joint(row: Any) -> None:
    """Let go of the axes of a joint that are held."""
    for axis in range(FREE_AXES[KINDS[row["kind"]]]):
        if row["lock"][axis] == HELD:
            row["lock"][axis] = FREE
            row["held_rate"][axis] = 0.0
