"""The mapping study: what its rows are made of, on cases whose answers are known."""

import math

import numpy as np
import pytest

from tetherlab.mapping.changes import Change
from tetherlab.mapping.difference import Difference
from tetherlab.sensors.inspection_suite import InspectionSpec
from tetherlab.studies.oxpecker_mapping import fall, make_face, match, run, summarise
from tetherlab.studies.oxpecker_survey import Survey, SurveySpec
from tetherlab.studies.oxpecker_tether import hang
from tetherlab.tether.catenary import Catenary
from tetherlab.tether.catenary_grounded import GroundedCatenary

NO_CAMERA = InspectionSpec(ceiling=None, depth_camera=None)


@pytest.mark.parametrize("away", [(4.0, 2.0, 1.0), (1.0, -3.0, 5.0), (8.0, 0.0, 0.2), (2.0, 1.0, -0.3)])
def test_a_hanging_tether_has_the_tension_that_was_asked_for(away):
    """Against the closed form through both ends with that length."""
    pull = 9.0
    length, low, high = (float(part[0]) for part in hang(np.array([away]), pull, 50.0))
    curve = Catenary.between((0.0, 0.0, 0.0), away, length)
    assert curve.tension(0.0, 1.0, 1.0) == pytest.approx(pull, rel=1e-6)
    for arc, slope in ((0.0, low), (length, high)):
        t = curve.tangent(arc)
        assert math.atan2(t[2], math.hypot(t[0], t[1])) == pytest.approx(slope, abs=1e-6)


def test_a_weak_pull_leaves_the_tether_on_the_floor():
    away, base = np.array([[6.0, 3.0, 2.0]]), 0.6
    length, low, high = (float(part[0]) for part in hang(away, 0.8, base))
    curve = GroundedCatenary.between((0.0, 0.0, base), away[0] + [0.0, 0.0, base], length)
    assert curve.contact is not None
    assert curve.parameter == pytest.approx(0.8 - base, rel=1e-6)
    for arc, slope in ((0.0, low), (length, high)):
        t = curve.tangent(arc)
        assert math.atan2(t[2], math.hypot(t[0], t[1])) == pytest.approx(slope, abs=1e-5)


def test_errors_are_summed_up_by_axis():
    error = np.array([[1.0, -2.0, 0.0], [-3.0, 2.0, 0.0]])
    found = summarise([error, 3.0 * error])
    assert found["max"].tolist() == [6.0, 4.0, 0.0]
    assert found["mean"].tolist() == [4.0, 4.0, 0.0]
    assert found["deviation"].tolist() == [2.0, 0.0, 0.0]


def test_a_change_is_a_spall_if_it_lies_on_one_and_counts_once():
    _, face = make_face(0, 8.0, 4.0)
    spalls = fall(face, 0, 3)
    assert all(math.hypot(a.along - b.along, a.up - b.up) > 1.0 for a in spalls for b in spalls if a is not b)

    def change(spall, shift=0.0, depth=0.1):
        return Change(face.points(spall.along + shift, spall.up), depth, 0.3, 0.1, 0.005)

    changes = (
        change(spalls[1], 0.05),
        change(spalls[1], 0.1),
        change(spalls[0], 0.4),
        change(spalls[2], 0, -0.1),
    )
    assert match(Difference(*[None] * 5, changes), face, spalls) == {1: 0}


def test_a_fused_flight_errs_less_than_half_as_much_as_odometry_alone():
    mine, face = make_face(1, 12.0, 3.0)
    survey = Survey(mine, face, SurveySpec(rows=2, tension=0.3, sensors=NO_CAMERA), 1)
    sizes = []
    for alone in (False, True):
        filter = survey.fuse(alone=alone)
        true = survey.at(filter.track().time)
        sizes.append(np.linalg.norm(filter.known_then() - true, axis=1).mean())
    assert sizes[0] < 0.5 * sizes[1]


@pytest.mark.slow
def test_the_study_reaches_what_is_asked_for():
    found = {}
    run(lambda row: found.update({row.quantity: row.here}), flights=6, faces=1)
    assert found["odometry, 3-D mean error: visual over fused"] > 2.0
    assert found["map: RMS distance to the rock, worst"] < 0.05
    assert found["spalls found"] >= 95.0 and found["false spalls, most on one face"] <= 1.0
