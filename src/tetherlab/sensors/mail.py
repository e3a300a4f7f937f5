"""Messages on their way: each arrives when its delay is over, whatever was sent meanwhile."""

from __future__ import annotations

import heapq
from dataclasses import fields
from typing import Any

import numpy as np

from tetherlab.contracts.measurement import Measurement
from tetherlab.sensors.readings import AvocadoReading, GnssReading, PixelReading, RangeReading
from tetherlab.sensors.sensor import Message, Timing, make_generator

KINDS: dict[str, Any] = {
    kind.__name__: kind for kind in (Measurement, GnssReading, RangeReading, PixelReading, AvocadoReading)
}
SIMULTANEOUS = 1e-9  # [s]


class Mail:
    """What has been sent and not yet delivered."""

    def __init__(self, seed: int) -> None:
        self.generator = make_generator(seed, "mail")
        self._waiting: list[tuple[float, int, Message]] = []  # a heap by time of arrival, then as sent
        self._sent = 0

    def send(self, message: Message, timing: Timing) -> None:
        """It will arrive after the sensor's delay."""
        arrival = message.time + timing.delay
        if timing.delay_jitter > 0.0:
            arrival += timing.delay_jitter * self.generator.random()
        heapq.heappush(self._waiting, (arrival, self._sent, message))
        self._sent += 1

    def arrived(self, time: float) -> list[Message]:
        """All that has come by now [s], in order of arrival."""
        waiting, messages = self._waiting, []
        while waiting and waiting[0][0] <= time + SIMULTANEOUS:
            messages.append(heapq.heappop(waiting)[2])
        return messages

    def memory(self) -> dict[str, Any]:
        """All that changes, as numbers, strings and arrays."""
        return {
            "waiting": [[arrival, number, _plain(message)] for arrival, number, message in self._waiting],
            "sent": self._sent,
            "generator": self.generator.bit_generator.state,
        }

    def remember(self, memory: dict[str, Any]) -> None:
        """Go on from there."""
        self._waiting = [(arrival, number, _message(plain)) for arrival, number, plain in memory["waiting"]]
        self._sent = memory["sent"]
        self.generator.bit_generator.state = memory["generator"]


def _plain(message: Message) -> dict[str, Any]:
    plain: dict[str, Any] = {"kind": type(message).__name__}
    for field in fields(message):
        value = getattr(message, field.name)
        plain[field.name] = value.copy() if isinstance(value, np.ndarray) else value
    return plain


def _message(plain: dict[str, Any]) -> Message:
    values = {name: value for name, value in plain.items() if name != "kind"}
    if "saturated" in values:
        values["saturated"] = tuple(values["saturated"])
    message: Message = KINDS[plain["kind"]](**values)
    return message
