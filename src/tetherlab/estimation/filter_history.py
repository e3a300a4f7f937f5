"""Late data: the filter's last messages in the order of their stamps, and what it believed after each.

A message that comes late is put in its place, and what came after it is taken again.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.estimation.filter_kernel import take
from tetherlab.estimation.filter_layout import ERROR_SIZE, M_TIME, MESSAGE_SIZE, STATE_SIZE
from tetherlab.math.kernel import njit


class History(NamedTuple):
    """The last messages; `order` lists their slots by time."""

    used: NDArray[np.int64]  # slots, (1,)
    order: NDArray[np.int64]  # (n,)
    message: NDArray[np.float64]  # (n, MESSAGE_SIZE)
    state: NDArray[np.float64]  # after each, (n, STATE_SIZE)
    covariance: NDArray[np.float64]  # after each, (n, ERROR_SIZE, ERROR_SIZE)

    @classmethod
    def empty(cls, size: int) -> "History":
        """For so many messages."""
        return cls(
            np.zeros(1, np.int64),
            np.zeros(size, np.int64),
            np.zeros((size, MESSAGE_SIZE)),
            np.zeros((size, STATE_SIZE)),
            np.zeros((size, ERROR_SIZE, ERROR_SIZE)),
        )

    def begin(self, time: float, state: NDArray[np.float64], covariance: NDArray[np.float64]) -> None:
        """Forget all, and start from what is believed at a time [s]."""
        self.used[0], self.order[0] = 1, 0
        self.message[0], self.message[0, M_TIME] = 0.0, time
        self.state[0], self.covariance[0] = state, covariance

    @property
    def newest(self) -> int:
        """Slot of the newest message."""
        return int(self.order[self.used[0] - 1])


@njit(cache=True, nogil=True)
def insert(history, message, settings):
    """Take a message in its place in time; False if it is older than all that is remembered."""
    count, order = history.used[0], history.order
    place = count
    while place > 0 and history.message[order[place - 1], M_TIME] > message[M_TIME]:
        place -= 1
    if place == 0:
        return False
    if count == order.size:
        if place == 1:
            return False
        slot = order[0]
        for k in range(count - 1):
            order[k] = order[k + 1]
        count, place = count - 1, place - 1
    else:
        slot = count
    for k in range(count, place, -1):
        order[k] = order[k - 1]
    order[place] = slot
    history.used[0] = count + 1
    history.message[slot] = message
    for k in range(place, count + 1):
        last, this = order[k - 1], order[k]
        history.state[this] = history.state[last]
        history.covariance[this] = history.covariance[last]
        take(history.state[this], history.covariance[this], history.message[this], settings)
    return True
