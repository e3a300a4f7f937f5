"""A potentiometer's voltage as a number.

A potentiometer gives a share of its supply voltage. The supply sags and is noisy; if the converter reads it
too, and the share is taken of what was read (ratiometric), that cancels. Voltages are in units of the nominal
supply.
"""

FULL_SCALE = 4.096 / 3.3  # of the converter, over a nominal supply: 4.096 V at 3.3 V, so that it never clips


def quantise(value: float, bits: int) -> float:
    """The nearest of the steps of a converter; value and result from 0 to 1."""
    steps = (1 << bits) - 1
    return round(value * steps) / steps


def read_share(share: float, supply: float, bits: int, ratiometric: bool) -> float:
    """What is taken for the share [1], at a supply that may differ from 1."""
    read = quantise(share * supply / FULL_SCALE, bits)
    return read / (quantise(supply / FULL_SCALE, bits) if ratiometric else 1.0 / FULL_SCALE)
