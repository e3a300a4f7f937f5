"""The lightest tether by the paper's formula, and error budgets against localizer and sampling."""

import math

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.estimation import Sensing, SensorNoise, locate_many
from tetherlab.estimation.design import SENSORS, error_budget, lightest_tether


def test_the_papers_tether_weighs_fifteen_grams_per_metre():
    found = lightest_tether(0.029, 0.2)
    assert round(1e3 * found.linear_density) == 15  # Eq. 32, two digits
    assert found.linear_density * 0.2 * 9.80665 == pytest.approx(0.029, rel=1e-12)  # Eq. 31


def test_mars_asks_for_more_weight_and_for_the_same_tension():
    earth, mars = lightest_tether(), lightest_tether(gravity=3.71)
    assert mars.linear_density / earth.linear_density == pytest.approx(9.80665 / 3.71, rel=1e-12)
    assert mars.lag == earth.lag == pytest.approx(math.asin(0.029 / 3.5), rel=1e-12)
    assert earth.tension_for(earth.lag) == pytest.approx(3.5, rel=1e-12)


def test_a_tension_below_friction_never_moves_the_sensor():
    with pytest.raises(tl.InputError, match=r"tension must be > friction, 0\.029 N"):
        lightest_tether(tension=0.02)
    with pytest.raises(tl.InputError, match="Did you mean 'friction'"):
        lightest_tether(fricton=0.02)


@pytest.fixture(scope="module")
def budget():
    return error_budget(6.0, tension=1.5, cells=24)


def catenary_of(budget, i, j):
    """The tether at a cell, found by another way: the length at which its tension at the base is as asked."""
    from scipy.optimize import brentq

    end, sensing = np.array([budget.radius[j], 0.0, budget.height[i]]), budget.sensing
    base, far = np.zeros(3), np.hypot(budget.radius[j], budget.height[i])

    def excess(slack):
        curve = tl.Catenary.between(base, end, far * (1.0 + 10.0**slack))
        return math.log(curve.tension(0.0, sensing.linear_density, sensing.gravity) / budget.tension)

    slacks = np.arange(-9.0, 1.0, 0.05)
    values = [excess(slack) for slack in slacks]
    first = next((k for k, value in enumerate(values) if value < 0.0), None)
    if first is None:
        return None
    slack = brentq(excess, slacks[first - 1], slacks[first], xtol=1e-13)
    return tl.Catenary.between(base, end, far * (1.0 + 10.0**slack))


def elevations(curve):
    points = curve.sample(20001)
    ends = points[1] - points[0], points[-1] - points[-2]
    return [math.atan2(step[2], step[0]) for step in ends]


@pytest.mark.parametrize("i, j", [(2, 5), (12, 12), (20, 2), (1, 20), (8, 16)])
def test_variances_are_those_of_the_localizer_at_that_place(budget, i, j):
    curve = catenary_of(budget, i, j)
    low, high = elevations(curve)
    found = locate_many(np.array([[curve.length, 0.0, low, high]]), budget.sensing)
    assert found.position[0] == pytest.approx([budget.radius[j], 0.0, budget.height[i]], abs=2e-3)
    # slopes of chords of length/20000, so 4 digits
    assert budget.deviation[i, j] ** 2 == pytest.approx(np.trace(found.covariance[0]), rel=2e-3)


@pytest.mark.parametrize("tension, length", [(0.15, 3.0), (0.3, 6.0), (1.0, 12.0)])
def test_cells_are_empty_where_no_tether_reaches(tension, length):
    budget = error_budget(length, tension=tension, cells=7)
    assert not np.isfinite(budget.deviation).all()
    for i in range(7):
        for j in range(7):
            curve = catenary_of(budget, i, j)
            reached = curve is not None and curve.length <= length
            assert np.isfinite(budget.deviation[i, j]) == reached, (i, j)


def test_linear_variances_are_those_of_sampled_noise(budget, random):
    i, j = 10, 14
    curve = catenary_of(budget, i, j)
    noise, n = budget.sensing.noise, 40_000
    angles = np.array([curve.length, 0.0, *elevations(curve)])
    spread = np.array([noise.length, noise.azimuth, noise.elevation_base, noise.elevation_end])
    found = locate_many(angles + spread * random.standard_normal((n, 4)), budget.sensing)
    sampled = np.trace(np.cov(found.position[found.ok].T))
    # three deviations of a sampled variance are 2 %; the rest is for what is not linear
    assert budget.deviation[i, j] ** 2 == pytest.approx(sampled, rel=0.05)


def test_shares_add_up_and_a_perfect_sensor_has_none(budget):
    assert sum(budget.share.values()) == pytest.approx(1.0)
    assert sum(budget.area.values()) == pytest.approx(1.0)
    assert budget.improve_first == "elevation_end" == max(budget.share, key=budget.share.get)
    perfect = error_budget(6.0, tension=1.5, cells=24, sensing=Sensing(noise=SensorNoise(elevation_end=0.0)))
    assert perfect.share["elevation_end"] == 0.0 and perfect.improve_first == "elevation_base"
    assert perfect.root_mean_square == pytest.approx(budget.without("elevation_end"), rel=1e-9)


def test_each_noise_counts_by_its_square(budget):
    for index, name in enumerate(SENSORS):
        noise = SensorNoise(**{name: 3.0 * getattr(SensorNoise(), name)})
        louder = error_budget(6.0, tension=1.5, cells=24, sensing=Sensing(noise=noise))
        factors = np.where(np.arange(4) == index, 9.0, 1.0)
        inside = np.isfinite(budget.deviation) & np.isfinite(louder.deviation)
        assert louder.variance[inside] == pytest.approx(budget.variance[inside] * factors, rel=1e-12)


def test_the_length_sensor_alone_is_off_by_the_share_of_the_distance():
    """By length a position only scales: sigma = noise * distance / length."""
    budget = error_budget(4.0, cells=10)
    i, j = 4, 5
    far = np.hypot(budget.radius[j], budget.height[i])
    expected = (budget.sensing.noise.length * far / catenary_of(budget, i, j).length) ** 2
    assert budget.variance[i, j, 0] == pytest.approx(expected, rel=1e-9)


def test_what_cannot_be_answered_is_refused():
    for arguments, sentence in (
        ({"length": -1.0}, "length must be > 0"),
        ({"length": 4.0, "cells": 1}, "cells must be a whole number from 2 to 1000"),
        ({"length": 4.0, "tension": 1e-5}, "holds no tether"),
        ({"length": 4.0, "tensoin": 1.0}, "Did you mean 'tension'"),
    ):
        with pytest.raises(tl.InputError, match=sentence):
            error_budget(**arguments)
    silent = SensorNoise(length=0.0, azimuth=0.0, elevation_base=0.0, elevation_end=0.0)
    with pytest.raises(tl.InputError, match="there is no error to share out"):
        error_budget(4.0, sensing=Sensing(noise=silent))
