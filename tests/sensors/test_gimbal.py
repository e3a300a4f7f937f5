"""Angles of a gimbal and unit tangents."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tetherlab.contracts.measurement import unit_vector
from tetherlab.sensors.gimbal import (
    angles_from_tangent,
    tangent_from_angles,
)

azimuths = st.floats(-10.0, 10.0)
elevations = st.floats(-1.5, 4.6)  # past the vertical, on both sides of it


@settings(deadline=None)
@given(azimuths, elevations)
def test_tangents_are_those_of_the_contract_and_angles_come_back(azimuth, elevation):
    tangent = tangent_from_angles(azimuth, elevation)
    np.testing.assert_allclose(tangent, unit_vector(azimuth, elevation), atol=1e-15)
    assert math.hypot(*tangent) == pytest.approx(1.0, abs=1e-15)
    back = angles_from_tangent(*tangent, azimuth)
    if abs(math.cos(elevation)) > 1e-6:  # on the vertical the azimuth is a matter of rounding
        assert back == pytest.approx((azimuth, elevation), abs=1e-9)


def test_over_the_vertical_the_elevation_goes_on_and_the_azimuth_stays():
    for elevation in np.linspace(1.4, 1.75, 36):
        assert angles_from_tangent(*unit_vector(0.3, elevation), 0.3) == pytest.approx((0.3, elevation))
    assert angles_from_tangent(0.0, 0.0, 2.0, 0.7) == pytest.approx((0.7, 0.5 * math.pi))


def test_each_direction_has_two_pairs_of_angles():
    a = tangent_from_angles(0.4, 1.1)
    b = tangent_from_angles(0.4 + math.pi, math.pi - 1.1)
    assert a == pytest.approx(b)
    assert angles_from_tangent(*a, 0.5 + math.pi) == pytest.approx((0.4 + math.pi, math.pi - 1.1))
