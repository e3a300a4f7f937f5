"""How the drone knows where it is: sensors sample the plant, an estimator answers, controllers see that."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.columns import COLUMNS
from tetherlab.contracts.estimate import Estimate, Tracker
from tetherlab.contracts.estimate_rows import estimate_row
from tetherlab.contracts.measurement import Measurement
from tetherlab.contracts.measurement_rows import measurement_row
from tetherlab.contracts.table import Table
from tetherlab.plant.model import Plant
from tetherlab.sensors.suite import SensorSuite
from tetherlab.sensors.truth import Truth
from tetherlab.sim.observation import Observed, cross, window

Vector = NDArray[np.float64]
UP = np.array([0.0, 0.0, 1.0])
PATIENCE = 0.5  # without a position that may be flown by [s]
FORCE_MIN = 1e-3  # below which a tether's pull has no direction [N]


class Believed(Observed):
    """The plant as its estimator has it: place, velocity and tether of the drone are believed."""

    def __init__(self, plant: Plant, attachment: Vector) -> None:
        """attachment: of the tether, in the drone's frame [m], (3,)."""
        super().__init__(plant)
        self._attachment_B = attachment
        # It knows where it starts.
        self._position, self._velocity = self.uav.position.copy(), np.zeros(3)
        self._pull, self._end = np.zeros(3), self.attachment.copy()
        self._tension = math.nan
        self._length = super().length
        self.uav = replace(
            self.uav,
            position=window(self._position),
            velocity=window(self._velocity),
            tether_force=window(self._pull),
        )
        self.attachment = window(self._end)

    def believe(self, estimate: Estimate) -> None:
        """Take an estimate that may be flown by."""
        self._end[:] = estimate.position
        self._position[:] = estimate.position - self.uav.rotation @ self._attachment_B
        if np.isfinite(estimate.velocity).all():
            self._velocity[:] = estimate.velocity

    def hear(self, measurement: Measurement, disbelieved: Collection[str]) -> None:
        """Take what the sensors say of length, tension and pull, but from those that are not believed."""
        wrong = {*measurement.saturated, *disbelieved}
        if not math.isnan(measurement.length) and "length" not in wrong:
            self._length = measurement.length
        if not math.isnan(measurement.tension) and "tension" not in wrong:
            self._tension = measurement.tension
        seen = measurement.tangent_end is not None and wrong.isdisjoint(("drone_azimuth", "drone_elevation"))
        if seen and not math.isnan(self._tension):
            self._pull[:] = -self._tension * measurement.tangent_end_W

    @property
    def length(self) -> float:
        """Of tether that is out, by its sensor [m]."""
        return self._length


class Navigator:
    """Sensors and estimator in the loop of a run, and their record."""

    def __init__(
        self,
        suite: SensorSuite,
        estimator: Tracker,
        *,
        attachment: Vector,
        altitude: Callable[[Vector], float],
        gravity: float,
        rate_hz: float,
        in_loop: bool,
        on_fault: str,
    ) -> None:
        """attachment: of the tether, in the drone's frame [m], (3,). altitude: of a point above ground [m].

        in_loop: controllers see the estimate, not the truth. on_fault: hold, land or continue.
        """
        self.suite, self.estimator = suite, estimator
        self.rate_hz, self.in_loop, self.on_fault = rate_hz, in_loop, on_fault
        self.estimate: Estimate | None = None
        self._trouble = ""  # what was found wrong last
        self._good_at = 0.0  # when there was a position to fly by [s]
        self.attachment, self._altitude, self._gravity = attachment, altitude, gravity
        self.measurement_rows: list[tuple[float, ...]] = []
        self.estimate_rows: list[tuple[float, ...]] = []

    def look(self, plant: Plant, state: Observed, believed: Believed, *, at_rest: bool) -> str:
        """Sense, estimate and believe; returns a sentence when something new is wrong.

        at_rest: it stands on the deck, and knows where that is.
        """
        truth = self._truth(plant, state)
        for measurement in self.suite.sense(truth):
            self.measurement_rows.append(measurement_row(truth.time, measurement))
            self.estimate = self.estimator.update(measurement)
            believed.hear(measurement, self.estimate.faults)
        if at_rest:
            self.estimate = self.estimator.stand(truth.time, state.attachment)
        estimate = self.estimate
        if estimate is None:  # it has just been switched on
            return ""
        if np.isfinite(estimate.position).all():
            believed.believe(estimate)
            self.estimate_rows.append(estimate_row(truth.time, estimate))
        return self._judge(truth.time, estimate)

    def _truth(self, plant: Plant, state: Observed) -> Truth:
        uav = state.uav
        return Truth(
            **tether_truth(plant, state, self.attachment),
            specific_force=uav.rotation.T @ (uav.acceleration + self._gravity * UP),
            thrust=float(plant.rotorcraft["thrust"][0]),
            altitude=self._altitude(uav.position),
        )

    def _judge(self, time: float, estimate: Estimate) -> str:
        """What is wrong, once: a sensor that is not believed, or for a while no position to fly by."""
        if estimate.status.usable:
            self._good_at = time
        what = ""
        if estimate.faults:
            what = f"not believed: {', '.join(estimate.faults)}"
        elif time - self._good_at > PATIENCE:
            what = estimate.status.value
        new, self._trouble = (what if what != self._trouble else ""), what
        return new

    def tables(self) -> dict[str, Table]:
        """What was sensed and believed."""
        rows = {"measurements": self.measurement_rows, "estimates": self.estimate_rows}
        return {
            name: Table.from_rows(COLUMNS[name], np.array(part).reshape(-1, len(COLUMNS[name])))
            for name, part in rows.items()
        }


def tether_truth(plant: Plant, state: Observed, attachment: Vector) -> dict[str, Any]:
    """What is true of base, tether and drone, by the names of a `TetherTruth`."""
    uav, ugv = state.uav, state.ugv
    rotation = uav.rotation
    rate = uav.angular_velocity_body
    arm = rotation @ attachment
    pull, draw = uav.tether_force, ugv.tether_force
    tension_end, tension_base = float(np.linalg.norm(pull)), float(np.linalg.norm(draw))
    nodes = None
    if min(tension_end, tension_base) < FORCE_MIN:
        nodes = state.tether.nodes
    return dict(
        time=state.time,
        length=float(plant.winch["length"][0]),
        tangent_base_W=draw / tension_base if nodes is None else _chord(nodes[0], nodes[1]),
        tangent_end_W=-pull / tension_end if nodes is None else _chord(nodes[-2], nodes[-1]),
        tension_base=tension_base,
        tension_end=tension_end,
        rotation_base=state.deck_rotation,
        rotation=rotation,
        base=state.exit.copy(),
        base_velocity=state.exit_velocity,
        attachment=state.attachment.copy(),
        velocity=uav.velocity + cross(rotation @ rate, arm),
        angular_velocity=rate,
    )


def _chord(start: Vector, end: Vector) -> Vector:
    difference = end - start
    unit: Vector = difference / np.linalg.norm(difference)
    return unit
