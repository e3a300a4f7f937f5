"""How the link of an angle sensor follows its tether: against friction, and with a weight of its own.

The tether pulls the tip of the link with T t; the link's weight m g acts at half its length. By virtual work
both together turn the link like a single force at its tip,

    f = T t − (m g/2) z   at the base, where the link points along the tangent t,
    f = T t + (m g/2) z   at the drone, where it points along −t and its weight rights it,

with z the vertical, so that without friction it points along f: at the base its elevation e is too low by
about m g cos(e)/(2 T).

Friction is a force F against the tip, on each axis. An axis rests as long as the part of f across it is at
most F. Otherwise it follows, and lags behind by asin(F/|f|) in elevation, asin(F/(|f| cos e)) in azimuth: a
play, whose width depends on the tension. Where the tether has less than F to pull with, the axis sticks.
"""

import math

from numba import njit

from tetherlab.sensors.gimbal import angles_from_tangent, half_turn, whole_turn

BASE, DRONE = 1.0, -1.0  # the link points along the tangent base -> end, or against it
AZIMUTH, ELEVATION, SET = 0, 1, 2  # places of the link's state: two angles [rad], and whether it was set


@njit(cache=True)
def tip_force(tangent_W, tension, half_weight, side, rotation):
    """f in the sensor's frame [N], (x, y, z). rotation: of what carries the sensor, to the world."""
    x, y = tension * tangent_W[0], tension * tangent_W[1]
    z = tension * tangent_W[2] - side * half_weight
    return (
        rotation[0, 0] * x + rotation[1, 0] * y + rotation[2, 0] * z,
        rotation[0, 1] * x + rotation[1, 1] * y + rotation[2, 1] * z,
        rotation[0, 2] * x + rotation[1, 2] * y + rotation[2, 2] * z,
    )


@njit(cache=True)
def pull_link(link, x, y, z, friction, low, high):
    """Move the link, (3,), by a force at its tip in the sensor's frame [N]; the first one sets it.

    low, high: stops of the elevation [rad]. It cannot swing through below them from one to the other.
    """
    if link[SET] == 0.0:
        link[AZIMUTH], elevation = angles_from_tangent(x, y, z, math.atan2(y, x))
        link[ELEVATION] = min(max(elevation, low), high)
        link[SET] = 1.0
        return
    # Over the vertical the azimuth is content with the opposite direction: the elevation passes 90 degrees.
    flat = math.sqrt(x * x + y * y)
    if flat > friction:
        lag = half_turn(math.atan2(y, x) - link[AZIMUTH])
        link[AZIMUTH] += beyond(lag, math.asin(friction / flat))
    along = x * math.cos(link[AZIMUTH]) + y * math.sin(link[AZIMUTH])
    across = math.sqrt(along * along + z * z)
    if across > friction:
        middle = 0.5 * (low + high)
        lag = middle + whole_turn(math.atan2(z, along) - middle) - link[ELEVATION]
        moved = link[ELEVATION] + beyond(lag, math.asin(friction / across))
        link[ELEVATION] = min(max(moved, low), high)


@njit(cache=True)
def beyond(lag, play):
    """By how much a lag exceeds the play, with its sign."""
    if lag > play:
        return lag - play
    if lag < -play:
        return lag + play
    return 0.0


@njit(cache=True)
def follow_tether(link, tangent_W, tension, half_weight, side, rotation, friction, low, high):
    """Move the link to where the tether pulls it now."""
    x, y, z = tip_force(tangent_W, tension, half_weight, side, rotation)
    pull_link(link, x, y, z, friction, low, high)
