"""Which of several models to believe, or none (the manner of Lima and Pereira, 2023)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.estimate import Estimate, EstimateStatus, Estimator
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.assumptions import bend_by_tension, doubt, slopes
from tetherlab.estimation.catenary import CatenaryLocalizer
from tetherlab.estimation.decision_tree import DecisionTree
from tetherlab.estimation.sensing import Sensing
from tetherlab.estimation.taut_line import TautLineLocalizer

NONE = "none"  # the class of samples that no model meets
FEATURES = ("elevation_base", "elevation_end", "length", "tension")


class Choice(NamedTuple):
    """Which model was believed, or why none."""

    model: str | None
    why: str


class ModelSelector:
    """A straight line, a catenary, or a learned model, whichever is expected to be nearest.

    Without a tree the choice is by rule: sag and noise say how far off each model may be. With a tree, which
    `train` grows from flights with known positions, the choice is by what was nearest in flights like this.
    No position is given if none is expected within error_max [m], or if the tether lies on the ground, a
    sensor is saturated or the drone is lower than altitude_min [m]. `choice` tells what was chosen last.
    """

    def __init__(
        self,
        sensing: Sensing | None = None,
        *,
        learned: Estimator | None = None,
        tree: DecisionTree | None = None,
        error_max: float = 0.45,
        altitude_min: float = 0.5,
    ) -> None:
        self.sensing = Sensing() if sensing is None else sensing
        self.models: dict[str, Estimator] = {
            "taut": TautLineLocalizer(self.sensing, which="base"),
            "catenary": CatenaryLocalizer(self.sensing),
        }
        if learned is not None:
            self.models["learned"] = learned
        for name in () if tree is None else tree.classes:
            if name not in (*self.models, NONE):
                raise InputError(f"the tree chooses '{name}', which is not here; give it as learned=...")
        self.tree = tree
        self.error_max = check.positive("error_max", error_max)
        self.altitude_min = check.number("altitude_min", altitude_min)
        self.choice = Choice(None, "nothing was measured")

    def update(self, measurement: Measurement) -> Estimate:
        """The answer of the model that is believed, or none."""
        answers = {name: model.update(measurement) for name, model in self.models.items()}
        if measurement.tangent_base is None or not measurement.length > 0.0 or self._lacks(measurement):
            self.choice = Choice(None, EstimateStatus.MISSING.value)
            return Estimate.nothing(measurement.time, EstimateStatus.MISSING)
        self.choice = self._choose(measurement, answers)
        if self.choice.model is None:
            return Estimate.nothing(measurement.time, EstimateStatus.CANNOT_SAY)
        return answers[self.choice.model]

    def reset(self) -> None:
        """Forget all measurements; what was learned stays."""
        for model in self.models.values():
            model.reset()
        self.choice = Choice(None, "nothing was measured")

    def train(
        self,
        measurements: Sequence[Measurement],
        positions: NDArray[np.float64],
        *,
        depth_max: int = 5,
        leaf_min: int = 10,
    ) -> DecisionTree:
        """Grow and use a tree, from measurements in order of time and true positions [m], (n, 3)."""
        truth = check.points("positions", positions)
        if len(truth) != len(measurements):
            raise InputError(f"every measurement needs a position, got {len(measurements)} and {len(truth)}")
        self.reset()
        rows, names = [], []
        for measurement, position in zip(measurements, truth, strict=True):
            answers = {name: model.update(measurement) for name, model in self.models.items()}
            errors = {
                name: float(np.linalg.norm(answer.position - position))
                for name, answer in answers.items()
                if answer.status.usable
            }
            nearest = min(errors, key=lambda name: errors[name], default=NONE)
            names.append(nearest if errors.get(nearest, math.inf) <= self.error_max else NONE)
            rows.append(_features(measurement))
        self.reset()
        self.tree = DecisionTree.fit(np.array(rows), names, depth_max=depth_max, leaf_min=leaf_min)
        return self.tree

    def _lacks(self, measurement: Measurement) -> bool:
        """Whether the tree would ask for something that was not sensed."""
        return self.tree is not None and bool(np.isnan(_features(measurement)[self.tree.used]).any())

    def _choose(self, measurement: Measurement, answers: dict[str, Estimate]) -> Choice:
        failed = doubt(measurement, self.sensing)
        if failed in (EstimateStatus.SATURATED, EstimateStatus.GROUND):
            return Choice(None, failed.value)
        if self.tree is None:
            name, expected = self._nearest_by_rule(measurement, answers)
            if expected > self.error_max:
                return Choice(None, f"no model is expected within {self.error_max:g} m")
            why = f"expected within {expected:.2g} m"
        else:
            name = self.tree.predict(_features(measurement))
            if name == NONE:
                return Choice(None, f"no model was within {self.error_max:g} m in flights like this")
            if not answers[name].status.usable:
                return Choice(None, answers[name].status.value)
            why = "nearest in flights like this"
        if self._height(measurement, answers[name]) < self.altitude_min:
            return Choice(None, f"the drone is lower than {self.altitude_min:g} m")
        return Choice(name, why)

    def _nearest_by_rule(self, measurement: Measurement, answers: dict[str, Estimate]) -> tuple[str, float]:
        """The model with the least expected error, and that error [m]."""
        best, least = NONE, math.inf
        for name, answer in answers.items():
            if not answer.status.usable:
                continue
            expected = math.sqrt(np.trace(answer.covariance))
            if name == "taut":
                expected = math.hypot(expected, measurement.length * self._bend(measurement))
            if expected < least:
                best, least = name, expected
        return best, least

    def _bend(self, measurement: Measurement) -> float:
        """Of the tether at the base against the straight line [rad]; a quarter turn if nothing tells."""
        _, low, high = slopes(measurement)
        bend = bend_by_tension(measurement.length, measurement.tension, low, self.sensing)
        if math.isnan(bend):
            bend = 0.5 * abs(high - low)
        return 0.5 * math.pi if math.isnan(bend) else bend

    def _height(self, measurement: Measurement, answer: Estimate) -> float:
        """Of the drone above the ground [m]; infinite if the ground is not known."""
        if not math.isnan(measurement.altitude):
            return measurement.altitude
        return float(answer.position[2]) - self.sensing.ground


def _features(measurement: Measurement) -> NDArray[np.float64]:
    """What a tree may ask for, (4,), in the order of FEATURES; the azimuth tells nothing about a model."""
    _, low, high = slopes(measurement)
    return np.array([low, high, measurement.length, measurement.tension])
