"""A branch that bends: a body on a universal joint at its root, with a capsule that others touch."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tetherlab.assembly.sites import Body
from tetherlab.contracts.bodies import RigidBody
from tetherlab.math.rotation import quaternion_from_matrix
from tetherlab.plant.branch import Branch

if TYPE_CHECKING:
    from tetherlab.assembly.scene import Scene


def grow_branch(scene: Scene, branch: Branch, name: str | None) -> Body:
    """Add a branch to a scene.

    Its own weight is in the shape that it has at rest. So the centre of mass of its body is put at the root,
    where the joint carries it and weight has no lever; about the root the inertia is that of the branch. What
    it does to others is the same: only the force in the joint lacks what a centre of mass that swings needs.
    The mass is that of a uniform rod, and so is the inertia about its own axis.
    """
    name = branch.name if name is None else name
    along = (branch.tip - branch.root) / branch.reach
    mass = 3.0 * branch.inertia / branch.reach**2
    spin = 0.5 * mass * branch.radius**2
    side, lift = branch.axes
    part = scene.add_body(
        RigidBody(
            mass=mass,
            inertia=branch.inertia * np.eye(3) + (spin - branch.inertia) * np.outer(along, along),
            rotation_wxyz=quaternion_from_matrix(branch.rotation(branch.bent)),
        ),
        name=name,
        position=branch.root,
        shapes=[replace(branch.shape, name=name)],
    )
    scene.add_joint(
        "universal",
        name=f"{name}_root",
        parent=branch.root,
        child=part.site(),
        axes=(side, lift),
        angle=branch.bent,
        stiffness=branch.stiffness,
        damping=branch.damping,
        held=branch.release_time > 0.0,
        release_time=branch.release_time if 0.0 < branch.release_time < math.inf else None,
    )
    return part
