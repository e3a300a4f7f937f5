"""Every packaged scenario runs and ends as its name says."""

import pytest

import tetherlab as tl
from tetherlab.assembly.runs import make_simulation
from tetherlab.scenario.library import packaged

ENDINGS = {
    "ends_in_collision": tl.Outcome.COLLISION,
    "ends_in_overload": tl.Outcome.TETHER_OVERLOAD,
    "ends_tangled": tl.Outcome.TANGLED,
    "ends_timed_out": tl.Outcome.TIMED_OUT,
    "ends_too_short": tl.Outcome.TETHER_TOO_SHORT,
}
LONG = {
    "vertical", "horizontal", "opposite", "recorded_dynamic", "recorded_predefined", "theatre",
    "oxpecker_mine",
}  # fmt: skip
SCENARIOS = [
    pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in packaged("scenarios")
]


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_packaged_scenario_ends_as_its_name_says(name):
    simulation = make_simulation(name)
    simulation.run()
    assert simulation.outcome is ENDINGS.get(name, tl.Outcome.COMPLETED), simulation.outcome_sentence


def test_there_is_a_scenario_for_every_ending_in_the_list():
    assert set(ENDINGS) <= set(packaged("scenarios"))
