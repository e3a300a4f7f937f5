"""AVOCADO's study: what its rows are made of, on motions whose answers are known."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from tetherlab.contracts.log import Log
from tetherlab.contracts.outcome import Outcome
from tetherlab.contracts.table import Table
from tetherlab.studies import avocado_statics, avocado_steps
from tetherlab.studies.avocado_branch import (
    ANGLE,
    CALM,
    LEVER,
    TETHER,
    WANTED,
    Trial,
    drawn,
    judge,
    make_branch,
    make_run,
)
from tetherlab.studies.rows import published
from tetherlab.vehicles.avocado import AvocadoSpec


def test_rest_and_swing_are_what_closed_forms_say():
    found, figures = {}, {}
    avocado_statics.run(
        published("avocado"), lambda row: found.update({row.quantity: row.here}), figures.__setitem__
    )
    spec = AvocadoSpec()
    limit = "thrust at which no rest is left, of the weight"
    assert found[limit] == pytest.approx(spec.mass_arm / spec.thrust_arm)
    # sin(gamma) = tau l_Th / l_g and tan(theta) = tau cos(gamma) / (1 - tau sin(gamma)), searched by hand
    tau = np.linspace(0.0, spec.mass_arm / spec.thrust_arm, 200_001)
    sine = np.minimum(tau * spec.thrust_arm / spec.mass_arm, 1.0)
    theta = np.degrees(np.arctan2(tau * np.sqrt(1.0 - sine**2), 1.0 - tau * sine))
    assert found["largest tether angle at rest"] == pytest.approx(theta.max(), abs=1e-6)
    assert found["thrust of that angle"] == pytest.approx(tau[theta.argmax()] * spec.weight, abs=1e-3)
    period = found["passive swing: period of theta over 50 s"]
    assert period == pytest.approx(found["passive swing: period of a point mass there"], rel=0.01)
    critical = found["thrust step that turns the robot over"]
    assert 2.5 < critical < spec.thrust_limit
    assert set(figures) == {"quasi_static", "swing", "thrust_steps"}


def response(settles, overshoot):
    """A trajectory that overshoots each step by a share, and is there after a time [s]."""
    time = np.arange(0.0, avocado_steps.LASTS * len(avocado_steps.ANGLES), 0.01)
    theta = np.zeros_like(time)
    for k, angle in enumerate(avocado_steps.ANGLES):
        since = time - avocado_steps.LASTS * k
        size = angle - avocado_steps.ANGLES[max(k - 1, 0)]
        there = since >= 0.0
        theta[there] = angle
        theta[there & (since < settles)] = angle - 0.5 * size
        theta[there & (since >= settles) & (since < settles + 0.1)] = angle + overshoot * size
    return SimpleNamespace(time=time, theta=np.radians(theta))


def test_settling_and_overshoot_are_read_off_each_step():
    for found in avocado_steps.responses(response(1.5, 0.04)):
        assert found.overshoot == pytest.approx(4.0)
        assert found.settling == pytest.approx(1.5, abs=0.011)
    assert avocado_steps.responses(response(9.0, 0.0))[0].settling == math.inf


def ended(theta, heading, psi=0.0, pitch=40.0, outcome=Outcome.COMPLETED, before=0.0):
    """A log whose last row is that [deg]; before: the heading half a second earlier."""
    columns = {
        "time_s": np.array([0.0, CALM + 1.0, CALM + 9.5, CALM + 10.0]),
        "theta_deg": np.array([0.0, pitch, 30.0, theta]),
        "phi_deg": np.zeros(4),
        "heading_deg": np.array([0.0, 0.0, before, heading]),
        "psi_deg": np.array([0.0, 0.0, 0.0, psi]),
    }
    return Log({"robot": Table(columns)}, outcome, "", [])


@pytest.mark.parametrize(
    ("log", "success"),
    [
        (ended(33.0, 15.0), True),
        (ended(-33.0, 195.0, psi=180.0), True),  # the same place
        (ended(33.0, 735.0), True),  # after two turns
        (ended(36.0, 0.0), False),
        (ended(30.0, 25.0), False),
        (ended(30.0, 0.0, before=-45.0), False),  # swings past it
        (ended(30.0, 0.0, pitch=95.0), False),
        (ended(30.0, 0.0, outcome=Outcome.TURNED_OVER), False),
    ],
)
def test_success_is_to_be_back_and_never_to_have_turned_over(log, success):
    assert judge(Trial("up", 0.5), log).success is success


def test_trials_differ_as_told_and_can_be_repeated():
    trials = [drawn("down", 0.5, "model-based", seed) for seed in range(50)]
    assert trials == [drawn("down", 0.5, "model-based", seed) for seed in range(50)]
    angles = np.array([trial.angle for trial in trials]) / ANGLE
    assert 0.8 <= np.abs(angles).min() < 0.85 and 1.15 < np.abs(angles).max() <= 1.2
    assert 10 < (angles > 0.0).sum() < 40
    assert len({trial.friction for trial in trials}) == len({trial.release for trial in trials}) == 50


@pytest.mark.parametrize("way", ["up", "down"])
def test_held_aside_the_branch_is_where_the_tether_meets_it(way):
    held, still = make_branch(Trial(way, 0.5)), make_branch(Trial(way, 0.5, release=None))
    along = np.array([math.sin(held.bent[0]), -math.cos(held.bent[0]), 0.0])
    assert held.root + LEVER * along == pytest.approx(still.root + LEVER * np.array([0.0, -1.0, 0.0]))
    run = make_run(Trial(way, 0.5, release=None, true_state=True))
    run.run(until=12.0)
    assert run.hangs_from == "branch"
    assert run.state.distance == pytest.approx(0.5, abs=0.03) and run.state.tether_length == TETHER
    assert run.state.theta == pytest.approx(WANTED[way], abs=math.radians(1.5))
