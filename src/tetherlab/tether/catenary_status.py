"""How the search for a tether's curve at rest ended, as codes for kernels and sentences for people."""

from enum import Enum

# Kernels cannot carry an Enum; these are the positions of the members below.
OK, TAUT, TOO_SHORT, NOT_FINITE, ARCHED, CROSSED, UNDECIDED = range(7)


class CatenaryStatus(Enum):
    """The answer of a curve at rest; `value` is the sentence, `code` the number that kernels use."""

    OK = "the tether hangs in a catenary"
    TAUT = (
        "the tether is a straight line between its ends: one that does not stretch would need an infinite "
        "tension; pay out more, or use ElasticCatenary"
    )
    TOO_SHORT = (
        "the length is smaller than the distance between the ends; pay out more or move the ends together"
    )
    NOT_FINITE = "an end or the length is not a finite number below 1e100 m, or the length is not > 0"
    ARCHED = (
        "no hanging tether has this pair of slopes: along base -> end a hanging tether only turns upwards, "
        "and this pair turns downwards"
    )
    CROSSED = (
        "no hanging tether has this pair of slopes: both ends of a hanging tether lean to the same side, "
        "and this pair leans to opposite sides of the vertical"
    )
    UNDECIDED = (
        "the tether leaves the base straight down and reaches the end straight up: slopes do not tell how "
        "its length is shared between the two legs; use Catenary.between"
    )

    @property
    def code(self) -> int:
        """The number that stands for this status in arrays."""
        return list(CatenaryStatus).index(self)

    @classmethod
    def from_code(cls, code: int) -> "CatenaryStatus":
        """The status that a number from a kernel stands for."""
        return list(cls)[int(code)]
