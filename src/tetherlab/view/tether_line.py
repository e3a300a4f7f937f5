"""A tether as it is drawn: a line whose colours are its tension, and points where it touches something."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.tether.catenary import Catenary
from tetherlab.view import colors
from tetherlab.view.frame import Strand

Vector = NDArray[np.float64]


class TetherLine:
    """A tether in a viser scene."""

    def __init__(self, scene: Any, path: str, contact_size: float = 0.05) -> None:
        """path: in the scene, '/run/tether'. contact_size: of the points where it touches something [m]."""
        self._scene, self._path, self._size = scene, path, contact_size
        self.line: Any = None
        self._contacts: Any = None
        self._catenary: Any = None

    def show(self, strand: Strand, tension_max: float, catenary: bool = False) -> None:
        """The brightest colour is that of tension_max [N]. catenary: of the same ends and length, too."""
        self._show_line(strand.points, strand.tension, tension_max)
        self._show_contacts(strand.contacts)
        self._show_catenary(strand, catenary)

    def _show_line(self, tether: Vector, tension: Vector, tension_max: float) -> None:
        if len(tether) < 2:
            return
        points = _pieces(tether)
        shades = colors.linear(colors.tension_colors(tension, tension_max))
        pairs = np.stack([shades[:-1], shades[1:]], axis=1)
        if self.line is None:
            self.line = self._scene.add_line_segments(
                f"{self._path}/line", points, pairs, thickness=5.0, thickness_units="screen"
            )
        else:
            self.line.points, self.line.colors = points, pairs

    def _show_contacts(self, contacts: Vector) -> None:
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

    def _show_catenary(self, strand: Strand, wanted: bool) -> None:
        shown = wanted and len(strand.points) > 1 and strand.length is not None
        if shown:
            assert strand.length is not None
            base, end = strand.points[0], strand.points[-1]
            enough = max(strand.length, float(np.linalg.norm(end - base)) * (1.0 + 1e-9))
            points = _pieces(Catenary.between(base, end, enough).sample(41))
            if self._catenary is None:
                self._catenary = self._scene.add_line_segments(
                    f"{self._path}/catenary", points, colors.CATENARY, thickness=2.0, thickness_units="screen"
                )
            else:
                self._catenary.points = points
        if self._catenary is not None:
            self._catenary.visible = shown


def _pieces(points: Vector) -> NDArray[np.float32]:
    """A line piece by piece, (n - 1, 2, 3)."""
    return np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)
