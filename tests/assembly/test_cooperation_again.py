"""Steps that fail in the plant: what was learnt, and the plan that is made from there."""

from dataclasses import replace

import numpy as np
import pytest
from test_cooperation import LINTEL, WALL, team

from tetherlab.assembly.cooperation import Execution, carry_out
from tetherlab.contracts.errors import InputError
from tetherlab.planning.after_failure import problem_after
from tetherlab.planning.cooperative import Held, plan
from tetherlab.planning.validator import validate

FAR, NEAR_WALL = (-1.1, 1.5), (-0.8, 1.5)


def with_perches(problem, *perches):
    return replace(problem, perches=perches)


def test_a_perch_without_hold_is_left_for_another_with_the_tether_in_hand():
    problem = with_perches(team([WALL, LINTEL]), FAR, NEAR_WALL)
    found = plan(problem, explain=False)
    assert found.symbols == "δ β d γ' f' f'" and tuple(found.steps[3].way[-1]) == FAR
    done = carry_out(problem, found, Execution(missing=[FAR]))
    assert done.succeeded and done.errors["ugv"] < 0.10
    assert [again.symbols for again in done.plans[1:]] == ["γ' f' f' a'"]
    assert [step.trouble for step in done.steps if step.trouble] == [
        "the drone finds no hold at (-1.10, 1.50)"
    ]
    assert any(event.sentence == "γ' failed; again from here: γ' f' f' a'" for event in done.log.events)


def test_a_winch_that_is_too_weak_for_one_way_is_unhooked_and_hung_up_elsewhere():
    """Planned with 150 N; it has 80 N, which lift it only where the tether is steep beyond the corner."""
    steep = (-0.6, 1.6)
    believed = with_perches(team([WALL]), FAR, steep)
    true = with_perches(team([WALL], pulls=80.0), FAR, steep)
    done = carry_out(true, plan(believed, explain=False))
    assert done.succeeded and done.errors["ugv"] < 0.10
    assert [again.symbols for again in done.plans[1:]] == ["u δ β d γ' f' f' a'"]
    failed = next(step for step in done.steps if step.trouble)
    assert failed.label == "f'" and "it pulls with" in failed.trouble


def test_without_another_way_the_failure_is_the_end():
    problem = with_perches(team([WALL, LINTEL]), FAR)
    done = carry_out(problem, plan(problem, explain=False), Execution(missing=[FAR]))
    assert not done.succeeded and len(done.plans) == 1
    assert "finds no hold" in done.log.outcome_sentence
    assert any(event.sentence.endswith("no plan exists") for event in done.log.events)


def test_no_more_plans_are_made_than_allowed():
    problem = with_perches(team([WALL, LINTEL]), FAR, NEAR_WALL)
    done = carry_out(problem, plan(problem, explain=False), Execution(missing=[FAR], replans=0))
    assert not done.succeeded and len(done.plans) == 1


@pytest.mark.parametrize("count", range(4, 6))
def test_what_is_left_in_the_middle_of_a_plan_costs_what_the_rest_of_it_cost(count):
    """From the state that the plan itself has after some steps, at the very places."""
    problem = with_perches(team([WALL, LINTEL]), FAR, NEAR_WALL)
    found = plan(problem, explain=False)
    places = {agent.name: agent.start for agent in problem.agents}
    for step in found.steps[:count]:
        places[step.agent] = tuple(step.way[-1])
    along = [tuple(point) for point in found.steps[count - 1].tether[1:-1]]
    left = replace(
        problem,
        agents=[replace(agent, start=places[agent.name]) for agent in problem.agents],
        held=[Held(tether_of="ugv", by="uav", perched=True, along=along)],
    )
    rest = plan(left, explain=False)
    assert rest.labels == found.labels[count:]
    assert rest.cost == pytest.approx(sum(step.cost for step in found.steps[count:]), abs=1e-6)
    assert validate(left, rest) == []


def test_a_failed_flight_leaves_the_tether_along_the_way_that_was_flown():
    problem = with_perches(team([WALL, LINTEL]), FAR, NEAR_WALL)
    found = plan(problem, explain=False)
    step = found.steps[3]
    half = 0.5 * (step.way[-2] + step.way[-1])
    held = Held(tether_of="ugv", by="uav", perched=False)
    left = problem_after(problem, step, held, {"ugv": (1.0, -1.9), "uav": tuple(half)}, 0.0)
    assert left.perches == [NEAR_WALL] and not left.held[0].perched
    assert np.array(left.held[0].along)[:-1] == pytest.approx(step.way[:-1])
    assert left.held[0].along[-1] == pytest.approx(tuple(half))
    again = plan(left, explain=False)
    assert again.labels[0] == "γ'" and validate(left, again) == []


@pytest.mark.parametrize(
    ("held", "says"),
    [
        ({"tether_of": "ugw", "by": "uav", "perched": False}, "no agent 'ugw'. Did you mean 'ugv'"),
        ({"tether_of": "uav", "by": "ugv", "perched": False}, "uav has no winch"),
        ({"tether_of": "ugv", "by": "uav", "perched": True}, "uav starts at no perch"),
    ],
)
def test_who_holds_what_is_checked(held, says):
    with pytest.raises(InputError, match=says):
        replace(team([WALL]), held=[Held(**held)])
