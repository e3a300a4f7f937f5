"""Hang a robot on its own tether from a site of a scene, in a state in the paper's words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tetherlab.assembly.robots import SPOOL, Robot, hanging_spec
from tetherlab.assembly.sites import Site
from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.math.rotation import quaternion_from_matrix
from tetherlab.plant.hanging import ELEMENT, hanging, make_tether_spec, motion_of
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.vehicles.avocado.state import AvocadoState

if TYPE_CHECKING:
    from tetherlab.assembly.scene import Line, Scene

SIDES = ("left", "right")
STEP = 0.002  # longest internal one [s]


def hang_robot(
    scene: Scene,
    robot: AvocadoRobotSpec | str | Path,
    *,
    name: str,
    anchor: Site,
    start: AvocadoState | float,
    via: ArrayLike = (),
    thrust: float = 0.0,
    failures: Mapping[str, float] | None = None,
    element_length: float = ELEMENT,
    step_max: float = STEP,
) -> tuple[Robot, Line]:
    """Add a robot, and its tether from the spool to the anchor, called like it with "_tether" behind.

    start: its state, whose angles and distance are those of the free part; or the length of tether that is
    out [m], on which it hangs at rest. via: points over which the tether runs, from the one next to the robot
    to the one next to the anchor [m], (n, 3). thrust: that both motors together give at the start [N].
    failures: when the "left" and the "right" motor fail [s].
    """
    spec = hanging_spec(robot, float(scene.world.gravity))
    if not isinstance(start, AvocadoState):
        start = hanging(spec, check.positive("start", start))
    corners = check.points("via", via) if np.size(via) else np.zeros((0, 3))
    corners = np.vstack([corners, scene.at(anchor)])
    n_W, R_WB, w_W, v_W = motion_of(start)
    P = corners[0] + start.distance * n_W
    arm = spec.mass_arm * R_WB[:, 2]
    part = scene.add_robot(
        spec,
        name=name,
        position=P - arm,
        rotation_wxyz=quaternion_from_matrix(R_WB),
        velocity=v_W - np.cross(w_W, arm),
        angular_velocity=w_W,
    )
    part = replace(part, thrust=check.number("thrust", thrust), fails_at=_failing(failures or {}))
    scene.parts[name] = part
    shape = np.vstack([P, corners])
    slack = len(corners) == 1 and start.distance < start.tether_length
    line = scene.add_tether(
        make_tether_spec(spec),
        name=f"{name}_tether",
        start=part.site(SPOOL),
        end=anchor,
        length=spec.tether_total,
        paid_out=start.tether_length,
        winch=spec.spool,
        element_length=element_length,
        step_max=step_max,
        shape=None if slack else shape,
    )
    return part, line


def _failing(failures: Mapping[str, float]) -> tuple[float, float]:
    """When the left and the right motor fail [s]."""
    for side in failures:
        if side not in SIDES:
            raise InputError(f"failures has no propeller {side!r}.{check.did_you_mean(side, SIDES)}")
    left, right = (
        check.non_negative(f"failures[{side!r}]", failures[side]) if side in failures else math.inf
        for side in SIDES
    )
    return left, right
