"""The scene that every engine simulates: a slack tether between a fixed base and a moving end.

The physics is the same for all: tension = EA strain + c strain rate in each element, no bending, and per
unit length the drag  f_n = -1/2 rho_air C_n d |w_n| w_n  across and  f_t = -1/2 rho_air C_t d |w_t| w_t
along the tether, w the velocity through the still air. The path keeps every element in tension, so that
engines that cannot push and engines that can have the same answer.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import root

Array = NDArray[np.float64]

STATION_COUNT = 41


@dataclass(frozen=True)
class Scene:
    """Ten seconds in which the end of a tether of `length` [m] flies a smooth path and comes to rest."""

    length: float
    linear_density: float = 0.0667  # [kg/m]
    diameter: float = 0.008  # [m]
    axial_stiffness: float = 1e4  # EA [N]
    axial_damping: float = 10.0  # c [N s]
    drag_normal: float = 1.2
    drag_tangential: float = 0.02
    air_density: float = 1.225  # [kg/m^3]
    gravity: float = 9.80665  # [m/s^2]
    slack: float = 0.2  # length = (1 + slack) * distance of the ends at the start
    duration: float = 10.0  # [s]
    motion_time: float = 8.0  # the end is at rest afterwards [s]
    chunk: float = 0.01  # engines are called at this interval [s]

    @property
    def base(self) -> Array:
        """Where the base is held [m], (3,)."""
        return np.zeros(3)

    @property
    def end(self) -> Array:
        """Where the moving end starts [m], (3,)."""
        distance = self.length / (1.0 + self.slack)
        return distance * np.array([0.8, 0.0, 0.6])

    @property
    def ground_height(self) -> float:
        """A plane that is tested for contact and never touched [m]."""
        return float(self.hanging_nodes(40)[:, 2].min()) - 2.0

    @property
    def chunk_count(self) -> int:
        """How many times an engine is called."""
        return round(self.duration / self.chunk)

    def element_count(self, element_length: float) -> int:
        """The number of equal elements that comes nearest to `element_length` [m]."""
        return max(2, round(self.length / element_length))

    def end_motion(self, time: Array) -> tuple[Array, Array, Array]:
        """Position [m], velocity [m/s] and acceleration [m/s^2] of the end at `time` [s], each (n, 3).

        Sines of up to 1 m under an envelope sin^2(pi t / T); every sine is zero at 0 and T, so that the
        acceleration is continuous too. The speed reaches 2 m/s.
        """
        t = np.clip(np.asarray(time, dtype=np.float64), 0.0, self.motion_time)[:, None]
        unit = np.pi / self.motion_time
        amplitude = np.array([1.0, 1.0, 0.5])
        omega = unit * np.array([4.0, 5.0, 3.0])
        wave = amplitude * np.sin(omega * t)
        wave_rate = amplitude * omega * np.cos(omega * t)
        envelope = np.sin(unit * t) ** 2
        envelope_rate = unit * np.sin(2.0 * unit * t)
        envelope_rate2 = 2.0 * unit**2 * np.cos(2.0 * unit * t)
        moving = t < self.motion_time
        return (
            self.end + envelope * wave,
            envelope_rate * wave + envelope * wave_rate,
            np.where(
                moving,
                envelope_rate2 * wave + 2.0 * envelope_rate * wave_rate - envelope * omega**2 * wave,
                0.0,
            ),
        )

    @cached_property
    def path(self) -> tuple[Array, Array]:
        """Position and velocity of the end at the borders of the chunks, each (chunk_count + 1, 3)."""
        position, velocity, _ = self.end_motion(
            self.chunk * np.arange(self.chunk_count + 1, dtype=np.float64)
        )
        return position, velocity

    def hanging_nodes(self, element_count: int) -> Array:
        """Nodes of the lumped chain in equilibrium, (element_count + 1, 3): every engine starts here.

        The horizontal tension H is constant and the vertical one grows by the weight of a node, so the
        two unknowns H and V of the first element follow from the place of the end.
        """
        rest = self.length / element_count
        weight = self.linear_density * self.gravity * rest
        span, rise = self.end[0], self.end[2]

        def elements(unknown: Array) -> tuple[Array, Array]:
            horizontal, vertical = unknown[0], unknown[1] + weight * np.arange(element_count)
            tension = np.hypot(horizontal, vertical)
            stretched = rest * (1.0 + tension / self.axial_stiffness)
            return stretched * horizontal / tension, stretched * vertical / tension

        def miss(unknown: Array) -> Array:
            x, z = elements(unknown)
            return np.array([x.sum() - span, z.sum() - rise])

        total = weight * element_count
        solution = root(miss, [0.3 * total, -0.3 * total], tol=1e-13)
        assert np.abs(miss(solution.x)).max() < 1e-9 * self.length, solution.message
        x, z = elements(solution.x)
        nodes = np.zeros((element_count + 1, 3))
        nodes[1:, 0] = np.cumsum(x)
        nodes[1:, 2] = np.cumsum(z)
        nodes[-1] = self.end
        return nodes


def stations(nodes: Array) -> Array:
    """41 points equally spaced in unstretched length on a chain of equal elements, (..., 41, 3)."""
    element_count = nodes.shape[-2] - 1
    place = np.linspace(0.0, element_count, STATION_COUNT)
    left = np.minimum(place.astype(int), element_count - 1)
    weight = (place - left)[:, None]
    return nodes[..., left, :] * (1.0 - weight) + nodes[..., left + 1, :] * weight
