"""A branch that bends and springs back: a stiff rod that turns at its root against a spring and a damper.

It turns sideways by a about an upright axis, and up by b about an axis that turns along, as a universal joint
does. With I its moment of inertia about the root, k, c spring and damper, and Q what touches it does,

    I cos(b)^2 a'' - 2 I sin(b) cos(b) a' b' = Q_a - k a - c a'
    I b''          +   I sin(b) cos(b) a'^2  = Q_b - k b - c b'

Its own weight is in the shape that it has at rest. Until its release it is held where it was bent to.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import kernel
from tetherlab.world import shapes

Vector = NDArray[np.float64]
ROUNDS = 3  # in which the two directions agree on what they do to each other
BENT_MAX = math.radians(80.0)  # beyond, a universal joint is not a branch any more

BRANCH = np.dtype(
    [
        ("object", np.int64),  # in the field
        ("root_W", np.float64, (3,)),  # [m]
        ("side_W", np.float64, (3,)),  # axis about which it turns sideways
        ("lift_W", np.float64, (3,)),  # axis about which it turns up, as long as it is not turned sideways
        ("reach", np.float64),  # from root to tip [m]
        ("stiffness", np.float64),  # [N m/rad]
        ("damping", np.float64),  # [N m s/rad]
        ("inertia", np.float64),  # about the root [kg m^2]
        ("release_time", np.float64),  # held until then [s]
        # state
        ("bent", np.float64, (2,)),  # sideways and up [rad]
        ("rate", np.float64, (2,)),  # [rad/s]
        ("load", np.float64, (2,)),  # by what touches it, about both axes, assumed of the next step [N m]
        ("felt", np.float64, (2,)),  # and found in the last one
        # within a step
        ("bent_next", np.float64, (2,)),
        ("rate_next", np.float64, (2,)),
        ("found", np.float64, (2,)),  # load that came of the one assumed
        ("missed", np.float64, (2,)),  # by how much, in the pass before
        ("pose", np.float64, (9,)),  # R_WO at the start
        ("pose_next", np.float64, (9,)),
    ]
)


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Branch:
    """A branch that bends. SI; bent: sideways (to the left seen from its root) and up [rad]."""

    name: str
    root: Any  # where it grows from [m], (3,)
    tip: Any  # at rest [m], (3,)
    radius: float  # [m]
    stiffness: float  # against turning at the root [N m/rad]
    damping: float  # [N m s/rad]
    inertia: float  # about the root; of a uniform rod, mass length^2 / 3 [kg m^2]
    friction: float | None = None  # None: as tether and shell have it
    bent: Any = field(default=(0.0, 0.0))  # at the start [rad], (2,)
    release_time: float = 0.0  # held bent until then [s]

    def __post_init__(self) -> None:
        def put(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"Branch.name must be a word, got {self.name!r}")
        for name in ("root", "tip"):
            put(name, check.vector(f"Branch.{name}", getattr(self, name)))
        for name in ("radius", "stiffness", "inertia"):
            put(name, check.positive(f"Branch.{name}", getattr(self, name)))
        put("damping", check.non_negative("Branch.damping", self.damping))
        if self.release_time != math.inf:
            put("release_time", check.non_negative("Branch.release_time", self.release_time))
        put("bent", check.array("Branch.bent", self.bent, (2,)))
        if np.abs(self.bent).max() > BENT_MAX:
            raise InputError(
                f"Branch.bent must be within {math.degrees(BENT_MAX):g} deg, "
                f"got {np.degrees(self.bent).round(1).tolist()} deg"
            )
        if np.linalg.norm(self.tip - self.root) < 2.0 * self.radius:
            raise InputError("Branch.tip must be more than two radii away from root: a rod, not a ball")

    @property
    def reach(self) -> float:
        """From root to tip [m]."""
        return float(np.linalg.norm(self.tip - self.root))

    @property
    def shape(self) -> shapes.Capsule:
        """Round its root, which is the origin of the object."""
        return shapes.Capsule(
            start=np.zeros(3),
            end=self.tip - self.root,
            radius=self.radius,
            name=self.name,
            friction=self.friction,
        )

    @property
    def axes(self) -> tuple[Vector, Vector]:
        """About which it turns sideways and up: the first as upright as can be."""
        along = (self.tip - self.root) / self.reach
        upright = np.array([0.0, 0.0, 1.0]) if abs(along[2]) < 0.99 else np.array([1.0, 0.0, 0.0])
        side = upright - along * (upright @ along)
        side /= np.linalg.norm(side)
        return side, np.cross(along, side)

    def fill(self, row: np.void, who: int) -> None:
        """Its record; who: its number among the objects."""
        side, lift = self.axes
        row["object"], row["root_W"], row["side_W"], row["lift_W"] = who, self.root, side, lift
        row["bent"] = self.bent
        for name in ("reach", "stiffness", "damping", "inertia", "release_time"):
            row[name] = getattr(self, name)


@kernel
def turn_branch(branch, time, h):
    """Bend and rate after h under the load assumed, by the midpoint rule; pose before and after."""
    bent, rate, load = branch.bent, branch.rate, branch.load
    if time < branch.release_time:
        for k in range(2):
            branch.rate_next[k], branch.bent_next[k] = 0.0, bent[k]
    else:
        inertia, spring, damper = branch.inertia, branch.stiffness, branch.damping
        for k in range(2):
            branch.rate_next[k], branch.bent_next[k] = rate[k], bent[k] + h * rate[k]
        for _ in range(ROUNDS):
            a, b = 0.5 * (rate[0] + branch.rate_next[0]), 0.5 * (rate[1] + branch.rate_next[1])
            up = 0.5 * (bent[1] + branch.bent_next[1])
            turn = inertia * math.sin(up) * math.cos(up)
            for k in range(2):
                mass = inertia * math.cos(up) ** 2 if k == 0 else inertia
                other = 2.0 * turn * a * b if k == 0 else -turn * a * a
                pull = load[k] + other - spring * (bent[k] + 0.5 * h * rate[k]) - damper * rate[k]
                change = h * pull / (mass + 0.5 * h * damper + 0.25 * h * h * spring)
                branch.rate_next[k] = rate[k] + change
                branch.bent_next[k] = bent[k] + h * (rate[k] + 0.5 * change)
    fill_pose(branch, bent, branch.pose)
    fill_pose(branch, branch.bent_next, branch.pose_next)


@kernel
def fill_pose(branch, bent, R):
    """R_WO row by row, (9,): a turn about the lifting axis, then one about the upright."""
    for column in range(3):
        x = 1.0 if column == 0 else 0.0
        y = 1.0 if column == 1 else 0.0
        z = 1.0 if column == 2 else 0.0
        x, y, z = _turned(branch.lift_W, bent[1], x, y, z)
        x, y, z = _turned(branch.side_W, bent[0], x, y, z)
        R[column], R[3 + column], R[6 + column] = x, y, z


@kernel
def _turned(axis, angle, x, y, z):
    """A vector turned about a unit axis."""
    c, s = math.cos(angle), math.sin(angle)
    dot = (1.0 - c) * (axis[0] * x + axis[1] * y + axis[2] * z)
    return (
        c * x + s * (axis[1] * z - axis[2] * y) + dot * axis[0],
        c * y + s * (axis[2] * x - axis[0] * z) + dot * axis[1],
        c * z + s * (axis[0] * y - axis[1] * x) + dot * axis[2],
    )


@kernel
def branch_twist(branch, h, out):
    """Velocity of the root, none, and the constant rate that leads from one pose to the next, (6,)."""
    A, B = branch.pose, branch.pose_next
    # E = B A^T; of a small turn, half of E - E^T is its axis times the sine of its angle.
    e = (
        B[6] * A[3] + B[7] * A[4] + B[8] * A[5] - B[3] * A[6] - B[4] * A[7] - B[5] * A[8],
        B[0] * A[6] + B[1] * A[7] + B[2] * A[8] - B[6] * A[0] - B[7] * A[1] - B[8] * A[2],
        B[3] * A[0] + B[4] * A[1] + B[5] * A[2] - B[0] * A[3] - B[1] * A[4] - B[2] * A[5],
    )
    sine = 0.5 * math.sqrt(e[0] ** 2 + e[1] ** 2 + e[2] ** 2)
    scale = 0.5 / h
    if sine > 1e-6:
        scale *= math.asin(min(sine, 1.0)) / sine
    for k in range(3):
        out[k], out[3 + k] = 0.0, scale * e[k]


@kernel
def find_load(branch, reaction, h):
    """Loads about both axes, of the angular impulse on the branch about its root in a step, (6,)."""
    side, lift = branch.side_W, branch.lift_W
    middle = 0.5 * (branch.bent[0] + branch.bent_next[0])
    a0, a1, a2 = _turned(side, middle, lift[0], lift[1], lift[2])
    t0, t1, t2 = reaction[3] / h, reaction[4] / h, reaction[5] / h
    branch.found[0] = t0 * side[0] + t1 * side[1] + t2 * side[2]
    branch.found[1] = t0 * a0 + t1 * a1 + t2 * a2


@kernel
def keep_branch(branch):
    """What was found at the end of the step is what is; the load is expected to go on changing as it did."""
    for k in range(2):
        branch.bent[k], branch.rate[k] = branch.bent_next[k], branch.rate_next[k]
        found, felt = branch.found[k], branch.felt[k]
        branch.load[k] = 2.0 * found - felt if found != 0.0 and felt != 0.0 else found
        branch.felt[k] = found
