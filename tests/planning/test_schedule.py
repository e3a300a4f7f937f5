"""Steps side by side: those that share a robot or come near each other keep their turn, others need not."""

import math
from itertools import pairwise

import pytest
from window_world import window

from tetherlab.planning.cooperative import Agent, PlanStatus, Problem, Winch, plan
from tetherlab.planning.schedule import duration, schedule
from tetherlab.planning.validator import validate


def two_pairs() -> Problem:
    """Two walls far apart, each with a UAV and a UGV."""
    agents, goal, obstacles, perches = [], {}, [], []
    for k, shift in enumerate((0.0, 10.0), 1):
        agents += [
            Agent(name=f"ugv_{k}", start=(shift + 1.5, -1.9), drive_slope=math.radians(20.0), latch=True,
                  winch=Winch(length=7.0)),
            Agent(name=f"uav_{k}", start=(shift + 1.1, 0.0), radius=0.15, fly=True, land=True,
                  perch_force=400.0),
        ]  # fmt: skip
        goal[f"ugv_{k}"] = (shift - 1.1, -1.9)
        obstacles.append([(shift - 0.2, -2.0), (shift + 0.2, -2.0), (shift + 0.2, 0.2), (shift - 0.2, 0.2)])
        perches.append((shift - 1.1, 1.5))
    walled = [(4.9, -2.0), (5.1, -2.0), (5.1, 2.0), (4.9, 2.0)]  # nobody helps the other pair
    return Problem(
        bounds=(-2.0, -2.0, 12.0, 2.0),
        obstacles=[*obstacles, walled],
        perches=perches,
        agents=agents,
        goal=goal,
    )


def test_one_pair_takes_turns() -> None:
    problem = window()
    slots = schedule(problem, plan(problem)).slots
    starts = [slot.start for slot in slots]
    assert starts == pytest.approx([sum(duration(s.step) for s in slots[:k]) for k in range(len(slots))])


def test_two_pairs_work_side_by_side() -> None:
    problem = two_pairs()
    found = plan(problem, cells=60)
    assert found.status.has_plan and len(found.steps) == 12
    times = schedule(problem, found)
    assert times.duration == pytest.approx(0.5 * times.in_turns, rel=0.05)
    for name in ("ugv_1", "uav_1", "ugv_2", "uav_2"):
        own = [slot for slot in times.slots if name in (slot.step.agent, slot.step.partner)]
        assert all(a.end <= b.start + 1e-9 for a, b in pairwise(own))


def test_ways_that_meet_keep_their_turn() -> None:
    walkers = [Agent(name=n, start=(x, -1.9), drive_slope=0.3) for n, x in (("a", -1.5), ("b", 1.5))]
    crossing = Problem(
        bounds=(-2.0, -2.0, 2.0, 2.0), agents=walkers, goal={"a": (0.5, -1.9), "b": (-0.5, -1.9)}
    )
    apart = Problem(bounds=(-2.0, -2.0, 2.0, 2.0), agents=walkers, goal={"a": (-1.0, -1.9), "b": (1.0, -1.9)})
    for problem, waits in ((crossing, True), (apart, False)):
        times = schedule(problem, plan(problem))
        assert (times.duration > 0.9 * times.in_turns) is waits


def crowd(ugvs: int, uavs: int) -> Problem:
    """Before one wall."""
    agents = [
        Agent(
            name=f"ugv_{k}", start=(1.0 + 0.9 * k, -1.9), drive_slope=0.3, latch=True, winch=Winch(length=9.0)
        )
        for k in range(ugvs)
    ]
    agents += [
        Agent(
            name=f"uav_{k}", start=(1.0 + 0.9 * k, 0.5), radius=0.15, fly=True, land=True, perch_force=400.0
        )
        for k in range(uavs)
    ]
    wall = [(-0.2, -2.0), (0.2, -2.0), (0.2, 0.2), (-0.2, 0.2)]
    return Problem(
        bounds=(-5.0, -2.0, 5.0, 3.0),
        obstacles=[wall],
        perches=[(-1.1, 1.5), (-2.0, 1.8), (-2.9, 2.1)][:uavs],
        agents=agents,
        goal={f"ugv_{k}": (-1.1 - 0.9 * k, -1.9) for k in range(ugvs)},
    )


def test_one_uav_lets_go_and_fetches_the_next() -> None:
    problem = crowd(2, 1)
    found = plan(problem)
    assert found.status is PlanStatus.SOLVED and not validate(problem, found)
    kinds = [label.partition(":")[0] for label in found.labels]
    assert kinds.count("γ'") == 2 and kinds.index("u") < len(kinds) - 1 - kinds[::-1].index("δ")


def test_a_team_of_six_has_a_plan_before_it_is_the_cheapest() -> None:
    problem = crowd(3, 3)
    found = plan(problem, time_limit=2.0)
    assert found.status.has_plan and not validate(problem, found)
    assert len({step.agent for step in found.steps}) == 6


def loading(*, reach: float = 0.6, cart: float = 0.5, carry: bool = True, **arm: float) -> Problem:
    """An arm that shall put something into a cart, which drives up to it."""
    return Problem(
        bounds=(-2.0, -2.0, 2.0, 2.0),
        agents=[
            Agent(name="arm", start=(-1.9, -1.6), reach=reach, **arm),
            Agent(name="cart", start=(cart, -1.9), drive_slope=0.3, carry=carry),
        ],
        goal={"cart": (-1.5, -1.9)},
        object_at=(-1.9, -1.9),
        object_into="cart",
    )


def test_an_arm_picks_when_the_container_is_there() -> None:
    problem = loading()
    found = plan(problem)
    drive, pick, put = schedule(problem, found).slots
    assert found.symbols == "a ζ η"
    assert pick.start >= drive.end and put.start >= pick.end
