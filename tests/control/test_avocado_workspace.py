import math
from dataclasses import replace

import numpy as np
import pytest

from tetherlab.contracts.errors import InputError
from tetherlab.control.avocado import overturning_step, workspace
from tetherlab.report.workspace_figure import draw_workspace
from tetherlab.vehicles.avocado import AvocadoCommand, AvocadoSpec, resting, simulate


@pytest.fixture(scope="module")
def found():
    return workspace(AvocadoSpec(), count=5)


def test_the_cone_of_table_one(found):
    assert math.degrees(found.theta_max) == pytest.approx(42.95, abs=0.01)
    assert found.thrust_widest == pytest.approx(5.393, abs=1e-3)
    assert found.radius == pytest.approx(math.sin(found.theta_max))
    assert found.theta_step < found.theta_max


def test_margins_end_at_the_limits(found):
    assert found.thrust_margin[-1] == pytest.approx(0.0) and found.theta_margin[-1] == pytest.approx(0.0)
    assert found.torque[0] == pytest.approx(0.0)  # both motors at their least
    middle = 0.06 * min(found.thrust[2] - 0.05, 7.0 - found.thrust[2])
    assert found.torque[2] == pytest.approx(middle)
    assert np.all(found.recovery[:-1] < 5.0)


def test_recovery_is_that_of_angles_that_the_controller_holds(found):
    assert found.theta[-2] < found.theta_held < found.theta[-1]
    assert np.isnan(found.recovery).tolist() == [False] * 4 + [True]


def test_the_step_that_turns_it_over_does_and_a_smaller_one_does_not(found):
    for thrust, over in ((found.thrust_step, True), (found.thrust_step - 0.02, False)):
        spec = found.spec
        run = simulate(spec, resting(spec, 1.0), AvocadoCommand(thrust=thrust), 20.0, throw=False)
        assert (np.abs(run.pitch).max() > 0.5 * math.pi) == over


def test_a_heavy_robot_cannot_be_turned_over():
    assert overturning_step(replace(AvocadoSpec(), thrust_max=2.0)) is None


def test_the_picture_shows_the_numbers(found):
    figure = draw_workspace(found)
    titles = {axes.get_title(): axes for axes in figure.axes}
    torque = titles["Torque left to turn"].lines[0].get_ydata()
    assert torque == pytest.approx(1e3 * found.torque)
    assert len(titles) == 4


def test_wrong_input_gets_a_sentence():
    with pytest.raises(InputError, match=r"AvocadoSpec\.thrust_min must be below"):
        workspace(AvocadoSpec(thrust_min=6.0))
    with pytest.raises(InputError, match="tether_length must be > 0"):
        workspace(AvocadoSpec(), 0.0)
