"""AVOCADO flown by its own sensors and estimator, in the plant."""

import math

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.assembly.canopy_run import CanopyRun
from tetherlab.assembly.on_board import OnBoard
from tetherlab.control.avocado import ModelController, PaperController, References
from tetherlab.estimation import avocado_layout as K
from tetherlab.estimation.avocado_modes import calm
from tetherlab.plant.hanging import hanging
from tetherlab.vehicles.avocado import AvocadoRobotSpec

ROBOT = AvocadoRobotSpec()


def flown(controller, world=None, until=12.0, seed=1):
    """Lean out to 25 deg and turn by 40 deg, on 1 m."""
    wanted = References(
        times=[0.0, 1.0, 7.0, 9.0],
        tether_length=1.0,
        theta=np.radians([0.0, 0.0, 25.0, 25.0]),
        heading=np.radians([0.0, 0.0, 0.0, 40.0]),
    )
    start = hanging(ROBOT, 1.0)
    sensing = OnBoard(ROBOT, start, seed=seed)
    run = CanopyRun(
        ROBOT,
        tl.World() if world is None else world,
        controller(ROBOT, wanted),
        start,
        until,
        sensing=sensing,
    )
    believed = []
    while run.step():
        believed.append(vars(sensing.estimate.state or start).copy())
    return run, believed, sensing


@pytest.mark.parametrize("controller", [PaperController, ModelController])
def test_from_rest_it_gets_where_it_shall_by_what_it_believes(controller):
    run, believed, _ = flown(controller)
    state = run.state
    assert math.degrees(state.theta) == pytest.approx(25.0, abs=1.5)
    assert math.degrees(state.heading) == pytest.approx(40.0, abs=3.0)
    assert believed[-1]["theta"] == pytest.approx(state.theta, abs=0.02)
    assert believed[-1]["theta"] != state.theta


def test_pressed_against_a_wall_it_still_believes_in_numbers():
    wall = tl.shapes.Box(lower=(0.25, -1.0, -2.0), upper=(0.5, 1.0, 0.0), name="wall")
    run, believed, _ = flown(PaperController, tl.World([wall]))
    assert run.log["robot"]["shell_contacts"].max() > 0.0
    assert run.outcome is tl.Outcome.COMPLETED
    assert all(math.isfinite(value) for state in believed for value in state.values())


def test_hypotheses_that_have_run_away_begin_anew():
    _, _, sensing = flown(PaperController, until=3.0)
    memory = sensing.estimator._memory
    x, C, p = memory.x, memory.C, memory.p
    good = x[2].copy()
    x[3, K.LOG_LENGTH], C[4, K.ALPHA, K.ALPHA], x[5, K.SPEED] = math.log(1e-3), -1.0, 1e3
    p[3] = 0.9
    assert calm(memory, 1.0)
    assert (x[2] == good).all()
    for k in (3, 4, 5):
        assert x[k, K.ALPHA] == x[K.FREE, K.ALPHA] and p[k] < 1e-9
        assert 0.05 < math.exp(x[k, K.LOG_LENGTH]) < 1.0
        assert np.linalg.eigvalsh(C[k]).min() > -1e-12
    x[K.FREE, K.SPEED] = math.nan
    assert not calm(memory, 1.0)
