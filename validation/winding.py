"""Has a tether passed through a pole?

Seen along the pole, the tether runs from its base to its end round the axis by a total angle W, summed over
its elements. With Phi_base and Phi_end, the angles that the two ends have swept since the start,

    W - (Phi_end - Phi_base)

is the same for ever: it is a multiple of a full turn plus a constant, and as long as no part of the tether
touches the axis nothing in it can jump. It changes by a full turn exactly when the tether crosses the axis.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import tetherlab as tl
from tetherlab.tether import model as M

TURN = 2.0 * np.pi
SWEEP_SAMPLES = 16  # on the path of an end between two looks
Vector = NDArray[np.float64]


def _wrapped(angle: Vector) -> Vector:
    """To (-pi, pi]."""
    return np.asarray(angle - TURN * np.round(angle / TURN))


def _hermite(p: Vector, v: Vector, q: Vector, w: Vector, dt: float) -> Vector:
    """Points of the cubic from p with velocity v to q with w."""
    s = np.linspace(0.0, 1.0, SWEEP_SAMPLES)[:, None]
    a, b = (1.0 + 2.0 * s) * (1.0 - s) ** 2, s * (1.0 - s) ** 2 * dt
    c, d = s * s * (3.0 - 2.0 * s), s * s * (s - 1.0) * dt
    return np.asarray(a * p + b * v + c * q + d * w)


class PoleWatch:
    """Counts how often a tether has passed through one pole, which may move but not turn."""

    def __init__(self, axis: Vector, index: int) -> None:
        """axis: unit vector; index: number of the pole in the world."""
        aside = np.cross(axis, [1.0, 0.0, 0.0] if abs(axis[0]) < 0.5 else [0.0, 1.0, 0.0])
        e = aside / np.linalg.norm(aside)
        self.plane = np.stack([e, np.cross(axis, e)], axis=1)  # (3, 2)
        self.axis = axis
        self.index = index
        self.crossings = 0
        self.unclear = 0  # looks at which an end had gone round too fast to tell
        self._swept = 0.0
        self._turns: int | None = None
        self._start = 0.0
        self._ends: tuple[Vector, Vector] | None = None

    def restart(self) -> None:
        """Forget what was: an end has been let go or taken hold of."""
        self._swept, self._turns, self._ends = 0.0, None, None

    def element_angles(self, tether: tl.Tether, centre: Vector) -> Vector:
        """By how much each element goes round the axis [rad]."""
        nodes = (tether.nodes - centre) @ self.plane
        polar = np.arctan2(nodes[:, 1], nodes[:, 0])
        far = np.hypot(nodes[:, 0], nodes[:, 1])
        turn = _wrapped(np.diff(polar))
        wraps = tether._state.wrap[: len(turn)]
        for j in np.flatnonzero(wraps["active"] == 1):
            wrap = wraps[j]
            if wrap["object"] == self.index:
                legs = np.arccos(np.minimum(1.0, wrap["radius"] / far[j : j + 2])).sum()
                sense = np.sign(wrap["axis_O"] @ self.axis) * wrap["side"]
                about = sense * (legs + wrap["angle"])
                turn[j] += TURN * np.round((about - turn[j]) / TURN)
            else:
                middle = (wrap["point_W"] - centre) @ self.plane
                way = np.array([polar[j], np.arctan2(middle[1], middle[0]), polar[j + 1]])
                turn[j] = _wrapped(np.diff(way)).sum()
        return turn

    def look(self, tether: tl.Tether, centre: Vector, centre_velocity: Vector, dt: float) -> bool:
        """Call at intervals dt [s] with the pole where it is; True if the tether has crossed since."""
        count = int(tether._state.number[M.COUNT])
        at = [0, count]
        place = (tether._state.x[at] - centre) @ self.plane
        velocity = (tether._state.v[at] - centre_velocity) @ self.plane
        if self._ends is not None:
            for end, sign in ((0, -1.0), (1, 1.0)):
                path = _hermite(self._ends[0][end], self._ends[1][end], place[end], velocity[end], dt)
                steps = _wrapped(np.diff(np.arctan2(path[:, 1], path[:, 0])))
                if np.abs(steps).max() > 1.0:
                    self.unclear += 1
                self._swept += sign * float(steps.sum())
        self._ends = (place, velocity)
        rest = float(self.element_angles(tether, centre).sum()) - self._swept
        if self._turns is None:
            self._start, self._turns = rest, 0
        turns = round((rest - self._start) / TURN)
        crossed = turns != self._turns
        self.crossings += abs(turns - self._turns)
        self._turns = turns
        return crossed
