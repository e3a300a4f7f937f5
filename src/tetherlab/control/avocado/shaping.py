"""References that a robot can follow: steps become curves with rates and accelerations."""

from dataclasses import dataclass, field


@dataclass
class Shaper:
    """Second order, critically damped, with a limited rate: x'' = w^2 (r - x) - 2 w (x' - r')."""

    bandwidth: float  # w [rad/s]
    rate_max: float  # [rad/s]
    value: float = field(default=0.0, init=False)
    rate: float = field(default=0.0, init=False)
    acceleration: float = field(default=0.0, init=False)

    def start(self, value: float) -> None:
        """At rest at a value."""
        self.value, self.rate, self.acceleration = value, 0.0, 0.0

    def __call__(self, wanted: float, wanted_rate: float, dt: float) -> None:
        """One step of dt [s]."""
        w, top = self.bandwidth, self.rate_max
        before = self.rate
        self.rate += dt * (w * w * (wanted - self.value) - 2.0 * w * (self.rate - wanted_rate))
        self.rate = min(max(self.rate, -top), top)
        self.acceleration = (self.rate - before) / dt
        self.value += dt * self.rate
