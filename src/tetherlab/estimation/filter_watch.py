"""Sensors of which the filter finds out that they are wrong: angles that leap, readings that stay."""

import math

import numpy as np

from tetherlab.estimation.filter_layout import (
    BEFORE,
    BEGAN,
    FAULTY,
    HEARD,
    LATELY,
    SENSED,
    SINCE,
    STIR,
    SURE,
    TIME,
)
from tetherlab.math.kernel import njit

LEAP, LEAP_TIME = 5.0, 0.1  # deviations that an angle may leap by from one sample to the next, within [s]
LEAP_ANGLE = 0.008  # that the tether may leap by itself [rad]
STIR_TIME, STIR_START = 1.0, 0.015  # over which its motion is averaged [s]; of one that is not known [rad]
LEAP_SHARE = 0.2  # of a new sample in what a reading is off by of late
LEAP_FLAT = 0.1  # horizontal part of a tangent below which a bias makes it leap [1]
LEAP_FROM = 1.2  # length below which the angles of a tether leap indeed [m]
STUCK = 5.0  # deviations that the tether may move while a reading says the same again
SETTLED = 2.0  # time after the start from which the tether, and not the filter, is what moves [s]


@njit(cache=True)
def watch_repeats(x, off, moved, reading, repeated):
    """A reading that says the same again while the tether has moved is stuck: it is not believed any more.

    off: what it differs by from what should be read without any bias. Of a reading that stays, this moves as
    the tether does.
    """
    if not repeated or x[TIME] - x[BEGAN] < SETTLED:
        x[SINCE + reading] = math.nan
    elif math.isnan(x[SINCE + reading]):
        x[SINCE + reading] = off
    elif abs(off - x[SINCE + reading]) > moved:
        x[FAULTY + reading] = SURE


@njit(cache=True)
def watch_leaps(x, sensed, off, axes, own, variance, first, steady, leapt):
    """Which angles of a tangent are off by what they have leapt, faster than a tether can: into `leapt` (2,).

    off: sensed less expected. axes: in which angles move what is expected, (2, 3); own: what was sensed last,
    which alone tells noise of one angle from that of the other; variance: of that noise. From one sample to
    the next vectors are compared: of a steep tether azimuth and elevation soon trade places. What leaps is
    both sensed anew and not expected, since the filter may leap as well, and is more than noise and the
    tether's motion of late are likely to do. It ends when the angle is off by no more than before: it has
    leapt back, or the others have come to agree with it.
    """
    side = 3 * (first // 2)
    lately, last = x[LATELY + side : LATELY + side + 3], x[SENSED + side : SENSED + side + 3]
    known = steady and not math.isnan(lately[0])
    recent = x[TIME] - x[HEARD + first] < LEAP_TIME
    was = axes @ lately
    unexpected, moved = own @ (off - lately), own @ (sensed - last)
    stir = x[STIR + first : STIR + first + 2]
    if math.isnan(stir[0]):
        stir[:] = STIR_START**2
    most = np.maximum(LEAP * np.sqrt(2.0 * variance + np.maximum(stir, 0.0)), LEAP_ANGLE)
    leaps = False
    for k in range(2):
        place = BEFORE + first + k
        if not known:
            x[place] = math.nan
        elif recent and math.isnan(x[place]) and min(abs(unexpected[k]), abs(moved[k])) > most[k]:
            x[place] = was[k]
            leaps = True
    if recent and not leaps and not math.isnan(moved[0]):
        share = -math.expm1(-(x[TIME] - x[HEARD + first]) / STIR_TIME)
        stir += share * (moved**2 - 2.0 * variance - stir)
    for i in range(3):
        last[i] = sensed[i]
        lately[i] = lately[i] + LEAP_SHARE * (off[i] - lately[i]) if known and not leaps else off[i]
    now = axes @ lately
    for k in range(2):
        place = BEFORE + first + k
        if abs(now[k] - x[place]) < 0.5 * most[k]:
            x[place] = math.nan
        leapt[k] = not math.isnan(x[place])
