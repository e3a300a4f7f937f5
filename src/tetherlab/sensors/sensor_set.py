"""Sensors that look at the same world: each in its turn, each with its delay."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Generic

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.sensors.faults import Fault
from tetherlab.sensors.mail import Mail
from tetherlab.sensors.sensor import Message, Sensor, World


class SensorSet(Generic[World]):
    """Same sensors, seed and world: same messages, bit for bit."""

    def __init__(self, sensors: Sequence[Sensor[Any, World]], seed: int) -> None:
        check_seed(seed)
        self._sensors = {sensor.name: sensor for sensor in sensors}
        self._mail = Mail(seed)
        self._coming: list[tuple[float, str]] = []  # faults that have not begun: when [s], and a sentence
        self.time = -math.inf  # of the last tick [s]

    def arriving(self, truth: World) -> list[Message]:
        """What has arrived by now, in order of arrival; see `heard`."""
        return [message for _, message in self.heard(truth)]

    def heard(self, truth: World) -> list[tuple[str, Message]]:
        """Let all look at the world; sender and message of all that has arrived by now, in order of arrival.

        To be called at each tick, at increasing times: what follows the tether follows it then. A sensor is
        sampled at the first tick at or after its turn.
        """
        time = truth.time
        if not time > self.time:
            raise InputError(f"time must increase: {time:g} s came after {self.time:g} s")
        self.time = time
        for sensor in self._sensors.values():
            sensor.follow(truth)
            if sensor.is_due(time):
                message = sensor.sample(truth)
                if message is not None:
                    self._mail.send(sensor.name, message, sensor.spec)
        return self._mail.arrived(time)

    def inject(self, sensor: str, fault: Fault) -> None:
        """Let a fault happen to a sensor, named as in the specification."""
        if sensor not in self._sensors:
            raise InputError(
                f"there is no sensor {sensor!r} on board.{check.did_you_mean(sensor, self._sensors)}"
            )
        self._sensors[sensor].inject(fault)
        self._coming.append((fault.start, fault.sentence(sensor, self._sensors[sensor].unit)))
        self._coming.sort()

    def begun(self) -> list[str]:
        """Faults that have begun since this was last asked, a sentence each."""
        found = []
        while self._coming and self._coming[0][0] <= self.time:
            found.append(self._coming.pop(0)[1])
        return found


def check_seed(seed: int) -> None:
    """A whole number >= 0."""
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InputError(f"seed must be a whole number >= 0, got {seed!r}")
