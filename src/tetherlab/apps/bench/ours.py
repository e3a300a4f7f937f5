"""Our own engine as the bench sees it: only the public face is used."""

from dataclasses import dataclass
from typing import Any

import tetherlab
from tetherlab.apps.bench.engine import Engine, EngineKind
from tetherlab.apps.bench.scene import Array, Scene


@dataclass(frozen=True)
class OurSetting:
    """The longest internal step [s]."""

    step: float

    def __str__(self) -> str:
        return f"{1e3 * self.step:.3g} ms"


class Ours:
    """The scene in `tetherlab.Tether`."""

    pull_is_mean = True

    def __init__(self, scene: Scene, element_count: int, setting: OurSetting):
        tl: Any = tetherlab
        spec = tl.TetherSpec(
            linear_density=scene.linear_density,
            diameter=scene.diameter,
            axial_stiffness=scene.axial_stiffness,
            axial_damping=scene.axial_damping,
            bending_stiffness=0.0,
            drag_coefficient=scene.drag_normal,
            drag_coefficient_tangential=scene.drag_tangential,
        )
        ground = tl.shapes.Plane(point=(0.0, 0.0, scene.ground_height))
        self.scene = scene
        self._tether = tl.Tether(
            spec,
            base=scene.base,
            end=scene.end,
            length=scene.length,
            element_length=scene.length / element_count,
            shape=scene.hanging_nodes(element_count),
            world=tl.World([ground], air_density=scene.air_density),
            step_max=setting.step,
        )
        self.reset()

    def reset(self) -> None:
        """Back to the hanging shape, at rest."""
        self.tether = self._tether.copy()

    def advance(self, position: Array, velocity: Array) -> Array:
        """One chunk on; the force of the tether on the holder [N], (3,)."""
        scene = self.scene
        return self.tether.step(scene.chunk, base=scene.base, end=position, end_velocity=velocity).on_end

    def nodes(self) -> Array:
        """Nodes from base to end [m], (n + 1, 3)."""
        return self.tether.nodes


def ladder(element_length: float) -> list[OurSetting]:
    """Long steps first."""
    return [OurSetting(0.01 / n) for n in (1, 2, 3, 4, 5, 10, 20)]


def _build(scene: Scene, element_count: int, setting: OurSetting) -> Engine:
    return Ours(scene, element_count, setting)


OURS = EngineKind("tetherlab", ladder, _build)
