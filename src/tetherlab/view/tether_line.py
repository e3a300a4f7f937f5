"""The tether as it is drawn: a line whose colours are its tension, and points where it touches something."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.view import colors

Vector = NDArray[np.float64]


class TetherLine:
    """A tether in a viser scene."""

    def __init__(self, scene: Any, path: str, contact_size: float = 0.05) -> None:
        """path: in the scene, '/run'. contact_size: of the points where it touches something [m]."""
        self._scene, self._path, self._size = scene, path, contact_size
        self._tether: Any = None
        self._contacts: Any = None

    def show(self, tether: Vector, tension: Vector, tension_max: float) -> None:
        """Points (n, 3) [m] and tensions (n,) [N]; the brightest colour is that of tension_max [N]."""
        if len(tether) < 2:
            return
        points = np.stack([tether[:-1], tether[1:]], axis=1).astype(np.float32)
        shades = colors.linear(colors.tension_colors(tension, tension_max))
        pairs = np.stack([shades[:-1], shades[1:]], axis=1)
        if self._tether is None:
            self._tether = self._scene.add_line_segments(
                f"{self._path}/tether", points, pairs, thickness=5.0, thickness_units="screen"
            )
        else:
            self._tether.points, self._tether.colors = points, pairs

    def show_contacts(self, contacts: Vector) -> None:
        """Points (k, 3) [m]."""
        if self._contacts is None:
            if not len(contacts):
                return
            self._contacts = self._scene.add_point_cloud(
                f"{self._path}/contacts", contacts.astype(np.float32), colors.CONTACT,
                point_size=self._size, point_shape="circle", precision="float32",
            )  # fmt: skip
        self._contacts.visible = bool(len(contacts))
        if len(contacts):
            self._contacts.points = contacts.astype(np.float32)
            self._contacts.colors = np.tile(np.array(colors.CONTACT, np.uint8), (len(contacts), 1))
