"""What the two MuJoCo engines share: the law of drag, and how their moving end is driven.

MuJoCo has no drag on a flex and no velocity of a mocap body. So the drag is computed here once per chunk and
held, and the end is a body so heavy that no tether can turn it from the acceleration that it is given.
"""

import math
from types import ModuleType

import numpy as np

from tetherlab.contracts.extras import require
from tetherlab.math.kernel import njit

HOLDER_MASS = 1e3  # [kg]; 15 N for 10 ms shift it by less than a micrometre


def load_mujoco() -> ModuleType:
    """The mujoco module, told to keep its warnings of unstable runs out of the working folder."""
    require("mujoco")
    import mujoco

    mujoco.set_mju_user_warning(lambda message: None)
    return mujoco


@njit(cache=True)
def element_drag(chord, velocity, across, along, drag):
    """Drag on one element [N] into `drag`; across, along: 1/2 rho_air C d l [kg/m]."""
    length = math.sqrt(chord[0] ** 2 + chord[1] ** 2 + chord[2] ** 2)
    slip = (velocity[0] * chord[0] + velocity[1] * chord[1] + velocity[2] * chord[2]) / length
    speed2 = 0.0
    for k in range(3):
        drag[k] = velocity[k] - slip * chord[k] / length
        speed2 += drag[k] ** 2
    speed = math.sqrt(speed2)
    for k in range(3):
        drag[k] = -across * speed * drag[k] - along * abs(slip) * slip * chord[k] / length


@njit(cache=True)
def drive_holder(now, target, step, count, gravity, position, velocity, applied):
    """Put the holder where it should be and give it the force that brings it to `target` in `count` steps.

    now, target: rows position and velocity, (2, 3). Semi-implicit steps h with constant acceleration a
    arrive at  x + n h v + a h^2 n (n + 1) / 2.
    """
    for k in range(3):
        travel = target[0, k] - now[0, k] - count * step * now[1, k]
        acceleration = travel / (step * step * 0.5 * count * (count + 1))
        position[k] = now[0, k]
        velocity[k] = now[1, k]
        applied[k] = HOLDER_MASS * acceleration
    applied[2] += HOLDER_MASS * gravity


def text(values: np.ndarray) -> str:
    """Numbers as XML wants them, to the last digit."""
    return " ".join(f"{value:.17g}" for value in values)
