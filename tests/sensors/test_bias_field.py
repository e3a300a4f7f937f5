"""The smooth error of a gimbal's readings."""

import math

import numpy as np
import pytest

from tetherlab.sensors.bias_field import bias_at, make_field


@pytest.mark.parametrize("seed", [1, 2, 17])
@pytest.mark.parametrize("axis", [0, 1])
def test_its_root_mean_square_over_the_workspace_is_one(seed, axis):
    field = make_field(seed)
    # midpoints: exact for the harmonics of a whole turn, second order in the elevation
    azimuths = (np.arange(12) + 0.5) * math.pi / 6.0
    elevations = (np.arange(200) + 0.5) * 0.5 * math.pi / 200.0
    squares = [bias_at(field, axis, a, e) ** 2 for a in azimuths for e in elevations]
    assert np.mean(squares) == pytest.approx(1.0, abs=1e-4)


def test_it_is_smooth_and_bounded_and_repeats_after_a_turn():
    field = make_field(3)
    azimuths = np.linspace(-math.pi, math.pi, 400)
    row = np.array([bias_at(field, 1, a, 0.7) for a in azimuths])
    assert row[0] == pytest.approx(row[-1])
    assert np.abs(np.diff(row)).max() < 10.0 * (azimuths[1] - azimuths[0])
    beyond = [bias_at(field, 0, a, e) for a in azimuths[::20] for e in np.linspace(-0.8, 4.0, 50)]
    assert np.abs(beyond).max() < 10.0


def test_it_belongs_to_the_seed():
    np.testing.assert_array_equal(make_field(5), make_field(5))
    assert not np.allclose(make_field(5), make_field(6))
