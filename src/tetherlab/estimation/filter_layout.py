"""What the filter's kernels share: where things are in its arrays, and what they must know beforehand.

`x` holds what is believed and the books on each sensor; `cov` is the covariance of its error: position [m],
velocity [m/s], rotation (a small turn in the drone's own frame [rad]), biases of accelerometer [m/s^2] and
gyroscope [rad/s], the logarithm of b (see sensors/hanging.py), and biases of five readings of the tether.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Places in x: what is believed, the IMU's last sample and its time, and the books on each reading.
P, V, R, FORCE_BIAS, RATE_BIAS, LOG_B, READING_BIAS = 0, 3, 6, 15, 18, 21, 22
FORCE, RATE, TIME = 27, 30, 33
SCORE, HEARD = 34, 41  # time of contradiction [s], when it spoke last [s], (7,) each
FAULTY, SURE = 48, 2.0  # 1 if a reading is not believed, (7,); 2 if that does not depend on what is believed
LINK = 55  # where friction lets the links of the angle sensors be [rad], (4,); NaN: unknown
LATELY = 59  # what the tangents at base and drone are off by of late, (2, 3); NaN: unknown
SENSED = 65  # those tangents as they were sensed last, (2, 3)
BEFORE = 71  # what an angle was off by before it leapt, (4,); NaN: it has not
SINCE = 75  # what a reading was off by when it began to repeat itself, (7,); NaN: it does not
STIR = 82  # of late, mean square of an angle's way from sample to sample less its noise, (4,); NaN: unknown
IMU_HEARD, BEGAN = 86, 87  # when the IMU spoke last, and when all this began [s]
STATE_SIZE = 88

# Places in the error.
DP, DV, DR, DF, DW, DB, DBIAS = 0, 3, 6, 9, 12, 15, 16
ERROR_SIZE = 21

# Readings in the order of their books; the first five have a bias.
BASE_AZIMUTH, BASE_ELEVATION, DRONE_AZIMUTH, DRONE_ELEVATION, LENGTH_READ, TENSION_READ, ALTITUDE_READ = (
    range(7)
)
READINGS = (
    "base_azimuth", "base_elevation", "drone_azimuth", "drone_elevation", "length", "tension", "altitude",
)  # fmt: skip
BIASED = 5
# The biases of the base's two angles are accounted for and never corrected (Schmidt). Place and heading
# turned with them about the base look the same: a filter that corrects them believes, after a while, to know
# what nothing tells.
CONSIDERED = DBIAS + BASE_AZIMUTH

# Kinds of messages, and where a message has its numbers.
IMU, BASE_ANGLES, DRONE_ANGLES, LENGTHS, TENSIONS, ALTITUDES = range(6)
M_TIME, M_KIND, M_VALUE, M_ROTATION, M_BASE, M_BASE_VELOCITY, M_SATURATED = 0, 1, 2, 8, 17, 20, 23
SPEAKS = (0, 0, 2, 4, 5, 6)  # first reading of each kind, and of the next
M_TENSION = 24  # that was sensed last, NaN: never [N]
M_REPEATED = 25  # bits as of M_SATURATED: readings that say the same again to the last digit
MESSAGE_SIZE = 26


class FilterSettings(NamedTuple):
    """What the kernels need to know beforehand; variances, or densities of them per second."""

    gravity: float  # [m/s^2]
    weight: float  # of the tether [N/m]
    drone_mass: float  # NaN: unknown [kg]
    softness: float  # of the tether: stretch per tension [1/N]
    ground: float  # height of the ground [m]
    friction: float  # of an angle sensor [N]
    lag_samples: float  # for which friction holds an angle sensor
    swing: float  # deviation of an angle by waves of the tether [rad]
    astray: float  # deviation of its points from rest, which turns the angles of a short one [m]
    swing_samples: float  # for which a wave lasts
    lag_max: float  # deviation by friction beyond which its angles say nothing [rad]
    attachment: NDArray[np.float64]  # of the tether, in the drone's frame [m], (3,)
    force_density: float  # of the accelerometer's noise [(m/s^2)^2 s]
    rate_density: float  # of the gyroscope's noise [(rad/s)^2 s]
    force_walk: float  # of its bias [(m/s^2)^2/s]
    rate_walk: float  # of its bias [(rad/s)^2/s]
    log_b_walk: float  # [1/s]
    reading_variance: NDArray[np.float64]  # of each reading [rad^2], [m^2], [N^2], (7,)
    attitude_variance: NDArray[np.float64]  # of the autopilot's, about axes that do not tilt [rad^2], (3,)
    bias_covariance: NDArray[np.float64]  # of biases of angles [rad^2] and length [m^2], (5, 5)
    bias_time: float  # in which it forgets [s]
    gate: float  # squared deviations beyond which a reading is refused
    fault_after: float  # time of contradiction after which it is not believed any more [s]
    load: NDArray[np.float64]  # on the moving tether beside its weight: mass per length, drag, wind, (4,)
