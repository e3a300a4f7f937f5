"""A rough wall as a height field whose truth is known exactly, and what a depth camera sees of it.

The wall fills x > h(y, z); the face looks towards −x.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import DepthImage

Array = NDArray[np.float64]


class Spall(NamedTuple):
    """A piece that fell off: a round bowl, deepest in its middle."""

    y: float  # of its middle [m]
    z: float  # [m]
    width: float  # at its rim [m]
    depth: float  # in the middle [m]

    @property
    def volume(self) -> float:
        """Of the paraboloid [m^3]."""
        return math.pi / 8.0 * self.width**2 * self.depth


@dataclass(frozen=True, kw_only=True)
class Roughness:
    """A band of wavelengths in which all shares of relief are alike."""

    deviation: float = 0.08  # of the relief [m]
    wave_least: float = 0.4  # [m]
    wave_most: float = 4.0  # [m]


class RoughWall:
    """Heights on a lattice, bilinear between; nothing beyond its rim."""

    STEP = 0.02  # of the lattice [m]

    def __init__(self, width: float, height: float, heights: Array) -> None:
        self.width, self.height, self.heights = width, height, heights

    @classmethod
    def random(
        cls, seed: int, *, width: float = 20.0, height: float = 8.0, roughness: Roughness | None = None
    ) -> RoughWall:
        """y from −width/2 to width/2, z from 0 to height [m]."""
        rough = roughness or Roughness()
        shape = round(width / cls.STEP) + 1, round(height / cls.STEP) + 1
        # Twice as large, so that the period of the noise is not seen.
        spectrum = np.fft.rfft2(np.random.default_rng(seed).standard_normal((2 * shape[0], 2 * shape[1])))
        k_y = np.fft.fftfreq(2 * shape[0], cls.STEP)[:, None]
        k_z = np.fft.rfftfreq(2 * shape[1], cls.STEP)[None, :]
        k = np.hypot(k_y, k_z)
        inside = (k >= 1.0 / rough.wave_most) & (k <= 1.0 / rough.wave_least)
        # Equal energy per octave: rock is rougher in the large.
        noise = np.fft.irfft2(np.where(inside, spectrum / np.maximum(k, 1e-9), 0.0))
        noise = noise[: shape[0], : shape[1]]
        return cls(width, height, np.ascontiguousarray(rough.deviation * noise / noise.std()))

    def without(self, spalls: Sequence[Spall]) -> RoughWall:
        """The same wall after these pieces fell off."""
        heights = self.heights.copy()
        y = (np.arange(heights.shape[0]) * self.STEP - 0.5 * self.width)[:, None]
        z = (np.arange(heights.shape[1]) * self.STEP)[None, :]
        for spall in spalls:
            share = ((y - spall.y) ** 2 + (z - spall.z) ** 2) / (0.5 * spall.width) ** 2
            heights += spall.depth * np.maximum(1.0 - share, 0.0)
        return RoughWall(self.width, self.height, heights)

    def distance(self, points: Array) -> Array:
        """To the surface, > 0 in front of it [m], (n,); to first order: height over slope."""
        ahead, slope_y, slope_z = _surface(self.heights, self.STEP, 0.5 * self.width, points)
        return (ahead - points[:, 0]) / np.sqrt(1.0 + slope_y**2 + slope_z**2)

    def look(
        self,
        time: float,
        position: Array,
        rotation: Array,
        shape: tuple[int, int] = (96, 128),
        tan_half: tuple[float, float] = (math.tan(math.radians(35.0)), math.tan(math.radians(27.5))),
    ) -> DepthImage:
        """A perfect image from a place, (3,), with the camera's true attitude R_WC, (3, 3)."""
        depth = np.empty(shape, np.float32)
        _look(self.heights, self.STEP, 0.5 * self.width, position, rotation, *tan_half, depth)
        return DepthImage(time, depth, *tan_half, rotation)


@njit(cache=True)
def _surface(heights, step, half, points):
    """Height and its slopes by y and z below points, (n,) each; NaN beyond the rim."""
    count = points.shape[0]
    h, by_y, by_z = np.full(count, math.nan), np.full(count, math.nan), np.full(count, math.nan)
    for i in range(count):
        y, z = (points[i, 1] + half) / step, points[i, 2] / step
        a, b = math.floor(y), math.floor(z)
        if a < 0 or b < 0 or a + 1 >= heights.shape[0] or b + 1 >= heights.shape[1]:
            continue
        u, v = y - a, z - b
        h00, h10 = heights[a, b], heights[a + 1, b]
        h01, h11 = heights[a, b + 1], heights[a + 1, b + 1]
        h[i] = (1 - v) * ((1 - u) * h00 + u * h10) + v * ((1 - u) * h01 + u * h11)
        by_y[i] = ((1 - v) * (h10 - h00) + v * (h11 - h01)) / step
        by_z[i] = ((1 - u) * (h01 - h00) + u * (h11 - h10)) / step
    return h, by_y, by_z


@njit(cache=True)
def _gap(heights, step, half, x, y, z):
    """How far the surface is ahead, along x [m]; infinite beyond the rim."""
    y, z = (y + half) / step, z / step
    a, b = math.floor(y), math.floor(z)
    if a < 0 or b < 0 or a + 1 >= heights.shape[0] or b + 1 >= heights.shape[1]:
        return math.inf
    u, v = y - a, z - b
    near = (1 - u) * heights[a, b] + u * heights[a + 1, b]
    far = (1 - u) * heights[a, b + 1] + u * heights[a + 1, b + 1]
    return (1 - v) * near + v * far - x


@njit(cache=True)
def _look(heights, step, half, p, R, tan_width, tan_height, depth):
    """March each ray from the foremost to the rearmost relief, then bisect."""
    low, high = heights.min(), heights.max()
    rows, columns = depth.shape
    for row in range(rows):
        v = (1.0 - (2.0 * row + 1.0) / rows) * tan_height
        for column in range(columns):
            u = (1.0 - (2.0 * column + 1.0) / columns) * tan_width
            dx = R[0, 0] + R[0, 1] * u + R[0, 2] * v
            dy = R[1, 0] + R[1, 1] * u + R[1, 2] * v
            dz = R[2, 0] + R[2, 1] * u + R[2, 2] * v
            depth[row, column] = math.nan
            if dx <= 0.05:
                continue
            stride = 0.03
            s, end = max((low - p[0]) / dx, 0.0), (high - p[0]) / dx + stride
            while s < end and _gap(heights, step, half, p[0] + s * dx, p[1] + s * dy, p[2] + s * dz) > 0.0:
                s += stride
            if s >= end:
                continue
            front, back = s - stride, s
            for _ in range(8):
                s = 0.5 * (front + back)
                if _gap(heights, step, half, p[0] + s * dx, p[1] + s * dy, p[2] + s * dz) > 0.0:
                    front = s
                else:
                    back = s
            depth[row, column] = 0.5 * (front + back)
