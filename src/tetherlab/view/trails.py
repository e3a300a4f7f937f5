"""Where things have been since the start, as thin lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.view.colors import Color
from tetherlab.view.frame import Frame

LONGEST = 4000  # points of a trail
APART = 0.02  # between two points [m]


class Trails:
    """A trail of each thing that moves."""

    def __init__(self, scene: Any, colors: Mapping[str, Color]) -> None:
        """colors: by the names of what leaves a trail."""
        self._scene, self._colors = scene, dict(colors)
        self._lines: dict[str, Any] = {}
        self.clear()

    def clear(self) -> None:
        """Forget all."""
        for line in self._lines.values():
            line.remove()
        self._lines = {}
        self._longer: set[str] = set()  # since they were drawn
        self._points: dict[str, list[NDArray[np.float64]]] = {name: [] for name in self._colors}

    def add(self, frame: Frame) -> None:
        """Where all is now; seen when they are drawn."""
        for name, points in self._points.items():
            if name not in frame.poses:
                continue
            place = frame.poses[name].position
            if points and float(np.linalg.norm(points[-1] - place)) < APART:
                continue
            points.append(np.array(place))
            if len(points) > LONGEST:
                del points[::2]
            self._longer.add(name)

    def draw(self) -> None:
        """Draw those that are longer than when they were drawn last."""
        for name in self._longer:
            points = self._points[name]
            if len(points) > 1:
                pieces = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)
                self._lines[name] = self._scene.add_line_segments(
                    f"/trails/{name}", pieces, self._colors[name], thickness=2.0, thickness_units="screen"
                )
        self._longer.clear()
