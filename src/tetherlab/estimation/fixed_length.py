"""The position from both slopes of a tether whose length never changes (method of Borgese et al., 2022)."""

from dataclasses import replace

from tetherlab.contracts import check
from tetherlab.contracts.estimate import Estimate
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.catenary import CatenaryLocalizer
from tetherlab.estimation.sensing import Sensing


@check.known_arguments
class FixedLengthLocalizer:
    """The catenary with a length [m] that is known beforehand; a measured length is not looked at.

    How well it is known is `noise.length` of what is sensed.
    """

    def __init__(self, sensing: Sensing | None = None, *, length: float) -> None:
        self.length = check.positive("length", length)
        self._curve = CatenaryLocalizer(sensing)
        self.sensing = self._curve.sensing

    def update(self, measurement: Measurement) -> Estimate:
        """Where the drone is, by this measurement alone."""
        return self._curve.update(replace(measurement, length=self.length))

    def reset(self) -> None:
        """Nothing is remembered."""
