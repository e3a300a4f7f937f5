"""The commands that a scene carries, given at their times while it runs."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tetherlab.assembly.timed_command import TimedCommand
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.log import Event

if TYPE_CHECKING:
    from tetherlab.assembly.scene_simulation import SceneSimulation


class SceneClock:
    """Commands by the steps before which they are given. It remembers nothing of a run."""

    def __init__(self, commands: Sequence[TimedCommand], dt: float) -> None:
        """dt: of a step [s]."""
        self._due: dict[int, list[TimedCommand]] = defaultdict(list)
        self._moves: dict[str, list[tuple[int, int, TimedCommand]]] = defaultdict(list)  # of hands
        for command in sorted(commands, key=lambda command: command.time):
            step = round(command.time / dt)
            self._due[step].append(command)
            if "within" in command.said:
                steps = max(1, round(command.said["within"] / dt))
                self._moves[command.name].append((step, steps, command))
        self._steps = sorted(self._due)

    def tell(self, sim: SceneSimulation, most: int) -> int:
        """Give what is due now; how many steps, at most `most`, may be taken until the next call."""
        step = round(sim.time / sim.dt)
        for command in self._due.get(step, ()):
            _tell(sim, command)
        for name in self._moves:
            self._move_hand(sim, name, step)
        later = bisect_right(self._steps, step)
        return min(most, self._steps[later] - step) if later < len(self._steps) else most

    def _move_hand(self, sim: SceneSimulation, name: str, step: int) -> None:
        """One more step of a hand towards its place; it starts and stops smoothly."""
        begun = [move for move in self._moves[name] if move[0] <= step]
        if not begun or step >= begun[-1][0] + begun[-1][1]:
            return
        since, steps, command = begun[-1]
        done, next_done = (_share((step + ahead - since) / steps) for ahead in (0, 1))
        left = (command.said["position"] - sim[name].position) / (1.0 - done)
        rate = 0.5 * math.pi * math.sin(math.pi * (step + 1 - since) / steps) / (steps * sim.dt)
        sim.command(name, position=sim[name].position + left * (next_done - done), velocity=left * rate)


def _share(time: float) -> float:
    """How far something is that starts and stops smoothly, at a share of its time."""
    return 0.5 - 0.5 * math.cos(math.pi * time)


def _tell(sim: SceneSimulation, command: TimedCommand) -> None:
    try:
        if "release" in command.said:
            sim.release(command.name, command.said["release"])
        elif "within" not in command.said:
            sim.command(command.name, **command.said)
    except InputError as error:
        raise InputError(f"the command to {command.name!r} at {command.time:g} s: {error}") from None
    if command.name not in sim.commanded and "release" not in command.said:
        sim.events.append(Event(sim.time, "command", f"{command.name}: {', '.join(command.said)}"))
