"""Memory of the kernels of AVOCADO, so that they allocate nothing.

Handed on by value it is some 160 numbers, which take longer to copy than a small kernel takes to run: what is
called in each iteration with the whole of it is `inlined`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.vehicles.avocado.motion import SIZE
from tetherlab.vehicles.avocado.radau_table import STAGES


class Work(NamedTuple):
    """Memory of a step."""

    M: NDArray[np.float64]  # (5, 5)
    r: NDArray[np.float64]  # (5,)
    vertical: NDArray[np.float64]  # (3,)
    by_place: NDArray[np.float64]  # derivatives of the force by l, a, phi, (5, 5)
    by_rate: NDArray[np.float64]  # (5, 5)
    mass: NDArray[np.float64]  # M at the start of the step, (5, 5)
    real: NDArray[np.float64]  # eliminated, (5, 5)
    pair: NDArray[np.complex128]
    order: NDArray[np.int64]  # of the rows of both, (2, 5)
    now: NDArray[np.float64]  # the start of a step, (10,)
    y: NDArray[np.float64]  # a stage, (10,)
    start: NDArray[np.float64]  # rates of place, and r, at the start of a step, (10,)
    rate: NDArray[np.float64]  # v' there, or a guess, (5,)
    slope: NDArray[np.float64]  # a combination of stages, (10,)
    Z: NDArray[np.float64]  # stages less the start, (3, 10)
    D: NDArray[np.float64]  # right-hand sides and corrections, (3, 10)
    real_side: NDArray[np.float64]  # (5,)
    pair_side: NDArray[np.complex128]  # (5,)
    scale: NDArray[np.float64]  # allowed error, (10,)
    error: NDArray[np.float64]  # estimated, (10,)
    base: NDArray[np.float64]  # the vertical at the start of the step, (3,)


def make_work() -> Work:
    """Empty memory."""
    return Work(
        M=np.zeros((5, 5)),
        r=np.zeros(5),
        vertical=np.zeros(3),
        by_place=np.zeros((5, 5)),
        by_rate=np.zeros((5, 5)),
        mass=np.zeros((5, 5)),
        real=np.zeros((5, 5)),
        pair=np.zeros((5, 5), np.complex128),
        order=np.zeros((2, 5), np.int64),
        now=np.zeros(SIZE),
        y=np.zeros(SIZE),
        start=np.zeros(SIZE),
        rate=np.zeros(5),
        slope=np.zeros(SIZE),
        Z=np.zeros((STAGES, SIZE)),
        D=np.zeros((STAGES, SIZE)),
        real_side=np.zeros(5),
        pair_side=np.zeros(5, np.complex128),
        scale=np.zeros(SIZE),
        error=np.zeros(SIZE),
        base=np.zeros(3),
    )
