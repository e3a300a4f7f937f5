"""The cable of paper 003."""

from collections.abc import Callable

from tetherlab.studies import oxpecker
from tetherlab.studies.rows import Row as Found
from validation.table import Study, within

EXACT = {
    "cable: current": 18.84,
    "cable: drop": 6.56,
    "cable: loss": 123.6,
}  # [A], [V], [W]


def run(say: Callable[[str], None]) -> Study:
    """Volts, amperes and watts."""
    found: list[Found] = []
    oxpecker.cable(found.append)
    return Study(
        title="Power through the tether",
        model="15 m of 16 AWG, counted once, and 0.15 ohm of connectors; 38.4 V feed 600 W at the drone.",
        truth="The equation of a constant load, by hand; paper 003 prints 18.8 A, 6.6 V and 123.5 W.",
        rows=[
            within(row.quantity, row.unit, EXACT[row.quantity], 0.001 * EXACT[row.quantity], row.here)
            for row in found
        ],
    )
