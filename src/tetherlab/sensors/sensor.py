"""What all sensors have in common: a rate, a delay, a range, faults, and random numbers of their own."""

from __future__ import annotations

import math
import zlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.measurement import Measurement
from tetherlab.sensors.faults import ALL, Fault
from tetherlab.sensors.readings import Reading

Vector = NDArray[np.float64]
Message = Measurement | Reading
ON_TIME = 1e-6  # share of a period by which a tick may come too early


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Timing:
    """When a sensor speaks, and when it is heard."""

    rate_hz: float = 100.0  # samples per second
    delay: float = 0.0  # until a message arrives [s]
    delay_jitter: float = 0.0  # up to so much later still, evenly distributed [s]

    def __post_init__(self) -> None:
        check.positive("rate_hz", self.rate_hz)
        check.non_negative("delay", self.delay)
        check.non_negative("delay_jitter", self.delay_jitter)


class Timed(Protocol):
    """The world as it is, at a time; what else a sensor looks at is its own matter."""

    @property
    def time(self) -> float:
        """[s]."""


Spec = TypeVar("Spec", bound=Timing)
World = TypeVar("World", bound=Timed)


class Sensor(ABC, Generic[Spec, World]):
    """A sensor reads one or more numbers (its axes). A kind of sensor fills in the methods below."""

    axes: tuple[str, ...] = ("reading",)
    unit = ""  # of all axes; empty: they have different ones

    def __init__(self, spec: Spec, name: str, seed: int) -> None:
        self.spec = spec
        self.name = name
        self.generator = make_generator(seed, name)
        self.low = [-math.inf] * len(self.axes)  # range of each axis
        self.high = [math.inf] * len(self.axes)
        self.flags = (name,) * len(self.axes)  # by which a measurement names an axis at the end of its range
        self.state: Vector = np.zeros(0)  # what a kind of sensor keeps from tick to tick
        self.last: list[float] = []  # its last reading, for when it sticks
        self.turn = -math.inf  # number of its next sample
        self.faults: list[Fault] = []

    def follow(self, truth: World) -> None:
        """What the sensor does between samples, at each tick."""

    @abstractmethod
    def values(self, truth: World) -> list[float]:
        """What reaches the end of the range or not: one number for each axis, noise included."""

    def limit(self, values: list[float]) -> tuple[str, ...]:
        """Keep them within the range; names of those that were not."""
        saturated: tuple[str, ...] = ()
        for axis, value in enumerate(values):
            low, high = self.low[axis], self.high[axis]
            if value < low or value > high:
                values[axis] = low if value < low else high
                if self.flags[axis] not in saturated:
                    saturated += (self.flags[axis],)
        return saturated

    def digital(self, values: list[float]) -> list[float]:
        """What becomes of these within the range."""
        return values

    @abstractmethod
    def message(self, truth: World, values: list[float], saturated: tuple[str, ...]) -> Message | None:
        """As it is sent; None: there is nothing to be sent."""

    def is_due(self, time: float) -> bool:
        """Whether it is this sensor's turn; if so, the next one is a period later."""
        turns = time * self.spec.rate_hz + ON_TIME
        if turns < self.turn:
            return False
        self.turn = math.floor(turns) + 1.0
        return True

    def sample(self, truth: World) -> Message | None:
        """A message, unless a fault swallows it."""
        values = self.values(truth)
        if not self.faults:
            saturated = self.limit(values)
            self.last = values = self.digital(values)
            return self.message(truth, values, saturated)
        return self._faulty_sample(truth, values)

    def _faulty_sample(self, truth: World, values: list[float]) -> Message | None:
        faults = [fault for fault in self.faults if fault.active(truth.time)]
        for fault in faults:
            if fault.kind == "offset":
                for axis in self._axes_of(fault):
                    values[axis] += fault.value
            elif fault.kind == "saturated":
                for axis in self._axes_of(fault):
                    values[axis] = math.inf
        saturated = self.limit(values)
        values = self.digital(values)
        for fault in faults:
            if fault.kind == "stuck" and self.last:
                for axis in self._axes_of(fault):
                    values[axis] = self.last[axis]
        self.last = values
        if any(fault.kind == "drop_out" for fault in faults):
            return None
        return self.message(truth, values, saturated)

    def inject(self, fault: Fault) -> None:
        """Let it happen."""
        if fault.axis != ALL and fault.axis not in self.axes:
            raise InputError(
                f"{self.name} has no axis {fault.axis!r}.{check.did_you_mean(fault.axis, (*self.axes, ALL))}"
            )
        if fault.kind == "offset" and fault.axis == ALL and not self.unit:
            raise InputError(
                f"{self.name} reads numbers of different units: an offset needs an axis, "
                f"one of {', '.join(self.axes)}"
            )
        if fault.kind == "saturated" and any(math.isinf(self.high[axis]) for axis in self._axes_of(fault)):
            raise InputError(f"{self.name} has no end of its range: it cannot be saturated")
        self.faults.append(fault)

    def _axes_of(self, fault: Fault) -> range | tuple[int, ...]:
        return range(len(self.axes)) if fault.axis == ALL else (self.axes.index(fault.axis),)


def make_generator(seed: int, name: str) -> np.random.Generator:
    """Of one sensor of a run: another sensor more or less does not change its numbers."""
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def check_range(name: str, value: tuple[float, float]) -> None:
    """(low, high), low < high."""
    if len(value) != 2 or not value[0] < value[1]:
        raise InputError(f"{name} must be (low, high) with low < high, got {value!r}")
