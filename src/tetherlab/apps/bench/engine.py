"""What the bench asks of an engine, ours or a peer's."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from tetherlab.apps.bench.scene import Array, Scene


class Engine(Protocol):
    """One tether in one scene, advanced chunk by chunk."""

    pull_is_mean: bool
    """Whether `advance` returns the mean over the chunk, or the value at its end."""

    def reset(self) -> None:
        """Back to the hanging shape, at rest."""

    def advance(self, position: Array, velocity: Array) -> Array:
        """One chunk on, the moving end being at `position` with `velocity` afterwards.

        Returns the force of the tether on the holder of that end [N], (3,).
        """

    def nodes(self) -> Array:
        """Nodes from base to end [m], (n + 1, 3)."""


class EngineKind(NamedTuple):
    """How to make an engine: `ladder` lists settings worth trying, the fastest first."""

    name: str
    ladder: Callable[[float], Sequence[Any]]  # of the element length [m]; a setting prints as its description
    build: Callable[[Scene, int, Any], Engine]
