"""Errors of estimates: against where the tether was tied, in flight, and beside what was claimed."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

from synthetic_localisation import ERROR, localised
from synthetic_runs import circling
from tetherlab.contracts.table import Table
from tetherlab.metrics.localisation import INSIDE, localisation_errors, summarise
from tetherlab.metrics.read import MissingError


def test_errors_are_those_that_were_put_in_and_the_deck_does_not_count():
    found = localisation_errors(localised())
    assert np.allclose(found.error[found.flying], ERROR, atol=1e-12)
    assert (found.time[found.flying][[0, -1]] == (1.0, 8.99)).all()
    summary = summarise(found)
    assert summary.rmse == pytest.approx(0.05) and summary.error_95 == pytest.approx(0.05)
    assert summary.usable == pytest.approx(7 / 8)
    assert summary.disbelieved == pytest.approx({"length": 2.0})


@pytest.mark.parametrize(("factor", "inside"), [(0.99, 0.0), (1.01, 1.0)])
def test_the_bound_is_where_the_claimed_ellipsoid_ends(factor, inside):
    deviation = 0.05 / np.sqrt(chi2.ppf(0.95, 3)) * factor
    found = localisation_errors(localised(deviation=deviation))
    assert np.allclose(found.bound, 0.05 * factor, rtol=1e-3)
    assert summarise(found).inside == inside


def test_normal_errors_are_within_the_bound_as_often_as_it_says(random):
    found = localisation_errors(localised(200.0))
    root = random.normal(size=(3, 3))
    error = random.normal(size=(len(found.time), 3)) @ root.T
    whole = np.tile(root @ root.T, (len(error), 1, 1))
    drawn = found._replace(error=error, covariance=whole)
    assert pytest.approx(chi2.ppf(0.95, 3), rel=1e-3) == INSIDE
    assert np.mean(drawn.distance <= drawn.bound) == pytest.approx(0.95, abs=0.01)  # 6 deviations of 20000


def test_an_estimator_that_claims_to_know_exactly_has_a_bound_of_nothing():
    assert localisation_errors(localised(deviation=0.0)).bound.max() < 1e-5


def test_time_without_an_estimate_is_not_usable():
    log = localised()
    estimates = log["estimates"]
    rest = estimates.mask((estimates["time_s"] < 6.5) | (estimates["time_s"] >= 8.5))
    found = localisation_errors(replace(log, tables={**log.tables, "estimates": rest}))
    assert summarise(found).usable == pytest.approx(5 / 8, abs=0.01)  # a gap begins after five intervals


def test_a_run_that_knew_the_truth_has_none():
    with pytest.raises(MissingError, match="estimates"):
        localisation_errors(circling(2.0))


@pytest.mark.parametrize("what", ["attachment", "attitude", "late"])
def test_without_a_truth_beside_them_there_is_none(what):
    log = localised()
    if what == "attachment":
        log = replace(log, scenario={"uav": None})
    elif what == "attitude":
        uav = Table({name: log["uav"][name] for name in ("time_s", "x_m", "y_m", "z_m")})
        log = replace(log, tables={**log.tables, "uav": uav})
    else:
        estimates = {name: log["estimates"][name] for name in log["estimates"].columns}
        estimates |= {"stamp_s": estimates["stamp_s"] + 100.0}
        log = replace(log, tables={**log.tables, "estimates": Table(estimates)})
    with pytest.raises(MissingError):
        localisation_errors(log)
