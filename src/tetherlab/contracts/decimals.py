"""Rows of numbers as text, quickly, where nine decimals say all of each number.

Python's own printing finds the shortest text for any number, which takes most of the time of saving a run.
What a simulator records is rounded to some decimals; such a number is an integer over a power of ten, and the
text of an integer is found ten times faster.
"""

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import njit

SCALE, DECIMALS = 1_000_000_000, 9
LARGEST = 9e6  # times the scale it is still an exact integer
WIDTH = 19  # bytes of the longest number and the comma behind it


def as_text(rows: NDArray[np.float64]) -> bytes | None:
    """Lines of comma-separated numbers that come back bit for bit; None if one has more than nine decimals.

    rows: (n, columns), C order.
    """
    buffer = np.empty(rows.size * WIDTH, np.uint8)
    used = _write(rows, buffer)
    return None if used < 0 else buffer[:used].tobytes()


@njit(cache=True)
def _write(rows, out):
    """Fill `out` and return how many bytes it has now, or -1."""
    digits = np.empty(DECIMALS, np.uint8)
    at = 0
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            value = rows[i, j]
            if value != value:
                out[at], out[at + 1], out[at + 2], out[at + 3] = 110, 97, 110, 44  # nan,
                at += 4
                continue
            size = abs(value)
            if size > LARGEST:
                return -1
            scaled = np.rint(size * SCALE)
            if scaled / SCALE != size:
                return -1
            if math.copysign(1.0, value) < 0.0:
                out[at] = 45  # -
                at += 1
            number = np.int64(scaled)
            whole, part = number // SCALE, number % SCALE
            first = at
            while True:
                out[at] = 48 + whole % 10
                at += 1
                whole //= 10
                if whole == 0:
                    break
            out[first:at] = out[first:at][::-1].copy()
            out[at] = 46  # .
            at += 1
            for k in range(DECIMALS):
                digits[DECIMALS - 1 - k] = 48 + part % 10
                part //= 10
            last = DECIMALS
            while last > 1 and digits[last - 1] == 48:
                last -= 1
            for k in range(last):
                out[at] = digits[k]
                at += 1
            out[at] = 44  # ,
            at += 1
        out[at - 1] = 10  # the end of the line
    return at
