"""Colours of the scene, told apart by everyone: Okabe and Ito's palette, and inferno for tension."""

import matplotlib
import numpy as np
from numpy.typing import NDArray

Color = tuple[int, int, int]

UAV: Color = (0, 114, 178)  # blue
UGV: Color = (0, 158, 115)  # green
OTHER_UAV: Color = (213, 94, 0)  # vermilion
OTHER_UGV: Color = (204, 121, 167)  # purple
TARGET: Color = (230, 159, 0)  # orange
CONTACT: Color = (240, 228, 66)  # yellow, on the dark tether
CATENARY: Color = (120, 120, 120)
WIND: Color = (86, 180, 233)
DARK: Color = (60, 64, 70)
OBSTACLE: Color = (176, 181, 188)
GROUND: Color = (226, 228, 230)
BRANCH: Color = (139, 101, 66)
THRUST: Color = (230, 159, 0)
LOAD: Color = (150, 120, 160)  # a body that is no robot
# Of several in a run; a second run begins with the second one.
DRONES: tuple[Color, ...] = (UAV, OTHER_UAV, (0, 150, 200), (170, 60, 60))
ROVERS: tuple[Color, ...] = (UGV, OTHER_UGV, (90, 130, 40))

# From nearly black to orange: the bright end of the map is lost on a light ground.
_SCALE = (matplotlib.colormaps["inferno"](np.linspace(0.08, 0.78, 256))[:, :3] * 255).astype(np.uint8)


def tension_colors(tension: NDArray[np.float64], most: float) -> NDArray[np.uint8]:
    """A colour for each tension [N], dark at 0 and bright at `most` [N], (n, 3)."""
    share = np.clip(np.nan_to_num(tension) / max(most, 1e-9), 0.0, 1.0)
    return np.asarray(_SCALE[(255 * share).astype(int)])


def linear(color: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The same colours for viser's lines of many colours, which it takes as shares of light."""
    share = color / 255.0
    light = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return np.asarray(np.round(255.0 * light), np.uint8)


def gradient_css() -> str:
    """The scale of `tension_colors` as a background of a legend."""
    stops = ", ".join("rgb({}, {}, {})".format(*_SCALE[i]) for i in range(0, 256, 51))
    return f"linear-gradient(to right, {stops})"
