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

A gimbal reaches each direction in two ways. The link goes the nearer one; where a stop bars that way, only
the other balances the pull, and it turns over.
"""

import math

from tetherlab.math.kernel import njit
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
def pull_link(link, x, y, z, friction, left, right, low, high):
    """Move the link, (3,), by a force at its tip in the sensor's frame [N]; the first one sets it.

    left, right: stops of the azimuth [rad], infinite if there are none. low, high: of the elevation. It
    cannot swing through below them from one to the other.
    """
    if link[SET] == 0.0:
        link[AZIMUTH] = math.atan2(y, x)
        link[AZIMUTH] += way(link[AZIMUTH], x, y, z, left, right, low, high)
        link[AZIMUTH], elevation = angles_from_tangent(x, y, z, link[AZIMUTH])
        link[AZIMUTH] = min(max(link[AZIMUTH], left), right)
        link[ELEVATION] = min(max(elevation, low), high)
        link[SET] = 1.0
        return
    flat = math.sqrt(x * x + y * y)
    if flat > friction:
        lag = way(link[AZIMUTH], x, y, z, left, right, low, high)
        moved = link[AZIMUTH] + beyond(lag, math.asin(friction / flat))
        link[AZIMUTH] = min(max(moved, left), right)
    along = x * math.cos(link[AZIMUTH]) + y * math.sin(link[AZIMUTH])
    across = math.sqrt(along * along + z * z)
    if across > friction:
        middle = 0.5 * (low + high)
        lag = middle + whole_turn(math.atan2(z, along) - middle) - link[ELEVATION]
        moved = link[ELEVATION] + beyond(lag, math.asin(friction / across))
        link[ELEVATION] = min(max(moved, low), high)


@njit(cache=True)
def way(azimuth, x, y, z, left, right, low, high):
    """By how much the azimuth is to turn towards a force [rad].

    Over the vertical it is content with the opposite direction: the elevation passes 90 degrees. If stops
    leave one of both ways only, it is that one.
    """
    direct = math.atan2(y, x)
    elevation, middle = math.atan2(z, math.sqrt(x * x + y * y)), 0.5 * (low + high)
    over = middle + whole_turn(math.pi - elevation - middle)
    to_direct = turned(azimuth, direct, left, right)
    to_opposite = turned(azimuth, direct + math.pi, left, right)
    open_direct = left <= azimuth + to_direct <= right and low <= elevation <= high
    open_opposite = left <= azimuth + to_opposite <= right and low <= over <= high
    if open_direct == open_opposite:
        return half_turn(direct - azimuth)
    return to_direct if open_direct else to_opposite


@njit(cache=True)
def turned(azimuth, wanted, left, right):
    """From an azimuth to another, not through where stops are [rad]."""
    middle = 0.5 * (left + right) if right - left < math.inf else azimuth
    return middle + whole_turn(wanted - middle) - azimuth


@njit(cache=True)
def beyond(lag, play):
    """By how much a lag exceeds the play, with its sign."""
    if lag > play:
        return lag - play
    if lag < -play:
        return lag + play
    return 0.0


@njit(cache=True)
def follow_tether(link, tangent_W, tension, half_weight, side, rotation, friction, left, right, low, high):
    """Move the link to where the tether pulls it now."""
    x, y, z = tip_force(tangent_W, tension, half_weight, side, rotation)
    pull_link(link, x, y, z, friction, left, right, low, high)
