"""Tables of states: ways out, guards, and what is refused."""

import pytest

from tetherlab.contracts.autonomy import Readings, TaskStatus
from tetherlab.contracts.errors import InputError
from tetherlab.missions.machine import Guard, State, StateMachine

ENDS = {"home": True, "lost": False}


class Counted:
    """Done, or failed, after so many steps."""

    def __init__(self, name, steps, ends=TaskStatus.DONE):
        self.name, self.details, self.steps, self.ends = name, "", steps, ends
        self.begun, self.left = 0, 0

    def begin(self, readings):
        self.begun, self.left = self.begun + 1, self.steps

    def step(self, readings, commander):
        self.left -= 1
        return self.ends if self.left == 0 else TaskStatus.GOING_ON


def machine(*guards, go=None, back=None):
    go = Counted("go", 3) if go is None else go
    back = Counted("back", 2) if back is None else back
    states = [State(task=go, done="back", failed="lost"), State(task=back, done="home", failed="lost")]
    return StateMachine(states, guards, start="go", ends=ENDS)


def run(machine, dt=0.1, **readings):
    time = 0.0
    while not machine.done and time < 10.0:
        machine.step(Readings(time=time, **readings), None)
        time += dt
    return [(change.source, change.cause, change.target) for change in machine.log]


def test_tasks_follow_each_other_as_the_table_says():
    table = machine()
    assert run(table) == [("go", "done", "back"), ("back", "done", "home")]
    assert table.state == "home"
    assert table.log[0].time == pytest.approx(0.2)


def test_a_task_that_fails_takes_its_other_way_out():
    assert run(machine(go=Counted("go", 2, TaskStatus.FAILED))) == [("go", "failed", "lost")]


def test_a_guard_that_sees_something_long_enough_decides():
    guard = Guard(name="hot", watch=lambda r: "too hot", target="back", states=("go",), lasting=0.35)
    table = machine(guard, go=Counted("go", 100))
    assert run(table) == [("go", "hot", "back"), ("back", "done", "home")]
    assert table.log[0].time == pytest.approx(0.4)
    assert table.log[0].details == "too hot"


def test_what_a_guard_saw_for_a_moment_only_is_forgotten():
    guard = Guard(
        name="hot",
        watch=lambda r: "" if 0.25 < r.time < 0.35 else "too hot",
        target="back",
        states=("go",),
        lasting=0.35,
    )
    table = machine(guard, go=Counted("go", 100))
    run(table)
    assert table.log[0].time == pytest.approx(0.8)


def test_a_guard_does_not_look_in_other_states():
    guard = Guard(name="hot", watch=lambda r: "too hot", target="lost", states=("back",))
    assert run(machine(guard)) == [("go", "done", "back"), ("back", "hot", "lost")]


def test_the_first_guard_of_the_list_decides():
    guards = [
        Guard(name=name, watch=lambda r: "seen", target=target, states=("go",))
        for name, target in (("one", "back"), ("two", "lost"))
    ]
    assert run(machine(*guards))[0] == ("go", "one", "back")


def test_a_machine_that_starts_again_begins_its_tasks_anew():
    go = Counted("go", 3)
    table = machine(go=go)
    run(table)
    table.restart()
    assert table.log == []
    assert run(table)[-1] == ("back", "done", "home")
    assert go.begun == 2


def test_the_table_is_readable():
    guard = Guard(name="hot", watch=lambda r: "", target="back", states=("go",))
    assert machine(guard).table().splitlines() == [
        "state  cause   next",
        "go     done    back",
        "go     failed  lost",
        "go     hot     back",
        "back   done    home",
        "back   failed  lost",
    ]


def test_a_way_to_nowhere_is_refused():
    state = State(task=Counted("go", 1), done="bak", failed="back")
    with pytest.raises(InputError, match=r"go, done: no state 'bak'\. Did you mean 'back'"):
        StateMachine([state], [], start="go", ends={"back": True})


def test_a_table_without_a_way_to_an_end_is_refused():
    states = [
        State(task=Counted("go", 1), done="back", failed="back"),
        State(task=Counted("back", 1), done="go", failed="go"),
    ]
    with pytest.raises(InputError, match="no end can be reached from: go, back"):
        StateMachine(states, [], start="go", ends=ENDS)


def test_two_states_of_one_name_are_refused():
    states = [State(task=Counted("go", 1), done="home", failed="home")] * 2
    with pytest.raises(InputError, match="two states have the same name"):
        StateMachine(states, [], start="go", ends=ENDS)
