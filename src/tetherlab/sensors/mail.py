"""Messages on their way: each arrives when its delay is over, whatever was sent meanwhile."""

from __future__ import annotations

import heapq

from tetherlab.sensors.sensor import Message, Timing, make_generator

SIMULTANEOUS = 1e-9  # [s]


class Mail:
    """What has been sent and not yet delivered."""

    def __init__(self, seed: int) -> None:
        self.generator = make_generator(seed, "mail")
        self._waiting: list[tuple[float, int, str, Message]] = []  # a heap by time of arrival, then as sent
        self._sent = 0

    def send(self, sender: str, message: Message, timing: Timing) -> None:
        """It will arrive after the sensor's delay."""
        arrival = message.time + timing.delay
        if timing.delay_jitter > 0.0:
            arrival += timing.delay_jitter * self.generator.random()
        heapq.heappush(self._waiting, (arrival, self._sent, sender, message))
        self._sent += 1

    def arrived(self, time: float) -> list[tuple[str, Message]]:
        """All that has come by now [s], in order of arrival, with its sender."""
        waiting = self._waiting
        messages: list[tuple[str, Message]] = []
        while waiting and waiting[0][0] <= time + SIMULTANEOUS:
            messages.append(heapq.heappop(waiting)[2:])
        return messages
