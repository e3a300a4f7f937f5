"""How the arm of a team picks something up and puts it into a robot, where that physically stands."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.missions.crew import TICK, Crew
from tetherlab.vehicles.arm import TwoJointArm

Vector = NDArray[np.float64]
GRIP = 0.02  # so near must the hand be to what it grips, or to the middle of a container [m]
SAMPLES = 12  # of each link, at which it is seen whether it touches something


class Reach:
    """An arm beside a crew. Answers as those of `Crew`."""

    def __init__(
        self, crew: Crew, arm: TwoJointArm, name: str, object_at: ArrayLike | None, into: str
    ) -> None:
        """object_at: where that lies which it picks up, in the plane [m], (2,). into: who shall carry it."""
        self.crew, self.arm, self.name, self.into = crew, arm, name, into
        self.holds = False
        self.object: Vector | None = None if object_at is None else np.asarray(object_at, float)

    def pick(self) -> str:
        """Bring the hand to the object, and grip it."""
        if self.object is None:
            return "there is nothing to pick up"
        trouble = self._go(self.object, "the object")
        self.holds = not trouble
        return trouble

    def place(self) -> str:
        """Bring the object to above the middle of the robot that shall carry it, where that is now."""
        if not self.holds:
            return f"{self.name} holds nothing"
        into = self.into
        trouble = self._go(self.crew.run.rover[[0, 2]], into)
        self.holds = False
        if trouble:
            return trouble
        off = float(np.linalg.norm(self.arm.hand - self.crew.run.rover[[0, 2]]))
        return "" if off < GRIP else f"{into} has moved, the object would fall {off:.2f} m beside it"

    def _go(self, target: Vector, what: str) -> str:
        """Turn the joints until the hand is there; all others hold still."""
        far = float(np.linalg.norm(target - self.arm.base))
        postures = self.arm.postures(target)
        if not postures:
            return f"{what} is {far:.2f} m from {self.name}, which reaches {2.0 * self.arm.link:g} m"
        free = [posture for posture in postures if self._clear(posture)]
        if not free:
            return f"{self.name} cannot reach {what} without touching an obstacle with its elbow"
        wanted = min(free, key=self._far)
        while self.arm.turn(wanted, TICK) > 0.0:
            if not self._clear(self.arm.angles):
                x, z = self.arm.elbow
                return (
                    f"{self.name} touches an obstacle on its way to {what}, its elbow at ({x:.2f}, {z:.2f})"
                )
            if self.holds:
                self.object = self.arm.hand
            if not self.crew.tick():
                return self.crew.run.outcome_sentence
        if self.holds:
            self.object = self.arm.hand
        return self.crew.wait(0.2)

    def _far(self, posture: Vector) -> float:
        """How long the joints turn to a posture."""
        return float(np.abs(np.remainder(posture - self.arm.angles + np.pi, 2.0 * np.pi) - np.pi).max())

    def _clear(self, posture: Vector) -> bool:
        """Whether both links are free."""
        base, elbow, hand = self.arm.places(posture)
        along = np.linspace(0.0, 1.0, SAMPLES)[:, None]
        points = np.vstack([base + along * (elbow - base), elbow + along * (hand - elbow)])
        deep = np.column_stack([points[:, 0], np.zeros(len(points)), points[:, 1]])
        return float(self.crew.run.world.distance(deep).min()) > 0.0
