"""Random rough surfaces, as rock has them: self-affine below a correlation length, band-limited, seeded."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy import fft

HURST = 0.8  # exponent of rock faces: rises over a distance r go like r^0.8 below the correlation length
APART = 5.0  # correlation lengths between opposite edges, which the transform takes for neighbours


def rough_surface(
    random: np.random.Generator,
    counts: tuple[int, int],
    spacing: float,
    *,
    rms: float,
    length: float,
    finest: float,
) -> NDArray[np.float64]:
    """Heights on a grid [m], (nu, nv), with the von Karman spectrum (1 + (k length)^2)^-(1 + HURST).

    rms: of the heights, over all seeds [m]. length: of their correlation [m].
    finest: waves that are shorter do not occur [m].
    """
    sizes = [fft.next_fast_len(n + math.ceil(APART * length / spacing), real=True) for n in counts]
    noise = random.standard_normal(sizes)
    k_u = 2.0 * np.pi * fft.fftfreq(sizes[0], spacing)
    k_v = 2.0 * np.pi * fft.rfftfreq(sizes[1], spacing)
    k2 = k_u[:, None] ** 2 + k_v[None] ** 2
    spectrum = np.where(k2 <= (2.0 * np.pi / finest) ** 2, (1.0 + k2 * length**2) ** -(1.0 + HURST), 0.0)
    # Of the waves that a real transform keeps, all but the first and perhaps the last stand for two.
    twice = np.full(len(k_v), 2.0)
    twice[0] = 1.0
    if sizes[1] % 2 == 0:
        twice[-1] = 1.0
    power = float((spectrum * twice).sum()) / (sizes[0] * sizes[1])
    heights = fft.irfft2(fft.rfft2(noise) * np.sqrt(spectrum / power), s=sizes)
    return rms * heights[: counts[0], : counts[1]]


def bump(distance: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """A smooth hill of height 1 and this width at half its height, from the distance to its middle [m]."""
    rim = 0.5 * width / math.sqrt(1.0 - 0.5 ** (1.0 / 3.0))
    return np.maximum(1.0 - (distance / rim) ** 2, 0.0) ** 3


def pit(distance: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """A flat bottom of depth 1 with smooth sides, of this width at half its depth.

    The sides take two fifths of the width, so it ends at 0.7 widths from its middle.
    """
    t = np.clip((0.7 * width - distance) / (0.4 * width), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)
