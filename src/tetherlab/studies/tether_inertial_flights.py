"""The flights of paper 002: circle, triangle and figure eight, small and large, and others to learn from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.log import Log
from tetherlab.scenario.simulation import Simulation

Array = NDArray[np.float64]
SPACING = 0.12  # of the targets along a path [m]
SPEED = 0.35  # [m/s]; the paper prints none
TENSION = 3.5  # [N]
GRAVITY = 9.80665  # [m/s^2]


class Flight(NamedTuple):
    """One flight: a path at a height, flown by some method."""

    shape: str  # circle, triangle, eight, and for training: spiral, square, star
    size: float  # radius of a circle and half the length of an eight, side of a triangle [m]
    height: float  # above the ground [m]
    seed: int
    laps: int = 2
    speed: float = SPEED  # [m/s]
    tension: float = TENSION  # [N]
    wind: float = 0.0  # mean, with gusts of a fifth of it [m/s]
    gravity: float = GRAVITY  # [m/s^2]
    backwards: bool = False  # the same path the other way round

    @property
    def name(self) -> str:
        """For files and tables."""
        return f"{self.shape}_{self.size:g}m_{self.height:g}m_{self.tension:g}N_{self.seed}"


SMALL, LARGE = (1.5, 2.0), (2.5, 3.5)  # characteristic dimension and height [m]
SHAPES = ("circle", "eight", "triangle")


def paper_flights(*, count: Mapping[tuple[str, str], int], first_seed: int) -> list[Flight]:
    """So many flights of each shape and size."""
    flights: list[Flight] = []
    for shape in SHAPES:
        for size, (dimension, height) in (("small", SMALL), ("large", LARGE)):
            for _ in range(count[shape, size]):
                flights.append(Flight(shape, dimension, height, first_seed + len(flights)))
    return flights


def raw_flights() -> list[Flight]:
    """Twelve: two of each shape and size."""
    return paper_flights(count={(s, z): 2 for s in SHAPES for z in ("small", "large")}, first_seed=1100)


def learned_flights() -> list[Flight]:
    """Seven, as Table III lists them."""
    count = {(s, z): 1 for s in SHAPES for z in ("small", "large")} | {("eight", "small"): 2}
    return paper_flights(count=count, first_seed=1200)


def training_flights() -> list[Flight]:
    """To learn from: other shapes, heights, sizes and tensions than those that are judged.

    Half of them go the other way round: the links of the angle sensors trail behind the tether, and who has
    only seen one direction takes that for an error of the place.
    """
    shapes = ("square", "spiral", "star")
    # Dimension and height [m]: from 38 to 58 degrees above the base, between which those that are judged lie.
    sizes = ((1.2, 1.5), (1.8, 1.8), (1.4, 2.6), (2.6, 2.6), (2.2, 3.0), (3.0, 3.9))
    tensions = (2.8, 4.3)  # [N]
    return [
        Flight(
            *(shape, size, height, 300 + 10 * i + 2 * j + k),
            laps=1,
            tension=tension,
            backwards=(i + j + k) % 2 == 1,
        )
        for i, (size, height) in enumerate(sizes)
        for j, shape in enumerate(shapes)
        for k, tension in enumerate(tensions)
    ]


def path(flight: Flight) -> Array:
    """Corners or points of one lap on the plan, about the base [m], (n, 2)."""
    size, turn = flight.size, np.linspace(0.0, 2.0 * math.pi, 181)
    if flight.shape == "circle":
        return size * np.column_stack([np.cos(turn), np.sin(turn)])
    if flight.shape == "eight":
        return size * np.column_stack([np.sin(turn), np.sin(turn) * np.cos(turn)])
    if flight.shape == "triangle":
        return _corners(3, size / math.sqrt(3.0))
    if flight.shape == "square":
        return _corners(4, size)
    if flight.shape == "star":
        return _corners(5, size)[[0, 2, 4, 1, 3, 0]]
    if flight.shape == "spiral":
        turn = np.linspace(0.0, 6.0 * math.pi, 541)
        radius = size * (0.2 + 0.8 * turn / turn[-1])
        return np.column_stack([radius * np.cos(turn), radius * np.sin(turn)])
    raise AssertionError(flight.shape)


def _corners(count: int, radius: float) -> Array:
    """Of a regular polygon, closed."""
    turn = 2.0 * math.pi * np.arange(count + 1) / count + 0.5 * math.pi
    return radius * np.column_stack([np.cos(turn), np.sin(turn)])


def targets(flight: Flight) -> list[dict[str, Any]]:
    """Points along all laps, near enough to each other that none is stopped at."""
    one = path(flight)[:: -1 if flight.backwards else 1]
    points = np.concatenate([one] + [one[1:]] * (flight.laps - 1))
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    places = np.linspace(0.0, way[-1], max(2, round(way[-1] / SPACING)))
    x, y = (np.interp(places, way, points[:, i]) for i in range(2))
    heights = np.full(len(x), flight.height)
    if flight.shape in ("spiral", "star"):  # a training flight also climbs
        heights = flight.height * (1.0 + 0.15 * np.sin(2.0 * math.pi * places / way[-1]))
    return [
        {"uav_m": [float(a), float(b), float(c)], "ugv_m": [0.0, 0.0, 0.0]}
        for a, b, c in zip(x, y, heights, strict=True)
    ]


def overrides(flight: Flight, localisation: Mapping[str, Any]) -> dict[str, Any]:
    """Of the scenario `tether_inertial`."""
    changes: dict[str, Any] = {
        "mission.targets": targets(flight),
        "mission.uav_speed_m_per_s": flight.speed,
        "winch.rule.tension_N": flight.tension,
        "localisation": {"sensors": "tether_inertial", **localisation},
        "run.duration_max_s": 600.0,
    }
    if flight.gravity != GRAVITY:
        changes["world.gravity_m_per_s2"] = flight.gravity
    if flight.wind > 0.0:
        gusts = {"intensity_m_per_s": 0.2 * flight.wind, "length_scale_m": 20.0, "seed": 1}
        changes["world.wind"] = {"velocity_m_per_s": [flight.wind, 0.0, 0.0], "gusts": gusts}
    return changes


def fly(flight: Flight, method: str, **localisation: Any) -> Log:
    """Fly by the method's estimate alone; `truth`: by the truth, to collect data."""
    settings = {
        "in_loop": method != "truth",
        "method": "ekf" if method == "truth" else method,
        **localisation,
    }
    simulation = Simulation("tether_inertial", overrides(flight, settings), seed=flight.seed)
    simulation.run()
    log = simulation.log
    log.name = flight.name
    return log
