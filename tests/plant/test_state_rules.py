"""Every field of a plant's state has a rule, and good states keep all of them."""

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.plant import model as P
from tetherlab.plant import state_rules as rules
from tetherlab.plant.graph_build import LASTING
from tetherlab.plant.model import copy_plant
from tetherlab.tether import model as M


@pytest.mark.parametrize("record", rules.RECORDS, ids=lambda record: record.names[0])
def test_every_field_of_a_record_has_a_rule(record):
    assert set(record.names) == set(rules.RECORDS[record])


def test_every_array_of_plant_and_tether_has_a_rule_or_is_made_of_records():
    elsewhere = {"graph", "field", "wind"}  # below; moving objects; read from the scenario
    planned = {"parted"}  # from what is tied
    assert set(P.Plant._fields) == {*rules.PLANT_RULES, *rules.RECORD_FIELDS, *elsewhere, *planned}
    lasting = {*rules.GRAPH_RULES, *rules.GRAPH_RECORDS}
    assert set(LASTING) == {*lasting, "pair"}  # of which a plant has none
    of_tether = {"contact", "wrap", "body", "body_contact"}
    assert set(M.TetherState._fields) == {*rules.STATE_RULES, *of_tether}
    assert set(M.TetherModel._fields) == set(rules.MODEL_RULES)
    assert set(M.Workspace._fields) == set(rules.WORK_RULES)


def test_every_number_of_a_tether_has_a_rule():
    plant = tl.Simulation("vertical").plant
    assert set(rules.NUMBER_RULES) == set(range(plant.graph.memories.number.shape[1]))


def test_the_named_parts_of_a_tether_cover_all_of_its_memory():
    """Else a part could be stored that no rule looks at."""
    memories = copy_plant(tl.Simulation("vertical").plant).graph.memories
    memory = M.Memory(*[array[0] for array in memories])
    for array in memory:
        array.view(np.uint8).fill(0)
    for opened in (M.open_state, M.open_work):
        for part in rules.plain(opened)(memory):
            part[...] = np.ones((), part.dtype) if part.dtype.names is None else part
    for name, array in memory._replace(constants=np.ones(1))._asdict().items():
        assert array.dtype.names is not None or array.all(), name


@pytest.mark.parametrize("scenario", ["theatre", "windy", "ends_tangled", "ends_in_overload"])
def test_states_of_good_runs_keep_the_rules(scenario):
    simulation = tl.Simulation(scenario, seed=2)
    built = copy_plant(simulation.plant)
    for until in (0.5, 3.0, 9.0, 18.0):
        if simulation.outcome is None:
            simulation.run(until=until)
        assert rules.broken_rule(built, simulation.plant) == ""


def test_a_powered_drone_on_a_levelled_deck_keeps_the_rules():
    changes = {"power": "oxpecker", "ugv.robot": "rhino", "tether": "oxpecker", "winch": "oxpecker"}
    simulation = tl.Simulation("vertical", changes)
    built = copy_plant(simulation.plant)
    assert len(built.supply) == 1 and built.platform["present"][0] == 1
    simulation.run(until=4.0)
    assert rules.broken_rule(built, simulation.plant) == ""
