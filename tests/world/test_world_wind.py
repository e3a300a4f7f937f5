"""Wind: the mean profile, and gusts with the statistics they promise."""

import numpy as np
import pytest
from numba import njit, typeof
from scipy.special import betaincinv, gamma, kv

from tetherlab.contracts.errors import InputError
from tetherlab.world import Wind
from tetherlab.world.wind import ENERGY_KEPT, wind_at

INTENSITY, SCALE = 1.3, 12.0
GUSTY = Wind.uniform((6.0, -2.0, 0.0)).with_gusts(INTENSITY, SCALE, seed=5)


@njit
def _ask(wind, x, y, z, t):
    return wind_at(wind, x, y, z, t)


def test_calm_and_uniform_wind_are_the_same_everywhere(random):
    points, times = random.uniform(-50, 50, (100, 3)), random.uniform(0, 100, 100)
    assert not Wind.calm().at(points, times).any()
    np.testing.assert_array_equal(Wind.uniform((1, 2, 3)).at(points, times), [(1, 2, 3)] * 100)


def test_shear_follows_the_power_law_above_ground_and_rests_below():
    wind = Wind.shear((5, 1, 0), 10.0, exponent=0.2)
    heights = np.array([-3.0, 0.0, 1.0, 10.0, 80.0])
    points = np.stack([np.ones(5), np.ones(5), heights], axis=1)
    factor = np.where(heights > 0, (np.maximum(heights, 0) / 10) ** 0.2, 0.0)
    np.testing.assert_allclose(wind.at(points), factor[:, None] * [(5, 1, 0)], rtol=1e-12)


def test_every_wind_has_the_same_compiled_type_and_works_inside_kernels():
    winds = [Wind.calm(), Wind.uniform((1, 0, 0)), Wind.shear((1, 0, 0), 10.0), GUSTY]
    assert len({typeof(wind.field) for wind in winds}) == 1
    for wind in winds:
        np.testing.assert_array_equal(_ask(wind.field, 1.0, 2.0, 3.0, 4.0), wind.at((1.0, 2.0, 3.0), 4.0))


def test_gusts_equal_the_sum_of_waves_they_are_defined_by(random):
    points, times = random.uniform(-100, 100, (300, 3)), random.uniform(0, 60, 300)
    modes = GUSTY.field.modes
    phase = 2 * np.pi * (points @ modes[:3] + np.outer(times, modes[3]) + modes[4])
    twin = np.cos(phase) @ modes[5:].T + [6.0, -2.0, 0.0]
    np.testing.assert_allclose(GUSTY.at(points, times), twin, atol=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_gusts_of_any_seed_have_mean_zero_and_the_given_deviation_in_each_component(seed, random):
    wind = Wind.uniform((6.0, -2.0, 0.0)).with_gusts(INTENSITY, SCALE, seed)
    gust = wind.at(random.uniform(-1e6, 1e6, (100_000, 3)), 0.0) - [6.0, -2.0, 0.0]
    # 100 000 independent samples: the mean scatters by 0.4 %, the deviation by less.
    np.testing.assert_allclose(gust.mean(axis=0), 0.0, atol=0.02 * INTENSITY)
    np.testing.assert_allclose(gust.std(axis=0), INTENSITY, rtol=0.015)
    np.testing.assert_allclose(np.cov(gust.T) - np.diag(gust.var(axis=0)), 0.0, atol=0.02 * INTENSITY**2)


def _von_karman(r, length_scale):
    """Longitudinal correlation of the full von Karman spectrum."""
    x = np.asarray(r) / (1.339 * length_scale)
    return 2 ** (2 / 3) / gamma(1 / 3) * x ** (1 / 3) * kv(1 / 3, x)


def test_gusts_fade_with_distance_as_the_von_karman_spectrum_says():
    """Averaged over seeds; the correlation of one wave field is a closed form, so no points are sampled."""
    separations = SCALE * np.array([0.25, 0.5, 1.0, 2.0])
    modes = np.array(
        [Wind.uniform((1, 0, 0)).with_gusts(1.0, SCALE, seed).field.modes for seed in range(400)]
    )
    along = np.array(
        [np.mean(np.sum(modes[:, 5] ** 2 / 2 * np.cos(2 * np.pi * modes[:, 0] * r), 1)) for r in separations]
    )
    # The smallest eddies are left out: the same theory, restricted to the share of energy that is kept.
    share = ENERGY_KEPT * (np.arange(20_000) + 0.5) / 20_000
    s = betaincinv(2.5, 1 / 3, share)
    x = np.outer(separations, np.sqrt(s / (1 - s)) / (1.339 * SCALE))
    restricted = np.mean(3 * (np.sin(x) - x * np.cos(x)) / x**3, axis=1)
    np.testing.assert_allclose(along, restricted, atol=0.03)
    np.testing.assert_allclose(restricted, _von_karman(separations, SCALE), atol=0.1)


def test_gusts_travel_with_the_mean_wind(random):
    points = random.uniform(-30, 30, (200, 3))
    carried = points + 4.0 * np.array([6.0, -2.0, 0.0])
    np.testing.assert_allclose(GUSTY.at(carried, 4.0), GUSTY.at(points, 0.0), atol=1e-8)


def test_gusts_are_free_of_divergence(random):
    points, step = random.uniform(-30, 30, (200, 3)), 1e-4
    rows = [(GUSTY.at(points + step * e) - GUSTY.at(points - step * e)) / (2 * step) for e in np.eye(3)]
    divergence = sum(rows[axis][:, axis] for axis in range(3))
    assert np.abs(rows[0]).max() > 0.1
    np.testing.assert_allclose(divergence, 0.0, atol=1e-5)


def test_the_same_seed_gives_the_same_bits_and_another_seed_another_wind(random):
    points = random.uniform(-30, 30, (50, 3))
    same = Wind.uniform((6.0, -2.0, 0.0)).with_gusts(INTENSITY, SCALE, seed=5)
    other = Wind.uniform((6.0, -2.0, 0.0)).with_gusts(INTENSITY, SCALE, seed=6)
    np.testing.assert_array_equal(same.at(points, 1.0), GUSTY.at(points, 1.0))
    assert np.abs(other.at(points, 1.0) - GUSTY.at(points, 1.0)).max() > 0.1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Wind.uniform((1, 2)), r"velocity must have shape \(3,\)"),
        (lambda: Wind.shear((1, 0, 0), 0.0), "reference_height must be > 0, got 0"),
        (lambda: Wind.shear((1, 0, 0), 10.0, exponent=-0.1), "exponent must be > 0, got -0.1"),
        (lambda: GUSTY.with_gusts(-1.0, 10.0, 1), "intensity must be >= 0, got -1"),
        (lambda: GUSTY.with_gusts(1.0, 0.0, 1), "length_scale must be > 0, got 0"),
        (lambda: GUSTY.with_gusts(1.0, 10.0, 1.5), "seed must be an integer >= 0, got 1.5"),
        (lambda: GUSTY.at(np.zeros((3, 3)), [0.0, 1.0]), r"time must have shape \(3,\), got \(2,\)"),
        (lambda: GUSTY.at((0, 0, 0), "now"), "time must be a number, got 'now'"),
        (lambda: Wind.calm().with_gusts(1.0, 10.0, 1), "gusts are carried along by the mean wind"),
    ],
)
def test_a_wind_that_cannot_be_is_refused_with_one_clear_sentence(make, message):
    with pytest.raises(InputError, match=message):
        make()
