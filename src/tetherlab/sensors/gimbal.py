"""Angles of a two-axis gimbal and the unit tangent that they stand for.

The azimuth turns about the z axis of whatever carries the gimbal (base or drone), from +x counter-clockwise;
the elevation then lifts the link from the xy plane, positive up. Both ends speak of the same vector, the
tangent along base -> end: at the base the link points along it, at the drone the link hangs down the tether
and points the other way, but its angles are still those of the tangent base -> end in the body frame.

A gimbal reaches each direction twice, as (azimuth, elevation) and (azimuth + π, π − elevation). So a tether
that swings over the vertical needs no half turn of the azimuth: the elevation goes on past 90 degrees.
"""

import math

from tetherlab.math.kernel import njit


@njit(cache=True)
def tangent_from_angles(azimuth, elevation):
    """Unit tangent (x, y, z) in the sensor's frame; angles [rad], the elevation any."""
    flat = math.cos(elevation)
    return flat * math.cos(azimuth), flat * math.sin(azimuth), math.sin(elevation)


@njit(cache=True)
def angles_from_tangent(x, y, z, near):
    """(azimuth, elevation) [rad] of a direction of any size: the azimuth within 90 degrees of `near`.

    The elevation is between -90 and 270 degrees, beyond 90 where the direction leans away from `near`.
    On the z axis the azimuth is `near` itself.
    """
    azimuth = near
    if x != 0.0 or y != 0.0:
        azimuth = near + half_turn(math.atan2(y, x) - near)
    elevation = math.atan2(z, x * math.cos(azimuth) + y * math.sin(azimuth))
    return azimuth, elevation if elevation >= -0.5 * math.pi else elevation + 2.0 * math.pi


@njit(cache=True)
def half_turn(angle):
    """The same modulo π, between -π/2 and π/2."""
    return angle - math.pi * math.floor(angle / math.pi + 0.5)


@njit(cache=True)
def whole_turn(angle):
    """The same modulo 2π, between -π and π."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)
