"""Handles in the scene that people drag to where something shall go."""

from __future__ import annotations

import time as wall
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
DRAG_PAUSE = 3.0  # so long after the last word of a drag handles go back to their targets [s]


class Handles:
    """One handle for each thing that can be sent."""

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self._dragged_last = 0.0  # by anyone [s]
        self.nodes: dict[str, Any] = {}

    def add(
        self,
        name: str,
        position: Vector,
        send: Callable[[Vector], None],
        *,
        level: bool = False,
        size: float = 0.6,
    ) -> None:
        """A handle at a position [m]; send: called with where it was let go [m]. level: x and y only."""
        node = self._scene.add_transform_controls(
            f"/handle_{name}", scale=size, disable_rotations=True, active_axes=(True, True, not level),
            position=np.array(position), depth_test=False,
        )  # fmt: skip
        node.on_update(lambda event: self._dragged(event, node, send))
        self.nodes[name] = node

    def aim(self, targets: Mapping[str, Vector]) -> None:
        """Put them where all is going [m], (3,) each, unless someone drags."""
        if wall.monotonic() - self._dragged_last <= DRAG_PAUSE:  # who closed the page meanwhile never lets go
            return
        for name, target in targets.items():
            if not np.array_equal(self.nodes[name].position, target):
                self.nodes[name].position = target

    def _dragged(self, event: Any, node: Any, send: Callable[[Vector], None]) -> None:
        """Things go where a handle was let go, not all the way after the mouse."""
        self._dragged_last = 0.0 if event.phase == "end" else wall.monotonic()
        if event.phase == "end":
            send(np.array(node.position, float))
