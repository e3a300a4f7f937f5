"""Sliders of the wind, and its arrow in the scene."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tetherlab.view.frame import Vector
from tetherlab.view.surroundings import show_wind
from tetherlab.world import World

WIND_MAX = 15.0  # of the slider, unless the world has more [m/s]
WIND_HINT = "in place of what the world has; gusts and growth with height stay"
WAY_HINT = "0: along x, 90: along y"


class WindPanel:
    """What people can do with the wind."""

    def __init__(
        self, server: Any, world: World, near: Callable[[], Vector], blow: Callable[[Vector], None]
    ) -> None:
        """near: where its arrow is [m], (3,). blow: called with a velocity [m/s], (3,)."""
        self._scene, self._near, self._tell = server.scene, near, blow
        self._world_wind = np.zeros(3) if world.wind is None else np.array(world.wind.velocity, float)
        most = max(WIND_MAX, math.ceil(float(np.linalg.norm(self._world_wind))))
        self.speed = server.gui.add_slider("wind [m/s]", 0.0, most, 0.1, 0.0, hint=WIND_HINT)
        self.way = server.gui.add_slider("wind towards [deg]", -180, 180, 5, 0, hint=WAY_HINT)
        for slider in (self.speed, self.way):
            slider.on_update(lambda event: self._blow() if event.client is not None else None)
        self.begun()

    def begun(self) -> None:
        """As the world has it."""
        x, y, _ = self._world_wind
        self.speed.value = round(float(np.hypot(x, y)), 1)
        self.way.value = int(5 * np.round(np.degrees(np.arctan2(y, x)) / 5))
        self.show(self._world_wind)

    def show(self, velocity: Vector) -> None:
        """Draw the arrow; in the run's thread: two that draw it at once would remove it under each other."""
        show_wind(self._scene, velocity, self._near())

    def _blow(self) -> None:
        angle = np.radians(self.way.value)
        velocity = self.speed.value * np.array((np.cos(angle), np.sin(angle), 0.0))
        velocity[2] = self._world_wind[2]
        self._tell(velocity)
