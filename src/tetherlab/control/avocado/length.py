"""Tether length: P to the speed of the tether, and on the robot PI from that speed to the servo's."""

from dataclasses import dataclass, field

from tetherlab.contracts import check


@check.known_arguments
@dataclass(kw_only=True)
class LengthLaw:
    """P on the length; what it asks of the reel is limited to what the servo can do.

    servo: False as in the paper's simulation, where the reel does what it is told. True as on the robot:
    the spool's radius changes with what is on it, so the speed of the tether, as the wheel's encoder sees
    it, is brought to the wanted one by a PI loop; the command is for a servo on a spool of nominal radius.
    """

    gain: float = 10.0  # [1/s]: a ramp of 0.04 m/s lags by 4 mm
    speed_max: float = 0.1  # [m/s]; assumed: about 10 rad/s of the servo on a spool of 10 mm
    servo: bool = False
    speed_gain: float = 0.3  # of the PI loop
    speed_rate: float = 6.0  # of its integral [1/s]
    _integral: float = field(default=0.0, init=False, repr=False)  # [m/s]
    _before: float | None = field(default=None, init=False, repr=False)  # length one call ago [m]

    def __post_init__(self) -> None:
        for name in ("gain", "speed_max", "speed_rate"):
            check.positive(f"LengthLaw.{name}", getattr(self, name))
        check.non_negative("LengthLaw.speed_gain", self.speed_gain)

    def reset(self) -> None:
        """Forget."""
        self._integral, self._before = 0.0, None

    def __call__(self, length: float, wanted: float, dt: float) -> float:
        """Speed to command [m/s] for lengths [m], every dt [s]."""
        top = self.speed_max
        speed = min(max(self.gain * (wanted - length), -top), top)
        if not self.servo:
            return speed
        measured = 0.0 if self._before is None else (length - self._before) / dt
        self._before = length
        error = speed - measured
        asked = speed + self.speed_gain * error + self._integral
        given = min(max(asked, -top), top)
        if asked == given or (asked - given) * error < 0.0:
            self._integral += self.speed_rate * error * dt
        return given
