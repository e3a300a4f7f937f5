"""The plan of two ground robots that become one, carried out."""

import math

import pytest

import tetherlab as tl
from tetherlab.assembly.dual_ugv import DualUgvBodies, DualUgvRun, carry_out_dual_ugv
from tetherlab.planning.dual_ugv import DualUgvProblem, plan_dual_ugv
from tetherlab.planning.plan import Plan, PlanStatus


@pytest.mark.parametrize(
    "problem", [DualUgvProblem(), DualUgvProblem(wheeled=(0.9, -1.2), heading=2.0, switch=(-1.0, 0.4))]
)
def test_the_plan_flips_the_switch(problem):
    done = carry_out_dual_ugv(plan_dual_ugv(problem), problem)
    assert [step.label for step in done] == ["r", "p", "c", "j", "i"]
    assert not any(step.trouble for step in done)
    r, _, _, j, i = done
    assert r.error < 0.01 and j.error < 0.01 and i.error < 0.01
    assert j.duration > math.dist((-0.2, 0.0), problem.switch) / 0.3  # no faster than its wheels


@pytest.mark.parametrize(
    ("bodies", "label", "trouble"),
    [
        (
            {"magnet_force": 9.0},
            "c",
            "too weak: they hold 9 N, the walking robot with its legs up pulls with 9.8 N",
        ),
        ({"magnet_reach": 0.1}, "c", "the magnets are 0.20 m apart"),
        ({"leg_stroke": 0.02}, "i", "it flips at 0.03 m"),
        ({"leg_reach": 1e-4}, "i", "the switch is out of reach"),
    ],
)
def test_a_step_that_fails_is_told(bodies, label, trouble):
    done = carry_out_dual_ugv(plan_dual_ugv(), bodies=DualUgvBodies(**bodies))
    assert done[-1].label == label and trouble in done[-1].trouble


def test_magnets_must_face_each_other():
    run = DualUgvRun(DualUgvProblem(wheeled=(-0.2, 0.0), heading=0.5), DualUgvBodies())
    assert "face 29 deg past each other" in run._join() and not run.joined


def test_no_plan_is_not_carried_out():
    with pytest.raises(tl.InputError, match="nothing to carry out"):
        carry_out_dual_ugv(Plan(PlanStatus.NO_PLAN))
